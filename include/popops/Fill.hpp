// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sets all elements of a tensor to one value.

#ifndef POPULUS_POPOPS_FILL_HPP
#define POPULUS_POPOPS_FILL_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#include <vector>

namespace popops {

/// Instantiated for float, double, int, unsigned, bool, char, signed char,
/// unsigned char, short and unsigned short. A value of another type than the
/// tensor's must be one of its elements, or poplibs_error is thrown; a float is
/// rounded for FLOAT and HALF tensors, and in the form with a program for
/// QUARTER ones.
template <class FillValueType>
void fill(poplar::Graph &graph, const poplar::Tensor &t,
          poplar::program::Sequence &prog, FillValueType fillValue,
          const poplar::DebugContext &debugContext = {});
/// The part of \p t on \p tile given by intervals of its elements.
template <class FillValueType>
void fill(poplar::Graph &graph, poplar::Tensor t,
          const std::vector<poplar::Interval> &tileRegions, unsigned tile,
          poplar::ComputeSet cs, FillValueType fillValue);
template <class FillValueType>
void fill(poplar::Graph &graph, const poplar::Tensor &t, unsigned tile,
          poplar::ComputeSet cs, FillValueType fillValue);
template <class FillValueType>
void fill(poplar::Graph &graph, const poplar::Tensor &t,
          const std::vector<std::vector<poplar::Interval>> &mapping,
          poplar::ComputeSet cs, FillValueType fillValue);

} // namespace popops

#endif
