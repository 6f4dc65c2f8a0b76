// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The element type `half`: IEEE 754 binary16, with arithmetic on every target.
// popc makes Clang's __fp16 an arithmetic type. C++ mangles it as `Dh`, so
// assembly can name instances of templates.

#ifndef POPLAR_HALFFLOAT_HPP
#define POPLAR_HALFFLOAT_HPP

#ifndef __POPC__
#error "poplar/HalfFloat.hpp is for codelets, which popc compiles"
#endif

typedef __fp16 half;

#ifndef __IPU__
/* What host code calls to round a float to a half and back, with the tile's
 * rules (docs/machine.md): too large numbers become the largest half, and there
 * is one NaN. Each shared object of host code has its own. */
#ifdef __cplusplus
extern "C" {
#endif
#define POPULUS_RUNTIME                                                        \
  __attribute__((weak, used, visibility("hidden"), noinline))

POPULUS_RUNTIME half __truncsfhf2(float value) {
  union {
    float number;
    unsigned bits;
  } word = {value}, sum;
  union {
    unsigned short bits;
    half number;
  } result;
  unsigned sign = word.bits >> 16 & 0x8000;
  word.bits &= 0x7fffffff;
  if (word.bits > 0x7f800000) { /* a NaN */
    result.bits = 0x7e00;
  } else if (word.bits >= 0x477ff000) { /* rounds to more than 65504 */
    result.bits = (unsigned short)(sign | 0x7bff);
  } else if (word.bits >=
             0x38800000) { /* a normal half: to nearest, ties even */
    unsigned rebiased = word.bits - 0x38000000;
    rebiased += 0xfff + (rebiased >> 13 & 1);
    result.bits = (unsigned short)(sign | rebiased >> 13);
  } else { /* the sum's last bit is worth the smallest half */
    sum.number = word.number + 0.5f;
    result.bits = (unsigned short)(sign | (sum.bits - 0x3f000000));
  }
  return result.number;
}

POPULUS_RUNTIME float __extendhfsf2(half value) {
  union {
    half number;
    unsigned short bits;
  } from = {value};
  union {
    unsigned bits;
    float number;
  } to;
  unsigned magnitude = from.bits & 0x7fff;
  to.bits = magnitude << 13;
  if (magnitude < 0x7c00)
    to.number *= 0x1p112f;
  else
    to.bits |= 0x7f800000;
  to.bits |= (from.bits & 0x8000u) << 16;
  return to.number;
}
#undef POPULUS_RUNTIME
#ifdef __cplusplus
}
#endif
#endif

#ifdef __cplusplus
/// 1.5_h is a half.
constexpr half operator""_h(long double value) {
  return static_cast<half>(value);
}
constexpr half operator""_h(unsigned long long value) {
  return static_cast<half>(value);
}

namespace poplar {
using ::half;
}
#endif

#ifdef __IPU__
// Public codelets use short4 and other vectors with this header alone.
#include <ipudef.h>
#endif

#endif
