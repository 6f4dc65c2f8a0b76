// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Maps each byte of a memory to a tag: a class of values (TagTable.h) and an
// index into it. Adjacent bytes mostly have consecutive indices, so a run of
// them is one entry, and all operations take time by the number of runs.
// Entries are sorted, in chunks of a hundred, so that a write moves few of
// them.

#ifndef POPULUS_LIB_POPLAR_VERIFY_TAGMAP_H
#define POPULUS_LIB_POPLAR_VERIFY_TAGMAP_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace poplar::core {

/// The tag of a byte: at place p of a memory, its index is p + delta.
struct Tag {
  std::uint32_t cls = 0;
  std::int64_t delta = 0;

  friend bool operator==(Tag, Tag) = default;
};

/// Consecutive bytes of a class, independent of their place in memory.
struct TagRun {
  std::uint32_t cls = 0;
  std::uint64_t index = 0;
  std::uint64_t bytes = 0;
};

/// The tag of a run that begins at a place.
inline Tag tagAt(std::uint64_t place, std::uint32_t cls, std::uint64_t index) {
  return {cls, static_cast<std::int64_t>(index - place)};
}

class TagMap {
public:
  /// From `begin` to the next entry; the last one has no end.
  struct Entry {
    std::uint64_t begin;
    Tag tag;
  };

  void assign(std::uint64_t begin, std::uint64_t end, Tag tag);

  /// Calls function(begin, end, tag) for the runs that make up [begin, end).
  template <typename Function>
  void forEach(std::uint64_t begin, std::uint64_t end,
               Function function) const {
    if (begin >= end)
      return;
    std::size_t c = chunkOf(begin);
    if (c == None)
      return first(begin, end, function);
    std::size_t i = entryOf(chunks[c], begin);
    for (std::uint64_t at = begin; at != end;) {
      const Tag tag = chunks[c][i].tag;
      if (++i == chunks[c].size()) {
        ++c;
        i = 0;
      }
      const std::uint64_t next =
          c == chunks.size() ? end : std::min(end, chunks[c][i].begin);
      function(at, next, tag);
      at = next;
    }
  }

  /// Calls function(begin, end) for the runs not of class 0. The last entry
  /// must be of class 0.
  template <typename Function> void forEachRange(Function function) const {
    const std::vector<Entry> all = entries();
    for (std::size_t i = 0; i + 1 < all.size(); ++i)
      if (all[i].tag.cls != 0)
        function(all[i].begin, all[i + 1].begin);
  }

  bool empty() const { return chunks.empty(); }
  std::vector<Entry> entries() const;
  static TagMap of(const std::vector<Entry> &entries);

private:
  using Chunk = std::vector<Entry>; // never empty
  static constexpr std::size_t MostEntries = 128;
  static constexpr std::size_t None = ~std::size_t(0);

  /// The last chunk that begins at or before a place.
  std::size_t chunkOf(std::uint64_t place) const {
    const auto next = std::partition_point(
        chunks.begin(), chunks.end(),
        [&](const Chunk &chunk) { return chunk.front().begin <= place; });
    return next == chunks.begin()
               ? None
               : static_cast<std::size_t>(next - chunks.begin()) - 1;
  }
  /// The last entry of a chunk that begins at or before a place.
  static std::size_t entryOf(const Chunk &chunk, std::uint64_t place) {
    const auto next = std::partition_point(
        chunk.begin(), chunk.end(),
        [&](const Entry &entry) { return entry.begin <= place; });
    return static_cast<std::size_t>(next - chunk.begin()) - 1;
  }
  /// Visits a range that begins in front of the first entry.
  template <typename Function>
  void first(std::uint64_t begin, std::uint64_t end, Function function) const {
    const std::uint64_t next =
        chunks.empty() ? end : std::min(end, chunks[0][0].begin);
    function(begin, next, Tag());
    forEach(next, end, function);
  }

  std::vector<Chunk> chunks;
};

} // namespace poplar::core

#endif
