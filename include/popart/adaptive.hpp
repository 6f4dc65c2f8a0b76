// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// AdaGrad, RMSProp and AdaDelta.

#ifndef POPULUS_INCLUDE_POPART_ADAPTIVE_HPP
#define POPULUS_INCLUDE_POPART_ADAPTIVE_HPP

#include <popart/optimizer.hpp>

namespace popart {

enum class AdaptiveMode { AdaGrad = 0, RMSProp, CenteredRMSProp, AdaDelta };

class Adaptive : public Optimizer {
public:
  /// Names: defaultLearningRate (0.01), defaultWeightDecay (0), defaultAlpha
  /// (0.99), defaultMomentum (0), defaultEps (1e-6), lossScaling (1).
  Adaptive(const Values &values, AdaptiveMode mode = AdaptiveMode::RMSProp,
           WeightDecayMode weightDecayMode = WeightDecayMode::Decay,
           DataType accumType = DataType::UNDEFINED,
           DataType accl1Type = DataType::FLOAT,
           DataType accl2Type = DataType::FLOAT,
           DataType accl3Type = DataType::UNDEFINED,
           bool rmspropTFVariant = false,
           const DebugContext &debugContext = {});

  std::unique_ptr<Optimizer> clone() const override;
  std::string type_s() const override { return "Adaptive"; }

  OptimizerValueMap learningRates() const { return valuesOf("learningRate"); }
  OptimizerValueMap weightDecays() const { return valuesOf("weightDecay"); }
  OptimizerValueMap alphas() const { return valuesOf("alpha"); }
  OptimizerValueMap momentums() const { return valuesOf("momentum"); }
  OptimizerValueMap epss() const { return valuesOf("eps"); }

  AdaptiveMode getMode() const { return mode; }
  WeightDecayMode getWeightDecayMode() const { return decayMode; }
  bool isRMSPropTFVariant() const { return tensorFlow; }
  DataType accumulatorType() const { return accumType; }
  DataType state1Type() const { return accl1Type; }
  DataType state2Type() const { return accl2Type; }
  DataType state3Type() const { return accl3Type; }

  // The numbers of an optimizer that gives none.
  static OptimizerValue getUnsetLearningRate() { return {0.01F, true}; }
  static OptimizerValue getUnsetWeightDecay() { return {0, true}; }
  static OptimizerValue getUnsetAlpha() { return {0.99F, true}; }
  static OptimizerValue getUnsetMomentum() { return {0, true}; }
  static OptimizerValue getUnsetEps() { return {1e-6F, true}; }
  static OptimizerValue getUnsetLossScaling() { return {1, true}; }

private:
  AdaptiveMode mode;
  WeightDecayMode decayMode;
  DataType accumType, accl1Type, accl2Type, accl3Type;
  bool tensorFlow;
};

} // namespace popart

#endif
