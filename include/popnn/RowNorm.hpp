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
  /// Subtract the mean of a row. If unset, the mean square takes the place of
  /// the variance.
  bool centre = true;
  /// Return `mean` and `invStdDev`.
  bool statistics = false;
};

struct RowNormResult {
  /// The normalised rows, with the shape and type of the input.
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
