// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversion of elements, and of blocks of them, to another type.

#ifndef POPULUS_LIB_POPLIBS_POPOPS_CODELETS_CONVERSIONS_H
#define POPULUS_LIB_POPLIBS_POPOPS_CODELETS_CONVERSIONS_H

#include "Blocks.h"

namespace popops {

template <class T, class From> struct Convert {
  static T apply(From x) { return T(x); }
};
// Through float, which every half is.
template <class T> struct Convert<T, half> {
  static T apply(half x) { return T(float(x)); }
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
