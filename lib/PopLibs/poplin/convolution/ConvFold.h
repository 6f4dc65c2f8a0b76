// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions over fields of more than two dimensions, as ones over fewer. The
// outermost dimension is folded away: each index of the output along it is
// another element of the batch, each tap of the kernel along it another set of
// input channels. All of this is views; taps in padding read zeros.

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
/// Weights of the folded convolution as weights of the whole, for kernels that
/// are not truncated.
poplar::Tensor unfoldWeights(const poplar::Tensor &weights,
                             const ConvParams &params);
/// The output of the folded convolution as that of the whole.
poplar::Tensor unfoldOutput(poplar::Graph &graph, const poplar::Tensor &out,
                            const ConvParams &params);

} // namespace poplin

#endif
