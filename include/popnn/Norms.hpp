// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parameters of normalisations; see poplin/Norms.hpp for their parts.

#ifndef POPULUS_POPNN_NORMS_HPP
#define POPULUS_POPNN_NORMS_HPP

#include <poplin/Norms.hpp>

#include <cstddef>
#include <cstdint>

namespace popnn {

using poplin::createNormBeta;
using poplin::createNormGamma;
using poplin::createNormParams;

/// Floating-point operations of a normalisation (statistics, unless given,
/// whitening and scaling), of the gradient of the activations, and of the
/// gradients of the parameters.
std::uint64_t getNormFwdFlops(std::size_t statisticsSize,
                              std::size_t numActsElements,
                              bool computeEstimates = true);
std::uint64_t getNormBwdFlops(std::size_t statisticsSize,
                              std::size_t numActsElements);
std::uint64_t getNormWuFlops(std::size_t paramsSize,
                             std::size_t numActsElements);

} // namespace popnn

#endif
