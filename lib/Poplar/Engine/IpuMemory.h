// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of an IPU Model whose option compileIPUCode is set. The model runs
// host code, whose vertex state has the host's pointers, and its tiles have no
// code. So the program is lowered for an IPU as well, and the memory of that
// executable is the one that the model reports:
//
//                       lowered for the host     lowered for an IPU
//    vertex Sum         32 bytes, no code        12 bytes, 84 of code
//
// The second executable is dropped.

#ifndef POPULUS_LIB_POPLAR_ENGINE_IPUMEMORY_H
#define POPULUS_LIB_POPLAR_ENGINE_IPUMEMORY_H

#include "lib/Poplar/Lowering/Lowering.h"
#include "lib/Profile/Report.pb.h"

namespace poplar::core {

/// Replaces the memory of `model`, the same program lowered for an IPU Model,
/// and adds the sizes of vertices to `recorded`. Throws the exceptions of
/// poplar::compileGraph for an IPU.
void measureOnIpu(const GraphImpl &graph, ArrayRef<program::Program> programs,
                  const LoweringOptions &options, Lowered &model,
                  populus::report::Recorded &recorded);

} // namespace poplar::core

#endif
