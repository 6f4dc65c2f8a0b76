// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graph convolutions with spline-interpolated weights.

#ifndef POPULUS_POPOPS_SPLINEWEIGHTING_HPP
#define POPULUS_POPOPS_SPLINEWEIGHTING_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

namespace popops {

/// Multiplies the features of each point, \p input [points, inputs], by the
/// point's weights: the sum over splines of \p basis [points, splines] times
/// the entry \p weightIndex [points, splines] of \p weight [kernel, inputs,
/// outputs]. Returns [points, outputs]. splineBasis makes \p basis and \p
/// weightIndex.
poplar::Tensor splineWeighting(poplar::Graph &graph,
                               const poplar::Tensor &input,
                               const poplar::Tensor &weight,
                               const poplar::Tensor &basis,
                               const poplar::Tensor &weightIndex,
                               poplar::program::Sequence &prog,
                               const poplar::DebugContext &debugContext = {});

} // namespace popops

#endif
