// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Questions about the order of a tensor's elements in memory.

#ifndef POPULUS_POPUTIL_VARSTRUCTURE_HPP
#define POPULUS_POPUTIL_VARSTRUCTURE_HPP

#include <poplar/Graph.hpp>

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace poputil {

/// A dimension and the size of the groups of its indices.
typedef std::pair<unsigned, unsigned> GroupingInfo;

/// The largest size of groups of indices of the innermost dimension that are
/// contiguous in memory wherever they occur.
unsigned detectInnermostGrouping(const poplar::Graph &graph,
                                 const poplar::Tensor &t);

/// The dimensions with groups of more than one index, the innermost in memory
/// first: a second group is contiguous as soon as the first one is one element.
std::vector<GroupingInfo> detectDimGroupings(const poplar::Graph &graph,
                                             const poplar::Tensor &t);

/// A variable whose dimensions are divided in so many partitions, each of which
/// is contiguous in memory; the tile mapping is the caller's.
poplar::Tensor
createPartitionableTensor(poplar::Graph &graph, const poplar::Type &type,
                          const std::vector<std::size_t> &shape,
                          const std::vector<std::size_t> &nPartitions,
                          const poplar::DebugContext &debugContext = {});

/// Calls \p f with the index of each such partition and the partition.
void iterateTensorPartitions(
    const poplar::Tensor &t, const std::vector<std::size_t> &nPartitions,
    const std::function<void(const std::vector<std::size_t> &i,
                             const poplar::Tensor &s)> &f);

} // namespace poputil

#endif
