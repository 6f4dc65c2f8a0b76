// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tasks follow the order of the pieces, which is that of their destinations, so
// a thread stays with a few tiles' memory.

#include "runtime/Session/ExchangeCopies.h"

#include "runtime/Support/Prefetch.h"

#include <algorithm>
#include <cstring>
#include <span>

namespace populus::runtime {

namespace {

/// Copies of a task, because a piece is often too small to be one.
constexpr std::uint32_t MostParts = 256;

/// The bytes that are gathered for the receivers of a broadcast at a time, and
/// the bytes that the receivers take of them: a part of the first, and of the
/// second level of a cache.
constexpr std::uint32_t MostBytes = 16384;
constexpr std::uint64_t MostReceivedBytes = 1 << 18;

/// A copy of a few words is over before a call of memcpy has found that out.
void copyBytes(std::byte *to, const std::byte *from, std::uint32_t bytes) {
  constexpr std::uint32_t Step = 32, MostSteps = 8;
  if (bytes % Step != 0 || bytes > Step * MostSteps) {
    std::memcpy(to, from, bytes);
    return;
  }
  for (std::uint32_t i = 0; i != bytes; i += Step)
    std::memcpy(to + i, from + i, Step);
}

/// The most bytes of a copy that are fetched; the host's prefetcher recognises
/// the pattern and fetches the rest.
constexpr std::uint32_t MostFetched = 8 * HostLine;

/// Fetches the beginning of what is about to be copied from or to.
template <Access For> void fetch(const std::byte *at, std::uint32_t bytes) {
  for (std::uint32_t i = 0; i < std::min(bytes, MostFetched); i += HostLine)
    prefetch<For>(at + i);
}

/// Fetches the memory of later copies while earlier ones run: it lies on many
/// tiles, most often in no cache.
class PiecesAhead {
public:
  PiecesAhead(std::span<const CopyPiece> pieces, const Executable &executable,
              const DeviceMemory &memory)
      : pieces(pieces), executable(executable), memory(memory) {
    for (const CopyPiece &piece : pieces.first(std::min(Number, pieces.size())))
      fetchPiece(piece);
  }
  /// Before a piece is copied.
  void advance(std::size_t piece) const {
    if (piece + Number < pieces.size())
      fetchPiece(pieces[piece + Number]);
  }

private:
  /// Many, for most pieces are copied in a few nanoseconds.
  static constexpr std::size_t Number = 24;
  /// The most parts of a pattern that are fetched.
  static constexpr std::uint32_t MostParts = 8;

  void fetchPiece(const CopyPiece &piece) const {
    const std::byte *from = memory.at(piece.srcTile, piece.src);
    if (piece.isBroadcast())
      return fetch<Access::Read>(from, piece.bytes);
    const std::byte *to = memory.at(piece.dstTile, piece.dst);
    if (!piece.hasPattern()) {
      fetch<Access::Read>(from, piece.bytes);
      return fetch<Access::Write>(to, piece.bytes);
    }
    const CopyPattern &pattern = executable.copyPatterns[piece.pattern()];
    for (std::uint32_t i = 0; i != std::min(pattern.count, MostParts); ++i) {
      fetch<Access::Read>(from, pattern.bytes);
      fetch<Access::Write>(to, pattern.bytes);
      // Strides may be negative.
      from += static_cast<std::int32_t>(pattern.srcStride);
      to += static_cast<std::int32_t>(pattern.dstStride);
    }
  }

