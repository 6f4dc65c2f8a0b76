// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// State of the random number generators of each tile's workers. Devices without
// such generators (CPU, IPU Model) store the state without using it.

#ifndef POPULUS_INCLUDE_POPLAR_RANDOMSEED_HPP
#define POPULUS_INCLUDE_POPLAR_RANDOMSEED_HPP

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

namespace poplar {

/// Reads the state: UNSIGNED_INT, four words for each worker of each tile.
Tensor getHwSeeds(Graph &graph, program::Sequence &prog,
                  const DebugContext &debugContext = {});
/// Sets the state from a tensor with the shape that getHwSeeds returns.
void setHwSeeds(Graph &graph, const Tensor &seeds, program::Sequence &prog,
                const DebugContext &debugContext = {});

} // namespace poplar

#endif
