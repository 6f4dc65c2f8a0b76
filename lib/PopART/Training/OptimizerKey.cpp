// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each struct is taken apart whole, so none of its fields can be forgotten.

#include "lib/PopART/Training/OptimizerKey.h"

#include "lib/PopART/Support/OptionKey.h"
#include "lib/PopART/Training/Optimizer.h"

namespace populus::popir {

static void addTo(OptionKey &key, const HyperValue &value) {
  const auto &[number, isConst] = value;
  key.add(number, isConst);
}

static void addTo(OptionKey &key, const ClipGroup &group) {
  const auto &[weights, maxNorm] = group;
  key.add(weights, maxNorm);
}

void addTo(OptionKey &key, const Optimizer &optimizer) {
  const auto &[kind, defaults, specific, lossScaling, hasSeparateVelocity,
               decayInGradient, isTensorFlowVariant, hasScaledState, accumType,
               accl1Type, accl2Type, accl3Type, clipGroups] = optimizer;
  key.add(kind, defaults, specific, lossScaling, hasSeparateVelocity,
          decayInGradient, isTensorFlowVariant, hasScaledState, accumType,
          accl1Type, accl2Type, accl3Type, clipGroups);
}

} // namespace populus::popir
