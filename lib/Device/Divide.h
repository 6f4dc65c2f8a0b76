// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integer multiplication and division as a tile does them: it has a 32-bit
// multiplier that gives the low word only, and no divider. Kept in a header so
// that the same code is tested on the host.

#ifndef POPULUS_LIB_DEVICE_DIVIDE_H
#define POPULUS_LIB_DEVICE_DIVIDE_H

namespace populus::device {

using U32 = unsigned;
using U64 = unsigned long long;

inline int leadingZeros(U32 value) { return __builtin_clz(value); }
inline int leadingZeros(U64 value) {
  U32 high = static_cast<U32>(value >> 32);
  return high ? __builtin_clz(high)
              : 32 + __builtin_clz(static_cast<U32>(value));
}

/// Bit by bit, from the highest that can be set. Division by zero gives zero.
template <typename T> T divide(T numerator, T denominator, T &remainder) {
  remainder = numerator;
  if (denominator == 0 || numerator < denominator)
    return 0;
  int shift = leadingZeros(denominator) - leadingZeros(numerator);
  denominator <<= shift;
  T quotient = 0;
  for (; shift >= 0; --shift) {
    quotient <<= 1;
    if (remainder >= denominator) {
      remainder -= denominator;
      quotient |= 1;
    }
    denominator >>= 1;
  }
  return quotient;
}

/// Rounds towards zero; the remainder has the sign of the numerator.
template <typename T, typename S>
S divideSigned(S numerator, S denominator, S &remainder) {
  auto magnitude = [](S value) {
    return value < 0 ? T(0) - static_cast<T>(value) : static_cast<T>(value);
  };
  T rest;
  T quotient = divide<T>(magnitude(numerator), magnitude(denominator), rest);
  remainder = static_cast<S>(numerator < 0 ? T(0) - rest : rest);
  bool isNegative = (numerator < 0) != (denominator < 0);
  return static_cast<S>(isNegative ? T(0) - quotient : quotient);
}

/// The full product, from products of halves.
inline U64 multiplyWide(U32 a, U32 b) {
  U32 aLow = a & 0xffff, aHigh = a >> 16;
  U32 bLow = b & 0xffff, bHigh = b >> 16;
  U32 low = aLow * bLow;
  // At most 0xfffe0001 + 0xffff each: no overflow.
  U32 middle = aHigh * bLow + (low >> 16);
  U32 other = aLow * bHigh + (middle & 0xffff);
  U32 high = aHigh * bHigh + (middle >> 16) + (other >> 16);
  return static_cast<U64>(high) << 32 | (other << 16 | (low & 0xffff));
}

/// The low 64 bits of a product.
inline U64 multiply(U64 a, U64 b) {
  U32 aLow = static_cast<U32>(a), aHigh = static_cast<U32>(a >> 32);
  U32 bLow = static_cast<U32>(b), bHigh = static_cast<U32>(b >> 32);
  U64 cross = static_cast<U64>(aLow * bHigh + aHigh * bLow) << 32;
  return multiplyWide(aLow, bLow) + cross;
}

/// The high 64 bits of a product; `rest` tells whether the low ones are zero.
inline U64 multiplyHigh(U64 a, U64 b, bool &rest) {
  U32 aLow = static_cast<U32>(a), aHigh = static_cast<U32>(a >> 32);
  U32 bLow = static_cast<U32>(b), bHigh = static_cast<U32>(b >> 32);
  U64 low = multiplyWide(aLow, bLow);
  U64 middle = multiplyWide(aHigh, bLow) + (low >> 32);
  U64 other = multiplyWide(aLow, bHigh) + static_cast<U32>(middle);
  rest = static_cast<U32>(low) != 0 || static_cast<U32>(other) != 0;
  return multiplyWide(aHigh, bHigh) + (middle >> 32) + (other >> 32);
}

} // namespace populus::device

#endif
