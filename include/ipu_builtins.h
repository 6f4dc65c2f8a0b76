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
                                           const void *store) {
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

/* -1 for a NaN, an infinity or a finite number, else 0; vectors lane by lane,
 * as masks of the lanes' width. */
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
#define POPULUS_CLASS(TYPE, CODES, MASK)                                       \
  POPULUS_BUILTIN MASK __builtin_ipu_isnan(TYPE x) {                           \
    CODES code = __builtin_ipu_class(x);                                       \
    return __builtin_convertvector((code == 1) | (code == 2), MASK);           \
  }                                                                            \
  POPULUS_BUILTIN MASK __builtin_ipu_isinf(TYPE x) {                           \
    CODES code = __builtin_ipu_class(x);                                       \
    return __builtin_convertvector((code == 3) | (code == 4), MASK);           \
  }                                                                            \
  POPULUS_BUILTIN MASK __builtin_ipu_isfinite(TYPE x) {                        \
    return __builtin_convertvector(__builtin_ipu_class(x) > 4, MASK);          \
  }
POPULUS_CLASS(float2, short2, int2)
POPULUS_CLASS(half2, short2, short2)
POPULUS_CLASS(half4, short4, short4)
#undef POPULUS_CLASS

/* Short names of instructions that add neighbours, or choose the larger, or
 * accumulate. */
POPULUS_BUILTIN float __builtin_ipu_sum(half2 x) {
  return __builtin_ipu_f16v2sum(x);
}
POPULUS_BUILTIN float2 __builtin_ipu_sum(half4 x) {
  return __builtin_ipu_f16v4sum(x);
}
POPULUS_BUILTIN half __builtin_ipu_maxc(half2 x) {
  return __builtin_ipu_f16v2maxc(x);
}
POPULUS_BUILTIN half2 __builtin_ipu_maxc(half4 x) {
  return __builtin_ipu_f16v4maxc(x);
}
POPULUS_BUILTIN void __builtin_ipu_mac(float x, float y) {
  __builtin_ipu_f32mac(x, y);
}
POPULUS_BUILTIN void __builtin_ipu_mac(float2 x, float2 y) {
  __builtin_ipu_f32v2mac(x, y);
}
POPULUS_BUILTIN void __builtin_ipu_cmac(half2 x, half2 y) {
  __builtin_ipu_f16v2cmac(x, y);
}
POPULUS_BUILTIN void __builtin_ipu_cmac(half4 x, half4 y) {
  __builtin_ipu_f16v4cmac(x, y);
}
POPULUS_BUILTIN void __builtin_ipu_acc(float4 x) { __builtin_ipu_f32v4acc(x); }
POPULUS_BUILTIN void __builtin_ipu_acc(half4 x) { __builtin_ipu_f16v4acc(x); }
POPULUS_BUILTIN void __builtin_ipu_acc(half8 x) { __builtin_ipu_f16v8acc(x); }
POPULUS_BUILTIN void __builtin_ipu_absacc(float4 x) {
  __builtin_ipu_f32v4absacc(x);
}
POPULUS_BUILTIN void __builtin_ipu_absacc(half4 x) {
  __builtin_ipu_f16v4absacc(x);
}
POPULUS_BUILTIN void __builtin_ipu_absacc(half8 x) {
  __builtin_ipu_f16v8absacc(x);
}
POPULUS_BUILTIN void __builtin_ipu_sqacc(float4 x) {
  __builtin_ipu_f32v4sqacc(x);
}
POPULUS_BUILTIN void __builtin_ipu_sqacc(half8 x) {
  __builtin_ipu_f16v8sqacc(x);
}
POPULUS_BUILTIN float2 __builtin_ipu_axpy(float2 x, float2 y) {
  return __builtin_ipu_f32v2axpy(x, y);
}
POPULUS_BUILTIN float2 __builtin_ipu_rmask(float2 x, float probability) {
  return __builtin_ipu_f32v2rmask(x, probability);
}
POPULUS_BUILTIN half4 __builtin_ipu_rmask(half4 x, float probability) {
  return __builtin_ipu_f16v4rmask(x, probability);
}

/* The type chooses the instruction, and the last operand is a constant of it. A
 * macro takes commas in braces for its own, as in
 * __builtin_ipu_gina(float2{0, 0}, 4): whatever stands before the last one is
 * the first operand. */
#define POPULUS_NTH(_1, _2, _3, _4, _5, _6, N, ...) N
#define POPULUS_CONSTANT_2(F, A, N) F<(N)>(A)
#define POPULUS_CONSTANT_3(F, A, B, N) F<(N)>(A, B)
#define POPULUS_CONSTANT_4(F, A, B, C, N) F<(N)>(A, B, C)
#define POPULUS_CONSTANT_5(F, A, B, C, D, N) F<(N)>(A, B, C, D)
#define POPULUS_CONSTANT_LAST(F, ...)                                          \
  POPULUS_NTH(__VA_ARGS__, , POPULUS_CONSTANT_5, POPULUS_CONSTANT_4,           \
              POPULUS_CONSTANT_3, POPULUS_CONSTANT_2, )                        \
  (F, __VA_ARGS__)
template <unsigned Chain> POPULUS_BUILTIN float2 populus_gina(float2 x) {
  return __builtin_ipu_f32v2gina(x, Chain);
}
template <unsigned Chain> POPULUS_BUILTIN half2 populus_gina(half2 x) {
  return __builtin_ipu_f16v2gina(x, Chain);
}
#define __builtin_ipu_gina(...) POPULUS_CONSTANT_LAST(populus_gina, __VA_ARGS__)

/* A float goes to the register as its bits, not as the nearest integer. */
template <unsigned Index, typename T> POPULUS_BUILTIN void populus_uput(T x) {
  if constexpr (__is_floating_point(T))
    __builtin_ipu_uputf(x, Index);
  else
    __builtin_ipu_uput(x, Index);
}
#define __builtin_ipu_uput(...) POPULUS_CONSTANT_LAST(populus_uput, __VA_ARGS__)

#endif

#undef POPULUS_BUILTIN

#endif

#endif
