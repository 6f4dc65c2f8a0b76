// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A convolution on the matrix unit. Channels are in groups: a tile reads its
// part of the input as [group][row][column][channel], and the results lie in
// the same order, so that a convolution that follows takes whole rows from
// where they are.

#ifndef POPULUS_LIB_POPLIBS_POPLIN_CONVOLUTION_MATRIXCONV_H
#define POPULUS_LIB_POPLIBS_POPLIN_CONVOLUTION_MATRIXCONV_H

#include "lib/PopLibs/poplin/convolution/ConvPlan.h"

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

namespace poplin {

/// \p in and \p weights as arrangeInput and arrangeWeights give them. \p bias
/// has a value for each output channel of all groups, or is not valid. The
/// result is [batch, channels, rows, columns].
poplar::Tensor matrixConvolution(poplar::Graph &graph, const ConvShape &shape,
                                 const ConvPlan &plan, const poplar::Tensor &in,
                                 const poplar::Tensor &weights,
                                 const poplar::Tensor &bias,
                                 const poplar::Type &outType,
                                 poplar::program::Sequence &prog,
                                 const poplar::DebugContext &debugContext);

/// Weights [groups, outChannels, inChannels, rows, columns] that lie where the
/// plan uses them, in the order of its passes; not valid where input channels
/// do not fill their groups, or output channels those of the only part.
poplar::Tensor createMatrixWeights(poplar::Graph &graph, const ConvShape &shape,
                                   const ConvPlan &plan,
                                   const poplar::Type &type,
                                   const poplar::DebugContext &debugContext);

} // namespace poplin

#endif
