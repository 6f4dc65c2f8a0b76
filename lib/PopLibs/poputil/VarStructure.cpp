// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groupings are found from the contiguous runs of the tensor with the dimension
// in question innermost.

#include <poputil/VarStructure.hpp>

#include <poputil/Util.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <numeric>
#include <string>

using namespace poplar;

namespace poputil {

unsigned detectInnermostGrouping(const Graph &, const Tensor &t) {
  if (t.rank() == 0)
    throw poplibs_error("detectInnermostGrouping: a tensor without dimensions");
  std::size_t group = t.dim(t.rank() - 1);
  for (const Interval &run : t.flatten().getContiguousRegions()) {
    group = std::gcd(group, run.begin());
    group = std::gcd(group, run.size());
    if (group == 1)
      break;
  }
  return static_cast<unsigned>(group);
}

std::vector<GroupingInfo> detectDimGroupings(const Graph &graph,
                                             const Tensor &t) {
  std::vector<GroupingInfo> groupings;
  // The tensor with groups that were found as innermost dimensions.
  Tensor view = t;
  std::vector<bool> seen(t.rank(), false);
  for (bool found = true; found;) {
    found = false;
    for (unsigned dim = t.rank(); dim-- != 0 && !found;) {
      if (seen[dim] || view.dim(dim) < 2)
        continue;
      // The dimension just outside of the groups so far, with them innermost.
      const Tensor rolled = view.dimRoll(dim, t.rank() - 1);
      const Tensor inner = rolled.flatten(t.rank() - 1, rolled.rank());
      const unsigned known =
          static_cast<unsigned>(inner.dim(t.rank() - 1) / view.dim(dim));
      const unsigned group = static_cast<unsigned>(
          std::gcd(detectInnermostGrouping(graph, inner) / known,
                   static_cast<unsigned>(view.dim(dim))));
      if (detectInnermostGrouping(graph, inner) % known != 0 || group < 2)
        continue;
      groupings.emplace_back(dim, group);
      seen[dim] = found = true;
      view = view.reshapePartial(dim, dim + 1, {view.dim(dim) / group, group})
                 .dimRoll(dim + 1, t.rank());
    }
  }
  return groupings;
}

namespace {

/// Parts of even size, the larger ones first.
std::size_t partBegin(std::size_t extent, std::size_t parts, std::size_t part) {
  const std::size_t size = extent / parts, larger = extent % parts;
  return part * size + std::min(part, larger);
}

void checkPartitions(const std::vector<std::size_t> &shape,
                     const std::vector<std::size_t> &nPartitions) {
  if (shape.size() != nPartitions.size())
    throw poplibs_error("poputil: numbers of partitions for " +
                        std::to_string(nPartitions.size()) + " of " +
                        std::to_string(shape.size()) + " dimensions");
  for (std::size_t n : nPartitions)
    if (n == 0)
      throw poplibs_error("poputil: a dimension in no partitions");
}

/// Calls \p visit with the index of each partition, the last dimension first.
template <class F>
void forEachPartition(const std::vector<std::size_t> &nPartitions, F visit) {
  std::size_t count = 1;
  for (std::size_t n : nPartitions)
    count *= n;
  for (std::size_t i = 0; i != count; ++i)
    visit(unflattenIndex(nPartitions, i));
}

} // namespace

Tensor createPartitionableTensor(Graph &graph, const Type &type,
                                 const std::vector<std::size_t> &shape,
                                 const std::vector<std::size_t> &nPartitions,
                                 const DebugContext &debugContext) {
  checkPartitions(shape, nPartitions);
  std::size_t elements = 1;
  for (std::size_t extent : shape)
    elements *= extent;
  const Tensor variable = graph.addVariable(type, {elements}, debugContext);
  std::size_t at = 0;
  std::vector<Tensor> parts;
  forEachPartition(nPartitions, [&](const std::vector<std::size_t> &index) {
    std::vector<std::size_t> extents;
    std::size_t size = 1;
    for (std::size_t d = 0; d != shape.size(); ++d) {
      extents.push_back(partBegin(shape[d], nPartitions[d], index[d] + 1) -
                        partBegin(shape[d], nPartitions[d], index[d]));
      size *= extents.back();
    }
    parts.push_back(variable.slice(at, at + size).reshape(extents));
    at += size;
  });
  // Joined along the innermost dimension first.
  for (std::size_t d = shape.size(); d-- != 0;) {
    std::vector<Tensor> joined;
    for (std::size_t i = 0; i != parts.size(); i += nPartitions[d])
      joined.push_back(
          concat(std::vector<Tensor>(parts.begin() + i,
                                     parts.begin() + i + nPartitions[d]),
                 static_cast<unsigned>(d)));
    parts = joined;
  }
  return parts.front();
}

void iterateTensorPartitions(
    const Tensor &t, const std::vector<std::size_t> &nPartitions,
    const std::function<void(const std::vector<std::size_t> &, const Tensor &)>
        &f) {
  checkPartitions(t.shape(), nPartitions);
  forEachPartition(nPartitions, [&](const std::vector<std::size_t> &index) {
    Tensor part = t;
    for (unsigned d = 0; d != index.size(); ++d)
      part = part.slice(partBegin(t.dim(d), nPartitions[d], index[d]),
                        partBegin(t.dim(d), nPartitions[d], index[d] + 1), d);
    f(index, part);
  });
}

} // namespace poputil
