// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products and quotients of complex numbers, by C's Annex G: what came out as
// NaN in both parts, though an operand is infinite or the divisor zero, is an
// infinity or a zero in its direction. Compiled code calls products only where
// they came out so, quotients always.

#include <stdint.h>
#include <string.h>

namespace {

template <typename T> struct Parts {
  T real, imaginary;

  bool isNaN() const {
    return __builtin_isnan(real) && __builtin_isnan(imaginary);
  }
  bool isInfinite() const {
    return __builtin_isinf(real) || __builtin_isinf(imaginary);
  }
  bool isFinite() const {
    return __builtin_isfinite(real) && __builtin_isfinite(imaginary);
  }
  /// An infinite part as one, any other as zero, with their signs.
  Parts direction() const {
    return {
        __builtin_elementwise_copysign(T(__builtin_isinf(real) ? 1 : 0), real),
        __builtin_elementwise_copysign(T(__builtin_isinf(imaginary) ? 1 : 0),
                                       imaginary)};
  }
  Parts withoutNaN() const {
    return {__builtin_isnan(real) ? __builtin_elementwise_copysign(T(0), real)
                                  : real,
            __builtin_isnan(imaginary)
                ? __builtin_elementwise_copysign(T(0), imaginary)
                : imaginary};
  }
  Parts times(T factor) const { return {factor * real, factor * imaginary}; }
};

struct FloatFormat {
  using Bits = uint32_t;
  static constexpr int Mantissa = 23, MaxExponent = 254;
};
struct DoubleFormat {
  using Bits = uint64_t;
  static constexpr int Mantissa = 52, MaxExponent = 2046;
};

} // namespace

/// The power of two that brings a finite positive number near one.
template <typename Format, typename T> static T scaleFor(T value) {
  typename Format::Bits bits;
  memcpy(&bits, &value, sizeof(bits));
  typename Format::Bits exponent = bits >> Format::Mantissa;
  typename Format::Bits opposite =
      exponent == 0 ? Format::MaxExponent : Format::MaxExponent - exponent;
  if (opposite == 0)
    opposite = 1;
  bits = opposite << Format::Mantissa;
  memcpy(&value, &bits, sizeof(bits));
  return value;
}

template <typename T> static Parts<T> product(Parts<T> x, Parts<T> y) {
  return {x.real * y.real - x.imaginary * y.imaginary,
          x.real * y.imaginary + x.imaginary * y.real};
}

/// Times the conjugate of y.
template <typename T> static Parts<T> productConjugate(Parts<T> x, Parts<T> y) {
  return {x.real * y.real + x.imaginary * y.imaginary,
          x.imaginary * y.real - x.real * y.imaginary};
}

template <typename T> static Parts<T> multiply(Parts<T> x, Parts<T> y) {
  Parts<T> result = product(x, y);
  if (!result.isNaN())
    return result;
  bool overflows = __builtin_isinf(x.real * y.real) ||
                   __builtin_isinf(x.imaginary * y.imaginary) ||
                   __builtin_isinf(x.real * y.imaginary) ||
                   __builtin_isinf(x.imaginary * y.real);
  if (!x.isInfinite() && !y.isInfinite() && !overflows)
    return result;
  Parts<T> a = x.isInfinite() ? x.direction() : x;
  Parts<T> b = y.isInfinite() ? y.direction() : y;
  return product(a.withoutNaN(), b.withoutNaN()).times(__builtin_inff());
}

template <typename Format, typename T>
static Parts<T> divide(Parts<T> x, Parts<T> y) {
  T most =
      __builtin_elementwise_abs(y.real) > __builtin_elementwise_abs(y.imaginary)
          ? __builtin_elementwise_abs(y.real)
          : __builtin_elementwise_abs(y.imaginary);
  T scale = 1;
  if (y.isFinite() && most > 0)
    scale = scaleFor<Format>(most);
  Parts<T> divisor = y.times(scale);
  T norm = divisor.real * divisor.real + divisor.imaginary * divisor.imaginary;
  Parts<T> result = productConjugate(x, divisor);
  result = {result.real / norm * scale, result.imaginary / norm * scale};
  if (!result.isNaN())
    return result;
  T infinity = __builtin_inff();
  if (norm == 0 && (!__builtin_isnan(x.real) || !__builtin_isnan(x.imaginary)))
    return x.times(__builtin_elementwise_copysign(infinity, y.real));
  if (x.isInfinite() && y.isFinite())
    return productConjugate(x.direction(), y).times(infinity);
  if (y.isInfinite() && x.isFinite())
    return productConjugate(x, y.direction()).times(0);
  return result;
}

template <typename Complex, typename T> static Complex joined(Parts<T> parts) {
  Complex result;
  __real__ result = parts.real;
  __imag__ result = parts.imaginary;
  return result;
}

extern "C" {
_Complex float __mulsc3(float a, float b, float c, float d) {
  return joined<_Complex float>(multiply<float>({a, b}, {c, d}));
}
_Complex float __divsc3(float a, float b, float c, float d) {
  return joined<_Complex float>(divide<FloatFormat, float>({a, b}, {c, d}));
}
_Complex double __muldc3(double a, double b, double c, double d) {
  return joined<_Complex double>(multiply<double>({a, b}, {c, d}));
}
_Complex double __divdc3(double a, double b, double c, double d) {
  return joined<_Complex double>(divide<DoubleFormat, double>({a, b}, {c, d}));
}
}
