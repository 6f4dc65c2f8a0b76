// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One case for each kind of step.

#include "lib/Poplar/Lowering/Accesses.h"

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

/// The writes of a step do not overlap, so those without gaps are as long as
/// what they span.
void Accesses::finishStep() {
  for (std::size_t i = first.back(); i != all.size(); ++i) {
    Access &access = all[i];
    if (access.end - access.begin != written[i - first.back()])
      access.end = access.begin;
    entryOf[access.block] = None;
  }
  written.clear();
}

void Accesses::addTensor(const Draft &draft, std::uint32_t tensor, bool reads) {
  const rt::Range range = draft.exe.tensors[tensor].segments;
  for (std::uint32_t i = 0; i != range.count; ++i) {
    const rt::Segment &segment = draft.exe.segments[range.first + i];
    add(segment.tile, segment.address, segment.bytes, reads);
  }
}

void Accesses::addStep(const Draft &draft, std::uint32_t index) {
  const rt::Step &step = draft.exe.steps[index];
  switch (step.kind) {
  case StepKind::Execute:
    for (const VertexAccess &access : draft.accessesOf(step.index))
      add(access.place.block, access.place.offset, access.bytes, access.reads);
    return;
  case StepKind::Exchange: {
    for (const rt::CopyPiece &piece :
         draft.exe.piecesOf(draft.exe.exchanges[step.index])) {
      add(piece.srcTile, piece.src, piece.bytes, true);
      // The receivers of broadcasts are buffers, which are no variables.
      if (!piece.isBroadcast())
        add(piece.dstTile, piece.dst, piece.bytes, false);
    }
    return;
  }
  case StepKind::FloatControl:
    for (std::uint32_t saved : step.tensors)
      addTensor(draft, saved, false);
    return;
  case StepKind::ReadSeeds:
  case StepKind::StreamToDevice:
    return addTensor(draft, step.tensor, false);
  case StepKind::RemoteToDevice:
    addTensor(draft, step.tensor, false);
    for (std::uint32_t offset : step.tensors)
      addTensor(draft, offset, true);
    return;
  case StepKind::CycleStamp:
    return addTensor(draft, step.tensor, step.index == 1);
  case StepKind::HostCall: {
    const std::size_t inputs =
        draft.exe.hostFunctions[step.index].inputs.size();
    for (std::size_t i = 0; i != step.tensors.size(); ++i)
      addTensor(draft, step.tensors[i], i < inputs);
    return;
  }
  case StepKind::Sequence: // of a WriteUndef, as if it wrote
    for (const PlaceRun &run : draft.undefinedBy(index))
      add(run.place.block, run.place.offset, run.bytes, false);
    return;
  case StepKind::DeviceToStream:
  case StepKind::DeviceToRemote:
  case StepKind::Print:
  case StepKind::RepeatWhile:
  case StepKind::If:
  case StepKind::Switch:
  case StepKind::AbortIf:
  case StepKind::FloatRestore:
  case StepKind::WriteSeeds:
    addTensor(draft, step.tensor, true);
    for (std::uint32_t offset : step.tensors)
      addTensor(draft, offset, true);
    return;
  case StepKind::Repeat:
  case StepKind::Call:
  case StepKind::Sync:
  case StepKind::Abort:
    return;
  }
}

} // namespace poplar::core
