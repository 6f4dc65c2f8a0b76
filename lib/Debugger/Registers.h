// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The registers of a frame, by the numbers that DWARF has for them.

#ifndef POPULUS_LIB_DEBUGGER_REGISTERS_H
#define POPULUS_LIB_DEBUGGER_REGISTERS_H

#include "lib/Debugger/Value.h"

#include <array>
#include <cstdint>
#include <optional>

namespace populus::debugger {

/// The registers of a frame. DWARF numbers $m0 to $m15 as 0 to 15, and $a0 to
/// $a15 as 32 to 47.
struct Registers {
  std::uint32_t tile = 0;
  Address pc = 0;
  std::array<std::uint32_t, 16> m = {};
  std::array<std::uint32_t, 16> a = {};

  std::optional<std::uint32_t> byNumber(unsigned number) const {
    if (number < 16)
      return m[number];
    if (number >= 32 && number < 48)
      return a[number - 32];
    return std::nullopt;
  }
};

} // namespace populus::debugger

#endif
