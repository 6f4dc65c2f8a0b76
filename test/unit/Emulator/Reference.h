// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An independent reference of arithmetic instructions, without the emulator's
// code. It computes in 128-bit floats, which hold the result of one operation
// on singles or halves exactly enough to be rounded once, and applies the rules
// of docs/machine.md for NaN, overflow and zero.

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

/// The reference of an instruction with register operands, by the name of its
/// row: floating point, or integers of two words. Nothing for others.
std::optional<Reference> rowReference(const std::string &row);

using IntegerFunction =
    std::function<std::uint32_t(std::uint32_t x, std::uint32_t y)>;
/// The function of an integer, logical or permuting instruction of one word, by
/// its mnemonic.
std::optional<IntegerFunction> integerReference(const std::string &mnemonic);

} // namespace populus::runtime::test

#endif
