// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Queries of the order of a tensor's elements in memory.

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

/// Returns the largest size of groups of indices of the innermost dimension
/// that are always contiguous in memory.
unsigned detectInnermostGrouping(const poplar::Graph &graph,
                                 const poplar::Tensor &t);

/// Returns the dimensions with groups of more than one index, the innermost in
/// memory first. Each further group is contiguous when the groups before it are
/// taken as one element.
std::vector<GroupingInfo> detectDimGroupings(const poplar::Graph &graph,
                                             const poplar::Tensor &t);

/// Creates a variable whose dimensions are divided into the given numbers of
/// partitions. Each partition is contiguous in memory. The caller maps the
/// variable.
poplar::Tensor
createPartitionableTensor(poplar::Graph &graph, const poplar::Type &type,
                          const std::vector<std::size_t> &shape,
                          const std::vector<std::size_t> &nPartitions,
                          const poplar::DebugContext &debugContext = {});

/// Calls \p f with the index of each partition and the partition itself.
void iterateTensorPartitions(
    const poplar::Tensor &t, const std::vector<std::size_t> &nPartitions,
    const std::function<void(const std::vector<std::size_t> &i,
                             const poplar::Tensor &s)> &f);

} // namespace poputil

#endif
