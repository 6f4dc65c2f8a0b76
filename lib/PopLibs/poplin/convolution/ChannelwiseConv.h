// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A convolution in which each channel is a group of its own (depthwise), with
// the channels side by side as the matrix unit has them, so that neither its
// input nor its result has to be rearranged between two of the others.

#ifndef POPULUS_LIB_POPLIBS_POPLIN_CONVOLUTION_CHANNELWISECONV_H
#define POPULUS_LIB_POPLIBS_POPLIN_CONVOLUTION_CHANNELWISECONV_H

#include "lib/PopLibs/poplin/convolution/ConvPlan.h"

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

namespace poplin {

/// \p in and \p weights as arrangeInput and arrangeWeights give them, \p shape
/// and \p plan for ConvMethod::Channelwise. \p bias has a value for each
/// channel, or is not valid. The result, of the operands' type, is [batch,
/// channels, rows, columns].
poplar::Tensor channelwiseConvolution(
    poplar::Graph &graph, const ConvShape &shape, const ConvPlan &plan,
    const poplar::Tensor &in, const poplar::Tensor &weights,
    const poplar::Tensor &bias, poplar::program::Sequence &prog,
    const poplar::DebugContext &debugContext);

/// Weights [groups, 1, 1, rows, columns] that lie where the plan uses them; not
/// valid where channels do not fill their groups.
poplar::Tensor
createChannelwiseWeights(poplar::Graph &graph, const ConvShape &shape,
                         const ConvPlan &plan, const poplar::Type &type,
                         const poplar::DebugContext &debugContext);

} // namespace poplin

#endif
