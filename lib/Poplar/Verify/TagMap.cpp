// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writing a range replaces the entries that begin in it by at most two: one for
// the range, and one for the rest of the entry that it cuts.

#include "lib/Poplar/Verify/TagMap.h"

#include <iterator>

namespace poplar::core {

void TagMap::assign(std::uint64_t begin, std::uint64_t end, Tag tag) {
  if (begin >= end)
    return;
  if (chunks.empty())
    chunks.push_back({{begin, Tag()}});
  // Find the entries from `begin` on, and the tags in front and behind.
  std::size_t c = chunkOf(begin);
  std::size_t i = 0;
  Tag before;
  if (c == None) {
    c = 0;
  } else {
    i = entryOf(chunks[c], begin);
    before = chunks[c][i].tag;
    if (chunks[c][i].begin != begin)
      ++i;
    else if (i != 0)
      before = chunks[c][i - 1].tag;
    else
      before = c == 0 ? Tag() : chunks[c - 1].back().tag;
  }
  Tag after = before;
  // Remove the entries in [begin, end] from this and the next chunks.
  const auto isInside = [&](const Entry &entry) { return entry.begin <= end; };
  const auto eraseFrom = [&](Chunk &chunk, std::size_t from) {
    const auto first = chunk.begin() + static_cast<std::ptrdiff_t>(from);
    const auto last = std::partition_point(first, chunk.end(), isInside);
    if (last != first)
      after = std::prev(last)->tag;
    chunk.erase(first, last);
  };
  const bool reachesNext =
      c + 1 != chunks.size() && chunks[c + 1].front().begin <= end;
  eraseFrom(chunks[c], i);
  if (reachesNext) {
    const auto first = chunks.begin() + static_cast<std::ptrdiff_t>(c) + 1;
    const auto last =
        std::partition_point(first, chunks.end(), [&](const Chunk &chunk) {
          return chunk.back().begin <= end;
        });
    if (last != first)
      after = std::prev(last)->back().tag;
    const auto rest = chunks.erase(first, last);
    if (rest != chunks.end())
      eraseFrom(*rest, 0);
  }
  Entry added[2];
  std::size_t count = 0;
  if (!(before == tag))
    added[count++] = {begin, tag};
  if (!(after == tag))
    added[count++] = {end, after};
  Chunk &chunk = chunks[c];
  chunk.insert(chunk.begin() + static_cast<std::ptrdiff_t>(i), added,
               added + count);
  if (chunk.empty()) {
    chunks.erase(chunks.begin() + static_cast<std::ptrdiff_t>(c));
  } else if (chunk.size() > MostEntries) {
    const auto middle = chunk.begin() + MostEntries / 2;
    Chunk second(middle, chunk.end());
    chunk.erase(middle, chunk.end());
    chunks.insert(chunks.begin() + static_cast<std::ptrdiff_t>(c) + 1,
                  std::move(second));
  }
}

std::vector<TagMap::Entry> TagMap::entries() const {
  std::vector<Entry> all;
  for (const Chunk &chunk : chunks)
    all.insert(all.end(), chunk.begin(), chunk.end());
  return all;
}

TagMap TagMap::of(const std::vector<Entry> &entries) {
  TagMap map;
  for (std::size_t i = 0; i < entries.size(); i += MostEntries / 2)
    map.chunks.emplace_back(
        entries.begin() + static_cast<std::ptrdiff_t>(i),
        entries.begin() + static_cast<std::ptrdiff_t>(
                              std::min(entries.size(), i + MostEntries / 2)));
  return map;
}

} // namespace poplar::core
