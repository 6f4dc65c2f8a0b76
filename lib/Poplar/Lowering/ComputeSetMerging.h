// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which compute sets can run as one. Those that a program executes one after
// the other, each with a few vertices on small tensors (the gates of a
// recurrent cell), would leave most workers idle, and each would wait for an
// exchange of its own.

#ifndef POPULUS_LIB_POPLAR_LOWERING_COMPUTESETMERGING_H
#define POPULUS_LIB_POPLAR_LOWERING_COMPUTESETMERGING_H

#include "lib/Poplar/GraphImpl.h"

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace poplar::core {

class ComputeSetMerging {
public:
  explicit ComputeSetMerging(const GraphImpl &graph) : graph(graph) {}

  /// Whether a compute set can run at the same time as others, behind which it
  /// stands: none of them touches what another one writes, and together they
  /// need little memory.
  bool canJoin(std::span<const std::uint32_t> sets, std::uint32_t next);

  /// Whether a copy that stands behind compute sets, which can run at the same
  /// time, may be made before them.
  bool canPrecede(std::span<const std::uint32_t> sets, const TensorView &from,
                  const TensorView &to);

private:
  /// Elements [begin, end) of a variable.
  struct Span {
    std::uint32_t variable;
    std::uint64_t begin, end;
  };
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
  static Span spanOf(const Run &run);
  static std::vector<Span> spansOf(const TensorView &view);
  static void sortSpans(std::vector<Span> &spans);
  static bool meet(const std::vector<Span> &a, const std::vector<Span> &b);

  const GraphImpl &graph;
  std::unordered_map<std::uint32_t, Footprint> known;
};

} // namespace poplar::core

#endif
