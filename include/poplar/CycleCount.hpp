// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measuring programs from within: the device's cycle counter as tensors.

#ifndef POPULUS_INCLUDE_POPLAR_CYCLECOUNT_HPP
#define POPULUS_INCLUDE_POPLAR_CYCLECOUNT_HPP

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/SyncType.hpp>
#include <poplar/Tensor.hpp>

namespace poplar {

/// Counts the cycles of a program and of a sync after it. Returns two unsigned
/// integers, low word first.
Tensor cycleCount(Graph &graph, program::Sequence &prog, unsigned tile,
                  SyncType syncType = SyncType::INTERNAL,
                  const DebugContext &debugContext = {});

/// The same with a sync within each IPU only.
Tensor cycleCount(Graph &graph, program::Sequence &prog, unsigned tile,
                  const DebugContext &debugContext);

/// Appends a step that stores the cycle counter in two unsigned integers, low
/// word first.
Tensor cycleStamp(Graph &graph, program::Sequence &prog, unsigned tile,
                  SyncType syncType = SyncType::INTERNAL,
                  const DebugContext &debugContext = {});

Tensor cycleStamp(Graph &graph, program::Sequence &prog, unsigned tile,
                  const DebugContext &debugContext);

} // namespace poplar

#endif
