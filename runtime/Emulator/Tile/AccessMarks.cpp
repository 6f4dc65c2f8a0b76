// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Marks of many words are made and looked at by vectors of the host.

#include "runtime/Emulator/Tile/AccessMarks.h"

#include "runtime/Emulator/Tile/HostVectors.h"

#include <bit>

namespace populus::runtime::emulator {

namespace {

/// The same byte eight times.
constexpr std::uint64_t eightTimes(std::uint8_t byte) {
  return std::uint64_t(0x0101010101010101) * byte;
}

/// Beside the marks of contexts.
constexpr std::uint64_t Written = eightTimes(0x80);

template <typename Marks>
[[gnu::always_inline]] inline void markAt(std::uint8_t *at,
                                          std::uint64_t marks) {
  Marks old;
  std::memcpy(&old, at, sizeof(old));
  old = static_cast<Marks>(old | marks);
  std::memcpy(at, &old, sizeof(old));
}

/// Puts marks at first[0, number), where that is between once and twice the
/// bytes of Marks: the second half may overlap with the first one.
template <typename Marks>
[[gnu::always_inline]] inline void
markHalves(std::uint8_t *first, std::size_t number, std::uint64_t marks) {
  std::uint8_t *second = first + number - sizeof(Marks);
  Marks x, y;
  std::memcpy(&x, first, sizeof(x));
  std::memcpy(&y, second, sizeof(y));
  x = static_cast<Marks>(x | marks);
  y = static_cast<Marks>(y | marks);
  std::memcpy(first, &x, sizeof(x));
  std::memcpy(second, &y, sizeof(y));
}

} // namespace

[[gnu::always_inline]] inline void AccessMarks::markWords(std::size_t first,
                                                          std::size_t last,
                                                          std::uint64_t marks) {
  std::uint8_t *at = &touched[first];
  std::size_t number = last - first + 1;
  for (; number > 64; number -= 32, at += 32)
    markAt<Vector32>(at, marks);
  if (number >= 32)
    return markHalves<Vector32>(at, number, marks);
  if (number >= 16)
    return markHalves<Vector16>(at, number, marks);
  if (number >= 8)
    return markHalves<std::uint64_t>(at, number, marks);
  if (number >= 4)
    return markHalves<std::uint32_t>(at, number, marks);
  if (number >= 2)
    return markHalves<std::uint16_t>(at, number, marks);
  markAt<std::uint8_t>(at, marks);
}

HOST_VECTORS void AccessMarks::mark(unsigned context, std::uint32_t offset,
                                    std::uint32_t bytes, bool store) {
  isEmpty = false;
  const std::size_t last = offset + bytes - 1;
  for (std::size_t line = offset >> LineShift; line <= last >> LineShift;
       ++line) {
    lines[line] = 1;
    if (store && !written[line]) {
      written[line] = 1;
      writtenLines[numWritten++] = static_cast<std::uint32_t>(line);
    }
  }
  markWords(offset >> WordShift, last >> WordShift,
            eightTimes(static_cast<std::uint8_t>(1u << context)) |
                (store ? Written : 0));
}

HOST_VECTORS bool AccessMarks::conflict() const {
  Vector32 found = {};
  for (std::size_t line = 0; line != numWritten; ++line) {
    const std::uint8_t *first = &touched[writtenLines[line] * LineWords];
    for (std::size_t i = 0; i != LineWords; i += sizeof(Vector32)) {
      Vector32 marks;
      std::memcpy(&marks, first + i, sizeof(marks));
      const Vector32 contexts = marks & ~Written;
      // A byte with more than one mark stays when its lowest one is taken away.
      const Vector32 several =
          contexts & ((contexts | Written) - eightTimes(1)) & ~Written;
      found |= (several + ~Written) & marks & Written;
    }
  }
  return isAny(found);
}

void AccessMarks::clear() {
  if (isEmpty)
    return;
  for (std::size_t line = 0; line != MostLines; ++line)
    if (lines[line])
      std::memset(&touched[line * LineWords], 0, LineWords);
  lines = {};
  written = {};
  numWritten = 0;
  isEmpty = true;
}

} // namespace populus::runtime::emulator
