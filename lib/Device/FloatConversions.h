// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions that take or return a float or a half. Workers and supervisors
// pass these in different registers, so each has its own: the file is included
// once for each context, with SYMBOL(NAME) the label that a function gets.

#include "lib/Device/SoftDouble.h"

namespace {

using populus::device::U64;

U64 wide(float value) {
  return populus::device::widen(__builtin_bit_cast(populus::device::U32, value),
                                23, 8);
}
U64 wide(_Float16 value) {
  return populus::device::widen(__builtin_bit_cast(unsigned short, value), 10,
                                5);
}
float toFloat(U64 bits) {
  return __builtin_bit_cast(float, populus::device::narrow(bits, 23, 8));
}
/// An integer of up to 64 bits to float, rounded once.
float integerToFloat(U64 magnitude, bool sign) {
  if (magnitude == 0)
    return 0;
  int shift = populus::device::leadingZeros(magnitude);
  populus::device::Unpacked number;
  number.exponent = 127 + 63 - shift;
  number.significand = populus::device::shiftRightSticky(magnitude << shift, 1);
  auto bits = static_cast<populus::device::U32>(
      populus::device::roundTo(number, 23, 0xff));
  return __builtin_bit_cast(float, bits | (sign ? 1u << 31 : 0));
}

} // namespace

double floatToDouble(float) SYMBOL(__extendsfdf2);
double halfToDouble(_Float16) SYMBOL(__extendhfdf2);
float doubleToFloat(double) SYMBOL(__truncdfsf2);
_Float16 doubleToHalf(double) SYMBOL(__truncdfhf2);
float signedToFloat(long long) SYMBOL(__floatdisf);
float unsignedToFloat(U64) SYMBOL(__floatundisf);
long long floatToSigned(float) SYMBOL(__fixsfdi);
U64 floatToUnsigned(float) SYMBOL(__fixunssfdi);

double floatToDouble(float a) { return __builtin_bit_cast(double, wide(a)); }
double halfToDouble(_Float16 a) { return __builtin_bit_cast(double, wide(a)); }
float doubleToFloat(double a) { return toFloat(__builtin_bit_cast(U64, a)); }
_Float16 doubleToHalf(double a) {
  return __builtin_bit_cast(_Float16,
                            static_cast<unsigned short>(populus::device::narrow(
                                __builtin_bit_cast(U64, a), 10, 5)));
}
float signedToFloat(long long a) {
  U64 bits = static_cast<U64>(a);
  return a < 0 ? integerToFloat(0 - bits, true) : integerToFloat(bits, false);
}
float unsignedToFloat(U64 a) { return integerToFloat(a, false); }
long long floatToSigned(float a) {
  return populus::device::toSigned(wide(a), 64);
}
U64 floatToUnsigned(float a) {
  return populus::device::toUnsigned(wide(a), 64);
}

#undef SYMBOL
