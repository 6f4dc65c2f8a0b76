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

} // namespace populus::translate

#endif
