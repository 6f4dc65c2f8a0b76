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

constexpr TargetInfo Targets[] = {
    {"cpu", 0, 1, 1, 1.0e9, {{0, 0, false, false}, {0, 0, false, false}}, 4, 0},
    {"ipu1",
     1,
     1216,
     6,
     1.6e9,
     {{0x60000, 0x80000, true, false}, {0x80000, 0xa0000, false, true}},
     4,
     1},
    {"ipu2",
     2,
     1472,
     6,
     1.33e9,
     {{0x4c000, 0x80000, true, false}, {0x80000, 0xe8000, false, true}},
     4,
     2},
    {"ipu21",
     21,
     1472,
     6,
     1.85e9,
     {{0x4c000, 0x80000, true, false}, {0x80000, 0xe8000, false, true}},
     4,
     2},
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
