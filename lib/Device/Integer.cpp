// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The integer functions that compiled code calls by name where the machine has
// no instruction. Code of workers and of the supervisor calls them.

#pragma clang attribute push(__attribute__((target("both"))),                  \
                             apply_to = function)

#include "lib/Device/Divide.h"

using namespace populus::device;

extern "C" {

unsigned __udivsi3(unsigned a, unsigned b) {
  unsigned rest;
  return divide<U32>(a, b, rest);
}
unsigned __umodsi3(unsigned a, unsigned b) {
  unsigned rest;
  divide<U32>(a, b, rest);
  return rest;
}
int __divsi3(int a, int b) {
  int rest;
  return divideSigned<U32>(a, b, rest);
}
int __modsi3(int a, int b) {
  int rest;
  divideSigned<U32>(a, b, rest);
  return rest;
}
unsigned __udivmodsi4(unsigned a, unsigned b, unsigned *rest) {
  return divide<U32>(a, b, *rest);
}
int __divmodsi4(int a, int b, int *rest) {
  return divideSigned<U32>(a, b, *rest);
}

U64 __udivdi3(U64 a, U64 b) {
  U64 rest;
  return divide<U64>(a, b, rest);
}
U64 __umoddi3(U64 a, U64 b) {
  U64 rest;
  divide<U64>(a, b, rest);
  return rest;
}
long long __divdi3(long long a, long long b) {
  long long rest;
  return divideSigned<U64>(a, b, rest);
}
long long __moddi3(long long a, long long b) {
  long long rest;
  divideSigned<U64>(a, b, rest);
  return rest;
}
U64 __udivmoddi4(U64 a, U64 b, U64 *rest) { return divide<U64>(a, b, *rest); }

long long __muldi3(long long a, long long b) {
  return static_cast<long long>(
      multiply(static_cast<U64>(a), static_cast<U64>(b)));
}

/// Multiplies the magnitudes in three parts. The product a * b fits into 64
/// bits if the highest part is zero and the middle one has no carry.
long long __mulodi4(long long a, long long b, int *overflow) {
  const bool isNegative = (a < 0) != (b < 0);
  const U64 x = a < 0 ? -static_cast<U64>(a) : static_cast<U64>(a);
  const U64 y = b < 0 ? -static_cast<U64>(b) : static_cast<U64>(b);
  const U64 xHigh = x >> 32, xLow = static_cast<U32>(x);
  const U64 yHigh = y >> 32, yLow = static_cast<U32>(y);
  const U64 low = xLow * yLow;
  // One of the two is zero if xHigh * yHigh is.
  const U64 middle = xHigh * yLow + xLow * yHigh + (low >> 32);
  const U64 product = middle << 32 | static_cast<U32>(low);
  const U64 largest = ~U64(0) >> 1;
  *overflow = (xHigh != 0 && yHigh != 0) || middle >> 32 != 0 ||
              product > largest + isNegative;
  return static_cast<long long>(isNegative ? -product : product);
}

// Shifts, in halves: a 64-bit shift here would call itself.
U64 __ashldi3(U64 value, int count) {
  U32 low = static_cast<U32>(value), high = static_cast<U32>(value >> 32);
  if (count >= 32) {
    high = low << (count - 32);
    low = 0;
  } else if (count) {
    high = high << count | low >> (32 - count);
    low <<= count;
  }
  return static_cast<U64>(high) << 32 | low;
}
U64 __lshrdi3(U64 value, int count) {
  U32 low = static_cast<U32>(value), high = static_cast<U32>(value >> 32);
  if (count >= 32) {
    low = high >> (count - 32);
    high = 0;
  } else if (count) {
    low = low >> count | high << (32 - count);
    high >>= count;
  }
  return static_cast<U64>(high) << 32 | low;
}
long long __ashrdi3(long long value, int count) {
  U32 low = static_cast<U32>(value);
  int high = static_cast<int>(value >> 32);
  if (count >= 32) {
    low = static_cast<U32>(high >> (count - 32));
    high >>= 31;
  } else if (count) {
    low = low >> count | static_cast<U32>(high) << (32 - count);
    high >>= count;
  }
  return static_cast<long long>(static_cast<U64>(static_cast<U32>(high)) << 32 |
                                low);
}

int __popcountsi2(unsigned value) {
  int count = 0;
  for (; value; value &= value - 1)
    ++count;
  return count;
}
int __popcountdi2(U64 value) {
  return __popcountsi2(static_cast<U32>(value)) +
         __popcountsi2(static_cast<U32>(value >> 32));
}
}

#pragma clang attribute pop
