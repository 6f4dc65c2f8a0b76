// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolution on the matrix unit. Channels are in groups: a tile reads its part
// of the input as [group][row][column][channel], and the results have the same
// order, so that a following convolution reads whole rows in place.

#ifndef POPULUS_LIB_POPLIBS_POPLIN_CONVOLUTION_MATRIXCONV_H
#define POPULUS_LIB_POPLIBS_POPLIN_CONVOLUTION_MATRIXCONV_H

#include "lib/PopLibs/poplin/planning/ConvPlan.h"

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

/// Creates weights [groups, outChannels, inChannels, rows, columns] with the
/// layout and pass order of the plan. Invalid if input channels do not fill
/// their groups, or output channels do not fill those of the only part.
poplar::Tensor createMatrixWeights(poplar::Graph &graph, const ConvShape &shape,
                                   const ConvPlan &plan,
                                   const poplar::Type &type,
                                   const poplar::DebugContext &debugContext);

} // namespace poplin

#endif
