// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For codelets: a pointer of which the compiler does not know where it comes
// from. It cannot compute ahead of a loop then what is reached from the
// pointer, for which there are not enough registers.

#ifndef POPULUS_LIB_POPLIBS_POPUTIL_OPAQUE_H
#define POPULUS_LIB_POPLIBS_POPUTIL_OPAQUE_H

namespace poplibs {

template <class T> inline __attribute__((always_inline)) T *opaque(T *pointer) {
#ifdef __IPU__
  asm("" : "+r"(pointer));
#endif
  return pointer;
}

} // namespace poplibs

#endif
