// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One case for each layout.

#include "lib/Poplar/Device/VectorForm.h"

#include <bit>

namespace poplar::core {

using populus::archive::Layout;

namespace {

/// Enough for every address of a tile's memory.
constexpr std::uint8_t TileAddressBits = 20;

VectorForm nativeForm(Layout layout) {
  switch (layout) {
  case Layout::Span:
  case Layout::ShortSpan:
  case Layout::DeltaN:
  case Layout::DeltaNElements:
    return {16, 64, 1, 64, 0};
  default:
    return {8, 64, 1, 0, 0};
  }
}

VectorForm packed(unsigned unit, std::uint32_t bias) {
  const auto bits =
      static_cast<std::uint8_t>(TileAddressBits - std::countr_zero(unit));
  return {4, bits, static_cast<std::uint8_t>(unit),
          static_cast<std::uint8_t>(32 - bits), bias};
}

} // namespace

VectorForm vectorForm(Layout layout, const populus::runtime::TargetInfo &target,
                      bool isNative, std::uint32_t elementBytes) {
  if (isNative)
    return nativeForm(layout);
  const std::uint32_t memory = target.regions[0].begin;
  switch (layout) {
  case Layout::Span:
    return {8, 32, 1, 32, 0};
  case Layout::ShortSpan:
    return packed(1, 0);
  case Layout::ScaledPtr32:
    return {2, 16, 4, 0, memory};
  case Layout::ScaledPtr64:
    return {2, 16, 8, 0, 0};
  case Layout::ScaledPtr128:
    return {2, 16, 16, 0, 0};
  case Layout::DeltaN:
    return packed(1, memory);
  case Layout::DeltaNElements:
    return packed(elementBytes, memory);
  case Layout::NotAVector:
  case Layout::OnePtr:
    break;
  }
  return {4, 32, 1, 0, 0};
}

} // namespace poplar::core
