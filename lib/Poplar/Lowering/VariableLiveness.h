// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Liveness and tiles of a program's variables, and the use of memory regions,
// for reports. The graph compiler fills the record on request.

#ifndef POPULUS_LIB_POPLAR_LOWERING_VARIABLELIVENESS_H
#define POPULUS_LIB_POPLAR_LOWERING_VARIABLELIVENESS_H

#include "runtime/Format/Executable.h"

#include <cstdint>
#include <string>
#include <vector>

namespace poplar::core {

/// Moments first to last, both included.
struct LiveInterval {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  friend bool operator==(LiveInterval a, LiveInterval b) {
    return a.first == b.first && a.last == b.last;
  }
};

struct VariableLiveness {
  /// Tiles [begin, end).
  struct TileRange {
    std::uint32_t begin, end;
  };
  /// Share of a variable on some tiles: the same number of bytes on each, live
  /// at the same moments. Most variables have one or two parts.
  struct Part {
    std::uint32_t variable; // its place in `names`
    std::uint64_t bytes;
    std::vector<LiveInterval> intervals; // empty: always live
    std::vector<TileRange> tiles;
  };

  /// Bytes on a tile by category and by region: 0 plain, 1 interleaved, 2
  /// beyond the end. Blocks that share memory are marked overlapped; the memory
  /// that they share has the category Count.
  struct RegionUse {
    std::uint32_t tile;
    populus::runtime::MemoryCategory category;
    std::uint32_t region;
    bool overlapped;
    std::uint64_t bytes;
  };

  /// Names of variables. Memory without a variable has the name of its kind.
  std::vector<std::string> names;
  std::vector<Part> parts;
  /// The executable's step at each moment.
  std::vector<std::uint32_t> stepAt;
  std::vector<RegionUse> regions;
};

} // namespace poplar::core

#endif
