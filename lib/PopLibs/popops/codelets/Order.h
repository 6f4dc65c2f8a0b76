// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The larger and the smaller one of two floats, the same on all devices.

#ifndef POPULUS_LIB_POPLIBS_POPOPS_CODELETS_ORDER_H
#define POPULUS_LIB_POPLIBS_POPOPS_CODELETS_ORDER_H

namespace popops {

/// The larger and the smaller number as the machine has them, on all devices: a
/// number is preferred to a NaN, and -0 is less than +0.
inline float larger(float x, float y) {
#ifdef __IPU__
  return __builtin_fmaxf(x, y);
#else
  if (x == y) // of zeros, -0 only where both are
    return __builtin_bit_cast(float, __builtin_bit_cast(unsigned, x) &
                                         __builtin_bit_cast(unsigned, y));
  return x > y || y != y ? x : y;
#endif
}
inline float smaller(float x, float y) {
#ifdef __IPU__
  return __builtin_fminf(x, y);
#else
  return -larger(-x, -y);
#endif
}

} // namespace popops

#endif
