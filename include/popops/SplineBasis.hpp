// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The B-spline bases of points, for convolutions over graphs.

#ifndef POPULUS_POPOPS_SPLINEBASIS_HPP
#define POPULUS_POPOPS_SPLINEBASIS_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

namespace popops {

/// For each point of \p pseudo, [points, dims] with coordinates from 0 to 1,
/// writes the products of the nonzero basis functions to \p basis, [points,
/// (degree + 1)^dims], and the indices of the corresponding weights to \p
/// weightIndex, of the same shape and type INT.
///
/// \p kernelSize (INT) and \p isOpenSpline (UNSIGNED_CHAR) have an element for
/// each dimension; \p degree is 1, 2 or 3. The first dimension's index counts
/// fastest.
void splineBasis(poplar::Graph &graph, const poplar::Tensor &pseudo,
                 const poplar::Tensor &kernelSize,
                 const poplar::Tensor &isOpenSpline,
                 const poplar::Tensor &basis, const poplar::Tensor &weightIndex,
                 unsigned degree, poplar::program::Sequence &prog,
                 const poplar::DebugContext &debugContext = {});

} // namespace popops

#endif
