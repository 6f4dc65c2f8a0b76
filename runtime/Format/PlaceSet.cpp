// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups places by their memories: a counting sort over the memories that
// occur.

#include "runtime/Format/PlaceSet.h"

#include <algorithm>

namespace populus::runtime {

void PlaceSet::clear() {
  for (const Group &group : groups)
    groupOf[group.memory] = None;
  groups.clear();
}

void PlaceSet::makeRoom() {
  std::size_t next = 0;
  for (Group &group : groups) {
    const std::size_t count = group.end;
    group.begin = group.end = next;
    next += count;
  }
  places.resize(next);
}

std::uint32_t PlaceSet::join() {
  for (Group &group : groups) {
    const auto begin =
        places.begin() + static_cast<std::ptrdiff_t>(group.begin);
    const auto end = places.begin() + static_cast<std::ptrdiff_t>(group.end);
    if (!std::is_sorted(begin, end))
      std::sort(begin, end);
    auto last = begin;
    for (auto next = begin + 1; next < end; ++next) {
      const std::uint64_t lastEnd = *last & EndMask;
      if (lastEnd > *next >> 32)
        return group.memory;
      if (lastEnd == *next >> 32)
        *last = (*last & ~EndMask) | (*next & EndMask);
      else
        *++last = *next;
    }
    group.end = static_cast<std::size_t>(last - places.begin()) + 1;
  }
  return None;
}

bool PlaceSet::reachesInto(std::uint32_t memory, std::uint64_t begin,
                           std::uint64_t end) const {
  if (groupOf[memory] == None)
    return false;
  const Group &group = groups[groupOf[memory]];
  const auto first = places.begin() + static_cast<std::ptrdiff_t>(group.begin);
  // The last place that begins before `end` is the only one that can reach into
  // the bytes, since places do not overlap.
  const auto after = std::lower_bound(
      first, places.begin() + static_cast<std::ptrdiff_t>(group.end),
      end << 32);
  return after != first && (*(after - 1) & EndMask) > begin;
}

} // namespace populus::runtime
