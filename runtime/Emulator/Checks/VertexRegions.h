// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory of the tile that a vertex may touch: its edges, state and arrays
// of pointers, by address, and the stacks of the tile's contexts.

#ifndef POPULUS_RUNTIME_EMULATOR_CHECKS_VERTEXREGIONS_H
#define POPULUS_RUNTIME_EMULATOR_CHECKS_VERTEXREGIONS_H

#include "runtime/Format/Executable.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace populus::runtime::emulator {

/// One piece of memory that a vertex was given.
struct AllowedRegion {
  Address begin = 0;
  Address end = 0;
  /// The end in whole words: the last word that is written is the vertex's own,
  /// and is loaded and stored whole.
  Address wordEnd = 0;
  /// The farthest end of this and all before it.
  Address reach = 0;
  const FieldInfo *field = nullptr; // null: the vertex state, or pointers
  bool isInput = false;
  bool isEdge = false; // that is written
  bool isState = false;
  /// The bytes in the state or in an array that hold the region's address; none
  /// of the state itself.
  Address slot = 0;
  std::uint8_t slotBytes = 0;
  std::string_view name; // of the field
  std::uint32_t elementBytes = 0;
  std::uint32_t element = None; // of a list

  bool contains(Address address, unsigned bytes, bool store) const {
    return containsAll(address, address + bytes, bytes, store);
  }
  /// Returns whether the region contains many accesses of so many bytes, the
  /// first one at `first`, the last one up to `last`.
  bool containsAll(Address first, Address last, unsigned bytes,
                   bool store) const {
    return first >= begin &&
           last <= (bytes == sizeof(std::uint32_t) ? wordEnd : end) &&
           !(store && isInput);
  }
};

class VertexRegions {
public:
  /// Finds the regions of this vertex.
  void find(const Executable &executable, std::uint32_t vertex);

  /// Returns the regions, sorted by their begins.
  const std::vector<AllowedRegion> &all() const { return regions; }
  /// Returns whether some regions have memory in common.
  bool overlap() const { return isOverlapping; }

  /// The one that contains all of these accesses (containsAll), or null.
  const AllowedRegion *containing(Address first, Address last, unsigned bytes,
                                  bool store) const;

private:
  void add(Address begin, std::uint32_t bytes, const FieldInfo *field);
  void addEdges(const Executable &executable, std::uint32_t vertex);
  void sort();

  std::vector<AllowedRegion> regions;
  bool isOverlapping = false;
};

/// The stacks of a tile's contexts.
class TileStacks {
public:
  explicit TileStacks(const TileSetup &setup);

  Address begin(unsigned context) const;
  Address end(unsigned context) const;
  /// The stacks together, as far as they are in [lo, hi): a damaged program may
  /// place them anywhere. Empty if `first` is not below `last`.
  struct Span {
    Address first, last;
  };
  Span all(Address lo, Address hi) const;
  /// Returns whether all workers share one stack area, as in plain programs.
  bool isShared() const { return shared; }

private:
  const TileSetup &setup;
  const bool shared;
};

} // namespace populus::runtime::emulator

#endif
