// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layout of tensors that are divided over replicas. The elements keep their
// order and are divided into equal shares of whole grains, with padding at the
// end. A share is a run of elements, and the concatenation of all shares is the
// tensor.

#ifndef POPULUS_GCL_COLLECTIVEBALANCEDREORDER_HPP
#define POPULUS_GCL_COLLECTIVEBALANCEDREORDER_HPP

#include <poplar/Graph.hpp>
#include <poplar/Interval.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gcl {

/// The same layout for host buffers. It can be copied and outlives the graph.
struct CollectiveBalancedHostRearrangement {
  unsigned replicationFactor = 1;
  std::size_t totalElementsPerReplica = 0;
  /// Intervals of the gathered tensor in the order of the reference tensor.
  std::vector<poplar::Interval> gatheredToRefSlices;

  unsigned getReplicationFactor() const { return replicationFactor; }
  std::size_t getTotalElementsPerReplica() const {
    return totalElementsPerReplica;
  }
  const std::vector<poplar::Interval> &getGatheredToRefSlices() const {
    return gatheredToRefSlices;
  }
  /// Number of elements of all replicas together, with padding.
  std::size_t getNumRearrangedTensorElems() const {
    return replicationFactor * totalElementsPerReplica;
  }

  /// Rearranges from the reference's order to the replicas' order, with zeros
  /// as padding, and back. Sizes are in bytes.
  void rearrangeForCollective(const char *in, std::int64_t inBytes, char *out,
                              std::int64_t outBytes,
                              std::int64_t elementBytes) const;
  void undoRearrangeForCollective(const char *in, std::int64_t inBytes,
                                  char *out, std::int64_t outBytes,
                                  std::int64_t elementBytes) const;
};

class CollectiveBalancedReorder {
public:
  /// Shares are multiples of \p grainSize elements. \p allowElementMap has no
  /// effect: elements are never mapped one by one.
  CollectiveBalancedReorder(poplar::Graph &graph,
                            const poplar::Tensor &reference,
                            unsigned replicationFactor,
                            const poplar::DebugContext &debugContext = {},
                            bool allowElementMap = false,
                            std::size_t grainSize = 1);

  /// Creates a replica's share, [elements], with the mapping of the first share
  /// of the reference.
  poplar::Tensor
  createReplicaSlice(const poplar::Type &type,
                     const poplar::DebugContext &debugContext = {}) const;
  /// All shares, [elements]. The first share is laid out like the result of
  /// createReplicaSlice. Padding elements are not cleared.
  poplar::Tensor
  createCollectivesTensor(const poplar::Type &type,
                          const poplar::DebugContext &debugContext = {}) const;
  /// Returns a view of a tensor of all shares in the shape of the reference.
  poplar::Tensor
  undoRearrangeForCollective(const poplar::Tensor &gathered) const;

  const std::vector<std::size_t> &getReferenceShape() const { return shape; }
  std::size_t getNumRearrangedTensorElems() const {
    return rearrangement.getNumRearrangedTensorElems();
  }
  const CollectiveBalancedHostRearrangement &getHostRearrangement() const {
    return rearrangement;
  }

private:
  poplar::Tensor shareAt(const poplar::Type &type, std::size_t begin,
                         const poplar::DebugContext &debugContext) const;

  poplar::Graph *graph;
  poplar::Tensor reference; // flat
  std::vector<std::size_t> shape;
  CollectiveBalancedHostRearrangement rearrangement;
};

} // namespace gcl

#endif
