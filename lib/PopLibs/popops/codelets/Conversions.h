// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversion of elements, and of blocks of them, to another type.

#ifndef POPULUS_LIB_POPLIBS_POPOPS_CODELETS_CONVERSIONS_H
#define POPULUS_LIB_POPLIBS_POPOPS_CODELETS_CONVERSIONS_H

#include "Blocks.h"

namespace popops {

/// The integer types, to which numbers with fractions are converted.
template <class T>
constexpr bool isInteger =
    isSame<T, int> || isSame<T, unsigned> || isSame<T, short> ||
    isSame<T, unsigned short> || isSame<T, char> || isSame<T, signed char> ||
    isSame<T, unsigned char>;

/// The integer as a tile makes it, towards zero: what is out of the range of 32
/// bits becomes the nearest one of them, and NaN 0. Of smaller types these are
/// the low bits.
template <class T> inline T toInteger(float x) {
#ifdef __IPU__
  return T(x);
#else
  if constexpr (isSame<T, unsigned>)
    return x >= 0x1p32f ? ~0u : x > 0.0f ? unsigned(x) : 0u;
  else
    return T(x != x          ? 0
             : x >= 0x1p31f  ? 0x7fffffff
             : x <= -0x1p31f ? -0x7fffffff - 1
                             : int(x));
#endif
}

template <class T, class From> struct Convert {
  static T apply(From x) {
    if constexpr (isSame<From, float> && isInteger<T>)
      return toInteger<T>(x);
    else
      return T(x);
  }
};
// Through float, which every half is.
template <class T> struct Convert<T, half> {
  static T apply(half x) { return Convert<T, float>::apply(float(x)); }
};
template <class From> struct Convert<half, From> {
  static half apply(From x) { return half(float(x)); }
};
template <class From> struct Convert<bool, From> {
  static bool apply(From x) { return x != From(0); }
};
template <> struct Convert<bool, half> {
  static bool apply(half x) { return float(x) != 0.0f; }
};

/// Converts a block, or a single element.
template <class From, class To> struct ConvertBlock {
  static constexpr unsigned N = blockSize<To, From>();

  POPULUS_INLINE Block<To, N> operator()(Block<From, N> x) const {
    if constexpr (N == 1) {
      return Convert<To, From>::apply(x);
    } else {
      Block<To, N> result = splat<N>(To(0));
      for (unsigned k = 0; k != N; ++k)
        setElement(result, k, Convert<To, From>::apply(x[k]));
      return result;
    }
  }
};

} // namespace popops

#endif
