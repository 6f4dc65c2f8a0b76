// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Figures derived from a report's runs: the balance of steps over tiles, the
// totals of tiles, and the time of each vertex type.

#ifndef POPULUS_LIB_PROFILE_RUNFIGURES_H
#define POPULUS_LIB_PROFILE_RUNFIGURES_H

#include "lib/Profile/Report.pb.h"

#include <cstdint>
#include <vector>

namespace populus::profile {

/// Balance of one execution of a program over tiles.
struct StepFigures {
  /// Cycles of all tiles, and how many tiles had any.
  std::uint64_t tileCycles = 0;
  std::uint64_t activeTiles = 0;
  /// Exchanges: bytes received by tiles, or sent to the host.
  std::uint64_t totalData = 0;
  /// Exchanges: bytes sent and received, of all tiles and of the busiest one.
  std::uint64_t movedData = 0;
  std::uint64_t mostMovedByTile = 0;
};

/// The figures for the tiles of \p domain. `tileCycles`: of the execution,
/// where the program is a compute set.
StepFigures figuresOf(const report::Report &report,
                      const report::Domain &domain, std::uint32_t program,
                      std::uint64_t tileCycles);

/// The domain whose clock is ahead: a run takes as long as it does.
const report::Domain &longestDomain(const report::Execution &execution);

/// The programs that were executed, with the domains' totals put together. A
/// step that several domains take part in was executed as often as by the one
/// that did so most often, and takes as long as it took the slowest of them.
std::vector<report::ProgramTotal> totalsOf(const report::Execution &execution);

/// Cycles of all tiles added up, by what they did. A tile that waits for others
/// in a step is not busy, except in a sync.
struct TileCycles {
  std::uint64_t compute = 0;
  std::uint64_t activeCompute = 0;
  std::uint64_t exchange = 0;
  std::uint64_t linkExchange = 0; // between IPUs
  std::uint64_t host = 0;
  std::uint64_t sync = 0;
};
TileCycles tileCyclesOf(const report::Report &report);

/// Cycles of tiles by vertex type. If a tile runs several types in a compute
/// set, its cycles belong to all of them together.
struct TypeCycles {
  std::vector<std::uint32_t> types; // by number
  std::uint64_t instances = 0;
  std::uint64_t cycles = 0;
};
/// The longest first.
std::vector<TypeCycles> cyclesByType(const report::Report &report);

} // namespace populus::profile

#endif
