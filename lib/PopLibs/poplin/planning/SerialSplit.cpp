// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See SerialSplit.h.

#include "lib/PopLibs/poplin/planning/SerialSplit.h"

#include <algorithm>

namespace poplin {

std::vector<SerialSplit> serialSplits(SerialSplit::Dim dim,
                                      std::size_t extent) {
  constexpr std::size_t MostParts = 256;
  std::vector<SerialSplit> splits;
  for (std::size_t parts = 2; parts <= std::min(extent, MostParts); ++parts)
    if (extent % parts == 0)
      splits.push_back({dim, parts});
  return splits;
}

poplar::Tensor partOf(const poplar::Tensor &t, unsigned dim, std::size_t part,
                      std::size_t parts) {
  if (dim == Whole)
    return t;
  const std::size_t each = t.dim(dim) / parts;
  return t.slice(part * each, (part + 1) * each, dim);
}

} // namespace poplin
