// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function that tells the compiler the alignment of a pointer.

#ifndef POPLAR_ALIGNMENT_HPP
#define POPLAR_ALIGNMENT_HPP

#ifndef __POPC__
#error "poplar/Alignment.hpp is for codelets, which popc compiles"
#endif

namespace poplar {

/// The pointer, of which the caller knows that it is aligned to N bytes.
template <unsigned N, typename T> inline T *assumeAligned(T *pointer) {
  return static_cast<T *>(__builtin_assume_aligned(pointer, N));
}

} // namespace poplar

#endif
