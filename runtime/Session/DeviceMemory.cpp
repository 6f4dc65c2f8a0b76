// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reserving and filling tile memory; DeviceMemory.h says why it looks like
// this.

#include "runtime/Session/DeviceMemory.h"

#include "runtime/Format/MappedFile.h"
#include "runtime/Session/Session.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>

namespace populus::runtime {

namespace {

/// Native arenas start on a cache line; IPU tiles have a size that is a
/// multiple of it anyway.
constexpr std::size_t ArenaAlignment = 64;

std::size_t alignUp(std::size_t value, std::size_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

/// Returns whether POPULUS_LARGE_PAGES asks for large pages.
bool wantsLargePages() {
  const char *text = std::getenv("POPULUS_LARGE_PAGES");
  const std::string_view value = text ? text : "";
  if (value != "" && value != "0" && value != "1")
    throw RunError("POPULUS_LARGE_PAGES is '" + std::string(value) +
                   "', but must be 1 for large pages or 0 for others");
  return value == "1";
}

/// Asks for large pages in a range, if it is worth it.
void useLargePages(std::byte *begin, std::byte *end) {
  constexpr std::size_t LargePage = 2 << 20, Fewest = 16 << 20; // bytes
  const auto first =
      alignUp(reinterpret_cast<std::uintptr_t>(begin), LargePage);
  const auto last =
      reinterpret_cast<std::uintptr_t>(end) / LargePage * LargePage;
  // Nothing but time depends on it, so it does not matter if there are none.
  if (last >= first + Fewest)
    madvise(reinterpret_cast<void *>(first), last - first, MADV_HUGEPAGE);
}

} // namespace

AddressRange tileAddresses(const Executable &executable, std::uint32_t tile) {
  const TargetInfo *target = findTarget(executable.target);
  if (executable.device == DeviceKind::Ipu)
    return {target->regions[0].begin, target->regions[1].end};
  return {0, executable.memoryEnd[tile]};
}

DeviceMemory::DeviceMemory(const Executable &executable, TileRange own)
    : own(own) {
  const bool largePages = wantsLargePages();
  reserve(executable);
  if (largePages && executable.device == DeviceKind::Ipu)
    choosePages(executable);
  load(executable);
}

DeviceMemory::~DeviceMemory() {
  if (base)
    munmap(base, bytes);
}

void DeviceMemory::reserve(const Executable &executable) {
  firstAddress = tileAddresses(executable, 0).begin;
  offsets.reserve(executable.numTiles() + 1);
  std::size_t offset = 0;
  for (std::uint32_t tile = 0; tile != executable.numTiles(); ++tile) {
    offsets.push_back(offset);
    const AddressRange range = tileAddresses(executable, tile);
    offset += alignUp(range.end - range.begin, ArenaAlignment);
  }
  offsets.push_back(offset);
  // An additional byte lets an empty program be no special case.
  bytes = offset + 1;
  void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    throw RunError("cannot reserve " + std::to_string(bytes >> 20) +
                   " MiB of host memory for " +
                   std::to_string(executable.numTiles()) +
                   " tiles; use a target with fewer tiles");
  base = static_cast<std::byte *>(memory);
}

void DeviceMemory::load(const Executable &executable) {
  for (std::uint32_t tile = 0; tile != executable.tileSetup.size(); ++tile)
    if (holds(tile))
      loadCode(executable, tile, at(tile, firstAddress));
  for (const DataBlock &block : executable.data)
    if (holds(block.tile))
      loadBlock(executable, block, at(block.tile, block.address));
}

/// Tiles that use a half of their memory or more have large pages, which take
/// at most twice as much of the host's memory, unless it has too little.
void DeviceMemory::choosePages(const Executable &executable) {
  const std::size_t available =
      static_cast<std::size_t>(sysconf(_SC_AVPHYS_PAGES)) *
      static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  if (bytes > available / 2)
    return;
  const std::vector<Address> &ends = executable.memoryEnd;
  const auto usesMost = [&](std::size_t tile) {
    const std::size_t used = std::max(ends[tile], firstAddress) - firstAddress;
    return 2 * used >= offsets[tile + 1] - offsets[tile];
  };
  for (std::size_t first = 0; first < ends.size();) {
    std::size_t last = first;
    while (last != ends.size() && usesMost(last))
      ++last;
    useLargePages(base + offsets[first], base + offsets[last]);
    first = last + 1;
  }
}

void DeviceMemory::loadTile(const Executable &executable, std::uint32_t tile,
                            std::byte *bytes) const {
  loadCode(executable, tile, bytes);
  for (const DataBlock &block : executable.data)
    if (block.tile == tile)
      loadBlock(executable, block, bytes + (block.address - firstAddress));
}

void DeviceMemory::loadCode(const Executable &executable, std::uint32_t tile,
                            std::byte *bytes) const {
  const std::uint32_t setup = executable.tileSetup[tile];
  if (setup == None || executable.tileSetups[setup].image == None)
    return;
  const CodeImage &image =
      executable.images[executable.tileSetups[setup].image];
  if (!image.bytes.empty())
    std::memcpy(bytes + (image.base - firstAddress), image.bytes.data(),
                image.bytes.size());
}

void DeviceMemory::loadBlock(const Executable &executable,
                             const DataBlock &block, std::byte *bytes) const {
  const Payload &payload = executable.payloads[block.payload];
  const auto from = payload.contents().subspan(block.offset, block.bytes);
  if (payload.file)
    payload.file->copy(from, bytes);
  else if (!from.empty())
    std::memcpy(bytes, from.data(), from.size());
}

} // namespace populus::runtime
