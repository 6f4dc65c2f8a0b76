// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fetching. Hosts fetch the other line of a pair, too, so every second one is
// asked for.

#include "runtime/Emulator/Ahead.h"

#include <algorithm>

namespace populus::runtime::emulator {

namespace {

constexpr std::uintptr_t Pair = 128;
/// At a worker's start.
constexpr std::uintptr_t PairsAtOnce = 8;

} // namespace

void Ahead::fetchSome() {
  std::uintptr_t few = PairsAtOnce;
  while (few != 0 && (at < end || nextRegion())) {
    const std::uintptr_t number = std::min(few, (end - at + Pair - 1) / Pair);
    for (std::uintptr_t i = 0; i != number; ++i)
      __builtin_prefetch(reinterpret_cast<const void *>(at + i * Pair));
    at += number * Pair;
    few -= number;
  }
}

bool Ahead::nextRegion() {
  if (next == last)
    return false;
  at = (base + next->address) / Pair * Pair;
  end = base + next->address + next->bytes;
  ++next;
  return true;
}

} // namespace populus::runtime::emulator
