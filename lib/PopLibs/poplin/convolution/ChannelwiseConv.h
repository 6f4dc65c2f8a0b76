// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Depthwise convolution: each channel is a group of its own. Channels are
// adjacent as on the matrix unit, so neither input nor result is rearranged
// between two convolutions of the other kind.

#ifndef POPULUS_LIB_POPLIBS_POPLIN_CONVOLUTION_CHANNELWISECONV_H
#define POPULUS_LIB_POPLIBS_POPLIN_CONVOLUTION_CHANNELWISECONV_H

#include "lib/PopLibs/poplin/planning/ConvPlan.h"

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

namespace poplin {

/// \p in and \p weights are the results of arrangeInput and arrangeWeights. \p
/// shape and \p plan are for ConvMethod::Channelwise. \p bias has a value for
/// each channel, or is invalid. Returns [batch, channels, rows, columns] of the
/// operands' type.
poplar::Tensor channelwiseConvolution(
    poplar::Graph &graph, const ConvShape &shape, const ConvPlan &plan,
    const poplar::Tensor &in, const poplar::Tensor &weights,
    const poplar::Tensor &bias, poplar::program::Sequence &prog,
    const poplar::DebugContext &debugContext);

/// Creates weights [groups, 1, 1, rows, columns] with the plan's layout.
/// Invalid if the channels do not fill their groups.
poplar::Tensor
createChannelwiseWeights(poplar::Graph &graph, const ConvShape &shape,
                         const ConvPlan &plan, const poplar::Type &type,
                         const poplar::DebugContext &debugContext);

} // namespace poplin

#endif
