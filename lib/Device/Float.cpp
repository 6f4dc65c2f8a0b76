// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Double precision as compiled code calls it by name, for workers and
// supervisors alike: doubles and 64-bit integers are in integer registers.
// Conversions from and to the formats that workers have registers for are
// FloatConversions.h.

#include "lib/Device/SoftDouble.h"

using namespace populus::device;

#define SYMBOL(NAME) asm(#NAME)
#include "lib/Device/FloatConversions.h"

#pragma clang attribute push(__attribute__((target("both"))),                  \
                             apply_to = function)

namespace {

U64 bitsOf(double value) { return __builtin_bit_cast(U64, value); }
double doubleOf(U64 bits) { return __builtin_bit_cast(double, bits); }

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

// For NaN these return a value that makes the comparison false.
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
}

#pragma clang attribute pop
