// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The byte layout that reader and writer of .ipux share: header, table of
// contents, and the kinds of sections. All numbers are little-endian.

#ifndef POPULUS_RUNTIME_FORMAT_IPUXLAYOUT_H
#define POPULUS_RUNTIME_FORMAT_IPUXLAYOUT_H

#include "runtime/Format/Executable.h"

#include <bit>
#include <cstdint>
#include <type_traits>

namespace populus::runtime::ipux {

static_assert(std::endian::native == std::endian::little,
              "sections are copied as they are");

inline constexpr char Magic[8] = {'P', 'O', 'P', 'U', 'L', 'U', 'S', 'X'};

/// The version that is written, and the oldest one that is read. Version 2 is
/// version 3 without patterns of copies. A change that old readers would
/// misread raises both, and the reader converts files of the version before.
inline constexpr std::uint32_t Version = 3;
inline constexpr std::uint32_t OldestVersion = 2;

/// Sections of a page or more begin on a page, so that they can be mapped;
/// smaller ones are only aligned.
inline constexpr std::uint64_t PageSize = 4096;
inline constexpr std::uint64_t SmallAlignment = 16;

struct Header {
  char magic[8];
  std::uint32_t version;
  std::uint32_t numSections;
  std::uint64_t fileSize;
  std::uint64_t features; // bits of Feature
};
static_assert(sizeof(Header) == 32);

/// Parts of a file that older ones lack, and that older readers need not know.
enum Feature : std::uint64_t {
  HasChecksums = 1, // a section Checksums
};

/// The numbers are stored in files: append, never renumber.
enum class SectionKind : std::uint32_t {
  Metadata = 0, // protobuf, Ipux.proto
  Image = 1,
  Payload = 2,
  HostObject = 3,
  TileSetup = 4,
  MemoryEnd = 5,
  Data = 6,
  PointerSlots = 7,
  Vertices = 8,
  TileVertices = 9,
  CopyPieces = 10,
  Segments = 11,
  Regions = 12,
  FirstRegion = 13,
  Broadcasts = 14,
  Receivers = 15,
  CopyPatterns = 16,
  Checksums = 17,
};

/// An entry of the table of contents, which follows the header.
struct Section {
  SectionKind kind;
  std::uint32_t index; // of the image, payload or host object; else 0
  std::uint64_t offset;
  std::uint64_t bytes;
};
static_assert(sizeof(Section) == 24);

/// The section Checksums: XXH3 (64 bits) of the header and the table of
/// contents together, then of each section, in the order of the table. Its own
/// is 0.
using ChecksumEntry = std::uint64_t;

/// Calls visit(kind, array) for each bulk array of an executable. Their
/// elements are stored as they are in memory, so they must not have padding.
template <typename Exe, typename Visit>
void forEachArray(Exe &executable, Visit visit) {
  static_assert(sizeof(DataBlock) == 24 && sizeof(PointerSlot) == 8 &&
                sizeof(Vertex) == 16 && sizeof(TileVertices) == 12 &&
                sizeof(CopyPiece) == 20 && sizeof(Segment) == 12 &&
                sizeof(VertexRegion) == 12 && sizeof(Range) == 8 &&
                sizeof(Receiver) == 8 && sizeof(CopyPattern) == 16);
  visit(SectionKind::TileSetup, executable.tileSetup);
  visit(SectionKind::MemoryEnd, executable.memoryEnd);
  visit(SectionKind::Data, executable.data);
  visit(SectionKind::PointerSlots, executable.pointerSlots);
  visit(SectionKind::Vertices, executable.vertices);
  visit(SectionKind::TileVertices, executable.tileVertices);
  visit(SectionKind::CopyPieces, executable.copyPieces);
  visit(SectionKind::Segments, executable.segments);
  visit(SectionKind::Regions, executable.regions);
  visit(SectionKind::FirstRegion, executable.firstRegion);
  visit(SectionKind::Broadcasts, executable.broadcasts);
  visit(SectionKind::Receivers, executable.receivers);
  visit(SectionKind::CopyPatterns, executable.copyPatterns);
}

} // namespace populus::runtime::ipux

#endif
