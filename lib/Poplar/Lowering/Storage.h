// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks of tile memory, and the places of variables' elements in them. A
// variable has one block on each tile that it is mapped to, with the elements
// of that tile in the order of their indices. So elements on one tile can be
// adjacent in memory even if the variable has others between them. A variable's
// blocks are made when they are first requested: unused variables take no
// memory.

#ifndef POPULUS_LIB_POPLAR_LOWERING_STORAGE_H
#define POPULUS_LIB_POPLAR_LOWERING_STORAGE_H

#include "lib/Poplar/Device/TargetData.h"
#include "lib/Poplar/Graph/GraphImpl.h"
#include "runtime/Format/Executable.h"

#include <algorithm>
#include <compare>
#include <cstdint>
#include <span>
#include <vector>

namespace poplar::core {

using populus::runtime::Address;
using populus::runtime::MemoryCategory;

struct Block {
  std::uint32_t variable = None; // or None for what is not a variable's
  std::uint32_t tile = 0;
  MemoryCategory category = MemoryCategory::Variable;
  std::uint64_t bytes = 0;
  std::uint32_t align = WordBytes;
  bool interleaved = false;
  /// Compute set of the executable whose inputs with initial data are gathered
  /// in this block; None for any other block.
  std::uint32_t operandsOf = None;
  /// Pointers to the block reach only addresses below this one.
  std::uint64_t addressEnd = std::uint64_t(1) << 32;
  Address address = 0;

  /// Adopts the requirements of another block that is united with this one.
  void takeNeedsOf(const Block &other) {
    align = std::max(align, other.align);
    interleaved |= other.interleaved;
    addressEnd = std::min(addressEnd, other.addressEnd);
  }
  bool isConfined() const { return addressEnd != std::uint64_t(1) << 32; }
};

/// A byte of a block.
struct Place {
  std::uint32_t block = None;
  std::uint32_t offset = 0;

  friend auto operator<=>(const Place &, const Place &) = default;
};

/// Bytes that lie together.
struct PlaceRun {
  Place place;
  std::uint32_t bytes = 0;
};

class Storage {
public:
  explicit Storage(const GraphImpl &graph);

  /// The CPU has a tile for each replica, so that replicas can take branches of
  /// their own, and one for a graph without replicas.
  std::uint32_t numCpuTiles() const { return cpuTiles; }

  std::vector<Block> &blocks() { return allBlocks; }
  const std::vector<Block> &blocks() const { return allBlocks; }
  const Block &block(Place place) const { return allBlocks[place.block]; }
  Block &block(Place place) { return allBlocks[place.block]; }
  /// The address of a place whose block has one.
  Address addressOf(Place place) const {
    return block(place).address + place.offset;
  }
  std::uint32_t addBlock(const Block &block);

  /// Places of elements in order, with neighbours joined. If there are several
  /// replicas, those of one of them.
  std::vector<PlaceRun> placesOf(std::span<const Run> runs,
                                 std::uint32_t replica = 0);
  std::vector<PlaceRun> placesOf(const TensorView &view,
                                 std::uint32_t replica = 0);

  /// Part of a variable on a tile: elements [begin, end) from `place` on. The
  /// elements of a replica follow those of the previous one.
  struct Part {
    std::uint64_t begin, end;
    Place place;
  };
  /// By element; empty for a variable that is not used.
  const std::vector<Part> &partsOf(std::uint32_t variable) const;

private:
  const std::vector<Part> &requireParts(std::uint32_t variable);
  [[noreturn]] void failUnmapped(std::uint32_t variable,
                                 std::uint64_t begin) const;
  void appendPlaces(Run run, std::uint32_t replica,
                    std::vector<PlaceRun> &places);

  const GraphImpl &graph;
  std::uint32_t cpuTiles = 1;
  std::vector<Block> allBlocks;
  std::vector<std::vector<Part>> parts; // by variable
  std::vector<std::uint32_t> blockOnTile;
};

} // namespace poplar::core

#endif
