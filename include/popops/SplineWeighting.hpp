// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions over graphs with weights between which splines interpolate.

#ifndef POPULUS_POPOPS_SPLINEWEIGHTING_HPP
#define POPULUS_POPOPS_SPLINEWEIGHTING_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

namespace popops {

/// The features of each point, \p input [points, inputs], times its weights,
/// which are the sum of \p basis [points, splines] times the weights of number
/// \p weightIndex [points, splines] in \p weight [kernel, inputs, outputs]:
/// [points, outputs]. What splineBasis makes goes in here.
poplar::Tensor splineWeighting(poplar::Graph &graph,
                               const poplar::Tensor &input,
                               const poplar::Tensor &weight,
                               const poplar::Tensor &basis,
                               const poplar::Tensor &weightIndex,
                               poplar::program::Sequence &prog,
                               const poplar::DebugContext &debugContext = {});

} // namespace popops

#endif
