// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The windows of pooling: how many elements each has, and which elements are at
// the same place of all windows.

#ifndef POPULUS_LIB_POPLIBS_POPNN_POOLWINDOWS_H
#define POPULUS_LIB_POPLIBS_POPNN_POOLWINDOWS_H

#include "lib/PopLibs/poplin/planning/ConvPlan.h"

#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <popnn/Pooling.hpp>

#include <string>
#include <vector>

namespace popnn {
namespace pooling {

/// The windows of one or two dimensions as those of a convolution whose
/// channels are groups.
poplin::ConvShape windowShape(const PoolParams &params);

/// t[batch, channels, field...] of one or two dimensions as [batch, channels,
/// rows, columns].
inline poplar::Tensor withRows(const poplar::Tensor &t) {
  return t.rank() == 3 ? t.expand({2}) : t;
}

/// Returns true if one window covers exactly the field.
bool coversField(const PoolParams &params);

/// Costs of popnn::PoolChannelwise.
poplibs::TapCosts channelwiseCosts(PoolingType type, bool isHalf);

/// The name of one of the vertices that are templates of the kind of pooling
/// and the type of the elements.
std::string vertexName(const char *vertex, PoolingType type,
                       const poplar::Type &elementType);

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
  /// Selects the results from t[batch, channels, output field...].
  poplar::Tensor ofResults(poplar::Tensor t) const;
  /// Selects the elements from t[batch, channels, input field...].
  poplar::Tensor ofElements(poplar::Tensor t, const PoolParams &params) const;
};

/// All places of a window.
std::vector<WindowPlace> windowPlaces(const PoolParams &params);

} // namespace pooling
} // namespace popnn

#endif
