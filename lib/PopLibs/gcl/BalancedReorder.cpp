// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shares of a tensor, one for each replica, in the order of its elements.

#include <gcl/CollectiveBalancedReorder.hpp>

#include <poputil/exceptions.hpp>

#include <algorithm>
#include <cstring>

using namespace poplar;
using poputil::poplibs_error;

namespace gcl {
namespace {

void checkBytes(const char *what, std::int64_t bytes, std::size_t elements,
                std::int64_t elementBytes) {
  if (bytes != static_cast<std::int64_t>(elements) * elementBytes)
    throw poplibs_error("gcl::CollectiveBalancedHostRearrangement: the " +
                        std::string(what) + " has " + std::to_string(bytes) +
                        " bytes, but must have " + std::to_string(elements) +
                        " elements of " + std::to_string(elementBytes));
}

std::size_t elementsOf(const std::vector<Interval> &slices) {
  std::size_t elements = 0;
  for (const Interval &slice : slices)
    elements += slice.size();
  return elements;
}

} // namespace

void CollectiveBalancedHostRearrangement::rearrangeForCollective(
    const char *in, std::int64_t inBytes, char *out, std::int64_t outBytes,
    std::int64_t elementBytes) const {
  checkBytes("input", inBytes, elementsOf(gatheredToRefSlices), elementBytes);
  checkBytes("output", outBytes, getNumRearrangedTensorElems(), elementBytes);
  std::memset(out, 0, static_cast<std::size_t>(outBytes));
  for (const Interval &slice : gatheredToRefSlices) {
    std::memcpy(out + slice.begin() * elementBytes, in,
                slice.size() * elementBytes);
    in += slice.size() * elementBytes;
  }
}

void CollectiveBalancedHostRearrangement::undoRearrangeForCollective(
    const char *in, std::int64_t inBytes, char *out, std::int64_t outBytes,
    std::int64_t elementBytes) const {
  checkBytes("input", inBytes, getNumRearrangedTensorElems(), elementBytes);
  checkBytes("output", outBytes, elementsOf(gatheredToRefSlices), elementBytes);
  for (const Interval &slice : gatheredToRefSlices) {
    std::memcpy(out, in + slice.begin() * elementBytes,
                slice.size() * elementBytes);
    out += slice.size() * elementBytes;
  }
}

CollectiveBalancedReorder::CollectiveBalancedReorder(Graph &graph,
                                                     const Tensor &tensor,
                                                     unsigned replicationFactor,
                                                     const DebugContext &, bool,
                                                     std::size_t grainSize)
    : graph(&graph), reference(tensor.flatten()), shape(tensor.shape()) {
  if (replicationFactor == 0 || grainSize == 0)
    throw poplibs_error("gcl::CollectiveBalancedReorder: the replication "
                        "factor and the grain must not be 0");
  const std::size_t elements = reference.numElements();
  const std::size_t grains = (elements + grainSize - 1) / grainSize;
  rearrangement.replicationFactor = replicationFactor;
  rearrangement.totalElementsPerReplica =
      (grains + replicationFactor - 1) / replicationFactor * grainSize;
  rearrangement.gatheredToRefSlices = {Interval(0, elements)};
}

/// Elements that the reference does not have go with its last one.
Tensor
CollectiveBalancedReorder::shareAt(const Type &type, std::size_t begin,
                                   const DebugContext &debugContext) const {
  const std::size_t elements = rearrangement.totalElementsPerReplica;
  const Tensor share = graph->addVariable(type, {elements}, debugContext);
  const std::size_t total = reference.numElements();
  const std::size_t end = std::min(total, begin + elements);
  if (begin < end) {
    const auto mapping = graph->getTileMapping(reference.slice(begin, end));
    for (unsigned tile = 0; tile != mapping.size(); ++tile)
      for (const Interval &interval : mapping[tile]) {
        const bool isLast = interval.end() == end - begin;
        graph->setTileMapping(
            share.slice(interval.begin(), isLast ? elements : interval.end()),
            tile);
      }
  } else if (elements != 0) {
    graph->setTileMapping(share, 0);
  }
  return share;
}

Tensor CollectiveBalancedReorder::createReplicaSlice(
    const Type &type, const DebugContext &debugContext) const {
  return shareAt(type, 0, debugContext);
}

// Each share lies as the first one does: so what a replica gets of a reduction
// is where its slice is.
Tensor CollectiveBalancedReorder::createCollectivesTensor(
    const Type &type, const DebugContext &debugContext) const {
  std::vector<Tensor> shares;
  for (unsigned i = 0; i != rearrangement.replicationFactor; ++i)
    shares.push_back(shareAt(type, 0, debugContext));
  return concat(shares);
}

Tensor CollectiveBalancedReorder::undoRearrangeForCollective(
    const Tensor &gathered) const {
  if (gathered.numElements() != rearrangement.getNumRearrangedTensorElems())
    throw poplibs_error(
        "gcl::CollectiveBalancedReorder: a tensor of " +
        std::to_string(gathered.numElements()) + " elements, not of " +
        std::to_string(rearrangement.getNumRearrangedTensorElems()));
  return gathered.flatten().slice(0, reference.numElements()).reshape(shape);
}

} // namespace gcl
