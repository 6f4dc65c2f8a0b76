// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A run is what the innermost dimensions have in which the operand's extent is
// one.

#include "lib/PopLibs/popops/elementwise/BroadcastViews.h"

#include "lib/PopLibs/popops/movement/MemoryOrder.h"

#include <poputil/Broadcast.hpp>

using namespace poplar;

namespace popops {

std::size_t runLength(const Tensor &t, const std::vector<std::size_t> &shape) {
  std::size_t run = 1;
  for (unsigned i = 0; i != shape.size(); ++i) {
    const std::size_t extent = i < t.rank() ? t.dim(t.rank() - 1 - i) : 1;
    if (extent != 1)
      break;
    run *= shape[shape.size() - 1 - i];
  }
  return run;
}

RepeatedOperand repeatedOperand(const Tensor &t,
                                const std::vector<std::size_t> &shape) {
  const std::size_t run = runLength(t, shape);
  std::vector<std::size_t> outer = shape;
  Tensor view = t;
  for (std::size_t left = run; !outer.empty() && left > 1;) {
    left /= outer.back();
    outer.pop_back();
    if (view.rank() != 0)
      view = view.squeeze({view.rank() - 1});
  }
  poputil::broadcastToMatch(view, outer);
  return {view.flatten(), run};
}

ByMemory::ByMemory(const Tensor &out) : order(memoryOrder(out)) {}

Tensor ByMemory::operator()(const Tensor &t) const {
  Tensor view = t;
  while (view.rank() < order.size())
    view = view.expand({0});
  return view.dimShuffle(order);
}

} // namespace popops
