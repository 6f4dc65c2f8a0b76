// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The floating-point functions that compiled code calls by name: all of double
// precision, and conversions between float and 64-bit integers.

#include "lib/Device/SoftDouble.h"

using namespace populus::device;

namespace {

U64 bitsOf(double value) { return __builtin_bit_cast(U64, value); }
double doubleOf(U64 bits) { return __builtin_bit_cast(double, bits); }
U64 wide(float value) { return widen(__builtin_bit_cast(U32, value), 23, 8); }
float toFloat(U64 bits) {
  return __builtin_bit_cast(float, narrow(bits, 23, 8));
}
/// An integer of up to 64 bits to float, rounded once.
float integerToFloat(U64 magnitude, bool sign) {
  if (magnitude == 0)
    return 0;
  int shift = leadingZeros(magnitude);
  Unpacked number;
  number.exponent = 127 + 63 - shift;
  number.significand = shiftRightSticky(magnitude << shift, 1);
  U32 bits = static_cast<U32>(roundTo(number, 23, 0xff));
  return __builtin_bit_cast(float, bits | (sign ? 1u << 31 : 0));
}

} // namespace

extern "C" {

double __adddf3(double a, double b) {
  return doubleOf(addDouble(bitsOf(a), bitsOf(b)));
}
double __subdf3(double a, double b) {
  return doubleOf(addDouble(bitsOf(a), bitsOf(b) ^ SignBit));
}
double __muldf3(double a, double b) {
  return doubleOf(multiplyDouble(bitsOf(a), bitsOf(b)));
}
double __divdf3(double a, double b) {
  return doubleOf(divideDouble(bitsOf(a), bitsOf(b)));
}
double __negdf2(double a) { return doubleOf(bitsOf(a) ^ SignBit); }

// What these return for NaN makes the comparison false.
int __eqdf2(double a, double b) {
  return compareDouble(bitsOf(a), bitsOf(b), 1);
}
int __nedf2(double a, double b) {
  return compareDouble(bitsOf(a), bitsOf(b), 1);
}
int __ltdf2(double a, double b) {
  return compareDouble(bitsOf(a), bitsOf(b), 1);
}
int __ledf2(double a, double b) {
  return compareDouble(bitsOf(a), bitsOf(b), 1);
}
int __gtdf2(double a, double b) {
  return compareDouble(bitsOf(a), bitsOf(b), -1);
}
int __gedf2(double a, double b) {
  return compareDouble(bitsOf(a), bitsOf(b), -1);
}
int __unorddf2(double a, double b) {
  return isNan(bitsOf(a)) || isNan(bitsOf(b));
}

double __extendsfdf2(float a) { return doubleOf(wide(a)); }
float __truncdfsf2(double a) { return toFloat(bitsOf(a)); }
double __extendhfdf2(_Float16 a) {
  return doubleOf(widen(__builtin_bit_cast(unsigned short, a), 10, 5));
}
_Float16 __truncdfhf2(double a) {
  return __builtin_bit_cast(
      _Float16, static_cast<unsigned short>(narrow(bitsOf(a), 10, 5)));
}

double __floatsidf(int a) { return doubleOf(fromSigned(a)); }
double __floatunsidf(unsigned a) { return doubleOf(fromUnsigned(a, false)); }
double __floatdidf(long long a) { return doubleOf(fromSigned(a)); }
double __floatundidf(U64 a) { return doubleOf(fromUnsigned(a, false)); }
int __fixdfsi(double a) { return static_cast<int>(toSigned(bitsOf(a), 32)); }
unsigned __fixunsdfsi(double a) {
  return static_cast<unsigned>(toUnsigned(bitsOf(a), 32));
}
long long __fixdfdi(double a) { return toSigned(bitsOf(a), 64); }
U64 __fixunsdfdi(double a) { return toUnsigned(bitsOf(a), 64); }

float __floatdisf(long long a) {
  U64 bits = static_cast<U64>(a);
  return a < 0 ? integerToFloat(0 - bits, true) : integerToFloat(bits, false);
}
float __floatundisf(U64 a) { return integerToFloat(a, false); }
long long __fixsfdi(float a) { return toSigned(wide(a), 64); }
U64 __fixunssfdi(float a) { return toUnsigned(wide(a), 64); }
}
