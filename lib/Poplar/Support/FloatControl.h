// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bits of the tiles' register $FP_CTL that programs may choose.

#ifndef POPULUS_LIB_POPLAR_SUPPORT_FLOATCONTROL_H
#define POPULUS_LIB_POPLAR_SUPPORT_FLOATCONTROL_H

#include <cstdint>

namespace poplar::core::float_control {

/// Operations that stop the program.
inline constexpr std::uint32_t Invalid = 1 << 0;
inline constexpr std::uint32_t DivideByZero = 1 << 1;
inline constexpr std::uint32_t Overflow = 1 << 2;
inline constexpr std::uint32_t Exceptions = Invalid | DivideByZero | Overflow;

inline constexpr std::uint32_t StochasticRounding = 1 << 19;
inline constexpr std::uint32_t NanOnOverflow = 1 << 20;

inline constexpr std::uint32_t All =
    Exceptions | StochasticRounding | NanOnOverflow;

} // namespace poplar::core::float_control

#endif
