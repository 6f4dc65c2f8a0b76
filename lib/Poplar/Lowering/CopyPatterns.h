// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pieces of exchanges at regular distances, such as the rows of a matrix whose
// columns are on several tiles, or the elements of a transpose. There are
// hundreds of millions of them in a large program: with a piece for each
// pattern the compiler takes less memory, and a file is smaller, read and run
// faster.

#ifndef POPULUS_LIB_POPLAR_LOWERING_COPYPATTERNS_H
#define POPULUS_LIB_POPLAR_LOWERING_COPYPATTERNS_H

#include "runtime/Format/Executable.h"

#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <vector>

namespace poplar::core {

/// Pieces of which some have a pattern: an index into `patterns`.
struct PackedPieces {
  std::vector<populus::runtime::CopyPiece> pieces;
  std::vector<populus::runtime::CopyPattern> patterns;
};

/// Of pieces without patterns, those for each tile together.
PackedPieces packPieces(std::vector<populus::runtime::CopyPiece> pieces);

/// Visits all pieces, those of a pattern one by one.
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
