// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements of all edges of a graph, as lists of runs. A large program has a
// hundred million runs. Neighbouring runs are similar, as the rows of a field
// are, so a run is stored as its difference from the one before, and equal
// differences are run-length encoded. Recently added lists of several runs are
// deduplicated; vertices that share an operand have equal lists.

#ifndef POPULUS_LIB_POPLAR_GRAPH_RUNSTORE_H
#define POPULUS_LIB_POPLAR_GRAPH_RUNSTORE_H

#include "lib/Poplar/Graph/TensorView.h"
#include "lib/Poplar/Support/GrowingArray.h"

#include <cstdint>
#include <span>
#include <vector>

namespace poplar::core {

class RunStore {
public:
  /// Adds a list and returns its identifier.
  std::uint64_t add(std::span<const Run> runs);

  template <class Visit> void forEach(std::uint64_t list, Visit &&visit) const {
    Reader reader(bytes.data() + list);
    while (!reader.isAtEnd()) {
      const Run &run = reader.next();
      visit(run);
    }
  }
  std::vector<Run> get(std::uint64_t list) const;

  /// Size of all lists.
  std::uint64_t numBytes() const { return bytes.size(); }

private:
  /// Encoding of a run relative to the previous run.
  enum Tag : std::uint8_t {
    SameVariable = 1, // then the offset is that of the last run, plus a step
    SameStep = 2,
    SameStride = 4,
    SameCount = 8,
    Again = 16, // as many times as the next number says
  };
  static constexpr std::uint8_t AllSame =
      SameVariable | SameStep | SameStride | SameCount;
  static constexpr std::uint8_t End = 0xff;

  /// Decoder state from which the next run is computed.
  struct State {
    Run run{0, 0, 1, 1};
    std::int64_t step = 0;
  };

  class Reader {
  public:
    explicit Reader(const std::uint8_t *at) : at(at) {}
    bool isAtEnd() const { return repeats == 0 && *at == End; }
    const Run &next();

  private:
    std::uint64_t number();
    std::int64_t signedNumber();

    const std::uint8_t *at;
    State state;
    std::uint64_t repeats = 0;
  };

  void encode(std::span<const Run> runs);
  /// Adds the current list and returns its identifier.
  std::uint64_t append();
  void put(std::uint64_t number);
  void putSigned(std::int64_t number);
  static std::uint8_t tagOf(const State &state, const Run &run);

  GrowingArray<std::uint8_t> bytes;
  std::vector<std::uint8_t> code; // of the list in work
  /// Recently added lists, by hash.
  std::vector<std::uint64_t> recent;
};

} // namespace poplar::core

#endif
