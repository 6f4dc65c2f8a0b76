// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fully connected layers as matrix products.

#ifndef POPULUS_POPLIN_FULLYCONNECTED_HPP
#define POPULUS_POPLIN_FULLYCONNECTED_HPP

#include <poplin/MatMul.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace poplin {
namespace fc {

struct FullyConnectedParams {
  std::size_t numGroups;
  std::size_t batchSize;
  std::size_t inputSize;
  std::size_t outputSize;
};

/// The grouped products of a layer, with their options: the forward one, and
/// unless \p inferenceOnly those for the gradients of input and weights.
/// \p matmulOptions go to all of them.
std::vector<std::pair<MatMulParams, poplar::OptionFlags>>
getMatMulPrePlanParameters(FullyConnectedParams parameters,
                           poplar::OptionFlags matmulOptions, poplar::Type type,
                           bool inferenceOnly);

} // namespace fc
} // namespace poplin

#endif
