// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions between IEEE binary16, held as its bits, and float. Tiles compute
// in binary16, hosts mostly cannot name it, so everything that prints, reads or
// converts `half` data on the host goes through these two functions.

#ifndef POPULUS_RUNTIME_TARGET_HALF_H
#define POPULUS_RUNTIME_TARGET_HALF_H

#include <bit>
#include <cstdint>

namespace populus::runtime {

/// Exact.
constexpr float halfToFloat(std::uint16_t half) {
  const std::uint32_t sign = std::uint32_t(half & 0x8000) << 16;
  const std::uint32_t magnitude = half & 0x7fff;
  if (magnitude >= 0x7c00) // infinities and NaNs
    return std::bit_cast<float>(sign | 0x7f800000 | (magnitude & 0x3ff) << 13);
  if (magnitude >= 0x0400) // normal numbers: only the bias differs
    return std::bit_cast<float>(sign | ((magnitude << 13) + (112u << 23)));
  // Denormals are multiples of 2^-24.
  const float value = static_cast<float>(magnitude) * 0x1p-24f;
  return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(value));
}

/// Rounds to nearest, ties to even; too large values become infinities.
constexpr std::uint16_t floatToHalf(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint16_t sign = (bits >> 16) & 0x8000;
  const std::uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) // NaN, kept quiet, with the top of its payload
    return sign | 0x7e00 | ((magnitude >> 13) & 0x1ff);
  if (magnitude >= 0x477ff000) // rounds to 2^16 or more
    return sign | 0x7c00;
  if (magnitude >= 0x38800000) { // a normal half
    const std::uint32_t rebiased = magnitude - (112u << 23);
    const std::uint32_t odd = (rebiased >> 13) & 1;
    return sign | ((rebiased + 0xfff + odd) >> 13);
  }
  if (magnitude <= 0x33000000) // at most half of the smallest denormal
    return sign;
  // A denormal half: shift the significand into place and round it.
  const std::uint32_t significand = (magnitude & 0x7fffff) | 0x800000;
  const unsigned shift = 126 - (magnitude >> 23);
  const std::uint32_t kept = significand >> shift;
  const std::uint32_t rest = significand & ((1u << shift) - 1);
  const std::uint32_t middle = 1u << (shift - 1);
  const bool up = rest > middle || (rest == middle && (kept & 1));
  return sign | static_cast<std::uint16_t>(kept + up);
}

} // namespace populus::runtime

#endif
