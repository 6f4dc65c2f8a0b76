// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gradient clipping: the gradients of a group of weights are scaled together so
// that their norm is at most a limit.

#ifndef POPULUS_INCLUDE_POPART_CLIPNORMSETTINGS_HPP
#define POPULUS_INCLUDE_POPART_CLIPNORMSETTINGS_HPP

#include <popart/names.hpp>

#include <vector>

namespace popart {

class ClipNormSettings {
public:
  enum class Mode { ClipSpecifiedWeights, ClipAllWeights };

  ClipNormSettings(const std::vector<TensorId> &weightIds, float maxNorm)
      : weightIds(weightIds), maxNorm(maxNorm),
        mode(Mode::ClipSpecifiedWeights) {}
  static ClipNormSettings clipWeights(const std::vector<TensorId> &weightIds,
                                      float maxNorm) {
    return ClipNormSettings(weightIds, maxNorm);
  }
  static ClipNormSettings clipAllWeights(float maxNorm) {
    ClipNormSettings all({}, maxNorm);
    all.mode = Mode::ClipAllWeights;
    return all;
  }

  const std::vector<TensorId> &getWeightIds() const { return weightIds; }
  float getMaxNorm() const { return maxNorm; }
  Mode getMode() const { return mode; }

  std::vector<TensorId> weightIds;
  float maxNorm;

private:
  Mode mode;
};

} // namespace popart

#endif
