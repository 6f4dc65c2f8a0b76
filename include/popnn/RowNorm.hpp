// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Normalisation of rows in at most two compute sets: what layer normalisation
// and its like are made of where mean, deviation, scale and shift come
// together. An addition of Populus: other PopLibs do not have it.

#ifndef POPULUS_POPNN_ROWNORM_HPP
#define POPULUS_POPNN_ROWNORM_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

namespace popnn {

struct RowNormParams {
  /// Is added to the variance.
  float epsilon = 1e-5f;
  /// Whether rows get the mean 0. If not, their mean square takes the place of
  /// the variance.
  bool centre = true;
  /// Whether `mean` and `invStdDev` of the result are wanted.
  bool statistics = false;
};

struct RowNormResult {
  /// Of the shape and type of the rows.
  poplar::Tensor rows;
  /// A float for each row, where they are wanted.
  poplar::Tensor mean, invStdDev;
};

/// \p rows are [rows, elements], floats or halves. \p scale and \p shift have a
/// value of the same type for each element of a row; invalid tensors are none,
/// and there is no shift without a scale. All is computed in float.
RowNormResult normaliseRows(poplar::Graph &graph, const poplar::Tensor &rows,
                            const poplar::Tensor &scale,
                            const poplar::Tensor &shift,
                            const RowNormParams &params,
                            poplar::program::Sequence &prog,
                            const poplar::DebugContext &debugContext = {});

} // namespace popnn

#endif
