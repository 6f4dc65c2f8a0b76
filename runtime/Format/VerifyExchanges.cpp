// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exchanges copy their pieces in any order and by several threads, so nothing
// may be written twice in one, and no source of one may be written in it. The
// numbers of places and parts are bounded before they are gathered.

#include "runtime/Format/PlaceSet.h"
#include "runtime/Format/VerifyChecks.h"

#include <algorithm>

namespace populus::runtime {

namespace {

/// Places that an exchange writes to, those side by side counted as one: more
/// than a program needs, and no more than there is memory to compare them.
constexpr std::uint64_t MostWrittenPlaces = 1 << 25;
/// The most parts of all copies, which are verified one by one.
constexpr std::uint64_t MostCopyParts = 1 << 28;
/// The most places of all exchanges together.
constexpr std::uint64_t MostPlacesOfAll = 1 << 30;

class ExchangeVerifier : VerifyChecks {
public:
  explicit ExchangeVerifier(const Executable &executable)
      : VerifyChecks(executable) {}

  void verifyAll() {
    verifyBroadcasts();
    verifyPatterns();
    verifyExchanges();
  }

private:
  void verifyBroadcasts() {
    checkRanges(
        exe.broadcasts, [](Range receivers) { return receivers; },
        exe.receivers.size(), "broadcast");
    for (std::size_t i = 0; i != exe.broadcasts.size(); ++i) {
      const auto receivers = exe.receiversOf(static_cast<std::uint32_t>(i));
      if (!std::is_sorted(receivers.begin(), receivers.end(),
                          [](const Receiver &a, const Receiver &b) {
                            return a.tile < b.tile;
                          }))
        fail("the receivers of broadcast " + number(i) + " are not in order");
    }
  }

  /// After that, the parts of copies can be looked at.
  void verifyPatterns() {
    std::uint64_t all = 0;
    for (std::size_t i = 0; i != exe.copyPieces.size(); ++i) {
      const CopyPiece &piece = exe.copyPieces[i];
      if (!piece.hasPattern())
        continue;
      checkIndex(piece.pattern(), exe.copyPatterns.size(), "copy", i);
      if (piece.isBroadcast())
        fail("copy " + number(i) + " is a broadcast with a pattern");
      all += exe.numParts(piece);
    }
    if (all > MostCopyParts)
      fail("copies have " + number(all) + " parts");
  }

  void verifyExchanges() {
    // The span of all copies of a broadcast, checked once for each receiver.
    struct Span {
      std::uint64_t begin = ~std::uint64_t(0), end = 0;
    };
    std::vector<Span> spans(exe.broadcasts.size());
    for (std::size_t i = 0; i != exe.copyPieces.size(); ++i) {
      const CopyPiece &piece = exe.copyPieces[i];
      exe.forEachPart(piece, [&](const CopyPiece &part) {
        checkPlace(part.srcTile, part.src, part.bytes, "source of copy", i);
        if (!part.isBroadcast())
          checkWritable(part.dstTile, part.dst, part.bytes,
                        "destination of copy", i);
      });
      if (!piece.isBroadcast())
        continue;
      checkIndex(piece.broadcast(), spans.size(), "copy", i);
      Span &span = spans[piece.broadcast()];
      span.begin = std::min<std::uint64_t>(span.begin, piece.dst);
      span.end = std::max(span.end, std::uint64_t(piece.dst) + piece.bytes);
    }
    for (std::size_t i = 0; i != spans.size(); ++i)
      if (spans[i].begin <= spans[i].end) // it is used
        for (const Receiver &receiver :
             exe.receiversOf(static_cast<std::uint32_t>(i)))
          checkWritable(receiver.tile, receiver.address + spans[i].begin,
                        spans[i].end - spans[i].begin,
                        "destination of broadcast", i);
    checkRanges(
        exe.exchanges, [](const Exchange &exchange) { return exchange.pieces; },
        exe.copyPieces.size(), "exchange");
    verifyNoOverlap();
  }

  /// Collects the destinations of an exchange, by tile; none twice.
  /// `inBroadcasts` collects the destinations in broadcasts. Returns the number
  /// of places.
  std::uint64_t gatherWritten(std::size_t index, PlaceSet &written,
                              PlaceSet &inBroadcasts) const {
    const auto pieces = exe.piecesOf(exe.exchanges[index]);
    inBroadcasts.assign([&](auto add) {
      for (const CopyPiece &piece : pieces)
        if (piece.bytes != 0 && piece.isBroadcast() &&
            !exe.receiversOf(piece.broadcast()).empty())
          add(piece.broadcast(), piece.dst,
              std::uint64_t(piece.dst) + piece.bytes);
    });
    failIfTwice(inBroadcasts.join(), index, "broadcast");
    std::uint64_t places = 0;
    for (const CopyPiece &piece : pieces)
      places += exe.numParts(piece);
    inBroadcasts.forEach([&](std::uint32_t broadcast, auto, auto) {
      places += exe.receiversOf(broadcast).size();
    });
    if (places > MostWrittenPlaces)
      fail("exchange " + number(index) + " writes to " + number(places) +
           " places");
    written.assign([&](auto add) {
      for (const CopyPiece &piece : pieces)
        if (!piece.isBroadcast())
          exe.forEachPart(piece, [&](const CopyPiece &part) {
            if (part.bytes != 0)
              add(part.dstTile, part.dst, std::uint64_t(part.dst) + part.bytes);
          });
      inBroadcasts.forEach([&](std::uint32_t broadcast, std::uint64_t begin,
                               std::uint64_t end) {
        for (const Receiver &receiver : exe.receiversOf(broadcast))
          add(receiver.tile, receiver.address + begin, receiver.address + end);
      });
    });
    failIfTwice(written.join(), index, "tile");
    return places;
  }

  static void failIfTwice(std::uint32_t where, std::size_t exchange,
                          const char *what) {
    if (where != None)
      fail("two destinations of exchange " + number(exchange) + " overlap on " +
           what + " " + number(where));
  }

  // The pieces of an exchange are copied in any order, by several threads.
  void verifyNoOverlap() const {
    PlaceSet written(exe.numTiles()), inBroadcasts(exe.broadcasts.size());
    std::uint64_t all = 0;
    for (std::size_t i = 0; i != exe.exchanges.size(); ++i) {
      all += gatherWritten(i, written, inBroadcasts);
      if (all > MostPlacesOfAll)
        fail("exchanges write to more than " + number(all) + " places");
      for (const CopyPiece &piece : exe.piecesOf(exe.exchanges[i]))
        exe.forEachPart(piece, [&](const CopyPiece &part) {
          if (part.bytes != 0 &&
              written.reachesInto(part.srcTile, part.src,
                                  std::uint64_t(part.src) + part.bytes))
            fail("a source of exchange " + number(i) +
                 " is overwritten on tile " + number(part.srcTile));
        });
    }
  }
};

} // namespace

void verifyExchanges(const Executable &executable) {
  ExchangeVerifier(executable).verifyAll();
}

} // namespace populus::runtime
