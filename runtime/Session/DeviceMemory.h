// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory of all tiles, in one reservation of host address space that the
// operating system fills with zero pages when they are touched: a device of
// 1,472 tiles costs only what its program uses. Tiles lie one after the other,
// because the emulator's time is mostly cache and page misses when it goes
// from tile to tile. For the same reason programs that use most of their tiles'
// memory can have it in large pages (POPULUS_LARGE_PAGES), which pays when they
// run many steps.

#ifndef POPULUS_RUNTIME_SESSION_DEVICEMEMORY_H
#define POPULUS_RUNTIME_SESSION_DEVICEMEMORY_H

#include "runtime/Format/Executable.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace populus::runtime {

/// Tiles with numbers in a row; all of them unless given.
struct TileRange {
  std::uint32_t first = 0;
  std::uint32_t count = ~std::uint32_t(0);

  bool has(std::uint32_t tile) const { return tile - first < count; }
};

class DeviceMemory {
public:
  /// Reserves memory for the tiles of a program and copies its initial data and
  /// code images to the tiles of this process. Throws RunError if the host has
  /// no room, or if POPULUS_LARGE_PAGES is neither 0 nor 1.
  explicit DeviceMemory(const Executable &executable, TileRange own = {});
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory &) = delete;
  DeviceMemory &operator=(const DeviceMemory &) = delete;

  /// Returns whether this process runs a tile; others have no contents.
  bool holds(std::uint32_t tile) const { return own.has(tile); }

  /// The host address of a byte. The address must be in the tile's memory,
  /// which verify() has made sure of for all addresses of an executable.
  std::byte *at(std::uint32_t tile, Address address) const {
    return base + offsets[tile] + (address - firstAddress);
  }

  /// Writes what a tile of the program starts with to `bytes`, which are zero
  /// and as many as a tile has. Throws FormatError: it is no longer there.
  void loadTile(const Executable &executable, std::uint32_t tile,
                std::byte *bytes) const;

  /// First address of every tile, and the first behind tile `tile`.
  Address begin() const { return firstAddress; }
  Address end(std::uint32_t tile) const {
    return firstAddress +
           static_cast<Address>(offsets[tile + 1] - offsets[tile]);
  }

private:
  void reserve(const Executable &executable);
  void load(const Executable &executable);
  void choosePages(const Executable &executable);
  void loadCode(const Executable &executable, std::uint32_t tile,
                std::byte *bytes) const;
  void loadBlock(const Executable &executable, const DataBlock &block,
                 std::byte *bytes) const;

  const TileRange own;
  std::byte *base = nullptr;
  std::size_t bytes = 0;
  Address firstAddress = 0;
  std::vector<std::size_t> offsets; // by tile, and the end
};

/// The addresses that tiles of a program may use: [begin, end) for `tile`. An
/// IPU's are those of its memory; native devices have as much as was laid out.
struct AddressRange {
  Address begin;
  Address end;
};
AddressRange tileAddresses(const Executable &executable, std::uint32_t tile);

} // namespace populus::runtime

#endif
