// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies that follow each other, as few exchanges. A program that is written
// copy by copy (the borders of a grid, the parts of a tensor) would wait for a
// sync and for the latency of the exchange each time; small copies that
// touch nothing that another one writes are done at once.

#ifndef POPULUS_LIB_POPLAR_LOWERING_EXCHANGEMERGING_H
#define POPULUS_LIB_POPLAR_LOWERING_EXCHANGEMERGING_H

#include "lib/Poplar/Lowering/Draft.h"

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
  /// Where the bytes that begin at a place end; none overlap.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> ends;
};

/// The name of what was made of several, of which it has the first ones.
std::string joinNames(const std::vector<std::string> &names);

/// An exchange of the draft and what it is called.
struct NamedExchange {
  std::uint32_t id;
  std::string name;
};

class ExchangeMerger {
public:
  explicit ExchangeMerger(Draft &draft) : draft(draft) {}

  /// The pieces of the next copy, which read nothing that they write.
  void add(const std::string &name,
           std::vector<populus::runtime::CopyPiece> pieces);

  /// What a compute set needs behind the copies so far: joins them if it can,
  /// and nothing joins it.
  void addInputs(const std::string &name,
                 std::vector<populus::runtime::CopyPiece> pieces);

  /// Nothing that is added from now on joins what was added before.
  void finish();

  /// All exchanges since the last call, in the order in which they have to run.
  std::vector<NamedExchange> take() { return std::exchange(done, {}); }

private:
  bool canJoin(const std::vector<populus::runtime::CopyPiece> &more);
  bool canJoinInputs(const std::vector<populus::runtime::CopyPiece> &inputs);
  bool isBuffer(Place place) const;
  void append(const std::string &name,
              std::vector<populus::runtime::CopyPiece> pieces);
  bool canDivide() const;
  void addExchange(const std::string &name,
                   std::vector<populus::runtime::CopyPiece> pieces);
  void notePending();
  void note(const populus::runtime::CopyPiece &piece);
  Draft &draft;
  std::vector<populus::runtime::CopyPiece> pending;
  std::vector<std::string> names; // of the pending copies, each once
  // Of the first `noted` pending pieces.
  PlaceSet read, written;
  std::unordered_map<std::uint32_t, std::uint64_t> received; // by tile
  bool usesBuffers = false;
  std::size_t noted = 0;
  std::vector<NamedExchange> done;
};

} // namespace poplar::core

#endif
