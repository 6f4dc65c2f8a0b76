// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The nonlinear functions that networks apply to activations.

#ifndef POPULUS_POPNN_NONLINEARITYDEF_HPP
#define POPULUS_POPNN_NONLINEARITYDEF_HPP

namespace popnn {

enum class NonLinearityType {
  SIGMOID,
  HARD_SIGMOID,
  RELU,
  TANH,
  GELU,
  GELU_ERF,
  SWISH,
  /// Over the innermost dimension.
  SOFTMAX,
  /// Also subtracts the largest element of a row first.
  SOFTMAX_STABLE,
  /// SOFTMAX_STABLE with results multiplied by a scale that makes use of half's
  /// range.
  SOFTMAX_SCALED
};

} // namespace popnn

#endif
