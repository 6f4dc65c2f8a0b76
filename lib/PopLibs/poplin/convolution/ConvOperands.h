// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A convolution in the form that is computed: its field has two dimensions, and
// all transforms of ConvParams are either applied to the operands as views or
// folded into the geometry (ConvDim), so that no padding is ever stored.

#ifndef POPULUS_LIB_POPLIBS_POPLIN_CONVOLUTION_CONVOPERANDS_H
#define POPULUS_LIB_POPLIBS_POPLIN_CONVOLUTION_CONVOPERANDS_H

#include "lib/PopLibs/poplin/planning/ConvPlan.h"

#include <poplar/Graph.hpp>
#include <poplin/ConvParams.hpp>

namespace poplin {

/// Fields of more dimensions are folded first (ConvFold.h).
constexpr unsigned MaxFieldDims = 2;

/// A dimension of the field, without padding of its output.
ConvDim convDim(const ConvParams &params, unsigned dim);

/// The convolution without padding of its output.
ConvShape convShape(const ConvParams &params);

/// \p in as [batch, groups, inChannels, rows, columns], truncated, dilated and
/// flipped.
poplar::Tensor arrangeInput(poplar::Graph &graph, const poplar::Tensor &in,
                            const ConvParams &params);

/// \p weights as [groups, outChannels, inChannels, rows, columns], truncated
/// and flipped.
poplar::Tensor arrangeWeights(const poplar::Tensor &weights,
                              const ConvParams &params);

/// Dimension \p dim of \p t, which is dimension \p field of the transform.
poplar::Tensor truncateAndFlip(poplar::Tensor t,
                               const ConvParams::InputTransform &transform,
                               unsigned field, unsigned dim);

/// Adds the output's padding to [batch, channels, field...].
poplar::Tensor padOutput(poplar::Graph &graph, const poplar::Tensor &out,
                         const ConvParams &params);

/// Adds the output's padding and gives it the shape that users see: [batch,
/// channels, field...], from [batch, channels, rows, columns].
poplar::Tensor arrangeOutput(poplar::Graph &graph, const poplar::Tensor &out,
                             const ConvParams &params);

} // namespace poplin

#endif
