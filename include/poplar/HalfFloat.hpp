// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The element type `half`: IEEE 754 binary16, with arithmetic on every target.

#ifndef POPLAR_HALFFLOAT_HPP
#define POPLAR_HALFFLOAT_HPP

#ifndef __POPC__
#error "poplar/HalfFloat.hpp is for codelets, which popc compiles"
#endif

typedef _Float16 half;

namespace poplar {
using ::half;
}

#endif
