// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions over fields of more than two dimensions as convolutions over
// fewer. The outermost dimension is folded: each output index along it becomes
// an element of the batch, and each tap along it a set of input channels. All
// of this is views; taps in padding read zeros.

#ifndef POPULUS_LIB_POPLIBS_POPLIN_CONVOLUTION_CONVFOLD_H
#define POPULUS_LIB_POPLIBS_POPLIN_CONVOLUTION_CONVFOLD_H

#include <poplar/Graph.hpp>
#include <poplin/ConvParams.hpp>

namespace poplin {

/// The parameters without the outermost field dimension.
ConvParams foldParams(const ConvParams &params);

poplar::Tensor foldInput(poplar::Graph &graph, const poplar::Tensor &in,
                         const ConvParams &params,
                         const poplar::DebugContext &debugContext);
poplar::Tensor foldWeights(const poplar::Tensor &weights,
                           const ConvParams &params);
/// Converts weights of the folded convolution to those of the whole. The kernel
/// must not be truncated.
poplar::Tensor unfoldWeights(const poplar::Tensor &weights,
                             const ConvParams &params);
/// Converts the output of the folded convolution to that of the whole.
poplar::Tensor unfoldOutput(poplar::Graph &graph, const poplar::Tensor &out,
                            const ConvParams &params);

} // namespace poplin

#endif