  std::span<const CopyPiece> pieces;
  const Executable &executable;
  const DeviceMemory &memory;
};

/// The parts of a pattern; Bytes is their size, or 0 for any.
template <std::uint32_t Bytes>
void copyParts(const CopyPiece &piece, const CopyPattern &pattern,
               const DeviceMemory &memory) {
  std::byte *toTile = memory.at(piece.dstTile, memory.begin());
  const std::byte *fromTile = memory.at(piece.srcTile, memory.begin());
  Address to = piece.dst - memory.begin(), from = piece.src - memory.begin();
  for (std::uint32_t i = 0; i != pattern.count; ++i) {
    if constexpr (Bytes == 0)
      copyBytes(toTile + to, fromTile + from, pattern.bytes);
    else
      std::memcpy(toTile + to, fromTile + from, Bytes);
    to += pattern.dstStride;
    from += pattern.srcStride;
  }
}

/// Copies what is no broadcast.
void copyPiece(const CopyPiece &piece, const Executable &executable,
               const DeviceMemory &memory) {
  if (!piece.hasPattern())
    return copyBytes(memory.at(piece.dstTile, piece.dst),
                     memory.at(piece.srcTile, piece.src), piece.bytes);
  const CopyPattern &pattern = executable.copyPatterns[piece.pattern()];
  switch (pattern.bytes) {
  case 4:
    return copyParts<4>(piece, pattern, memory);
  case 8:
    return copyParts<8>(piece, pattern, memory);
  case 16:
    return copyParts<16>(piece, pattern, memory);
  case 32:
    return copyParts<32>(piece, pattern, memory);
  default:
    return copyParts<0>(piece, pattern, memory);
  }
}

void copyAll(std::span<const CopyPiece> pieces, const Executable &executable,
             const DeviceMemory &memory) {
  const PiecesAhead ahead(pieces, executable, memory);
  for (std::size_t i = 0; i != pieces.size(); ++i) {
    ahead.advance(i);
    copyPiece(pieces[i], executable, memory);
  }
}

/// Bytes that lie together at the receivers of a broadcast.
struct Part {
  Address offset; // from a receiver's address
  std::uint32_t bytes;
  const std::byte *data;
};

/// Puts together what can be, in `buffer` of MostBytes.
std::vector<Part> partsOf(std::span<const CopyPiece> pieces,
                          const Executable &executable,
                          const DeviceMemory &memory, std::byte *buffer) {
  std::vector<Part> parts;
  const PiecesAhead ahead(pieces, executable, memory);
  for (std::size_t i = 0; i != pieces.size(); ++i) {
    ahead.advance(i);
    const CopyPiece &piece = pieces[i];
    const std::byte *source = memory.at(piece.srcTile, piece.src);
    if (piece.bytes >= MostBytes) {
      parts.push_back({piece.dst, piece.bytes, source});
      continue;
    }
    copyBytes(buffer, source, piece.bytes);
    if (!parts.empty() && parts.back().data + parts.back().bytes == buffer &&
        parts.back().offset + parts.back().bytes == piece.dst)
      parts.back().bytes += piece.bytes;
    else
      parts.push_back({piece.dst, piece.bytes, buffer});
    buffer += piece.bytes;
  }
  return parts;
}

} // namespace

ExchangeCopies::ExchangeCopies(const Executable &executable,
                               const Exchange &exchange) {
  const auto pieces = executable.piecesOf(exchange);
  for (std::uint32_t first = 0; first != pieces.size();) {
    std::uint32_t count = 1;
    const CopyPiece &piece = pieces[first];
    const bool isBroadcast = piece.isBroadcast();
    std::uint64_t parts = executable.numParts(piece);
    std::uint64_t bytes = piece.bytes; // counts for broadcasts only
    for (; first + count != pieces.size(); ++count) {
      const CopyPiece &next = pieces[first + count];
      parts += executable.numParts(next);
      bytes += next.bytes;
      if (parts > MostParts ||
          (isBroadcast ? next.dstTile != piece.dstTile || bytes > MostBytes
                       : next.isBroadcast()))
        break;
    }
    const Range range = {exchange.pieces.first + first, count};
    if (isBroadcast)
      addBroadcast(executable, range);
    else
      tasks.push_back({range, {}});
    first += count;
  }
}

/// Shares the receivers among tasks.
void ExchangeCopies::addBroadcast(const Executable &executable, Range pieces) {
  std::uint64_t bytes = 1;
  for (std::uint32_t i = 0; i != pieces.count; ++i)
    bytes += executable.copyPieces[pieces.first + i].bytes;
  const Range all =
      executable.broadcasts[executable.copyPieces[pieces.first].broadcast()];
  const auto atOnce = static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(MostReceivedBytes / bytes, 1, MostParts));
  for (std::uint32_t i = 0; i < all.count; i += atOnce)
    tasks.push_back({pieces, {all.first + i, std::min(atOnce, all.count - i)}});
}

void ExchangeCopies::run(std::size_t index, const Executable &executable,
                         const DeviceMemory &memory) const {
  const Task &task = tasks[index];
  const auto pieces = std::span(executable.copyPieces)
                          .subspan(task.pieces.first, task.pieces.count);
  if (task.receivers.count == 0)
    return copyAll(pieces, executable, memory);
  std::byte buffer[MostBytes];
  const std::vector<Part> parts = partsOf(pieces, executable, memory, buffer);
  // A receiver after the other, for its memory lies together.
  const auto receivers =
      std::span(executable.receivers)
          .subspan(task.receivers.first, task.receivers.count);
  const auto forEachPart = [&](const Receiver &receiver, auto &&use) {
    for (const Part &part : parts)
      use(memory.at(receiver.tile, receiver.address + part.offset), part);
  };
  for (std::size_t i = 0; i != receivers.size(); ++i) {
    if (i + 1 != receivers.size())
      forEachPart(receivers[i + 1], [](std::byte *to, const Part &part) {
        fetch<Access::Write>(to, part.bytes);
      });
    forEachPart(receivers[i], [](std::byte *to, const Part &part) {
      std::memcpy(to, part.data, part.bytes);
    });
  }
}

} // namespace populus::runtime
