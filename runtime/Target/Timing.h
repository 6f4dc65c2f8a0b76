// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The duration of every operation, in cycles of the tile clock: the one place
// for it. The emulator, the IPU Model device, poplar::Target's queries, the
// planners and the profiles all use these numbers and functions, so that an
// estimate and a measurement can differ only in what was executed.
// docs/machine.md tells the model in words.
//
// Sources. "published": stated by the vendor or measured by others on hardware
// (conference talks, microbenchmark papers, open runtimes for the hardware);
// "ours": nothing public, chosen here.

#ifndef POPULUS_RUNTIME_TARGET_TIMING_H
#define POPULUS_RUNTIME_TARGET_TIMING_H

#include "runtime/Target/TargetInfo.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace populus::runtime::timing {

// ---- Tile: issue and launch -------------------------------------------------

/// Six contexts are served round robin, so a worker issues a bundle every six
/// cycles, however many others run (published).
inline constexpr std::uint32_t CyclesPerBundle = 6;
inline constexpr std::uint32_t WorkersPerTile = 6;

/// The supervisor's work to start one vertex: fetch entry and state, `run`
/// (published).
inline constexpr std::uint32_t VertexLaunchCycles = 11;

/// A supervisor instruction costs one cycle; a taken branch empties its
/// pipeline (ours, from the published pipeline depth of six).
inline constexpr std::uint32_t SupervisorCycles = 1;
inline constexpr std::uint32_t SupervisorBranchCycles = 6;
/// The latency of the supervisor's results; an earlier use stalls (published).
inline constexpr std::uint32_t SupervisorResultCycles = 6;

/// A decision of the control program: a loop's or branch's test (ours).
inline constexpr std::uint32_t ControlCycles = 6;

/// Bytes that one load or store moves in a cycle (published).
inline constexpr std::uint32_t LoadBytesPerCycle = 8;
inline constexpr std::uint32_t InterleavedLoadBytesPerCycle = 16;

/// Copies within a tile are done by the six workers: a fixed call, a rate
/// (both published), and addresses to fetch for each piece (ours).
inline constexpr std::uint32_t LocalCopyCallCycles = 288;
inline constexpr std::uint32_t LocalCopyBytesPerCycle = 8;
inline constexpr std::uint32_t LocalCopyPieceCycles = 6;

// ---- Between tiles ----------------------------------------------------------

/// The latency from the send of a word to its arrival (published).
inline constexpr std::uint32_t ExchangeLatencyCycles = 52;
/// A tile sends and receives at TargetInfo::exchangeBytesPerCycle at once; each
/// piece needs an instruction of its own at both ends (ours).
inline constexpr std::uint32_t ExchangePieceCycles = 2;

/// IPUs are joined by links, which carry 320 GB/s of an IPU in both directions
/// together, and take 250 ns (both published).
inline constexpr double LinkBytesPerSecond = 160e9;
inline constexpr double LinkLatencySeconds = 250e-9;

/// The duration of a sync of an IPU's tiles (published: about 100 ns), and of
/// all IPUs and the host (published: 600 cycles).
inline constexpr double InternalSyncSeconds = 100e-9;
inline constexpr std::uint32_t GlobalSyncCycles = 600;

// ---- Host -------------------------------------------------------------------

/// A PCIe 4 x8 link (ours; the bandwidth is the link's), and the time of a
/// round trip before the first byte (ours).
inline constexpr double HostBytesPerSecond = 15.75e9;
inline constexpr double HostLatencySeconds = 1e-6;

/// The most bytes of one transaction with the host, each IPU (published: user
/// guide).
inline constexpr std::uint64_t MostTransactionBytes = 128 << 20;

// ---- Functions --------------------------------------------------------------

/// Computes when the vertices of one tile and compute set are done. A
/// supervisor starts one vertex at a time, in order, on the worker that is free
/// first.
class TileSchedule {
public:
  /// The worker and the cycle in which a vertex starts.
  struct Start {
    unsigned worker;
    std::uint64_t cycle;
  };

  /// The start of the next worker vertex.
  Start next() const {
    const auto first = std::min_element(free.begin(), free.end());
    return {static_cast<unsigned>(first - free.begin()),
            std::max(supervisor, *first) + VertexLaunchCycles};
  }

  /// The vertex of next(), which issues for `cycles`.
  void add(const Start &start, std::uint64_t cycles) {
    supervisor = start.cycle;
    free[start.worker] = start.cycle + cycles;
  }

  /// Adds a vertex whose cycles are known. Returns its worker.
  unsigned add(std::uint64_t cycles) {
    const Start start = next();
    add(start, cycles);
    return start.worker;
  }

  /// A vertex that needs the whole tile: supervisor codelets, multi-vertices.
  void addAlone(std::uint64_t cycles) {
    supervisor = finish() + VertexLaunchCycles + cycles;
    free.fill(supervisor);
  }

