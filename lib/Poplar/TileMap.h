// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which tile holds which elements of one variable: intervals in order, none
// overlapping, neighbours on different tiles. Programs map a million elements
// one by one as well as whole variables at once, so setting is cheap in both
// cases.

#ifndef POPULUS_LIB_POPLAR_TILEMAP_H
#define POPULUS_LIB_POPLAR_TILEMAP_H

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>

namespace poplar::core {

class TileMap {
public:
  struct Piece {
    std::uint64_t end;
    std::uint32_t tile;

    friend bool operator==(const Piece &, const Piece &) = default;
  };
  using Pieces = std::map<std::uint64_t, Piece>; // by begin

  const Pieces &pieces() const { return map; }

  /// Maps [begin, end), whatever it was mapped to before.
  void set(std::uint64_t begin, std::uint64_t end, std::uint32_t tile) {
    if (begin == end)
      return;
    cut(begin, end);
    auto next = map.lower_bound(end);
    if (next != map.begin()) {
      auto before = std::prev(next);
      if (before->second.end == begin && before->second.tile == tile) {
        before->second.end = end;
        joinWithNext(before, next);
        return;
      }
    }
    joinWithNext(map.emplace_hint(next, begin, Piece{end, tile}), next);
  }

  /// Calls emit(begin, end, tile) for the mapped parts of [begin, end).
  template <typename Emit>
  void forEach(std::uint64_t begin, std::uint64_t end, Emit &&emit) const {
    auto it = map.upper_bound(begin);
    if (it != map.begin())
      --it;
    for (; it != map.end() && it->first < end; ++it)
      if (it->second.end > begin)
        emit(std::max(begin, it->first), std::min(end, it->second.end),
             it->second.tile);
  }

private:
  /// Removes [begin, end).
  void cut(std::uint64_t begin, std::uint64_t end) {
    auto it = map.lower_bound(begin);
    if (it != map.begin()) {
      auto before = std::prev(it);
      const Piece old = before->second;
      if (old.end > begin) {
        before->second.end = begin;
        if (old.end > end)
          it = map.emplace_hint(it, end, old);
      }
    }
    while (it != map.end() && it->first < end) {
      const Piece old = it->second;
      it = map.erase(it);
      if (old.end > end)
        it = map.emplace_hint(it, end, old);
    }
  }

  void joinWithNext(Pieces::iterator piece, Pieces::iterator next) {
    if (next != map.end() && next->first == piece->second.end &&
        next->second.tile == piece->second.tile) {
      piece->second.end = next->second.end;
      map.erase(next);
    }
  }

  Pieces map;

  friend bool operator==(const TileMap &, const TileMap &) = default;
};

} // namespace poplar::core

#endif
