// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fetching. Some hosts fetch the other line of a pair, too, but not where they
// are busy, so every line is asked for.

#include "runtime/Emulator/Windows/Ahead.h"

#include "runtime/Support/Prefetch.h"

#include <algorithm>

namespace populus::runtime::emulator {

namespace {

/// The page size; on a host with larger pages some lines are fetched twice.
constexpr std::uintptr_t Page = 4096;
/// The most pages of a tile, because regions may be wrong.
constexpr unsigned MostPages = 64;
/// At a worker's start.
constexpr std::uintptr_t LinesAtOnce = 32;

} // namespace

void Ahead::fetchSome() {
  std::uintptr_t few = LinesAtOnce;
  while (few != 0 && (at < end || nextRegion())) {
    const std::uintptr_t number =
        std::min(few, (end - at + HostLine - 1) / HostLine);
    for (std::uintptr_t i = 0; i != number; ++i)
      prefetch<Access::Read>(reinterpret_cast<const void *>(at + i * HostLine));
    at += number * HostLine;
    few -= number;
  }
}

void Ahead::fetchPages() const {
  unsigned pages = 0;
  for (const VertexRegion *region = next; region != last; ++region) {
    const std::uintptr_t first = base + region->address;
    const std::uintptr_t behind = first + region->bytes;
    for (std::uintptr_t byte = first; byte < behind && pages != MostPages;
         byte = (byte / Page + 1) * Page, ++pages)
      prefetch<Access::Read>(reinterpret_cast<const void *>(byte));
  }
}

bool Ahead::nextRegion() {
  if (next == last)
    return false;
  at = (base + next->address) / HostLine * HostLine;
  end = base + next->address + next->bytes;
  ++next;
  return true;
}

} // namespace populus::runtime::emulator
