// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The choice between two elements, or between those of two blocks, by a bool
// for each.

#ifndef POPULUS_LIB_POPLIBS_POPOPS_CODELETS_CHOOSE_H
#define POPULUS_LIB_POPLIBS_POPOPS_CODELETS_CHOOSE_H

#include "Blocks.h"

namespace popops {

struct Choose {
  template <class B, class C>
  POPULUS_INLINE B operator()(B a, B b, C condition) const {
    if constexpr (isSame<C, bool>) {
      return condition ? a : b;
    } else if constexpr (isSame<B, Bools>) {
      // Bytes of ones where the condition is 1.
      const unsigned mask = condition.word * 0xffu;
      return {(a.word & mask) | (b.word & ~mask)};
    } else {
      for (unsigned k = 0; k != 4; ++k)
        a[k] = condition[k] ? a[k] : b[k];
      return a;
    }
  }
};

} // namespace popops

#endif
