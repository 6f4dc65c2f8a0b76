// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Strides are seen at the first elements only: that is cheap, and right for all
// views of one variable. What is built on them is right for any view.

#include "lib/PopLibs/popops/movement/MemoryOrder.h"

#include <algorithm>
#include <numeric>

using namespace poplar;

namespace popops {

std::size_t strideOf(const Tensor &t, unsigned dim) {
  if (t.numElements() == 0 || t.dim(dim) < 2)
    return FarApart;
  Tensor pair = t;
  for (unsigned i = 0; i != t.rank(); ++i)
    pair = pair.slice(0, i == dim ? 2 : 1, i);
  const auto regions = pair.flatten().getVarRegions();
  if (regions.size() == 1)
    return 1;
  const std::size_t first = regions[0].interval.begin();
  const std::size_t second = regions[1].interval.begin();
  if (!(regions[0].var == regions[1].var) || first == second)
    return FarApart;
  return std::max(first, second) - std::min(first, second);
}

std::vector<unsigned> memoryOrder(const Tensor &t) {
  std::vector<std::size_t> strides;
  for (unsigned i = 0; i != t.rank(); ++i)
    strides.push_back(strideOf(t, i));
  std::vector<unsigned> order(t.rank());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](unsigned a, unsigned b) {
    return strides[a] > strides[b];
  });
  return order;
}

} // namespace popops
