// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cost of a planned exchange: what each tile sends, receives and copies
// locally, and from that the cycles of the busiest tile.

#ifndef POPULUS_RUNTIME_SESSION_EXCHANGEPLAN_H
#define POPULUS_RUNTIME_SESSION_EXCHANGEPLAN_H

#include "runtime/Format/Executable.h"

#include "runtime/Target/Timing.h"

#include <cstdint>
#include <span>
#include <unordered_map>

namespace populus::runtime {

struct ExchangeCost {
  std::uint64_t cycles = 0;
  /// Some data goes between tiles, so that tiles must meet before it.
  bool needsSync = false;
};

/// What each tile that takes part has to do.
using ExchangeTraffic = std::unordered_map<std::uint32_t, timing::TileTraffic>;
ExchangeTraffic trafficOf(std::span<const CopyPiece> pieces);

ExchangeCost costOf(const TargetInfo &target,
                    std::span<const CopyPiece> pieces);

} // namespace populus::runtime

#endif
