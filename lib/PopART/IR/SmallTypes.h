// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Storage types of weights with 8 bits or less. On the host each element is one
// byte; arithmetic is done in float or int. Conversion to a small float rounds
// to nearest even and saturates. Conversion of a float to a small integer
// truncates and saturates; of an integer, it keeps the lowest bits.

#ifndef POPULUS_LIB_POPART_IR_SMALLTYPES_H
#define POPULUS_LIB_POPART_IR_SMALLTYPES_H

#include "lib/PopART/IR/Float16.h"

#include <algorithm>
#include <limits>

namespace populus::popir {

/// The encoding of infinities and NaNs in a small float.
enum class SmallFloatKind {
  Ieee,     // the largest exponent is for infinities and NaNs
  OneNan,   // all bits but the sign set is NaN; there are no infinities
  NegNan,   // what would be minus zero is NaN; there are no infinities
  AllFinite // there is neither
};

template <int Exponent, int Mantissa, int Bias, SmallFloatKind Kind>
struct SmallFloat {
  std::uint8_t bits = 0;

  SmallFloat() = default;
  SmallFloat(float value) : SmallFloat(value, true) {}
  /// Without `saturate`, overflow gives an infinity or, without one, NaN.
  SmallFloat(float value, bool saturate) : bits(encode(value, saturate)) {}

  operator float() const {
    const int code = bits & (SignBit - 1);
    const float sign = bits & SignBit ? -1.0F : 1.0F;
    if (isNan())
      return std::numeric_limits<float>::quiet_NaN();
    if (Kind == SmallFloatKind::Ieee && code >> Mantissa == MaxExponent)
      return sign * std::numeric_limits<float>::infinity();
    const int exponent = code >> Mantissa, rest = code & (Unit - 1);
    return sign * (exponent == 0 ? std::ldexp(static_cast<float>(rest),
                                              1 - Bias - Mantissa)
                                 : std::ldexp(static_cast<float>(rest + Unit),
                                              exponent - Bias - Mantissa));
  }

private:
  static constexpr int SignBit = 1 << (Exponent + Mantissa);
  static constexpr int Unit = 1 << Mantissa;
  static constexpr int MaxExponent = (1 << Exponent) - 1;
  /// The code of the largest finite number.
  static constexpr int LargestCode =
      Kind == SmallFloatKind::Ieee     ? (MaxExponent << Mantissa) - 1
      : Kind == SmallFloatKind::OneNan ? SignBit - 2
                                       : SignBit - 1;
  static constexpr int NanCode = Kind == SmallFloatKind::NegNan ? SignBit
                                 : Kind == SmallFloatKind::OneNan
                                     ? SignBit - 1
                                     : (MaxExponent << Mantissa) + Unit / 2;

  bool isNan() const {
    const int code = bits & (SignBit - 1);
    switch (Kind) {
    case SmallFloatKind::Ieee:
      return code >> Mantissa == MaxExponent && (code & (Unit - 1)) != 0;
    case SmallFloatKind::OneNan:
      return code == SignBit - 1;
    case SmallFloatKind::NegNan:
      return bits == SignBit;
    case SmallFloatKind::AllFinite:
      return false;
    }
  }

  static std::uint8_t encode(float value, bool saturate) {
    // ONNX converts NaN to minus zero if the type has no NaN.
    if (std::isnan(value))
      return Kind == SmallFloatKind::AllFinite ? SignBit : NanCode;
    const int sign = std::signbit(value) ? SignBit : 0;
    const int code = magnitude(std::abs(value));
    if (code > LargestCode && !saturate && Kind != SmallFloatKind::AllFinite)
      return Kind == SmallFloatKind::Ieee ? sign | (LargestCode + 1)
             : Kind == SmallFloatKind::NegNan
                 ? NanCode
                 : static_cast<std::uint8_t>(sign | NanCode);
    if (code == 0 && Kind == SmallFloatKind::NegNan)
      return 0;
    return static_cast<std::uint8_t>(sign | std::min(code, LargestCode));
  }

  /// The code of the rounded number, with an unbounded exponent.
  static int magnitude(float value) {
    if (std::isinf(value))
      return LargestCode + 1;
    const int exponent =
        value == 0 ? 1 - Bias : std::max(std::ilogb(value), 1 - Bias);
    const int rounded = static_cast<int>(
        std::nearbyint(std::ldexp(value, Mantissa - exponent)));
    // A mantissa that rounding makes too long carries into the exponent.
    return exponent + Bias > 2 * MaxExponent
               ? LargestCode + 1
               : ((exponent + Bias - 1) << Mantissa) + rounded;
  }
};

using Float8E4M3FN = SmallFloat<4, 3, 7, SmallFloatKind::OneNan>;
using Float8E4M3FNUZ = SmallFloat<4, 3, 8, SmallFloatKind::NegNan>;
using Float8E5M2 = SmallFloat<5, 2, 15, SmallFloatKind::Ieee>;
using Float8E5M2FNUZ = SmallFloat<5, 2, 16, SmallFloatKind::NegNan>;
using Float4E2M1 = SmallFloat<2, 1, 1, SmallFloatKind::AllFinite>;

/// Powers of two, as scales of blocks are; 255 is NaN.
struct Float8E8M0 {
  std::uint8_t bits = 0;

  Float8E8M0() = default;
  /// The next power of two that is not smaller.
  Float8E8M0(float value) {
    constexpr int Bias = 127, Largest = 254;
    if (std::isnan(value))
      bits = 255;
    else if (value > 0) {
      int exponent = 0;
      const float fraction = std::frexp(value, &exponent); // in [0.5, 1)
      const int code = exponent - (fraction == 0.5F) + Bias;
      bits = static_cast<std::uint8_t>(
          std::isinf(value) ? Largest : std::clamp(code, 0, Largest));
    }
  }
  operator float() const {
    return bits == 255 ? std::numeric_limits<float>::quiet_NaN()
                       : std::ldexp(1.0F, bits - 127);
  }
};

template <int Bits, bool IsSigned> struct SmallInt {
  std::int8_t value = 0;

  static constexpr int Least = IsSigned ? -(1 << (Bits - 1)) : 0;
  static constexpr int Most = (1 << (IsSigned ? Bits - 1 : Bits)) - 1;

  SmallInt() = default;
  template <class T> SmallInt(T from) {
    if constexpr (std::is_integral_v<T>) {
      const int low = static_cast<int>(from) & ((1 << Bits) - 1);
      value = static_cast<std::int8_t>(low > Most ? low - (1 << Bits) : low);
    } else {
      const auto wide = static_cast<double>(from);
      value = std::isnan(wide) ? 0
                               : static_cast<std::int8_t>(std::clamp<double>(
                                     std::trunc(wide), Least, Most));
    }
  }
  operator int() const { return value; }
};

using Int4 = SmallInt<4, true>;
using UInt4 = SmallInt<4, false>;
using Int2 = SmallInt<2, true>;
using UInt2 = SmallInt<2, false>;

template <int E, int M, int B, SmallFloatKind K>
inline constexpr bool isFloatElement<SmallFloat<E, M, B, K>> = true;
template <> inline constexpr bool isFloatElement<Float8E8M0> = true;

} // namespace populus::popir

#endif
