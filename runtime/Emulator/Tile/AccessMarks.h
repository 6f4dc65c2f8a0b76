// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Marks for each word of a tile's memory which contexts have touched it: a byte
// for each word, with a bit for each context, and one for words that were
// written. The marks decide exactly whether a context has touched another one's
// writes, for any number of accesses, but marking takes long (AccessRecord.h).

#ifndef POPULUS_RUNTIME_EMULATOR_TILE_ACCESSMARKS_H
#define POPULUS_RUNTIME_EMULATOR_TILE_ACCESSMARKS_H

#include <array>
#include <cstddef>
#include <cstdint>

namespace populus::runtime::emulator {

class AccessMarks {
public:
  /// The most memory of a tile.
  static constexpr std::size_t MostBytes = 640 << 10;

  bool empty() const { return isEmpty; }
  /// Marks the words of so many bytes.
  void mark(unsigned context, std::uint32_t offset, std::uint32_t bytes,
            bool store);
  /// Returns whether a context has touched a word that another one has written.
  bool conflict() const;
  void clear();

private:
  static constexpr unsigned WordShift = 2;
  static constexpr unsigned LineShift = 8;
  static constexpr std::size_t LineWords = 1u << (LineShift - WordShift);
  static constexpr std::size_t MostLines = MostBytes >> LineShift;

  void markWords(std::size_t first, std::size_t last, std::uint64_t marks);

  bool isEmpty = true;
  std::array<std::uint8_t, MostLines> lines = {};   // 1: something is marked
  std::array<std::uint8_t, MostLines> written = {}; // 1: in writtenLines
  alignas(64) std::array<std::uint8_t, MostLines * LineWords> touched = {};
  std::size_t numWritten = 0;
  std::array<std::uint32_t, MostLines> writtenLines;
};

} // namespace populus::runtime::emulator

#endif
