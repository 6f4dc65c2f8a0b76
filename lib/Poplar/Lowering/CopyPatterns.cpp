// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sorts the pieces for each tile by source tile and size, so that the pieces of
// a pattern are adjacent.

#include "lib/Poplar/Lowering/CopyPatterns.h"

#include <algorithm>

namespace poplar::core {

namespace rt = populus::runtime;
using rt::CopyPattern;
using rt::CopyPiece;

namespace {

/// Minimum length of a pattern. The record of the pattern takes more than it
/// saves for shorter ones.
constexpr std::size_t FewestParts = 3;

/// Length of the longest prefix whose pieces keep the distance of the first
/// two.
std::size_t lengthOfPattern(std::span<const CopyPiece> pieces) {
  std::size_t length = 1;
  for (; length != pieces.size(); ++length) {
    const CopyPiece &last = pieces[length - 1], &next = pieces[length];
    if (next.srcTile != last.srcTile || next.bytes != last.bytes ||
        next.src - last.src != pieces[1].src - pieces[0].src ||
        next.dst - last.dst != pieces[1].dst - pieces[0].dst)
      break;
  }
  return length;
}

/// The patterns of an exchange.
class ExchangePatterns {
public:
  explicit ExchangePatterns(std::span<CopyPiece> pieces) : pieces(pieces) {}

  /// Finds patterns and moves the remaining pieces to the front. Returns how
  /// many remain. A piece that stands for a pattern has an index into found().
  std::size_t find() {
    // Broadcasts come last and are left alone: pieces that are adjacent at the
    // receivers are best kept adjacent.
    const auto end = static_cast<std::size_t>(
        std::partition_point(
            pieces.begin(), pieces.end(),
            [](const CopyPiece &piece) { return !piece.isBroadcast(); }) -
        pieces.begin());
    for (std::size_t first = 0; first != end;) {
      std::size_t last = first + 1;
      while (last != end && pieces[last].dstTile == pieces[first].dstTile)
        ++last;
      findOnTile(pieces.subspan(first, last - first));
      first = last;
    }
    for (const CopyPiece &piece : pieces.subspan(end))
      pieces[kept++] = piece;
    return kept;
  }

  const std::vector<CopyPattern> &found() const { return patterns; }

private:
  void findOnTile(std::span<CopyPiece> group) {
    std::sort(group.begin(), group.end(),
              [](const CopyPiece &a, const CopyPiece &b) {
                return std::tie(a.srcTile, a.bytes, a.dst) <
                       std::tie(b.srcTile, b.bytes, b.dst);
              });
    while (!group.empty()) {
      const std::size_t length = lengthOfPattern(group);
      const std::size_t taken = length < FewestParts ? 1 : length;
      CopyPiece piece = group[0];
      if (taken != 1) {
        piece.bytes = CopyPiece::PatternFlag |
                      static_cast<std::uint32_t>(patterns.size());
        patterns.push_back({group[0].bytes, static_cast<std::uint32_t>(taken),
                            group[1].src - group[0].src,
                            group[1].dst - group[0].dst});
      }
      pieces[kept++] = piece;
      group = group.subspan(taken);
    }
  }

  std::span<CopyPiece> pieces;
  std::size_t kept = 0;
  std::vector<CopyPattern> patterns;
};

} // namespace

PackedPieces packPieces(std::vector<CopyPiece> pieces) {
  ExchangePatterns found(pieces);
  pieces.resize(found.find());
  pieces.shrink_to_fit();
  return {std::move(pieces), found.found()};
}

std::uint32_t PackedList::find(const CopyPattern &pattern) {
  const auto [found, isNew] =
      known.try_emplace(std::tuple(pattern.bytes, pattern.count,
                                   pattern.srcStride, pattern.dstStride),
                        static_cast<std::uint32_t>(patterns.size()));
  if (isNew)
    patterns.push_back(pattern);
  return found->second;
}

void PackedList::reserve(std::span<const PackedPieces> all) {
  std::size_t total = 0;
  for (const PackedPieces &packed : all)
    total += packed.pieces.size();
  pieces.reserve(total);
}

rt::Range PackedList::add(const PackedPieces &more) {
  const auto first = static_cast<std::uint32_t>(pieces.size());
  for (CopyPiece piece : more.pieces) {
    if (piece.hasPattern())
      piece.bytes =
          CopyPiece::PatternFlag | find(more.patterns[piece.pattern()]);
    pieces.push_back(piece);
  }
  return {first, static_cast<std::uint32_t>(more.pieces.size())};
}

} // namespace poplar::core
