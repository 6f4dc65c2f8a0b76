// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds up the pieces of exchanges by group of tiles.

#include "lib/Profile/ExchangeMatrix.h"

#include "runtime/Target/Timing.h"

#include <vector>

namespace populus::profile {

using namespace runtime;

namespace {

constexpr std::uint32_t MostGroups = 64;

} // namespace

void addMatrix(report::Report &report, const Executable &exe,
               std::span<const std::uint64_t> times) {
  const auto size =
      static_cast<std::uint32_t>(timing::divideUp(exe.numTiles(), MostGroups));
  const auto groups =
      static_cast<std::uint32_t>(timing::divideUp(exe.numTiles(), size));
  std::vector<std::uint64_t> bytes(std::size_t(groups) * groups);
  for (std::size_t i = 0; i != exe.exchanges.size(); ++i) {
    const std::uint64_t count = times.empty() ? 1 : times[i];
    if (count == 0)
      continue;
    const auto add = [&](std::uint32_t from, std::uint32_t to,
                         std::uint64_t sent) {
      if (from != to)
        bytes[std::size_t(from / size) * groups + to / size] += sent * count;
    };
    for (const CopyPiece &piece : exe.piecesOf(exe.exchanges[i])) {
      if (!piece.isBroadcast()) {
        const std::uint64_t each = piece.hasPattern()
                                       ? exe.copyPatterns[piece.pattern()].bytes
                                       : piece.bytes;
        add(piece.srcTile, piece.dstTile, each * exe.numParts(piece));
        continue;
      }
      for (const Receiver &receiver : exe.receiversOf(piece.broadcast()))
        add(piece.srcTile, receiver.tile, piece.bytes);
    }
  }
  report::ExchangeMatrix &matrix = *report.mutable_matrix();
  matrix.set_tiles_per_group(size);
  matrix.set_groups(groups);
  matrix.mutable_bytes()->Assign(bytes.begin(), bytes.end());
}

} // namespace populus::profile
