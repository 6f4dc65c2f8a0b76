// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of kinds (runtime/Format/StepKinds.h) gives the tensors that a step
// reads and writes. This file adds accesses to other data.

#include "lib/Poplar/Lowering/Accesses.h"

#include "lib/Poplar/Lowering/Require.h"
#include "runtime/Format/StepKinds.h"

#include <algorithm>

namespace poplar::core {

namespace rt = populus::runtime;
using rt::StepKind;

Accesses::Accesses(const Draft &draft, const std::vector<bool> &wanted)
    : wanted(wanted), entryOf(wanted.size(), None) {
  for (std::uint32_t step = 0; step != draft.exe.steps.size(); ++step) {
    first.push_back(all.size());
    addStep(draft, step);
    finishStep();
  }
  first.push_back(all.size());
}

void Accesses::add(std::uint32_t block, std::uint32_t begin,
                   std::uint32_t bytes, bool reads) {
  if (!wanted[block] || bytes == 0)
    return;
  std::uint32_t &entry = entryOf[block];
  if (entry == None) {
    entry = static_cast<std::uint32_t>(all.size());
    all.push_back({block, begin, begin, false});
    written.push_back(0);
  }
  Access &access = all[entry];
  access.reads |= reads;
  if (reads)
    return;
  access.begin =
      access.begin == access.end ? begin : std::min(access.begin, begin);
  access.end = std::max(access.end, begin + bytes);
  written[entry - first.back()] += bytes;
}

/// Writes of a step do not overlap. So they have no gaps if their total size
/// equals their span.
void Accesses::finishStep() {
  for (std::size_t i = first.back(); i != all.size(); ++i) {
    Access &access = all[i];
    require(written[i - first.back()] <= access.end - access.begin,
            "a step writes nothing twice");
    if (access.end - access.begin != written[i - first.back()])
      access.end = access.begin;
    entryOf[access.block] = None;
  }
  written.clear();
}

/// Calls access(block, first byte, bytes, is it a read) for each access of a
/// step. Writes of vertices to buffers, which are not variables, are omitted.
template <typename Function>
static void forEachAccess(const Draft &draft, std::uint32_t index,
                          Function access) {
  const rt::Step &step = draft.exe.steps[index];
  const auto accessTensor = [&](std::uint32_t tensor, bool reads) {
    const rt::Range range = draft.exe.tensors[tensor].segments;
    for (std::uint32_t i = 0; i != range.count; ++i) {
      const PlaceRun &run = draft.segments[range.first + i];
      access(run.place.block, run.place.offset, run.bytes, reads);
    }
  };
  // All of them, with the gaps between operands.
  const auto accessOperands = [&](std::span<const std::uint32_t> blocks,
                                  bool reads) {
    for (std::uint32_t block : blocks)
      access(block, 0,
             static_cast<std::uint32_t>(draft.storage.blocks()[block].bytes),
             reads);
  };
  switch (step.kind) {
  case StepKind::Execute:
    for (const VertexAccess &vertex : draft.accessesOf(step.computeSet()))
      access(vertex.place.block, vertex.place.offset, vertex.bytes,
             vertex.reads);
    return accessOperands(draft.operandBlocks[step.computeSet()], true);
  case StepKind::Exchange: {
    const std::span<const std::uint32_t> filled =
        draft.filledBy(step.exchange());
    draft.exchanges.forEachPiece(step.exchange(), [&](const Piece &piece) {
      access(piece.from.block, piece.from.offset, piece.bytes, true);
      // The receivers of broadcasts are buffers or operand blocks.
      if (!piece.isBroadcast() &&
          (filled.empty() || !draft.isOperand(piece.to.block)))
        access(piece.to.block, piece.to.offset, piece.bytes, false);
    });
    return accessOperands(filled, false);
  }
  case StepKind::Sequence: // of a WriteUndef, as if it wrote
    for (const PlaceRun &run : draft.undefinedBy(index))
      access(run.place.block, run.place.offset, run.bytes, false);
    return;
  default:
    return forEachTensor(draft.exe, step,
                         [&](std::uint32_t tensor, rt::TensorUse use) {
                           accessTensor(tensor, use != rt::TensorUse::Written);
                         });
  }
}

void Accesses::addStep(const Draft &draft, std::uint32_t step) {
  forEachAccess(draft, step,
                [this](std::uint32_t block, std::uint32_t begin,
                       std::uint32_t bytes,
                       bool reads) { add(block, begin, bytes, reads); });
}

Writers findWriters(const Draft &draft) {
  Writers writers;
  writers.copies.resize(draft.storage.blocks().size());
  writers.others = writers.copies;
  for (std::uint32_t step = 0; step != draft.exe.steps.size(); ++step) {
    std::vector<bool> &found = draft.exe.steps[step].kind == StepKind::Exchange
                                   ? writers.copies
                                   : writers.others;
    forEachAccess(
        draft, step,
        [&](std::uint32_t block, std::uint32_t, std::uint32_t, bool reads) {
          if (!reads)
            found[block] = true;
        });
  }
  return writers;
}

} // namespace poplar::core
