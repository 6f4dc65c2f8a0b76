// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Many loads of weights at once. Before each pass of a matrix kernel the
// supervisor fills a set or both, by an instruction for each register or two;
// together they move a block of memory, which is put into the registers' order,
// transposed and widened by vectors.

#ifndef POPULUS_RUNTIME_EMULATOR_SEMANTICS_WEIGHTRUN_H
#define POPULUS_RUNTIME_EMULATOR_SEMANTICS_WEIGHTRUN_H

#include "runtime/Emulator/Semantics/System.h"
#include "runtime/Emulator/Semantics/Units.h"

#include <array>
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

/// All registers of a set: four of each unit, one unit after the other.
inline void setWeights(Weights &weights, unsigned set,
                       const std::uint8_t *from) {
  constexpr unsigned UnitBytes = 32;
  Units rows[8];
  std::memcpy(rows, from, sizeof(rows));
  transpose(rows);
  for (unsigned word = 0; word != 8; ++word)
    storeLanes(weights.single[word][set], rows[word]);
  for (unsigned columns = 0; columns != 4; columns += 2) {
    for (unsigned unit = 0; unit != 8; ++unit)
      rows[unit] = operands16(from + unit * UnitBytes + columns * 8);
    transpose(rows);
    for (unsigned i = 0; i != 8; ++i)
      storeLanes(weights.half[columns + i / 4][i % 4][set], rows[i]);
  }
}

/// What instructions one after the other load, by register.
class WeightRun {
public:
  /// Loads of so many registers each; `from` is where the first one comes from.
  template <unsigned Registers>
  void add(std::span<const std::uint8_t> indices, const std::uint8_t *from) {
    for (const std::uint8_t index : indices) {
      std::memcpy(&bytes[8 * index], from, 8 * Registers);
      loaded |= ((std::uint64_t(1) << Registers) - 1) << index;
      from += 8 * Registers;
    }
  }

  void putInto(Weights &weights) const {
    for (unsigned set = 0; set != Sets; ++set) {
      const auto ofSet =
          static_cast<std::uint32_t>(loaded >> (set * Weights::PerSet));
      const std::uint8_t *from = &bytes[8 * set * Weights::PerSet];
      if (ofSet == ~std::uint32_t(0)) {
        setWeights(weights, set, from);
        continue;
      }
      for (std::uint32_t left = ofSet; left != 0; left &= left - 1) {
        const auto i = static_cast<unsigned>(std::countr_zero(left));
        std::uint64_t bits;
        std::memcpy(&bits, from + 8 * i, sizeof(bits));
        setWeight(weights, set * Weights::PerSet + i, bits);
      }
    }
  }

private:
  static constexpr unsigned Sets = 2;
  static_assert(Sets * Weights::PerSet == 64);

  std::uint64_t loaded = 0; // a bit for each register
  alignas(64) std::array<std::uint8_t, 8 * Sets * Weights::PerSet> bytes;
};

} // namespace populus::runtime::emulator

#endif
