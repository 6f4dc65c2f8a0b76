// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Patterns of copy descriptors ("pieces") at regular distances, for example the
// rows of a matrix whose columns are on several tiles, or the elements of a
// transpose:
//
//   src 0x100 -> dst 0x400, 4 bytes        src 0x100 -> dst 0x400
//   src 0x140 -> dst 0x404, 4 bytes   =>   3 x 4 bytes, source stride 0x40,
//   src 0x180 -> dst 0x408, 4 bytes        destination stride 4
//
// A large program has hundreds of millions of pieces. One descriptor per
// pattern saves memory in the compiler and makes the file smaller and faster to
// read and run.

#ifndef POPULUS_LIB_POPLAR_LOWERING_COPYPATTERNS_H
#define POPULUS_LIB_POPLAR_LOWERING_COPYPATTERNS_H

#include "runtime/Format/Executable.h"

#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <vector>

namespace poplar::core {

/// Pieces, some of which stand for a pattern: an index into `patterns`.
struct PackedPieces {
  std::vector<populus::runtime::CopyPiece> pieces;
  std::vector<populus::runtime::CopyPattern> patterns;
};

/// Finds the patterns in \p pieces. Pieces for one tile must be adjacent.
PackedPieces packPieces(std::vector<populus::runtime::CopyPiece> pieces);

/// Visits all pieces; a pattern is expanded to its pieces.
template <class Visit>
void forEachPiece(std::span<const populus::runtime::CopyPiece> pieces,
                  std::span<const populus::runtime::CopyPattern> patterns,
                  Visit &&visit) {
  for (populus::runtime::CopyPiece piece : pieces) {
    std::uint32_t count = 1, srcStride = 0, dstStride = 0;
    if (piece.hasPattern()) {
      const populus::runtime::CopyPattern &pattern = patterns[piece.pattern()];
      piece.bytes = pattern.bytes;
      count = pattern.count;
      srcStride = pattern.srcStride;
      dstStride = pattern.dstStride;
    }
    for (; count != 0; --count) {
      visit(static_cast<const populus::runtime::CopyPiece &>(piece));
      piece.src += srcStride;
      piece.dst += dstStride;
    }
  }
}

/// Collects packed pieces of several exchanges; equal patterns become one.
class PackedList {
public:
  PackedList(std::vector<populus::runtime::CopyPiece> &pieces,
             std::vector<populus::runtime::CopyPattern> &patterns)
      : pieces(pieces), patterns(patterns) {}

  void reserve(std::span<const PackedPieces> all);
  /// Returns where the pieces are.
  populus::runtime::Range add(const PackedPieces &more);

private:
  std::uint32_t find(const populus::runtime::CopyPattern &pattern);

  std::vector<populus::runtime::CopyPiece> &pieces;
  std::vector<populus::runtime::CopyPattern> &patterns;
  std::map<
      std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>,
      std::uint32_t>
      known;
};

} // namespace poplar::core

#endif
