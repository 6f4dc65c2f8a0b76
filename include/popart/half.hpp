// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host's type for elements of FLOAT16: it converts from and to float.

#ifndef POPULUS_INCLUDE_POPART_HALF_HPP
#define POPULUS_INCLUDE_POPART_HALF_HPP

#include <poplar/IeeeHalf.hpp>

namespace popart {

using float16_t = poplar::IeeeHalf;

/// The nearest number of 16 bits, and back.
inline float16_t floatToHalf(float value) { return float16_t(value); }
inline float halfToFloat(float16_t value) { return value; }

} // namespace popart

#endif
