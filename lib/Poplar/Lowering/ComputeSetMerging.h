// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which compute sets can run as one. Those that a program executes one after
// the other, each with a few vertices on small tensors (the gates of a
// recurrent cell), would leave most workers idle, and each would wait for an
// exchange of its own.

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

/// All that a run spans.
ElementSpan spanOf(const Run &run);

class ComputeSetMerging {
public:
  explicit ComputeSetMerging(const GraphImpl &graph) : graph(graph) {}

  /// Whether a compute set can run at the same time as others, behind which it
  /// stands: it touches nothing that they write and writes next to nothing that
  /// they read, and together they need little memory.
  bool canJoin(std::span<const std::uint32_t> sets, std::uint32_t next);

  /// For each of the compute sets that run as one, what it reads and one behind
  /// it writes: it has to read a copy. Empty if there is nothing of that kind.
  std::vector<std::vector<ElementSpan>>
  overwritten(std::span<const std::uint32_t> sets);

  /// Whether a copy that stands behind compute sets, which can run at the same
  /// time, may be made before them.
  bool canPrecede(std::span<const std::uint32_t> sets, const TensorView &from,
                  const TensorView &to);

  /// Compute sets that are lowered: what is known of them takes much memory
  /// where they read single elements.
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
  /// Replicas of a variable have names of their own; and there is nothing to
  /// gain on a CPU.
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
