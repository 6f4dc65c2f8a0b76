// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Repeated words of a text, found with a suffix array. The text is a list of
// numbers; in "xabyabz" the word "ab" comes twice. Only maximal words are
// listed: "a" is not, because each "a" is followed by "b". So the number of
// words is at most twice the length of the text.

#ifndef POPULUS_LIB_POPART_PASSES_REPEATEDWORDS_H
#define POPULUS_LIB_POPART_PASSES_REPEATEDWORDS_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace populus::popir {

class RepeatedWords {
public:
  struct Word {
    std::uint32_t length;
    /// Its occurrences, as a range of the sorted suffixes.
    std::uint32_t first, last;

    std::size_t count() const { return last - first; }
  };

  /// Takes O(n log^2 n) time for a text of length n.
  explicit RepeatedWords(std::span<const unsigned> text);

  const std::vector<Word> &words() const { return found; }

  /// All places at which the word begins, in no particular order. Places may
  /// overlap.
  std::span<const std::uint32_t> placesOf(const Word &word) const {
    return std::span(suffixes).subspan(word.first, word.count());
  }

private:
  std::vector<std::uint32_t> suffixes;
  std::vector<Word> found;
};

} // namespace populus::popir

#endif
