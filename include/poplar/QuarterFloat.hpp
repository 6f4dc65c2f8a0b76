// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The name of the 8-bit float. It has no arithmetic here and cannot be the type
// of a field; popc says so where a codelet tries.

#ifndef POPLAR_QUARTERFLOAT_HPP
#define POPLAR_QUARTERFLOAT_HPP

#ifndef __POPC__
#error "poplar/QuarterFloat.hpp is for codelets, which popc compiles"
#endif

class quarter {
  unsigned char bits;
};

namespace poplar {
using ::quarter;
}

#endif
