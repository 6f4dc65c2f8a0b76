// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of the random number generators that the workers of each tile have.
// Devices without such generators (CPU, IPU Model) keep it, but use it for
// nothing.

#ifndef POPULUS_INCLUDE_POPLAR_RANDOMSEED_HPP
#define POPULUS_INCLUDE_POPLAR_RANDOMSEED_HPP

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

namespace poplar {

/// Reads it: UNSIGNED_INT, four words for each worker of each tile.
Tensor getHwSeeds(Graph &graph, program::Sequence &prog,
                  const DebugContext &debugContext = {});
/// Sets it from a tensor of the shape that getHwSeeds returns.
void setHwSeeds(Graph &graph, const Tensor &seeds, program::Sequence &prog,
                const DebugContext &debugContext = {});

} // namespace poplar

#endif
