// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cost of a planned exchange: the bytes that each tile sends, receives and
// copies locally, the bytes on the links between IPUs, and from that the cycles
// of the busiest tile or link.

#ifndef POPULUS_RUNTIME_SESSION_EXCHANGEPLAN_H
#define POPULUS_RUNTIME_SESSION_EXCHANGEPLAN_H

#include "runtime/Format/Executable.h"

#include "runtime/Target/Timing.h"

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

namespace populus::runtime {

/// IPUs that exchange data with each other, directly or through others, and how
/// long they take together.
struct ExchangePart {
  std::vector<std::uint32_t> ipus; // sorted
  std::uint64_t cycles = 0;
  /// The sync before it: none where nothing leaves its tile; the tiles of an
  /// IPU meet where something does, and the IPUs where something leaves one.
  std::uint64_t syncCycles = 0;
};

/// The traffic of each tile that takes part.
using ExchangeTraffic = std::unordered_map<std::uint32_t, timing::TileTraffic>;
ExchangeTraffic trafficOf(const Executable &executable,
                          const Exchange &exchange);

/// The traffic on the links of each participating IPU.
using LinkTraffic = std::map<std::uint32_t, timing::LinkTraffic>;
LinkTraffic linkTrafficOf(const Executable &executable,
                          const Exchange &exchange);

/// The parts of an exchange, by their first IPUs; none for an empty exchange.
/// `target` is the executable's, with its settings.
std::vector<ExchangePart> partsOf(const TargetInfo &target,
                                  const Executable &executable,
                                  const Exchange &exchange);

} // namespace populus::runtime

#endif
