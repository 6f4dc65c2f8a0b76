// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vectors of the host, for what is done in every window (Window.h). The
// emulator does not run on hosts without them (Emulator.cpp), but only single
// functions are compiled for them, so that nothing inline that others share is.

#ifndef POPULUS_RUNTIME_EMULATOR_TILE_HOSTVECTORS_H
#define POPULUS_RUNTIME_EMULATOR_TILE_HOSTVECTORS_H

#include <cstddef>
#include <cstdint>
#include <cstring>

#ifdef POPULUS_EMULATOR_NEEDS_AVX2
#include <immintrin.h>
#define HOST_VECTORS __attribute__((target("avx2,bmi,bmi2")))
#else
#define HOST_VECTORS
#endif

namespace populus::runtime::emulator {

typedef std::uint64_t Vector16 __attribute__((vector_size(16)));
typedef std::uint64_t Vector32 __attribute__((vector_size(32)));
typedef std::int32_t Int8 __attribute__((vector_size(32)));

/// Returns whether a bit is set. (Hosts differ in how vectors are passed by
/// value.)
[[gnu::always_inline]] HOST_VECTORS inline bool isAny(const Vector32 &bits) {
#ifdef POPULUS_EMULATOR_NEEDS_AVX2
  return !_mm256_testz_si256((__m256i)bits, (__m256i)bits);
#else
  return (bits[0] | bits[1] | bits[2] | bits[3]) != 0;
#endif
}

/// Copies some hundred bytes, for which a call of memcpy would take longer.
template <std::size_t Bytes>
[[gnu::always_inline]] inline void copyVectors(void *to, const void *from) {
  static_assert(Bytes % sizeof(Vector32) == 0);
  for (std::size_t i = 0; i != Bytes; i += sizeof(Vector32)) {
    Vector32 part;
    std::memcpy(&part, static_cast<const std::byte *>(from) + i, sizeof(part));
    std::memcpy(static_cast<std::byte *>(to) + i, &part, sizeof(part));
  }
}

} // namespace populus::runtime::emulator

#endif
