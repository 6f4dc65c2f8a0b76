// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Double precision in integer arithmetic, for a machine without it: IEEE 754
// binary64, rounding to nearest even, one quiet NaN. Values are bit patterns.
// Kept in a header so that the same code is tested on the host.
//
// Between unpacking and packing a number is sign, exponent and a significand
// whose leading one is bit 62; the ten lowest bits are what rounding looks at,
// and the last of them is set if anything below was lost.

#ifndef POPULUS_LIB_DEVICE_SOFTDOUBLE_H
#define POPULUS_LIB_DEVICE_SOFTDOUBLE_H

#include "lib/Device/Divide.h"

namespace populus::device {

inline constexpr U64 SignBit = 1ULL << 63;
inline constexpr U64 Infinity = 0x7ffULL << 52;
inline constexpr U64 QuietNan = Infinity | 1ULL << 51;
inline constexpr int LeadingBit = 62;

struct Unpacked {
  bool sign = false;
  int exponent = 0; // biased by 1023
  U64 significand = 0;
};

inline bool isNan(U64 bits) { return (bits & ~SignBit) > Infinity; }
inline bool isInfinite(U64 bits) { return (bits & ~SignBit) == Infinity; }
inline bool isZero(U64 bits) { return (bits & ~SignBit) == 0; }

/// Shifts right and keeps a one for whatever falls out.
inline U64 shiftRightSticky(U64 value, int count) {
  if (count <= 0)
    return value;
  if (count > 63)
    return value != 0;
  return value >> count | ((value << (64 - count)) != 0);
}

/// Any finite number but zero.
inline Unpacked unpack(U64 bits) {
  Unpacked value;
  value.sign = (bits & SignBit) != 0;
  value.exponent = static_cast<int>(bits >> 52 & 0x7ff);
  U64 fraction = bits & ((1ULL << 52) - 1);
  if (value.exponent == 0) {
    int shift = leadingZeros(fraction) - 11;
    value.exponent = 1 - shift;
    value.significand = fraction << (shift + 10);
  } else {
    value.significand = (fraction | 1ULL << 52) << 10;
  }
  return value;
}

/// Rounds to a format of `fractionBits` with the largest biased exponent
/// `maxExponent`; the exponent is biased for that format already.
inline U64 roundTo(Unpacked value, int fractionBits, int maxExponent) {
  if (value.exponent >= maxExponent)
    return static_cast<U64>(maxExponent) << fractionBits;
  int extra = LeadingBit - fractionBits;
  U64 base = 0;
  if (value.exponent <= 0)
    value.significand = shiftRightSticky(value.significand, 1 - value.exponent);
  else
    // The leading one adds the last unit of the exponent.
    base = static_cast<U64>(value.exponent - 1) << fractionBits;
  U64 half = 1ULL << (extra - 1);
  U64 lost = value.significand & ((1ULL << extra) - 1);
  U64 kept = value.significand >> extra;
  if (lost > half || (lost == half && (kept & 1)))
    ++kept;
  return base + kept;
}

inline U64 pack(const Unpacked &value) {
  return roundTo(value, 52, 0x7ff) | (value.sign ? SignBit : 0);
}

inline U64 addDouble(U64 a, U64 b) {
  if (isNan(a) || isNan(b))
    return QuietNan;
  if (isInfinite(a))
    return isInfinite(b) && a != b ? QuietNan : a;
  if (isInfinite(b))
    return b;
  if (isZero(a))
    return isZero(b) ? a & b : b; // -0 only where both are
  if (isZero(b))
    return a;
  if ((a & ~SignBit) < (b & ~SignBit)) {
    U64 swapped = a;
    a = b;
    b = swapped;
  }
  Unpacked large = unpack(a), small = unpack(b);
  U64 aligned =
      shiftRightSticky(small.significand, large.exponent - small.exponent);
  if (large.sign == small.sign) {
    large.significand += aligned;
    if (large.significand >> 63) {
      large.significand = shiftRightSticky(large.significand, 1);
      ++large.exponent;
    }
    return pack(large);
  }
  large.significand -= aligned;
  if (large.significand == 0)
    return 0;
  int shift = leadingZeros(large.significand) - 1;
  large.significand <<= shift;
  large.exponent -= shift;
  return pack(large);
}

inline U64 multiplyDouble(U64 a, U64 b) {
  U64 sign = (a ^ b) & SignBit;
  if (isNan(a) || isNan(b))
    return QuietNan;
  if (isInfinite(a) || isInfinite(b))
    return isZero(a) || isZero(b) ? QuietNan : sign | Infinity;
  if (isZero(a) || isZero(b))
    return sign;
  Unpacked x = unpack(a), y = unpack(b);
  bool rest;
  Unpacked product;
  product.sign = sign != 0;
  product.significand =
      multiplyHigh(x.significand << 1, y.significand << 1, rest);
  product.exponent = x.exponent + y.exponent - 1023;
  if (product.significand >> 63) {
    product.significand = shiftRightSticky(product.significand, 1);
    ++product.exponent;
  }
  product.significand |= rest;
  return pack(product);
}

/// A number whose significand has two words; bit 62 of the high one leads.
struct WideNumber {
  bool sign;
  int exponent;
  U64 high, low;
};

inline bool isSmaller(const WideNumber &x, const WideNumber &y) {
  if (x.exponent != y.exponent)
    return x.exponent < y.exponent;
  return x.high != y.high ? x.high < y.high : x.low < y.low;
}

inline void shiftRightSticky(WideNumber &value, int count) {
  if (count <= 0)
    return;
  if (count > 63) {
    value.low = shiftRightSticky(value.high, count - 64) | (value.low != 0);
    value.high = 0;
    return;
  }
  value.low = shiftRightSticky(value.low, count) | value.high << (64 - count);
  value.high >>= count;
}

/// Shifts the leading one to its place.
inline void normalize(WideNumber &value) {
  if (value.high >> 63) {
    shiftRightSticky(value, 1);
    ++value.exponent;
    return;
  }
  if (value.high == 0) {
    value.high = value.low;
    value.low = 0;
    value.exponent -= 64;
    if (value.high >> 63) {
      value.low = value.high << 63;
      value.high >>= 1;
      ++value.exponent;
    }
  }
  const int shift = value.high ? leadingZeros(value.high) - 1 : 0;
  if (shift == 0)
    return;
  value.high = value.high << shift | value.low >> (64 - shift);
  value.low <<= shift;
  value.exponent -= shift;
}

/// The product of finite numbers other than zero.
inline WideNumber exactProduct(const Unpacked &x, const Unpacked &y) {
  const U64 a = x.significand << 1, b = y.significand << 1;
  bool rest;
  WideNumber product{x.sign != y.sign, x.exponent + y.exponent - 1023,
                     multiplyHigh(a, b, rest), a * b};
  normalize(product);
  return product;
}

/// The sum of numbers other than zero. No more is lost than what the last bit
/// then stands for; its significand is zero if they cancel.
inline WideNumber wideSum(WideNumber large, WideNumber small) {
  if (isSmaller(large, small)) {
    const WideNumber swapped = large;
    large = small;
    small = swapped;
  }
  shiftRightSticky(small, large.exponent - small.exponent);
  const U64 low = large.low;
  if (large.sign == small.sign) {
    large.low += small.low;
    large.high += small.high + (large.low < low);
  } else {
    large.low -= small.low;
    large.high -= small.high + (low < small.low);
  }
  normalize(large);
  return large;
}

/// x * y + z with one rounding. With \p toOdd what is lost sets the last bit
/// instead, so that rounding once more to half as many bits is exact (Boldo and
/// Melquiond, Emulation of FMA and correctly rounded sums, 2008); no exponent
/// may leave the range of normal numbers then.
inline U64 multiplyAddDouble(U64 a, U64 b, U64 c, bool toOdd = false) {
  const U64 sign = (a ^ b) & SignBit;
  if (isNan(a) || isNan(b) || isNan(c))
    return QuietNan;
  if (isInfinite(a) || isInfinite(b)) {
    const U64 product = sign | Infinity;
    return isZero(a) || isZero(b) || (isInfinite(c) && c != product) ? QuietNan
                                                                     : product;
  }
  if (isInfinite(c))
    return c;
  if (isZero(a) || isZero(b))
    return isZero(c) ? sign & c : c; // -0 only where both are
  WideNumber wide = exactProduct(unpack(a), unpack(b));
  if (!isZero(c)) {
    const Unpacked added = unpack(c);
    wide = wideSum(wide, {added.sign, added.exponent, added.significand, 0});
  }
  if ((wide.high | wide.low) == 0)
    return 0;
  Unpacked sum;
  sum.sign = wide.sign;
  sum.exponent = wide.exponent;
  sum.significand = wide.high | (wide.low != 0);
  if (toOdd) {
    constexpr U64 Lost = (1ULL << (LeadingBit - 52)) - 1;
    const bool isExact = (sum.significand & Lost) == 0;
    sum.significand &= ~Lost;
    if (!isExact)
      sum.significand |= Lost + 1;
  }
  return pack(sum);
}

inline U64 divideDouble(U64 a, U64 b) {
  U64 sign = (a ^ b) & SignBit;
  if (isNan(a) || isNan(b))
    return QuietNan;
  if (isInfinite(a))
    return isInfinite(b) ? QuietNan : sign | Infinity;
  if (isInfinite(b))
    return sign;
  if (isZero(b))
    return isZero(a) ? QuietNan : sign | Infinity;
  if (isZero(a))
    return sign;
  Unpacked x = unpack(a), y = unpack(b);
  Unpacked quotient;
  quotient.sign = sign != 0;
  quotient.exponent = x.exponent - y.exponent + 1023;
  U64 remainder = x.significand;
  if (remainder < y.significand) {
    remainder <<= 1;
    --quotient.exponent;
  }
  // 56 bits are enough to round 53, with what remains as the last.
  constexpr int Bits = 56;
  U64 bits = 0;
  for (int i = 0; i != Bits; ++i) {
    bits <<= 1;
    if (remainder >= y.significand) {
      remainder -= y.significand;
      bits |= 1;
    }
    remainder <<= 1;
  }
  quotient.significand = bits << (LeadingBit + 1 - Bits) | (remainder != 0);
  return pack(quotient);
}

/// -1, 0, 1; `unordered` where one is not a number.
inline int compareDouble(U64 a, U64 b, int unordered) {
  if (isNan(a) || isNan(b))
    return unordered;
  if (isZero(a) && isZero(b))
    return 0;
  // Ordered as integers once negative numbers are turned around.
  auto key = [](U64 bits) { return bits & SignBit ? ~bits : bits | SignBit; };
  U64 x = key(a), y = key(b);
  return x < y ? -1 : x > y;
}

inline U64 fromUnsigned(U64 value, bool sign) {
  if (value == 0)
    return 0;
  int shift = leadingZeros(value);
  Unpacked result;
  result.sign = sign;
  result.exponent = 1023 + 63 - shift;
  result.significand = shiftRightSticky(value << shift, 1);
  return pack(result);
}

inline U64 fromSigned(long long value) {
  U64 bits = static_cast<U64>(value);
  return value < 0 ? fromUnsigned(0 - bits, true) : fromUnsigned(bits, false);
}

/// Towards zero; what does not fit is cut to the nearest number of `bits` bits.
inline U64 toUnsigned(U64 value, int bits) {
  U64 largest = ~0ULL >> (64 - bits);
  if (isNan(value) || (value & SignBit) || isZero(value))
    return 0;
  int exponent = static_cast<int>(value >> 52 & 0x7ff) - 1023;
  if (exponent < 0)
    return 0;
  if (exponent >= bits)
    return largest;
  U64 significand = unpack(value).significand;
  return exponent > LeadingBit ? significand << (exponent - LeadingBit)
                               : significand >> (LeadingBit - exponent);
}

inline long long toSigned(U64 value, int bits) {
  bool isNegative = (value & SignBit) != 0 && !isNan(value);
  U64 magnitude = toUnsigned(value & ~SignBit, 64);
  U64 largest = (1ULL << (bits - 1)) - (isNegative ? 0 : 1);
  if (magnitude > largest)
    magnitude = largest;
  return static_cast<long long>(isNegative ? 0 - magnitude : magnitude);
}

/// Converts to a narrower format: binary32 (23, 8) or binary16 (10, 5).
inline U32 narrow(U64 value, int fractionBits, int exponentBits) {
  int maxExponent = (1 << exponentBits) - 1;
  int width = fractionBits + exponentBits;
  U32 sign = value & SignBit ? 1u << width : 0;
  U32 infinity = static_cast<U32>(maxExponent) << fractionBits;
  if (isNan(value))
    return infinity | 1u << (fractionBits - 1);
  if (isInfinite(value))
    return sign | infinity;
  if (isZero(value))
    return sign;
  Unpacked number = unpack(value);
  number.exponent += (maxExponent >> 1) - 1023;
  return sign | static_cast<U32>(roundTo(number, fractionBits, maxExponent));
}

/// Converts from binary32 or binary16; always exact.
inline U64 widen(U32 value, int fractionBits, int exponentBits) {
  int maxExponent = (1 << exponentBits) - 1;
  int width = fractionBits + exponentBits;
  U64 sign = value >> width & 1 ? SignBit : 0;
  int exponent = static_cast<int>(value >> fractionBits) & maxExponent;
  U64 fraction = value & ((1u << fractionBits) - 1);
  if (exponent == maxExponent)
    return fraction ? QuietNan : sign | Infinity;
  if (exponent == 0 && fraction == 0)
    return sign;
  Unpacked number;
  number.sign = sign != 0;
  if (exponent == 0) {
    int shift = leadingZeros(fraction) - 1;
    number.significand = fraction << shift;
    number.exponent = LeadingBit - shift - fractionBits + 1;
  } else {
    number.significand = (fraction | 1ULL << fractionBits)
                         << (LeadingBit - fractionBits);
    number.exponent = exponent;
  }
  number.exponent += 1023 - (maxExponent >> 1);
  return pack(number);
}

} // namespace populus::device

#endif
