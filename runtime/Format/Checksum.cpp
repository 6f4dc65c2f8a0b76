// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The library's functions are inlined, so that nothing links it.

#include "runtime/Format/Checksum.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace populus::runtime {

struct Checksum::State {
  XXH3_state_t library;
};

Checksum::Checksum() : state(std::make_unique<State>()) {
  XXH3_64bits_reset(&state->library);
}

Checksum::~Checksum() = default;

void Checksum::add(const void *data, std::size_t bytes) {
  if (bytes != 0)
    XXH3_64bits_update(&state->library, data, bytes);
}

std::uint64_t Checksum::value() const {
  return XXH3_64bits_digest(&state->library);
}

} // namespace populus::runtime
