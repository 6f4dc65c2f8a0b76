// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A weight, with its preparation, counts for the part of its first reader. A
// language model may reuse its embedding, its largest weight, in its last
// product. Copying it to the last IPU, and the gradient back, would cost more
// than the product, so the product moves to the embedding's IPU.

#include "lib/PopART/Passes/IpuParts.h"

#include "lib/PopART/IR/Module.h"

#include <algorithm>
#include <unordered_set>

namespace populus::popir {

namespace {

/// Readers move to the weight's IPU if the weight is this many times as large
/// as their other operands and results. Those are copied instead, their
/// gradients too, and the part with more work delays the others.
constexpr std::uint64_t WorthMoving = 4;

std::uint64_t bytesOf(const Value &value) {
  return static_cast<std::uint64_t>(value.info.numElements()) *
         sizeOf(value.info.type);
}

bool isStored(const Value &value) {
  return value.isConstant() || value.variable();
}

class Parts {
public:
  Parts(Graph &graph, unsigned count, const Preparations &preparations)
      : graph(graph), count(count), preparations(preparations) {}

  void place() {
    cut();
    stayWithWeights();
  }

private:
  bool isPreparation(const Op &op) const { return preparations.contains(&op); }

  /// True if a value is a weight or a prepared weight.
  bool isWeight(const Value &value) const {
    return isStored(value) ||
           (value.producer() && isPreparation(*value.producer()));
  }

  /// By operator, bytes of its results and of weights that it reads first.
  std::unordered_map<const Op *, std::uint64_t> memoryOfOps() const {
    std::unordered_map<const Op *, std::uint64_t> memory;
    std::unordered_set<const Value *> seen;
    for (const Op *op : graph.ops()) {
      const auto found = preparations.find(op);
      std::uint64_t &bytes =
          memory[found == preparations.end() ? op : found->second];
      for (const Value *input : op->inputs())
        if (input && isStored(*input) && seen.insert(input).second)
          bytes += bytesOf(*input);
      for (const Value *output : op->outputs())
        if (output)
          bytes += bytesOf(*output);
    }
    return memory;
  }

  void cut() {
    const auto memory = memoryOfOps();
    double total = 0, before = 0;
    for (const auto &[op, bytes] : memory)
      total += static_cast<double>(bytes);
    for (Op *op : graph.ops()) {
      if (isPreparation(*op))
        continue;
      // An operator belongs to the part in which its middle lies.
      const auto size = static_cast<double>(memory.at(op));
      const double middle = before + size / 2;
      const auto part =
          static_cast<std::int64_t>(total == 0 ? 0 : middle / total * count);
      op->placement().ipu = std::min<std::int64_t>(part, count - 1);
      before += size;
    }
  }

  void placePreparations() {
    for (Op *op : graph.ops())
      if (isPreparation(*op))
        op->placement().ipu = preparations.at(op)->placement().ipu;
  }

  /// The readers of a variable and of its prepared forms, in order.
  std::vector<Op *> readersOf(const Value &weight) const {
    std::vector<Op *> readers;
    for (Op *user : weight.users()) {
      if (!isPreparation(*user)) {
        readers.push_back(user);
        continue;
      }
      for (const Value *result : user->outputs())
        if (result)
          std::ranges::copy(readersOf(*result), std::back_inserter(readers));
    }
    std::ranges::sort(readers, [](const Op *a, const Op *b) {
      return a != b && a->isBefore(*b);
    });
    readers.erase(std::unique(readers.begin(), readers.end()), readers.end());
    return readers;
  }

  /// Bytes of an operator's results and of its operands except weights.
  std::uint64_t bytesBesideWeights(const Op &op) const {
    std::uint64_t bytes = 0;
    for (const Value *input : op.inputs())
      if (input && !isWeight(*input))
        bytes += bytesOf(*input);
    for (const Value *output : op.outputs())
      if (output)
        bytes += bytesOf(*output);
    return bytes;
  }

  void stayWithWeights() {
    for (const Value &value : graph.values())
      if (value.variable())
        moveReaders(value);
    for (Op *op : graph.ops()) {
      const std::optional<std::int64_t> ipu = onlySource(*op);
      if (ipu && !moved.contains(op))
        move(*op, *ipu);
    }
    placePreparations();
  }

  void moveReaders(const Value &weight) {
    const std::vector<Op *> readers = readersOf(weight);
    if (readers.size() < 2)
      return;
    const std::int64_t home = *readers.front()->placement().ipu;
    std::vector<Op *> others;
    std::uint64_t bytes = 0;
    for (Op *reader : readers)
      if (*reader->placement().ipu != home) {
        others.push_back(reader);
        bytes += bytesBesideWeights(*reader);
      }
    if (bytesOf(weight) >= WorthMoving * bytes)
      for (Op *reader : others)
        move(*reader, home);
  }

  void move(Op &op, std::int64_t ipu) {
    op.placement().ipu = ipu;
    moved.insert(&op);
  }

  /// The IPU of moved operators, if an operator depends only on these and has
  /// no weights.
  std::optional<std::int64_t> onlySource(const Op &op) const {
    std::optional<std::int64_t> ipu;
    for (const Value *input : op.inputs()) {
      if (!input || input->isConstant() || input->isArgument())
        continue;
      if (isWeight(*input) || !moved.contains(input->producer()) ||
          (ipu && ipu != input->producer()->placement().ipu))
        return std::nullopt;
      ipu = input->producer()->placement().ipu;
    }
    return ipu;
  }

  Graph &graph;
  const unsigned count;
  const Preparations &preparations;
  std::unordered_set<const Op *> moved;
};

} // namespace

Preparations findPreparations(const Graph &graph) {
  std::unordered_set<const Op *> ofWeights;
  std::vector<const Op *> inOrder;
  for (const Op *op : graph.ops()) {
    const bool prepares =
        !op->inputs().empty() && !op->isStateful() && !op->hasEffect() &&
        std::ranges::all_of(op->inputs(), [&](const Value *input) {
          return !input || isStored(*input) ||
                 (input->producer() && ofWeights.contains(input->producer()));
        });
    if (prepares) {
      ofWeights.insert(op);
      inOrder.push_back(op);
    }
  }
  // Backwards: a preparation may be the operand of another one.
  Preparations preparations;
  for (auto it = inOrder.rbegin(); it != inOrder.rend(); ++it) {
    Op *first = nullptr;
    for (const Value *result : (*it)->outputs())
      for (Op *user : result ? result->users() : std::vector<Op *>()) {
        if (ofWeights.contains(user)) {
          const auto found = preparations.find(user);
          user = found == preparations.end() ? nullptr : found->second;
        }
        if (user && (!first || user->isBefore(*first)))
          first = user;
      }
    if (first)
      preparations[*it] = first;
  }
  return preparations;
}

void placeByMemory(Graph &graph, unsigned count,
                   const Preparations &preparations) {
  Parts(graph, count, preparations).place();
}

} // namespace populus::popir
