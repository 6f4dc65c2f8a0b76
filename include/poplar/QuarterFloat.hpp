// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The name of the 8-bit float. It has no arithmetic here and cannot be the type
// of a field; popc says so where a codelet tries.

#ifndef POPLAR_QUARTERFLOAT_HPP
#define POPLAR_QUARTERFLOAT_HPP

#ifndef __POPC__
#error "poplar/QuarterFloat.hpp is for codelets, which popc compiles"
#endif

#define POPULUS_UNAVAILABLE                                                    \
  __attribute__((unavailable("8-bit floats are not supported; use half, or "   \
                             "keep the values as signed char with a scale")))

class quarter {
  unsigned char bits;

public:
  quarter() = default;
  POPULUS_UNAVAILABLE quarter(float value);
  POPULUS_UNAVAILABLE operator float() const;
};

#undef POPULUS_UNAVAILABLE

namespace poplar {
using ::quarter;
}

#endif
