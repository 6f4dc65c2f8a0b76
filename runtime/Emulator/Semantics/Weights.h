// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads of many weight registers at once, and weights as the units read them.
// Before each pass of a matrix kernel the supervisor fills a set or both, by an
// instruction for each register or two; together they move a block of memory
// to the registers. When a unit is used that reads halves, or one that reads
// floats, the registers are transposed and widened for it, by vectors.

#ifndef POPULUS_RUNTIME_EMULATOR_SEMANTICS_WEIGHTS_H
#define POPULUS_RUNTIME_EMULATOR_SEMANTICS_WEIGHTS_H

#include "runtime/Emulator/Semantics/System.h"
#include "runtime/Emulator/Semantics/Units.h"

#include <bit>
#include <cstring>
#include <span>

namespace populus::runtime::emulator {

/// Element j of row i becomes element i of row j.
inline void transpose(Units (&rows)[8]) {
  const auto exchange = [&](unsigned distance, auto low, auto high) {
    for (unsigned i = 0; i != 8; ++i) {
      if (i & distance)
        continue;
      const Units a = rows[i], b = rows[i + distance];
      rows[i] = low(a, b);
      rows[i + distance] = high(a, b);
    }
  };
#define SHUFFLE(...)                                                           \
  [](Units a, Units b) { return __builtin_shufflevector(a, b, __VA_ARGS__); }
  exchange(1, SHUFFLE(0, 8, 2, 10, 4, 12, 6, 14),
           SHUFFLE(1, 9, 3, 11, 5, 13, 7, 15));
  exchange(2, SHUFFLE(0, 1, 8, 9, 4, 5, 12, 13),
           SHUFFLE(2, 3, 10, 11, 6, 7, 14, 15));
  exchange(4, SHUFFLE(0, 1, 2, 3, 8, 9, 10, 11),
           SHUFFLE(4, 5, 6, 7, 12, 13, 14, 15));
#undef SHUFFLE
}

/// The operands that eight halves are.
inline Units operands16(const std::uint8_t *from) {
  std::uint16_t halves[8];
  std::memcpy(halves, from, sizeof(halves));
  Units result;
#ifdef __F16C__
  typedef std::int32_t Bits __attribute__((vector_size(32)));
  __m128i packed;
  std::memcpy(&packed, halves, sizeof(packed));
  result = _mm256_cvtph_ps(packed);
  const Bits bits = std::bit_cast<Bits>(result);
  const Bits infinite = (bits & 0x7fffffff) == 0x7f800000;
  result = std::bit_cast<Units>(
      (infinite & static_cast<std::int32_t>(CanonicalNan32)) |
      (~infinite & bits));
#else
  for (unsigned i = 0; i != 8; ++i)
    result[i] = operand16(halves[i]);
#endif
  return result;
}

/// The registers of a set: four of each unit, one unit after the other.
inline const std::uint8_t *registersOf(const WeightRegisters &registers,
                                       unsigned set) {
  return reinterpret_cast<const std::uint8_t *>(
      &registers.bits[set * WeightRegisters::PerSet]);
}
inline constexpr unsigned UnitBytes = 32;

inline void makeHalfWeights(Weights &weights, const WeightRegisters &registers,
                            unsigned set) {
  const std::uint8_t *from = registersOf(registers, set);
  for (unsigned columns = 0; columns != 4; columns += 2) {
    Units rows[8];
    for (unsigned unit = 0; unit != 8; ++unit)
      rows[unit] = operands16(from + unit * UnitBytes + columns * 8);
    transpose(rows);
    for (unsigned i = 0; i != 8; ++i)
      storeLanes(weights.half[columns + i / 4][i % 4][set], rows[i]);
  }
}

inline void makeSingleWeights(Weights &weights,
                              const WeightRegisters &registers, unsigned set) {
  Units rows[8];
  std::memcpy(rows, registersOf(registers, set), sizeof(rows));
  transpose(rows);
  for (unsigned word = 0; word != 8; ++word)
    storeLanes(weights.single[word][set], rows[word]);
}

/// Performs the loads of consecutive instructions, of so many registers each;
/// `from` is the source of the first one.
template <unsigned Registers>
void loadRegisters(WeightRegisters &registers,
                   std::span<const std::uint8_t> indices,
                   const std::uint8_t *from) {
  for (const std::uint8_t index : indices) {
    std::memcpy(&registers.bits[index], from, 8 * Registers);
    from += 8 * Registers;
  }
}

} // namespace populus::runtime::emulator

#endif
