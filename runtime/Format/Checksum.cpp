// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The library's functions are inlined, so that nothing links it.

#include "runtime/Format/Checksum.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <new>

namespace populus::runtime {

Checksum::Checksum() : state(XXH3_createState()) {
  if (!state)
    throw std::bad_alloc();
  XXH3_64bits_reset(state);
}

Checksum::~Checksum() { XXH3_freeState(state); }

void Checksum::add(const void *data, std::size_t bytes) {
  if (bytes != 0)
    XXH3_64bits_update(state, data, bytes);
}

std::uint64_t Checksum::value() const { return XXH3_64bits_digest(state); }

} // namespace populus::runtime
