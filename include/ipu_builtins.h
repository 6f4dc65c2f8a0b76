/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The functions __builtin_ipu_* that are not builtins of the compiler
 * themselves (lib/Target/IPU/IPUBuiltins.def lists those): short names for all
 * types, in C++ only, and what takes several instructions. Lanes that a
 * comparison selects are all ones, in the type of the operands.
 */

#ifndef POPULUS_INCLUDE_IPU_BUILTINS_H
#define POPULUS_INCLUDE_IPU_BUILTINS_H

#include <ipudef.h>

#ifdef __IPU__

#define POPULUS_BUILTIN static inline __attribute__((always_inline))

/* Integers. */
POPULUS_BUILTIN int __builtin_ipu_and_i32(int x, int y) { return x & y; }
POPULUS_BUILTIN int __builtin_ipu_andc_i32(int x, int y) { return x & ~y; }
POPULUS_BUILTIN int __builtin_ipu_or_i32(int x, int y) { return x | y; }

/* Three addresses in the 64 bits that ld2x64pace and its like take. */
POPULUS_BUILTIN uint2 __builtin_ipu_tapack(const void *load0, const void *load1,
                                           void *store) {
  unsigned address = (unsigned)store;
  uint2 packed = {((unsigned)load0 & 0x1fffff) | address << 21,
                  ((unsigned)load1 & 0x1fffff) | (address >> 11 & 0x3ff) << 21};
  return packed;
}

#ifdef __cplusplus

/* One name for the four types of lanes. */
#define POPULUS_LANES(NAME)                                                    \
  POPULUS_BUILTIN float __builtin_ipu_##NAME(float x, float y) {               \
    return __builtin_ipu_f32##NAME(x, y);                                      \
  }                                                                            \
  POPULUS_BUILTIN float2 __builtin_ipu_##NAME(float2 x, float2 y) {            \
    return __builtin_ipu_f32v2##NAME(x, y);                                    \
  }                                                                            \
  POPULUS_BUILTIN half2 __builtin_ipu_##NAME(half2 x, half2 y) {               \
    return __builtin_ipu_f16v2##NAME(x, y);                                    \
  }                                                                            \
  POPULUS_BUILTIN half4 __builtin_ipu_##NAME(half4 x, half4 y) {               \
    return __builtin_ipu_f16v4##NAME(x, y);                                    \
  }
POPULUS_LANES(absadd)
POPULUS_LANES(absmax)
POPULUS_LANES(min)
POPULUS_LANES(max)
POPULUS_LANES(cmpeq)
POPULUS_LANES(cmpne)
POPULUS_LANES(cmplt)
POPULUS_LANES(cmple)
POPULUS_LANES(cmpgt)
POPULUS_LANES(cmpge)
#undef POPULUS_LANES

/* The names for float are builtins. */
#define POPULUS_FUNCTION(NAME)                                                 \
  POPULUS_BUILTIN half2 __builtin_ipu_##NAME(half2 x) {                        \
    return __builtin_ipu_f16v2##NAME(x);                                       \
  }
POPULUS_FUNCTION(exp)
POPULUS_FUNCTION(exp2)
POPULUS_FUNCTION(ln)
POPULUS_FUNCTION(log2)
POPULUS_FUNCTION(tanh)
POPULUS_FUNCTION(sigm)
#undef POPULUS_FUNCTION

/* Bounds: (lower, upper). */
POPULUS_BUILTIN float __builtin_ipu_clamp(float x, float2 bounds) {
  return __builtin_ipu_f32clamp(x, bounds);
}
POPULUS_BUILTIN float2 __builtin_ipu_clamp(float2 x, float2 bounds) {
  return __builtin_ipu_f32v2clamp(x, bounds);
}
POPULUS_BUILTIN half2 __builtin_ipu_clamp(half2 x, half2 bounds) {
  return __builtin_ipu_f16v2clamp(x, bounds);
}
POPULUS_BUILTIN half4 __builtin_ipu_clamp(half4 x, half2 bounds) {
  return __builtin_ipu_f16v4clamp(x, bounds);
}

/* Class codes (docs/machine.md), a lane each. */
POPULUS_BUILTIN int __builtin_ipu_class(float x) {
  return __builtin_ipu_f32class(x);
}
POPULUS_BUILTIN short2 __builtin_ipu_class(float2 x) {
  int codes = __builtin_ipu_f32v2class(x);
  return (short2){(short)(codes & 0xff), (short)(codes >> 8 & 0xff)};
}
POPULUS_BUILTIN short2 __builtin_ipu_class(half2 x) {
  int codes = __builtin_ipu_f16v2class(x);
  return (short2){(short)(codes & 0xff), (short)(codes >> 8 & 0xff)};
}
POPULUS_BUILTIN short4 __builtin_ipu_class(half4 x) {
  int codes = __builtin_ipu_f16v4class(x);
  return (short4){(short)(codes & 0xff), (short)(codes >> 8 & 0xff),
                  (short)(codes >> 16 & 0xff), (short)(codes >> 24 & 0xff)};
}

/* -1 for a NaN, an infinity or a finite number, else 0; vectors lane by lane.
 */
POPULUS_BUILTIN int __builtin_ipu_isnan(float x) {
  int code = __builtin_ipu_f32class(x);
  return -(code == 1 || code == 2);
}
POPULUS_BUILTIN int __builtin_ipu_isinf(float x) {
  int code = __builtin_ipu_f32class(x);
  return -(code == 3 || code == 4);
}
POPULUS_BUILTIN int __builtin_ipu_isfinite(float x) {
  return -(__builtin_ipu_f32class(x) > 4);
}
#define POPULUS_CLASS(TYPE, RESULT)                                            \
  POPULUS_BUILTIN RESULT __builtin_ipu_isnan(TYPE x) {                         \
    RESULT code = __builtin_ipu_class(x);                                      \
    return (code == 1) | (code == 2);                                          \
  }                                                                            \
  POPULUS_BUILTIN RESULT __builtin_ipu_isinf(TYPE x) {                         \
    RESULT code = __builtin_ipu_class(x);                                      \
    return (code == 3) | (code == 4);                                          \
  }                                                                            \
  POPULUS_BUILTIN RESULT __builtin_ipu_isfinite(TYPE x) {                      \
    return __builtin_ipu_class(x) > 4;                                         \
  }
POPULUS_CLASS(float2, short2)
POPULUS_CLASS(half2, short2)
POPULUS_CLASS(half4, short4)
#undef POPULUS_CLASS

#endif

#undef POPULUS_BUILTIN

#endif

#endif
