// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Normalisation of rows in at most two compute sets, with mean, deviation,
// scale and shift fused. Layer normalisation and similar operators use it. It
// is an addition of Populus.

#ifndef POPULUS_POPNN_ROWNORM_HPP
#define POPULUS_POPNN_ROWNORM_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

namespace popnn {

struct RowNormParams {
  /// Added to the variance.
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
  /// A float for each row, if requested.
  poplar::Tensor mean, invStdDev;
};

/// \p rows, [rows, elements], are floats or halves. \p scale and \p shift have
/// the same type and a value for each element of a row. An invalid tensor means
/// none, and a shift requires a scale. Everything is computed in float.
RowNormResult normaliseRows(poplar::Graph &graph, const poplar::Tensor &rows,
                            const poplar::Tensor &scale,
                            const poplar::Tensor &shift,
                            const RowNormParams &params,
                            poplar::program::Sequence &prog,
                            const poplar::DebugContext &debugContext = {});

} // namespace popnn

#endif
