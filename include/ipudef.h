/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Scalar and vector types of codelets, the same on every target. Vectors are
 * the compiler's `vector_size` types: elements by [], arithmetic and
 * comparisons lane by lane, masks as wide as what is compared, and conversions
 * between vectors of one size keep the bits. `long` in the name of a vector
 * means the tile's long, which has 32 bits.
 */

#ifndef POPULUS_INCLUDE_IPUDEF_H
#define POPULUS_INCLUDE_IPUDEF_H

#include <poplar/HalfFloat.hpp>

/* A source for hosts may have vectors of its own under these names: popc then
 * compiles it without these (docs/popc.md). */
#ifndef POPULUS_NO_VECTOR_NAMES

#define POPULUS_VECTOR(TYPE, NAME, COUNT)                                      \
  typedef TYPE NAME __attribute__((vector_size(COUNT * sizeof(TYPE))));

POPULUS_VECTOR(float, float2, 2)
POPULUS_VECTOR(float, float4, 4)
POPULUS_VECTOR(half, half2, 2)
POPULUS_VECTOR(half, half4, 4)
POPULUS_VECTOR(half, half8, 8)
POPULUS_VECTOR(char, char2, 2)
POPULUS_VECTOR(char, char4, 4)
POPULUS_VECTOR(unsigned char, uchar2, 2)
POPULUS_VECTOR(unsigned char, uchar4, 4)
POPULUS_VECTOR(short, short2, 2)
POPULUS_VECTOR(short, short4, 4)
POPULUS_VECTOR(unsigned short, ushort2, 2)
POPULUS_VECTOR(unsigned short, ushort4, 4)
POPULUS_VECTOR(int, int2, 2)
POPULUS_VECTOR(int, int4, 4)
POPULUS_VECTOR(unsigned, uint2, 2)
POPULUS_VECTOR(unsigned, uint4, 4)
#ifdef __IPU__
POPULUS_VECTOR(long, long2, 2)
POPULUS_VECTOR(long, long4, 4)
POPULUS_VECTOR(unsigned long, ulong2, 2)
POPULUS_VECTOR(unsigned long, ulong4, 4)
#else
POPULUS_VECTOR(int, long2, 2)
POPULUS_VECTOR(int, long4, 4)
POPULUS_VECTOR(unsigned, ulong2, 2)
POPULUS_VECTOR(unsigned, ulong4, 4)
#endif
POPULUS_VECTOR(long long, longlong2, 2)
POPULUS_VECTOR(long long, longlong4, 4)
POPULUS_VECTOR(unsigned long long, ulonglong2, 2)
POPULUS_VECTOR(unsigned long long, ulonglong4, 4)

#undef POPULUS_VECTOR

#endif

/* A trip count that the repeat instruction takes. */
typedef unsigned short rptsize_t;

#endif
