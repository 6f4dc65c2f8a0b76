// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fma with its one rounding, of all types. newlib's functions round twice, for
// they add to a rounded product or round a sum of doubles.

#include "lib/Device/SoftDouble.h"

using namespace populus::device;

namespace {

double multiplyAdd(double x, double y, double z, bool toOdd) {
  return __builtin_bit_cast(
      double,
      multiplyAddDouble(__builtin_bit_cast(U64, x), __builtin_bit_cast(U64, y),
                        __builtin_bit_cast(U64, z), toOdd));
}

} // namespace

extern "C" {

double fma(double x, double y, double z) { return multiplyAdd(x, y, z, false); }

long double fmal(long double x, long double y, long double z) {
  return multiplyAdd(x, y, z, false);
}

// Products and sums of floats have no subnormal double but zero.
float fmaf(float x, float y, float z) {
  return static_cast<float>(multiplyAdd(x, y, z, true));
}

} // extern "C"
