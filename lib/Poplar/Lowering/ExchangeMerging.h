// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Merges successive copies into as few exchanges as possible. A program that
// copies the borders of a grid one by one would otherwise wait for a sync and
// the latency of an exchange each time. Small independent copies share one
// exchange.

#ifndef POPULUS_LIB_POPLAR_LOWERING_EXCHANGEMERGING_H
#define POPULUS_LIB_POPLAR_LOWERING_EXCHANGEMERGING_H

#include "lib/Poplar/Lowering/Exchanges.h"
#include "lib/Poplar/Lowering/Storage.h"

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace poplar::core {

/// Bytes of blocks.
class PlaceSet {
public:
  void add(Place place, std::uint32_t bytes);
  bool touches(Place place, std::uint32_t bytes) const;
  void clear() { ends.clear(); }

private:
  /// Maps the begin of a byte range to its end. Ranges do not overlap.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> ends;
};

/// Name of the result of a merge: the first names, joined.
std::string joinNames(const std::vector<std::string> &names);

/// The number of an exchange, and its name.
struct NamedExchange {
  std::uint32_t id;
  std::string name;
};

class ExchangeMerger {
public:
  ExchangeMerger(Exchanges &exchanges, const Storage &storage)
      : exchanges(exchanges), storage(storage) {}

  /// Adds the pieces of the next copy. A copy must not read bytes that it
  /// writes.
  void add(const std::string &name, std::vector<Piece> pieces);

  /// Adds the inputs of a compute set, merged with the pending copies if
  /// possible. Nothing is merged with them afterwards.
  void addInputs(const std::string &name, std::vector<Piece> pieces);

  /// Makes exchanges of the pending copies. Later copies are not merged with
  /// them.
  void finish();

  /// Returns all exchanges since the last call, in the order in which they run.
  std::vector<NamedExchange> take() { return std::exchange(done, {}); }

private:
  bool canJoin(const std::vector<Piece> &more);
  bool canJoinInputs(const std::vector<Piece> &inputs);
  bool isBuffer(Place place) const;
  void append(const std::string &name, std::vector<Piece> pieces);
  bool canDivide() const;
  void addExchange(const std::string &name, const std::vector<Piece> &pieces);
  void notePending();
  void note(const Piece &piece);

  Exchanges &exchanges;
  const Storage &storage;
  std::vector<Piece> pending;
  std::vector<std::string> names; // of the pending copies, each once
  // State of the first `noted` pending pieces.
  PlaceSet read, written;
  std::unordered_map<std::uint32_t, std::uint64_t> received; // by tile
  bool usesBuffers = false;
  std::size_t noted = 0;
  std::vector<NamedExchange> done;
};

} // namespace poplar::core

#endif
