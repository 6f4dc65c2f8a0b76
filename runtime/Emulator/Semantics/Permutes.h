// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Taking words apart into bytes and halves and putting them together, least
// significant element first; for the permutes of both pipes.

#ifndef POPULUS_RUNTIME_EMULATOR_SEMANTICS_PERMUTES_H
#define POPULUS_RUNTIME_EMULATOR_SEMANTICS_PERMUTES_H

#include <cstdint>

namespace populus::runtime::emulator {

constexpr std::uint32_t byte(std::uint32_t word, unsigned index) {
  return (word >> (8 * index)) & 0xff;
}
constexpr std::uint32_t bytes(std::uint32_t b0, std::uint32_t b1,
                              std::uint32_t b2, std::uint32_t b3) {
  return b0 | b1 << 8 | b2 << 16 | b3 << 24;
}
constexpr std::uint16_t lower(std::uint32_t word) {
  return static_cast<std::uint16_t>(word);
}
constexpr std::uint16_t upper(std::uint32_t word) {
  return static_cast<std::uint16_t>(word >> 16);
}
constexpr std::uint32_t halves(std::uint16_t low, std::uint16_t high) {
  return low | std::uint32_t(high) << 16;
}
constexpr std::uint64_t words(std::uint32_t low, std::uint32_t high) {
  return low | std::uint64_t(high) << 32;
}

constexpr std::uint32_t reverseBitsInBytes(std::uint32_t x) {
  x = (x & 0x55555555) << 1 | ((x >> 1) & 0x55555555);
  x = (x & 0x33333333) << 2 | ((x >> 2) & 0x33333333);
  return (x & 0x0f0f0f0f) << 4 | ((x >> 4) & 0x0f0f0f0f);
}

} // namespace populus::runtime::emulator

#endif
