// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tiles that a step of the control program touches by itself, without its
// bodies: those whose vertices run, that take part in an exchange, or that hold
// a tensor of the step. A tile may be visited several times.

#ifndef POPULUS_RUNTIME_SESSION_STEPTILES_H
#define POPULUS_RUNTIME_SESSION_STEPTILES_H

#include "runtime/Format/Executable.h"
#include "runtime/Format/StepKinds.h"

#include <cstdint>

namespace populus::runtime {

template <typename Function>
void forEachTileOfTensor(const Executable &program, std::uint32_t tensor,
                         Function visit) {
  const Range range = program.tensors[tensor].segments;
  for (std::uint32_t i = 0; i != range.count; ++i)
    visit(program.segments[range.first + i].tile);
}

template <typename Function>
void forEachTileOf(const Executable &program, const ComputeSet &set,
                   Function visit) {
  for (std::uint32_t i = 0; i != set.tiles.count; ++i)
    visit(program.tileVertices[set.tiles.first + i].tile);
}

template <typename Function>
void forEachTileOf(const Executable &program, const Exchange &exchange,
                   Function visit) {
  for (const CopyPiece &piece : program.piecesOf(exchange)) {
    visit(piece.srcTile);
    if (!piece.isBroadcast())
      visit(piece.dstTile);
    else
      for (const Receiver &receiver : program.receiversOf(piece.broadcast()))
        visit(receiver.tile);
  }
}

template <typename Function>
void forEachTileOf(const Executable &program, const Step &step,
                   Function visit) {
  if (step.kind == StepKind::Execute)
    forEachTileOf(program, program.computeSets[step.computeSet()], visit);
  else if (step.kind == StepKind::Exchange)
    forEachTileOf(program, program.exchanges[step.exchange()], visit);
  forEachTensor(program, step, [&](std::uint32_t tensor, TensorUse) {
    forEachTileOfTensor(program, tensor, visit);
  });
}

} // namespace populus::runtime

#endif
