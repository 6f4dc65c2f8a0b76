// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cost of an executable without running it: memory per tile, and estimated
// cycles of one step.

#ifndef POPULUS_LIB_POPART_DRYRUN_H
#define POPULUS_LIB_POPART_DRYRUN_H

#include <cstdint>
#include <poplar/Executable.hpp>

namespace populus::popir {

struct Estimate {
  std::uint64_t tiles = 0;
  /// Bytes of the fullest tile, and of all tiles on average.
  std::uint64_t fullestTile = 0, averageTile = 0;
  /// Bytes that a tile has; 0 where there is no limit.
  std::uint64_t tileMemory = 0;
  /// Estimated cycles of one step; 0 on devices without a model of time.
  std::uint64_t cycles = 0;
  double secondsAtClock = 0;
};

Estimate estimate(const poplar::Executable &executable);

} // namespace populus::popir

#endif
