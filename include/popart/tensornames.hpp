// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names that tensors of training have.

#ifndef POPULUS_INCLUDE_POPART_TENSORNAMES_HPP
#define POPULUS_INCLUDE_POPART_TENSORNAMES_HPP

#include <popart/names.hpp>

#include <string>

namespace popart {

inline std::string reservedGradientPrefix() { return "Gradient___"; }
inline std::string reservedUpdatedVarPrefix() { return "UpdatedVar___"; }
inline std::string reservedAccumPrefix() { return "Accum___"; }
inline std::string reservedAcclPrefix() { return "Accl___"; }
inline std::string reservedAccl1Prefix() { return "Accl1___"; }
inline std::string reservedAccl2Prefix() { return "Accl2___"; }
inline std::string reservedLossScalingPrefix() { return "lossScaling_"; }

/// The name of the gradient of a tensor.
inline TensorId getGradId(const TensorId &id) {
  return reservedGradientPrefix() + id;
}
inline TensorId getUpdatedVarId(const TensorId &id) {
  return reservedUpdatedVarPrefix() + id;
}

} // namespace popart

#endif
