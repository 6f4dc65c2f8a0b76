// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RepeatedWords beside a search that compares all pairs of places.

#include "lib/PopART/Passes/RepeatedWords.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>

namespace populus::popir::test {
namespace {

using Text = std::vector<unsigned>;
using Places = std::set<std::uint32_t>;

Text textOf(const std::string &letters) {
  return {letters.begin(), letters.end()};
}

std::map<Text, Places> wordsOf(const Text &text) {
  const RepeatedWords words(text);
  std::map<Text, Places> found;
  for (const RepeatedWords::Word &word : words.words()) {
    auto places = words.placesOf(word);
    auto begin = text.begin() + places.front();
    found[{begin, begin + word.length}].insert(places.begin(), places.end());
  }
  return found;
}

Places placesOf(const Text &text, const Text &word) {
  Places places;
  for (auto at = text.begin(); (at = std::search(at, text.end(), word.begin(),
                                                 word.end())) != text.end();
       ++at)
    places.insert(static_cast<std::uint32_t>(at - text.begin()));
  return places;
}

TEST(RepeatedWords, AreAsLongAsTheyCanBe) {
  auto words = wordsOf(textOf("xabcyabcz"));
  EXPECT_EQ(words, (std::map<Text, Places>{{textOf("abc"), {1, 5}},
                                           {textOf("bc"), {2, 6}},
                                           {textOf("c"), {3, 7}}}));
}

TEST(RepeatedWords, ThatOverlapAreKnownByTheirPeriod) {
  auto words = wordsOf(textOf("abababab$"));
  EXPECT_EQ(words.at(textOf("ab")), (Places{0, 2, 4, 6}));
  EXPECT_FALSE(words.contains(textOf("abab")));
  EXPECT_TRUE(wordsOf(textOf("bcabcabcabd")).contains(textOf("bca")));
}

TEST(RepeatedWords, EmptyAndPlainTextsHaveNone) {
  EXPECT_TRUE(wordsOf({}).empty());
  EXPECT_TRUE(wordsOf(textOf("abcdef")).empty());
}

/// The word is listed, or one that saves as much: a period of it.
bool isCovered(const std::map<Text, Places> &words, const Text &word,
               const Places &places) {
  if (words.contains(word))
    return true;
  return std::ranges::any_of(words, [&](const auto &entry) {
    const auto &[other, otherPlaces] = entry;
    return other.size() < word.size() &&
           std::equal(other.begin(), other.end(), word.begin()) &&
           std::ranges::includes(otherPlaces, places);
  });
}

TEST(RepeatedWords, AgreeWithAllPairsOfPlaces) {
  std::mt19937 random(7);
  for (unsigned round = 0; round != 300; ++round) {
    Text text(1 + random() % 60);
    for (unsigned &number : text)
      number = random() % (1 + round % 4);
    auto words = wordsOf(text);
    for (const auto &[word, places] : words)
      ASSERT_EQ(places, placesOf(text, word));
    for (std::size_t a = 0; a != text.size(); ++a)
      for (std::size_t b = a + 1; b != text.size(); ++b) {
        auto end =
            std::mismatch(text.begin() + b, text.end(), text.begin() + a).first;
        const Text word(text.begin() + b, end);
        if (!word.empty()) {
          ASSERT_TRUE(isCovered(words, word, placesOf(text, word)));
        }
      }
    ASSERT_LE(words.size(), 2 * text.size());
  }
}

} // namespace
} // namespace populus::popir::test
