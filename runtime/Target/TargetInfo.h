// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of targets: the one place that says how many tiles an IPU has, how
// much memory a tile has and where it lies, and how fast it is clocked. popc,
// poplar::Target, the devices and the documentation all read it from here.

#ifndef POPULUS_RUNTIME_TARGET_TARGETINFO_H
#define POPULUS_RUNTIME_TARGET_TARGETINFO_H

#include <cstdint>
#include <span>
#include <string_view>

namespace populus::runtime {

/// A byte address in a tile's memory.
using Address = std::uint32_t;

/// One contiguous part of a tile's memory, [begin, end).
struct MemoryRegion {
  Address begin;
  Address end;
  bool executable;
  bool interleaved;

  constexpr std::uint32_t size() const { return end - begin; }
};

struct TargetInfo {
  /// The name users give: "cpu", "ipu1", "ipu2", "ipu21".
  std::string_view name;
  /// __IPU_ARCH_VERSION__ and the subtarget of the code generator; 0 for cpu.
  unsigned archVersion;
  unsigned tilesPerIpu;
  unsigned workersPerTile;
  double clockHz;
  /// Region 0 (code and data), then region 1 (interleaved data).
  MemoryRegion regions[2];
  /// Bytes a tile sends or receives in a cycle of an internal exchange.
  unsigned exchangeBytesPerCycle;
  /// Sets of accumulators of a worker, and of weights of a tile.
  unsigned accumulatorSets;
  /// Cycles of syncs within an IPU and of all IPUs; 0: as in Timing.h.
  unsigned syncCycles = 0;
  unsigned globalSyncCycles = 0;

  /// The state of the random number generators of a tile's workers.
  constexpr std::uint32_t seedBytes() const { return workersPerTile * 16; }
  constexpr bool isIpu() const { return archVersion != 0; }
  constexpr std::uint32_t bytesPerTile() const {
    return regions[0].size() + regions[1].size();
  }
};

/// The differences of an IPU Model from the target that it models; 0: none.
struct ModelSettings {
  double clockHz = 0;
  std::uint32_t bytesPerTile = 0;
  std::uint32_t exchangeBytesPerCycle = 0;
  std::uint32_t syncCycles = 0;
  std::uint32_t globalSyncCycles = 0;

  friend bool operator==(const ModelSettings &,
                         const ModelSettings &) = default;
};

/// The target with these settings; a tile's memory gets its size at the end.
TargetInfo withSettings(const TargetInfo &target,
                        const ModelSettings &settings);

/// All targets, in the order in which they are listed to users.
std::span<const TargetInfo> allTargets();

/// The target of that name, or null.
const TargetInfo *findTarget(std::string_view name);

} // namespace populus::runtime

#endif
