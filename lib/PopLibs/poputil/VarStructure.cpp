// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groupings are found from the contiguous runs of the tensor with the dimension
// in question innermost.

#include <poputil/VarStructure.hpp>

#include <poputil/exceptions.hpp>

#include <numeric>

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

} // namespace poputil
