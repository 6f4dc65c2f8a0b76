// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Words that a text has several times. The text is a list of numbers; in
// "xabyabz" the word "ab" comes twice. A word that always goes on in the same
// way is not listed, only the longer one; so there are at most two words for
// each number of the text, though a word has far more parts.

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
    /// Where it begins, as a range of the list of suffixes.
    std::uint32_t first, last;

    std::size_t count() const { return last - first; }
  };

  /// Takes time in proportion to the text's length and the square of the
  /// length's logarithm.
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
