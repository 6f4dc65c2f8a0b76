// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For codelets: hides the origin of a pointer from the compiler. Otherwise the
// compiler would compute addresses ahead of a loop, for which there are not
// enough registers.

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
