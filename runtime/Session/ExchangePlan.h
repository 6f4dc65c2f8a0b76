// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cost of a planned exchange: what each tile sends, receives and copies
// locally, what the links between IPUs carry, and from that the cycles of the
// busiest tile or link.

#ifndef POPULUS_RUNTIME_SESSION_EXCHANGEPLAN_H
#define POPULUS_RUNTIME_SESSION_EXCHANGEPLAN_H

#include "runtime/Format/Executable.h"

#include "runtime/Target/Timing.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace populus::runtime {

struct ExchangeCost {
  std::uint64_t cycles = 0;
  /// Of the sync before it: none where nothing leaves its tile; the tiles of an
  /// IPU meet where something does, and all IPUs where something leaves one.
  std::uint64_t syncCycles = 0;
};

/// What each tile that takes part has to do.
using ExchangeTraffic = std::unordered_map<std::uint32_t, timing::TileTraffic>;
ExchangeTraffic trafficOf(const Executable &executable,
                          const Exchange &exchange);

/// What the links of each IPU that takes part carry.
using LinkTraffic = std::unordered_map<std::uint32_t, timing::LinkTraffic>;
LinkTraffic linkTrafficOf(const Executable &executable,
                          const Exchange &exchange);

/// `target` is the executable's, with its settings.
ExchangeCost costOf(const TargetInfo &target, const Executable &executable,
                    const Exchange &exchange);

} // namespace populus::runtime

#endif
