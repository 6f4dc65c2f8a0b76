// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions by plain dot products (ConvMethod::Direct), for shapes that the
// matrix unit and the channelwise method do not serve.

#ifndef POPULUS_LIB_POPLIBS_POPLIN_CONVOLUTION_DIRECTCONV_H
#define POPULUS_LIB_POPLIBS_POPLIN_CONVOLUTION_DIRECTCONV_H

#include "lib/PopLibs/poplin/planning/ConvPlan.h"

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

namespace poplin {

/// The result as [batch, channels, rows, columns]. \p in and \p weights are as
/// arrangeInput and arrangeWeights give them.
poplar::Tensor directConvolution(poplar::Graph &graph, const ConvShape &shape,
                                 const ConvPlan &plan, const poplar::Tensor &in,
                                 const poplar::Tensor &weights,
                                 const poplar::Type &outType,
                                 poplar::program::Sequence &prog,
                                 const poplar::DebugContext &dc);

} // namespace poplin

#endif
