// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The extents and types of a grouped matrix product, and what a split of it
// divides.

#ifndef POPULUS_LIB_POPLIBS_POPLIN_PLANNING_MATMULSHAPE_H
#define POPULUS_LIB_POPLIBS_POPLIN_PLANNING_MATMULSHAPE_H

#include "lib/PopLibs/poplin/planning/ConvPlan.h"

#include <poplar/Type.hpp>

#include <cstddef>
#include <vector>

namespace poplin {

/// A[groups, rows, depth] B[groups, depth, columns].
struct MatMulShape {
  std::size_t groups, rows, depth, columns;

  /// Has no results, or all of them are sums of nothing.
  bool isEmpty() const { return groups * rows * depth * columns == 0; }

  friend bool operator<(const MatMulShape &a, const MatMulShape &b);
};

/// Returns the shape of a product of operands of shapes \p a and \p b. \throws
/// poplibs_error if they do not match.
MatMulShape matMulShape(const std::vector<std::size_t> &a,
                        const std::vector<std::size_t> &b);

/// \throws poplibs_error for types that no product has.
void checkMatMulTypes(const poplar::Type &a, const poplar::Type &b,
                      const poplar::Type &out);

/// The product as a convolution: depth are input channels, columns output
/// channels, rows positions.
ConvShape convolutionOf(const MatMulShape &shape);

/// The shape of each part.
MatMulShape partOf(MatMulShape shape, const SerialSplit &split);

/// The dimensions of operands and results that a split divides, or \ref Whole.
struct SplitDims {
  unsigned a, b, out;
};
SplitDims dimsOf(SerialSplit::Dim dim);

} // namespace poplin

#endif
