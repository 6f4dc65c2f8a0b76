// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic of single precision and halves for supervisors, which have no
// instructions for it; code for workers never calls these. A result of double
// precision, rounded once more, is the right one: it has more than twice the
// bits. Halves are computed with in single precision.

#include "lib/Device/SoftDouble.h"

#pragma clang attribute push(__attribute__((target("supervisor"))),            \
                             apply_to = function)

#define SYMBOL(NAME) asm(#NAME ".supervisor")
#include "lib/Device/FloatConversions.h"

using namespace populus::device;

float halfToFloat(_Float16) asm("__extendhfsf2.supervisor");
_Float16 floatToHalf(float) asm("__truncsfhf2.supervisor");

float halfToFloat(_Float16 a) { return toFloat(wide(a)); }
_Float16 floatToHalf(float a) {
  return __builtin_bit_cast(
      _Float16, static_cast<unsigned short>(narrow(wide(a), 10, 5)));
}

namespace {

int compare(float a, float b, int unordered) {
  return compareDouble(wide(a), wide(b), unordered);
}

} // namespace

extern "C" {

float __addsf3(float a, float b) {
  return toFloat(addDouble(wide(a), wide(b)));
}
float __subsf3(float a, float b) {
  return toFloat(addDouble(wide(a), wide(b) ^ SignBit));
}
float __mulsf3(float a, float b) {
  return toFloat(multiplyDouble(wide(a), wide(b)));
}
float __divsf3(float a, float b) {
  return toFloat(divideDouble(wide(a), wide(b)));
}

// For NaN these return a value that makes the comparison false.
int __eqsf2(float a, float b) { return compare(a, b, 1); }
int __nesf2(float a, float b) { return compare(a, b, 1); }
int __ltsf2(float a, float b) { return compare(a, b, 1); }
int __lesf2(float a, float b) { return compare(a, b, 1); }
int __gtsf2(float a, float b) { return compare(a, b, -1); }
int __gesf2(float a, float b) { return compare(a, b, -1); }
int __unordsf2(float a, float b) { return isNan(wide(a)) || isNan(wide(b)); }

float __floatsisf(int a) { return toFloat(fromSigned(a)); }
float __floatunsisf(unsigned a) { return toFloat(fromUnsigned(a, false)); }
int __fixsfsi(float a) { return static_cast<int>(toSigned(wide(a), 32)); }
unsigned __fixunssfsi(float a) {
  return static_cast<unsigned>(toUnsigned(wide(a), 32));
}
}

#pragma clang attribute pop