  std::uint64_t finish() const {
    return std::max(supervisor, *std::max_element(free.begin(), free.end()));
  }

private:
  std::array<std::uint64_t, WorkersPerTile> free = {};
  std::uint64_t supervisor = 0;
};

/// The work of one tile in one exchange. A send to several tiles counts once.
struct TileTraffic {
  std::uint64_t sentBytes = 0;
  std::uint64_t sentPieces = 0;
  std::uint64_t receivedBytes = 0;
  std::uint64_t receivedPieces = 0;
  std::uint64_t localBytes = 0;
  std::uint64_t localPieces = 0;

  constexpr bool usesFabric() const {
    return sentPieces != 0 || receivedPieces != 0;
  }
};

constexpr std::uint64_t divideUp(std::uint64_t a, std::uint64_t b) {
  return (a + b - 1) / b;
}

/// Cycles of local copies on a tile.
constexpr std::uint64_t localCopyCycles(std::uint64_t bytes,
                                        std::uint64_t pieces) {
  if (pieces == 0)
    return 0;
  return LocalCopyCallCycles + pieces * LocalCopyPieceCycles +
         divideUp(bytes, LocalCopyBytesPerCycle);
}

/// Returns the cycles that one tile is busy with an exchange. The exchange
/// takes as long as its busiest tile. Data that stays on the tile is copied by
/// its workers, or sent by the tile to itself, whichever is faster.
constexpr std::uint64_t exchangeCycles(const TargetInfo &target,
                                       const TileTraffic &traffic) {
  const auto fabric = [&](std::uint64_t bytes, std::uint64_t pieces) {
    return divideUp(bytes, target.exchangeBytesPerCycle) +
           pieces * ExchangePieceCycles;
  };
  const std::uint64_t between =
      traffic.usesFabric()
          ? ExchangeLatencyCycles +
                std::max(fabric(traffic.sentBytes, traffic.sentPieces),
                         fabric(traffic.receivedBytes, traffic.receivedPieces))
          : 0;
  if (traffic.localPieces == 0)
    return between;
  const std::uint64_t toItself =
      ExchangeLatencyCycles +
      std::max(fabric(traffic.sentBytes + traffic.localBytes,
                      traffic.sentPieces + traffic.localPieces),
               fabric(traffic.receivedBytes + traffic.localBytes,
                      traffic.receivedPieces + traffic.localPieces));
  return std::min(between +
                      localCopyCycles(traffic.localBytes, traffic.localPieces),
                  toItself);
}

constexpr std::uint64_t secondsToCycles(const TargetInfo &target,
                                        double seconds) {
  return static_cast<std::uint64_t>(seconds * target.clockHz + 0.5);
}

constexpr std::uint64_t internalSyncCycles(const TargetInfo &target) {
  return target.syncCycles != 0 ? target.syncCycles
                                : secondsToCycles(target, InternalSyncSeconds);
}

constexpr std::uint64_t globalSyncCycles(const TargetInfo &target) {
  return target.globalSyncCycles != 0 ? target.globalSyncCycles
                                      : GlobalSyncCycles;
}

/// The data that one IPU sends to others and receives from them in one
/// exchange. Data for several tiles of an IPU cross a link once.
struct LinkTraffic {
  std::uint64_t sentBytes = 0;
  std::uint64_t receivedBytes = 0;
};

/// Cycles that the links of an IPU are busy with an exchange.
constexpr std::uint64_t linkCycles(const TargetInfo &target,
                                   const LinkTraffic &traffic) {
  const std::uint64_t bytes =
      std::max(traffic.sentBytes, traffic.receivedBytes);
  return bytes == 0 ? 0
                    : secondsToCycles(target, LinkLatencySeconds) +
                          secondsToCycles(target, static_cast<double>(bytes) /
                                                      LinkBytesPerSecond);
}

/// The data of a transfer between host and tiles: the link or the busiest tile
/// decides.
constexpr std::uint64_t hostDataCycles(const TargetInfo &target,
                                       std::uint64_t bytes,
                                       std::uint64_t busiestTileBytes) {
  const std::uint64_t link =
      secondsToCycles(target, static_cast<double>(bytes) / HostBytesPerSecond);
  const std::uint64_t tile =
      divideUp(busiestTileBytes, target.exchangeBytesPerCycle);
  return std::max(link, tile);
}

/// A whole transfer, with the round trip before the first byte.
constexpr std::uint64_t hostTransferCycles(const TargetInfo &target,
                                           std::uint64_t bytes,
                                           std::uint64_t busiestTileBytes) {
  return secondsToCycles(target, HostLatencySeconds) +
         hostDataCycles(target, bytes, busiestTileBytes);
}

} // namespace populus::runtime::timing

#endif
