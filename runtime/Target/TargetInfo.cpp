// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rows of the target table. Tile counts, memory sizes and clocks are the
// published ones of the two hardware generations; the second generation's
// address map is public too, the first one's is ours, chosen so that the
// interleaved region starts at 0x80000 as public kernels test
// (docs/machine.md).

#include "runtime/Target/TargetInfo.h"

namespace populus::runtime {

namespace {

/// The address map of the second generation.
constexpr MemoryRegion Code2 = {
    .begin = 0x4c000, .end = 0x80000, .executable = true, .interleaved = false};
constexpr MemoryRegion Data2 = {
    .begin = 0x80000, .end = 0xe8000, .executable = false, .interleaved = true};

constexpr TargetInfo Targets[] = {
    {.name = "cpu",
     .archVersion = 0,
     .tilesPerIpu = 1,
     .workersPerTile = 1,
     .clockHz = 1.0e9,
     .regions = {},
     .exchangeBytesPerCycle = 4,
     .accumulatorSets = 0},
    {.name = "ipu1",
     .archVersion = 1,
     .tilesPerIpu = 1216,
     .workersPerTile = 6,
     .clockHz = 1.6e9,
     .regions = {{.begin = 0x60000,
                  .end = 0x80000,
                  .executable = true,
                  .interleaved = false},
                 {.begin = 0x80000,
                  .end = 0xa0000,
                  .executable = false,
                  .interleaved = true}},
     .exchangeBytesPerCycle = 4,
     .accumulatorSets = 1},
    {.name = "ipu2",
     .archVersion = 2,
     .tilesPerIpu = 1472,
     .workersPerTile = 6,
     .clockHz = 1.33e9,
     .regions = {Code2, Data2},
     .exchangeBytesPerCycle = 4,
     .accumulatorSets = 2},
    {.name = "ipu21",
     .archVersion = 21,
     .tilesPerIpu = 1472,
     .workersPerTile = 6,
     .clockHz = 1.85e9,
     .regions = {Code2, Data2},
     .exchangeBytesPerCycle = 4,
     .accumulatorSets = 2},
};

} // namespace

std::span<const TargetInfo> allTargets() { return Targets; }

TargetInfo withSettings(const TargetInfo &target,
                        const ModelSettings &settings) {
  TargetInfo result = target;
  if (settings.clockHz != 0)
    result.clockHz = settings.clockHz;
  if (settings.bytesPerTile != 0)
    result.regions[1].end = result.regions[0].begin + settings.bytesPerTile;
  if (settings.exchangeBytesPerCycle != 0)
    result.exchangeBytesPerCycle = settings.exchangeBytesPerCycle;
  if (settings.syncCycles != 0)
    result.syncCycles = settings.syncCycles;
  if (settings.globalSyncCycles != 0)
    result.globalSyncCycles = settings.globalSyncCycles;
  return result;
}

const TargetInfo *findTarget(std::string_view name) {
  for (const TargetInfo &target : Targets)
    if (target.name == name)
      return &target;
  return nullptr;
}

} // namespace populus::runtime
