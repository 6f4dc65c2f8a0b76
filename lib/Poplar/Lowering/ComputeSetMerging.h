// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Merging of compute sets. The gates of a recurrent cell, for example, are
// compute sets that follow each other, each with a few vertices on small
// tensors. Run one by one, each would leave most workers idle and wait for its
// own exchange.

#ifndef POPULUS_LIB_POPLAR_LOWERING_COMPUTESETMERGING_H
#define POPULUS_LIB_POPLAR_LOWERING_COMPUTESETMERGING_H

#include "lib/Poplar/Graph/GraphImpl.h"

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace poplar::core {

/// Elements [begin, end) of a variable.
struct ElementSpan {
  std::uint32_t variable;
  std::uint64_t begin, end;

  bool meets(const ElementSpan &other) const {
    return variable == other.variable && begin < other.end && other.begin < end;
  }
};

/// Span of a run.
ElementSpan spanOf(const Run &run);

class ComputeSetMerging {
public:
  explicit ComputeSetMerging(const GraphImpl &graph) : graph(graph) {}

  /// Returns true if compute set \p next can run at the same time as the
  /// preceding \p sets: it touches nothing that they write, it writes almost
  /// nothing that they read, and together they need little memory.
  bool canJoin(std::span<const std::uint32_t> sets, std::uint32_t next);

  /// For each of the merged compute sets, the elements that it reads and a
  /// later one writes. The set must read a copy of them. Empty if there are
  /// none.
  std::vector<std::vector<ElementSpan>>
  overwritten(std::span<const std::uint32_t> sets);

  /// Returns true if a copy that follows \p sets can be moved before them. The
  /// sets can run at the same time.
  bool canPrecede(std::span<const std::uint32_t> sets, const TensorView &from,
                  const TensorView &to);

  /// Drops the analysis of compute sets that are lowered. It takes much memory
  /// if they read single elements.
  void forget(std::span<const std::uint32_t> sets) {
    for (std::uint32_t set : sets)
      known.erase(set);
  }

private:
  using Span = ElementSpan;
  struct Footprint {
    bool isSmall = false; // else the rest is not known
    std::unordered_map<std::uint32_t, std::uint64_t> bytes; // by tile
    std::vector<Span> touched, written;                     // sorted
  };

  const Footprint &footprintOf(std::uint32_t computeSet);
  Footprint measure(const ComputeSetData &set) const;
  bool addVertex(const Vertex &vertex, Footprint &footprint) const;
  /// Reordering would need the names of each replica's variables, and gains
  /// nothing on a CPU.
  bool canReorder() const { return !graph.isCpu() && !graph.hasReplicas; }
  static std::vector<Span> spansOf(const TensorView &view);
  static void sortSpans(std::vector<Span> &spans);
  static std::vector<Span> overlaps(const std::vector<Span> &a,
                                    const std::vector<Span> &b);
  static bool meet(const std::vector<Span> &a, const std::vector<Span> &b) {
    return !overlaps(a, b).empty();
  }

  const GraphImpl &graph;
  std::unordered_map<std::uint32_t, Footprint> known;
};

} // namespace poplar::core

#endif
