// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Analysis of a report, in the order in which people ask: the time by activity,
// by layer and by step; the contents of memory over time. All views of
// ipu-report (text, JSON, differences, pages) show these numbers.

#ifndef POPULUS_LIB_PROFILE_ANALYSIS_H
#define POPULUS_LIB_PROFILE_ANALYSIS_H

#include "lib/Profile/Names.h"
#include "lib/Profile/Report.pb.h"

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace populus::profile {

using ByActivity =
    std::array<std::uint64_t, static_cast<std::size_t>(Activity::Count)>;

/// Sum of all executions with one name: a compute set, an exchange, a transfer.
struct StepSum {
  std::string name;
  Activity activity = Activity::Compute;
  std::uint32_t program = 0; // one of them
  std::uint64_t times = 0;
  std::uint64_t cycles = 0;     // with those of syncs
  std::uint64_t syncCycles = 0; // of these
  /// Compute sets: cycles of all tiles, and tiles that have vertices.
  std::uint64_t tileCycles = 0;
  std::uint64_t activeCycles = 0;
  std::uint32_t tiles = 0;
  std::set<std::uint32_t> ipus; // of these tiles
  /// Exchanges: bytes of one execution, and of the tile that receives most.
  std::uint64_t bytes = 0, mostReceived = 0;
  std::uint32_t mostTile = 0;
  std::vector<std::uint32_t> operators;

  std::uint64_t ownCycles() const { return cycles - syncCycles; }
};

/// An operator of the model. Steps merged from several operators are divided
/// evenly between them.
struct Layer {
  std::uint32_t op = 0;
  std::string name, kind;
  /// "forward", "backward" or "update"; empty if the program does not train.
  std::string phase;
  ByActivity cycles = {};
  std::uint64_t total = 0;
  std::uint64_t times = 0; // executions of its longest step
  std::uint64_t tileCycles = 0;
  std::uint32_t tiles = 0;          // most that take part in a compute set
  std::uint64_t exchangedBytes = 0; // in all executions
  double flops = 0;                 // in all executions
  /// Share of the matrix units' peak in its cycles.
  double peakShare = 0;
  std::uint64_t memory = 0; // of its variables
};

/// Totals of a domain, which has its own clock: an IPU that steps alone, or all
/// IPUs in step.
struct DomainSum {
  std::uint32_t firstTile = 0, tiles = 0;
  std::uint64_t cycles = 0;
  ByActivity byActivity = {};
};

/// Variables of one name.
struct LiveVariable {
  std::string name;
  std::uint64_t bytes = 0;
  /// Tiles that have some of it, and the bytes of the one with most.
  std::uint64_t tiles = 0, mostOnTile = 0;
  bool isAlways = false;
};

/// Total size of the variables that are live at a moment.
struct Peak {
  std::uint64_t alwaysLive = 0;
  std::uint64_t most = 0; // beside that
  std::uint32_t moment = 0;
  std::uint32_t program = 0;
  /// Variables live at that moment except always-live ones; the largest first.
  std::vector<LiveVariable> variables;
};

struct Analysis {
  explicit Analysis(const report::Report &report);

  bool hasExecution = false;
  std::uint64_t tiles = 0;
  std::uint64_t runs = 1;
  /// Cycles of the longest domain, because domains work at the same time.
  std::uint64_t cycles = 0;
  ByActivity byActivity = {};
  std::vector<DomainSum> domains;
  double seconds = 0; // at the clock
  double hostSeconds = 0;
  /// tileBalance: cycles of all tiles divided by those if all were as slow as
  /// the slowest. threadBalance: issued cycles divided by cycles of tiles.
  double tileBalance = 0, threadBalance = 0;
  std::uint64_t tileCycles = 0;    // of all domains
  std::uint64_t computeCycles = 0; // of the longest
  std::vector<StepSum> steps;      // the longest first
  std::vector<Layer> layers;       // the same

  bool fits = true;
  std::uint64_t memory = 0, memoryWithGaps = 0; // of all tiles
  /// With gaps. Of tiles that are equally full, the one with the most data.
  std::uint64_t fullest = 0;
  std::uint32_t fullestTile = 0;
  std::uint64_t bytesPerTile = 0; // 0: no limit
  std::uint32_t fullTiles = 0;
  std::vector<std::pair<std::string, std::uint64_t>> categories;
  Peak peak;
};

/// Live bytes at each moment, without always-live ones.
std::vector<std::uint64_t> liveBytes(const report::Liveness &liveness);

/// Live bytes of one tile at each moment, without always-live ones.
std::vector<std::uint64_t> liveBytes(const report::Liveness &liveness,
                                     std::uint32_t tile);

/// Restricts a list of live variables.
struct LiveFilter {
  bool withAlways = true, withPassing = true;
  std::optional<std::uint32_t> moment; // of those that are not always live
  std::optional<std::uint32_t> tile;
};
/// Variables by name, the largest first.
std::vector<LiveVariable> liveVariables(const report::Liveness &liveness,
                                        const LiveFilter &filter);

/// Memory of each tile that variables share, each byte counted once: what the
/// categories lack of the total.
std::vector<std::uint64_t> sharedByTile(const report::Report &report);

/// The path of a program in the debug tree, or its name.
const std::string &pathOf(const report::Report &report,
                          const report::Program &program);
Activity activityOf(const report::Program &program);

} // namespace populus::profile

#endif
