// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A suffix array with common-prefix lengths (Kasai et al., 2001). Example,
// "abab": sorted suffixes that begin with the same word are neighbours,
//
//    place  suffix   common prefix with the one before
//      2    ab       0
//      0    abab     2    "ab" at places 2 and 0
//      3    b        0
//      1    bab      1    "b" at places 3 and 1
//
// The lengths form a tree of intervals, each a word with its places: the inner
// nodes of a suffix tree. If a word overlaps itself, like "aba" in "ababa", the
// text is periodic, and the period "ab" is the better word: it comes more
// often.

#include "lib/PopART/Passes/RepeatedWords.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>

namespace populus::popir {

namespace {

using Places = std::vector<std::uint32_t>;

/// Sorts the suffixes by their first 2, 4, 8, … numbers.
Places sortSuffixes(std::span<const unsigned> text) {
  const std::size_t n = text.size();
  Places suffixes(n), rank(text.begin(), text.end()), next(n);
  std::iota(suffixes.begin(), suffixes.end(), 0u);
  for (std::size_t known = 0;; known = known == 0 ? 1 : known * 2) {
    // A suffix precedes the longer ones that it is a prefix of.
    auto key = [&](std::uint32_t place) {
      const std::size_t rest = place + known;
      return std::pair<std::uint32_t, std::int64_t>(rank[place],
                                                    known == 0 ? 0
                                                    : rest < n ? rank[rest]
                                                               : -1);
    };
    std::ranges::sort(suffixes, {}, key);
    bool isSorted = true;
    for (std::size_t i = 0; i != n; ++i) {
      const bool isEqual = i != 0 && key(suffixes[i]) == key(suffixes[i - 1]);
      next[suffixes[i]] =
          isEqual ? next[suffixes[i - 1]] : static_cast<std::uint32_t>(i);
      isSorted = isSorted && !isEqual;
    }
    rank.swap(next);
    if (isSorted)
      return suffixes;
  }
}

/// By index in the list, the length of the common prefix with the suffix
/// before; a 0 is appended.
Places agreements(std::span<const unsigned> text, const Places &suffixes) {
  const std::size_t n = text.size();
  Places rank(n), common(n + 1);
  for (std::size_t i = 0; i != n; ++i)
    rank[suffixes[i]] = static_cast<std::uint32_t>(i);
  std::uint32_t length = 0;
  for (std::size_t place = 0; place != n; ++place) {
    if (rank[place] == 0) {
      length = 0;
      continue;
    }
    const std::size_t other = suffixes[rank[place] - 1];
    while (place + length < n && other + length < n &&
           text[place + length] == text[other + length])
      ++length;
    common[rank[place]] = length;
    length -= length != 0;
  }
  return common;
}

/// Neighbouring suffixes with a common prefix.
struct Interval {
  std::uint32_t length, first;
  std::set<std::uint32_t> places;
  /// The smallest distance of two places.
  std::uint32_t gap = std::numeric_limits<std::uint32_t>::max();

  void add(std::uint32_t place) {
    auto at = places.insert(place).first;
    if (at != places.begin())
      gap = std::min(gap, place - *std::prev(at));
    if (std::next(at) != places.end())
      gap = std::min(gap, *std::next(at) - place);
  }

  void merge(Interval &&other) {
    if (places.size() < other.places.size())
      places.swap(other.places);
    gap = std::min(gap, other.gap);
    for (std::uint32_t place : other.places)
      add(place);
  }
};

} // namespace

RepeatedWords::RepeatedWords(std::span<const unsigned> text) {
  if (text.empty())
    return;
  suffixes = sortSuffixes(text);
  const Places common = agreements(text, suffixes);
  std::vector<Interval> open;
  for (std::uint32_t end = 1; end <= suffixes.size(); ++end) {
    Interval current{.length = 0, .first = end - 1, .places = {}};
    current.add(suffixes[end - 1]);
    while (!open.empty() && open.back().length > common[end]) {
      current.merge(std::move(open.back()));
      current.length = open.back().length;
      current.first = open.back().first;
      open.pop_back();
      const std::uint32_t outer =
          std::max(common[end], open.empty() ? 0 : open.back().length);
      const std::uint32_t gap = current.gap;
      if (current.length < std::uint64_t{2} * gap)
        found.push_back({current.length, current.first, end});
      if (gap < current.length && gap > outer)
        found.push_back({gap, current.first, end});
    }
    if (common[end] == 0)
      continue;
    if (!open.empty() && open.back().length == common[end]) {
      open.back().merge(std::move(current));
    } else {
      current.length = common[end];
      open.push_back(std::move(current));
    }
  }
}

} // namespace populus::popir
