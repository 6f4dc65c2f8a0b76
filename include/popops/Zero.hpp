// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sets tensors to zero.

#ifndef POPULUS_POPOPS_ZERO_HPP
#define POPULUS_POPOPS_ZERO_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#include <vector>

namespace popops {

void zero(poplar::Graph &graph, const poplar::Tensor &t,
          poplar::program::Sequence &prog,
          const poplar::DebugContext &debugContext = {});
/// The part of \p t on \p tile given by intervals of its elements.
void zero(poplar::Graph &graph, poplar::Tensor t,
          const std::vector<poplar::Interval> &tileRegions, unsigned tile,
          poplar::ComputeSet cs);
void zero(poplar::Graph &graph, const poplar::Tensor &t, unsigned tile,
          poplar::ComputeSet cs);
void zero(poplar::Graph &graph, const poplar::Tensor &t,
          const std::vector<std::vector<poplar::Interval>> &mapping,
          poplar::ComputeSet cs);

} // namespace popops

#endif
