// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floats of 16 bits on the host. They are stored as bits and computed with as
// float; conversion to them rounds to nearest, ties to even.

#ifndef POPULUS_LIB_POPART_IR_FLOAT16_H
#define POPULUS_LIB_POPART_IR_FLOAT16_H

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

namespace populus::popir {

/// IEEE 754 binary16.
struct Float16 {
  /// The largest number; the IPU has no infinity beyond it.
  static constexpr float Largest = 65504;

  std::uint16_t bits = 0;

  Float16() = default;
  Float16(float value)
      : bits(std::bit_cast<std::uint16_t>(static_cast<_Float16>(value))) {}
  operator float() const { return std::bit_cast<_Float16>(bits); }
};

/// The upper half of a float.
struct BFloat16 {
  std::uint16_t bits = 0;

  BFloat16() = default;
  BFloat16(float value) {
    auto whole = std::bit_cast<std::uint32_t>(value);
    constexpr std::uint32_t Quiet = 1u << 22;
    whole =
        std::isnan(value) ? whole | Quiet : whole + 0x7fff + (whole >> 16 & 1);
    bits = static_cast<std::uint16_t>(whole >> 16);
  }
  operator float() const {
    return std::bit_cast<float>(std::uint32_t(bits) << 16);
  }
};

template <class T>
inline constexpr bool isFloatElement =
    std::is_floating_point_v<T> || std::is_same_v<T, Float16> ||
    std::is_same_v<T, BFloat16>;

} // namespace populus::popir

#endif
