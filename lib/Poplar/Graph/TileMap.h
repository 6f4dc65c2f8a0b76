// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tile mapping of one variable. Programs map a million elements one by one, in
// any order, as well as whole variables at once. The elements at which the tile
// changes are kept sorted, in blocks of a few hundred, so that an insertion
// moves few entries and an entry takes few bytes.

#ifndef POPULUS_LIB_POPLAR_GRAPH_TILEMAP_H
#define POPULUS_LIB_POPLAR_GRAPH_TILEMAP_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

namespace poplar::core {

class TileMap {
public:
  /// Maps [begin, end) and replaces any earlier mapping.
  void set(std::uint64_t begin, std::uint64_t end, std::uint32_t tile) {
    if (begin == end)
      return;
    const Position at = find(begin);
    const std::uint32_t before = tileBefore(at);
    const std::uint32_t after = eraseUpTo(at, end, before);
    Change changes[2];
    std::size_t count = 0;
    if (before != tile)
      changes[count++] = {begin, tile};
    if (after != tile)
      changes[count++] = {end, after};
    insert(at, std::span(changes).first(count));
  }

  /// Calls emit(begin, end, tile) for the mapped parts of [begin, end).
  template <typename Emit>
  void forEach(std::uint64_t begin, std::uint64_t end, Emit &&emit) const {
    const Position at = find(begin);
    Change last = {begin, tileBefore(at)};
    const auto finish = [&](std::uint64_t partEnd) {
      if (last.tile != Unmapped && last.begin != partEnd)
        emit(last.begin, partEnd, last.tile);
    };
    for (std::size_t block = at.block; block < blocks.size(); ++block)
      for (std::size_t i = block == at.block ? at.index : 0;
           i != blocks[block].size(); ++i) {
        const Change &change = blocks[block][i];
        if (change.begin >= end)
          return finish(end);
        finish(change.begin);
        last = change;
      }
    finish(end);
  }

  friend bool operator==(const TileMap &a, const TileMap &b) {
    return a.allChanges() == b.allChanges();
  }

private:
  static constexpr std::uint32_t Unmapped = ~std::uint32_t(0);

  /// From `begin` to the next change, elements are on `tile` or unmapped.
  /// Elements before the first change and after the last one are unmapped.
  struct Change {
    std::uint64_t begin;
    std::uint32_t tile;

    friend bool operator==(const Change &, const Change &) = default;
  };
  using Block = std::vector<Change>;
  static constexpr std::size_t MostChanges = 512;

  /// Position of a change, or one past the last change of a block. No block is
  /// empty.
  struct Position {
    std::size_t block, index;
  };

  /// First change at `element` or after it, if its block has one.
  Position find(std::uint64_t element) const {
    const auto isBefore = [&](const Change &change) {
      return change.begin < element;
    };
    const auto next =
        std::partition_point(blocks.begin(), blocks.end(),
                             [&](const Block &b) { return isBefore(b[0]); });
    if (next == blocks.begin())
      return {0, 0};
    const auto block = std::prev(next);
    const auto change =
        std::partition_point(block->begin(), block->end(), isBefore);
    return {static_cast<std::size_t>(block - blocks.begin()),
            static_cast<std::size_t>(change - block->begin())};
  }

  /// Only the first position of all is the first one of its block.
  std::uint32_t tileBefore(Position at) const {
    return at.index == 0 ? Unmapped : blocks[at.block][at.index - 1].tile;
  }

  /// Erases the changes from `at` to `end`, inclusive. Returns the tile of
  /// `end`, or `before` if there was no change. May leave the block of `at`
  /// empty.
  std::uint32_t eraseUpTo(Position at, std::uint64_t end,
                          std::uint32_t before) {
    std::uint32_t tile = before;
    const auto eraseFrom = [&](Block &block, std::size_t index) {
      const auto first = block.begin() + static_cast<std::ptrdiff_t>(index);
      const auto last =
          std::partition_point(first, block.end(), [&](const Change &change) {
            return change.begin <= end;
          });
      if (last != first)
        tile = std::prev(last)->tile;
      block.erase(first, last);
    };
    if (at.block == blocks.size())
      return tile;
    Block &block = blocks[at.block];
    eraseFrom(block, at.index);
    if (at.index != block.size())
      return tile;
    const auto next =
        blocks.begin() + static_cast<std::ptrdiff_t>(at.block) + 1;
    const auto last =
        std::partition_point(next, blocks.end(), [&](const Block &b) {
          return b.back().begin <= end;
        });
    if (last != next)
      tile = std::prev(last)->back().tile;
    const auto rest = blocks.erase(next, last);
    if (rest != blocks.end())
      eraseFrom(*rest, 0);
    return tile;
  }

  void insert(Position at, std::span<const Change> changes) {
    if (blocks.empty())
      blocks.emplace_back();
    const auto place = blocks.begin() + static_cast<std::ptrdiff_t>(at.block);
    place->insert(place->begin() + static_cast<std::ptrdiff_t>(at.index),
                  changes.begin(), changes.end());
    if (place->empty()) {
      blocks.erase(place);
    } else if (place->size() > MostChanges) {
      const auto middle = place->begin() + MostChanges / 2;
      Block second(middle, place->end());
      place->erase(middle, place->end());
      place->shrink_to_fit();
      blocks.insert(std::next(place), std::move(second));
    }
  }

  std::vector<Change> allChanges() const {
    std::vector<Change> all;
    for (const Block &block : blocks)
      all.insert(all.end(), block.begin(), block.end());
    return all;
  }

  std::vector<Block> blocks;
};

} // namespace poplar::core

#endif
