// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instance normalisation: group normalisation (GroupNorm.hpp) with a group for
// each channel.

#ifndef POPULUS_POPNN_INSTANCENORM_HPP
#define POPULUS_POPNN_INSTANCENORM_HPP

#include <popnn/GroupNorm.hpp>
#include <popnn/Norms.hpp>

namespace popnn {
namespace in {

inline std::pair<poplar::Tensor, poplar::Tensor>
instanceNormStatistics(poplar::Graph &graph, const poplar::Tensor acts,
                       float eps, poplar::program::Sequence &prog,
                       bool unbiasedVarEstimate, bool stableAlgo = false,
                       const poplar::Type &partialsType = poplar::FLOAT,
                       const poplar::DebugContext &debugContext = {},
                       const poplar::OptionFlags &options = {}) {
  return gn::groupNormStatistics(
      graph, acts, eps, prog, static_cast<unsigned>(acts.dim(1)),
      unbiasedVarEstimate, stableAlgo, partialsType, debugContext, options);
}

inline poplar::Tensor
instanceNormWhiten(poplar::Graph &graph, const poplar::Tensor &acts,
                   const poplar::Tensor &mean, const poplar::Tensor &invStdDev,
                   poplar::program::Sequence &prog,
                   const poplar::DebugContext &debugContext = {},
                   const poplar::OptionFlags &options = {}) {
  return gn::groupNormWhiten(graph, acts, mean, invStdDev, prog, debugContext,
                             options);
}

inline std::pair<poplar::Tensor, poplar::Tensor>
instanceNormalise(poplar::Graph &graph, const poplar::Tensor &acts,
                  const poplar::Tensor &gamma, const poplar::Tensor &beta,
                  const poplar::Tensor &mean, const poplar::Tensor &invStdDev,
                  poplar::program::Sequence &prog,
                  const poplar::DebugContext &debugContext = {},
                  const poplar::OptionFlags &options = {}) {
  return gn::groupNormalise(graph, acts, gamma, beta, mean, invStdDev, prog,
                            debugContext, options);
}

inline std::pair<poplar::Tensor, poplar::Tensor> instanceNormParamGradients(
    poplar::Graph &graph, const poplar::Tensor &acts,
    const poplar::Tensor &gradsIn, const poplar::Tensor &mean,
    const poplar::Tensor &invStdDev, poplar::program::Sequence &prog,
    const poplar::Type &partialsType = poplar::FLOAT,
    const poplar::DebugContext &debugContext = {},
    const poplar::OptionFlags &options = {}) {
  return gn::groupNormParamGradients(graph, acts, gradsIn, mean, invStdDev,
                                     prog, partialsType, debugContext, options);
}
inline std::pair<poplar::Tensor, poplar::Tensor> instanceNormParamGradients(
    poplar::Graph &graph, const poplar::Tensor &actsWhitened,
    const poplar::Tensor &gradsIn, poplar::program::Sequence &prog,
    const poplar::Type &partialsType = poplar::FLOAT,
    const poplar::DebugContext &debugContext = {},
    const poplar::OptionFlags &options = {}) {
  return gn::groupNormParamGradients(graph, actsWhitened, gradsIn, prog,
                                     partialsType, debugContext, options);
}

inline poplar::Tensor
instanceNormGradients(poplar::Graph &graph, const poplar::Tensor &acts,
                      const poplar::Tensor &gradsIn, const poplar::Tensor &mean,
                      const poplar::Tensor &invStdDev,
                      const poplar::Tensor &gamma,
                      poplar::program::Sequence &prog,
                      const poplar::Type &partialsType = poplar::FLOAT,
                      const poplar::DebugContext &debugContext = {},
                      const poplar::OptionFlags &options = {}) {
  return gn::groupNormGradients(graph, acts, gradsIn, mean, invStdDev, gamma,
                                prog, partialsType, debugContext, options);
}
inline poplar::Tensor instanceNormGradients(
    poplar::Graph &graph, const poplar::Tensor &actsWhitened,
    const poplar::Tensor &gradsIn, const poplar::Tensor &invStdDev,
    const poplar::Tensor &gamma, poplar::program::Sequence &prog,
    const poplar::Type &partialsType = poplar::FLOAT,
    const poplar::DebugContext &debugContext = {},
    const poplar::OptionFlags &options = {}) {
  return gn::groupNormGradients(graph, actsWhitened, gradsIn, invStdDev, gamma,
                                prog, partialsType, debugContext, options);
}

template <class Scale>
void instanceNormParamUpdate(poplar::Graph &graph,
                             const poplar::Tensor &gammaDelta,
                             const poplar::Tensor &betaDelta,
                             const Scale &scale, poplar::Tensor &gamma,
                             poplar::Tensor &beta,
                             poplar::program::Sequence &prog,
                             const poplar::DebugContext &debugContext = {},
                             const poplar::OptionFlags &options = {}) {
  gn::groupNormParamUpdate(graph, gammaDelta, betaDelta, scale, gamma, beta,
                           prog, debugContext, options);
}

/// See getNormFwdFlops and its like.
inline std::uint64_t getFwdFlops(std::size_t numChannels,
                                 std::size_t actsPerChannel,
                                 bool computeEstimates) {
  return getNormFwdFlops(numChannels, numChannels * actsPerChannel,
                         computeEstimates);
}
inline std::uint64_t getBwdFlops(std::size_t numChannels,
                                 std::size_t actsPerChannel) {
  return getNormBwdFlops(numChannels, numChannels * actsPerChannel);
}
inline std::uint64_t getWuFlops(std::size_t numChannels,
                                std::size_t actsPerChannel) {
  return getNormWuFlops(numChannels, numChannels * actsPerChannel);
}

} // namespace in
} // namespace popnn

#endif
