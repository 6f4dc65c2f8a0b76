// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The windows of pooling: how many elements each has, and which elements are at
// the same place of all windows.

#ifndef POPULUS_LIB_POPLIBS_POPNN_POOLWINDOWS_H
#define POPULUS_LIB_POPLIBS_POPNN_POOLWINDOWS_H

#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <popnn/Pooling.hpp>

namespace popnn {
namespace pooling {

void checkPoolOptions(const poplar::OptionFlags &options);

/// A constant of type FLOAT and the shape of the output field: 1 / the number
/// of elements in each window that are not padding.
poplar::Tensor addWindowWeights(poplar::Graph &graph, const PoolParams &params,
                                const poplar::DebugContext &debugContext);

/// The elements at one place of the windows.
struct WindowPlace {
  /// Results whose window has an element there, in each dimension of the field,
  std::vector<poplar::Interval> results;
  /// and the first of those elements; they are a stride apart.
  std::vector<std::size_t> firstElement;

  bool isEmpty() const;
  /// Those of t[batch, channels, output field...].
  poplar::Tensor ofResults(poplar::Tensor t) const;
  /// Those of t[batch, channels, input field...].
  poplar::Tensor ofElements(poplar::Tensor t, const PoolParams &params) const;
};

/// All places of a window.
std::vector<WindowPlace> windowPlaces(const PoolParams &params);

} // namespace pooling
} // namespace popnn

#endif
