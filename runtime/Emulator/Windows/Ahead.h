// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fetches host memory ahead of time. A step of a large model accesses more
// bytes of tiles than the host has caches for, so every access of a tile comes
// from far away. The graph compiler has noted the regions of the next tile's
// vertices. While a tile is at work, the regions of the next one are fetched, a
// few lines whenever a worker starts, because a processor waits if they are
// many. Results do not depend on it, so regions may be wrong.

#ifndef POPULUS_RUNTIME_EMULATOR_WINDOWS_AHEAD_H
#define POPULUS_RUNTIME_EMULATOR_WINDOWS_AHEAD_H

#include "runtime/Format/Executable.h"

#include <cstdint>
#include <span>

namespace populus::runtime::emulator {

class Ahead {
public:
  /// Makes an empty object, which fetches nothing.
  constexpr Ahead() = default;
  /// Regions of a tile whose memory begins at `memory`, with the byte of
  /// address `first`.
  Ahead(std::span<const VertexRegion> regions, const void *memory,
        Address first)
      : next(regions.data()), last(regions.data() + regions.size()),
        base(reinterpret_cast<std::uintptr_t>(memory) - first) {}

  /// Fetches some lines of what has not been fetched yet.
  void fetch() {
    if (hasMore())
      fetchSome();
  }
  bool hasMore() const { return at < end || next != last; }

  /// Fetches a line of each page, so that the host knows where pages are when
  /// all lines are fetched: to find out takes as long as a line takes to come,
  /// and few can wait for it at a time.
  void fetchPages() const;

private:
  void fetchSome();
  bool nextRegion();

  const VertexRegion *next = nullptr;
  const VertexRegion *last = nullptr;
  std::uintptr_t base = 0; // of address 0
  std::uintptr_t at = 0;   // in the region
  std::uintptr_t end = 0;  // of the region
};

/// The tiles that follow the one that this thread runs.
inline Ahead &aheadOfThread() {
  static thread_local constinit Ahead ahead;
  return ahead;
}

} // namespace populus::runtime::emulator

#endif
