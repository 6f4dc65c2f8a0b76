// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What arithmetic instructions should give, worked out without the emulator's
// own code: values as 128-bit floats, which hold every exact result of one
// operation on singles or halves closely enough to be rounded once, and the
// rules of docs/machine.md for what is not a number, too large or zero.

#ifndef POPULUS_TEST_UNIT_EMULATOR_REFERENCE_H
#define POPULUS_TEST_UNIT_EMULATOR_REFERENCE_H

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace populus::runtime::test {

/// Four words of operands: $a0:1 and $a2:3, or $m4 and $m5 from words 0 and 2.
using Operands4 = std::array<std::uint32_t, 4>;

struct Expected {
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  std::uint32_t flags = 0;
  /// By how many units in the last place each lane may differ; the lanes are
  /// halves or words.
  unsigned ulps = 0;
  bool halves = false;
};

enum class Inputs { Singles, Halves, Integers };

struct Reference {
  Inputs inputs;
  unsigned sources; // registers or pairs
  std::function<Expected(const Operands4 &)> expect;
};

/// What an instruction with register operands does, by the name of its row:
/// floating point, and integers of two words. Nothing: it is none of these.
std::optional<Reference> rowReference(const std::string &row);

using IntegerFunction =
    std::function<std::uint32_t(std::uint32_t x, std::uint32_t y)>;
/// The function of an integer, logical or permuting instruction of one word, by
/// its mnemonic.
std::optional<IntegerFunction> integerReference(const std::string &mnemonic);

} // namespace populus::runtime::test

#endif
