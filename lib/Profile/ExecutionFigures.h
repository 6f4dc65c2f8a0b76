// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the runs of a program took: the executed steps with their cycles, spread
// over tiles. On the IPU Model compute cycles are estimates; on the emulated
// IPU they are counted.

#ifndef POPULUS_LIB_PROFILE_EXECUTIONFIGURES_H
#define POPULUS_LIB_PROFILE_EXECUTIONFIGURES_H

#include "lib/Profile/GraphFigures.h"
#include "runtime/Session/Session.h"

#include <cstdint>
#include <vector>

namespace populus::profile {

struct StepFigures {
  /// Of syncs that are steps of their own: how long all waited.
  std::uint64_t syncCycles = 0;
  std::uint32_t step = 0; // of Executable::steps
  std::uint64_t from = 0; // after the sync that comes before
  std::uint64_t cycles = 0;
  /// Cycles of all tiles, and how many tiles had any.
  std::uint64_t tileCycles = 0;
  std::uint64_t activeTiles = 0;
  /// Exchanges: bytes received by tiles, or sent to the host.
  std::uint64_t totalData = 0;
  std::uint64_t mostDataOnTile = 0;
};

/// Cycles of all tiles added up, by what they did. A tile that waits for others
/// in a step is not busy, except in a sync.
struct TileCycles {
  std::uint64_t compute = 0;
  std::uint64_t activeCompute = 0;
  std::uint64_t exchange = 0;
  std::uint64_t host = 0;
  std::uint64_t sync = 0;
};

struct ExecutionFigures {
  std::uint64_t cycles = 0;
  TileCycles tileCycles;
  /// The first executed steps; sums are of all.
  std::vector<StepFigures> steps;
  std::uint64_t stepsLeftOut = 0;
  /// How often each compute set was executed.
  std::vector<std::uint64_t> executionsBySet;
  /// Estimated active cycles by vertex type; the IPU Model only.
  std::vector<std::uint64_t> activeCyclesByType;
  /// How often a vertex of the type ran.
  std::vector<std::uint64_t> runsByType;
};

ExecutionFigures executionFigures(const runtime::Session &session);

} // namespace populus::profile

#endif
