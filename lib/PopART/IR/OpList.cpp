// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Links and numbers of the list of operators.

#include "lib/PopART/IR/OpList.h"

#include "lib/PopART/IR/Graph.h"

namespace populus::popir {

/// Between neighbours that were appended, so that thirty-two insertions at one
/// place need no new numbers.
static constexpr std::uint64_t Step = std::uint64_t(1) << 32;

OpList::~OpList() {
  for (Op *op = first; op;) {
    std::unique_ptr<Op> owner(op);
    op = op->next;
  }
}

Op &OpList::insert(std::unique_ptr<Op> op, Op *before) {
  link(*op, before);
  return *op.release();
}

std::unique_ptr<Op> OpList::remove(Op &op) {
  unlink(op);
  return std::unique_ptr<Op>(&op);
}

void OpList::move(Op &op, Op *before) {
  if (before == &op || op.next == before)
    return;
  unlink(op);
  link(op, before);
}

void OpList::link(Op &op, Op *before) {
  op.next = before;
  op.previous = before ? before->previous : last;
  (op.previous ? op.previous->next : first) = &op;
  (op.next ? op.next->previous : last) = &op;
  ++count;
  number(op);
}

void OpList::unlink(Op &op) {
  (op.previous ? op.previous->next : first) = op.next;
  (op.next ? op.next->previous : last) = op.previous;
  op.previous = op.next = nullptr;
  --count;
}

void OpList::number(Op &op) {
  const std::uint64_t before = op.previous ? op.previous->order : 0;
  if (!op.next) {
    op.order = before + Step;
    return;
  }
  op.order = before + (op.next->order - before) / 2;
  if (op.order == before)
    renumber();
}

void OpList::renumber() {
  std::uint64_t order = 0;
  for (Op *op = first; op; op = op->next)
    op->order = order += Step;
}

} // namespace populus::popir
