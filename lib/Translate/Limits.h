// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes of regions.

#ifndef POPULUS_LIB_TRANSLATE_LIMITS_H
#define POPULUS_LIB_TRANSLATE_LIMITS_H

#include <cstdint>

namespace populus::translate {

/// Slots in a region: compile time grows a little faster than a region does.
inline constexpr std::size_t MostSlots = 600;
/// Slots of a function that becomes a part of its caller's region.
inline constexpr std::size_t MostLeafSlots = 40;
/// Translated code looks at the limit of turns only where it goes back or
/// jumps; between two looks it takes fewer turns than this (an instruction
/// takes at most 15).
inline constexpr std::int64_t LimitMargin = 16 * MostSlots;

/// Limits for loops that store: the most rounds of a hardware loop until a test
/// whether anything unusual has happened in them, and the most bytes that these
/// rounds may overwrite, counted from the first to the last byte of a gapless
/// store.
inline constexpr std::uint32_t RoundsAtOnce = 256;
inline constexpr std::uint32_t KeptBytes = 16384;
/// The least number of bundles in all rounds that is worth that.
inline constexpr std::uint32_t FewestBundles = 16;
/// Straight lines need at least so many slots that could do something unusual.
inline constexpr std::size_t FewestAsking = 4;

/// Bits that are not zero if something unusual happened in the rounds of a
/// loop, one field for each size of values.
struct Doubts {
  std::uint32_t sixteen __attribute__((vector_size(64)));
  std::uint32_t eight __attribute__((vector_size(32)));
  std::uint32_t pair __attribute__((vector_size(8)));
  std::uint64_t halves;
  std::uint32_t word;
};

} // namespace populus::translate

#endif
