// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stochastic gradient descent, with momentum, dampening, weight decay and
// Nesterov's look ahead.

#ifndef POPULUS_INCLUDE_POPART_SGD_HPP
#define POPULUS_INCLUDE_POPART_SGD_HPP

#include <popart/optimizer.hpp>

namespace popart {

/// Says whether gradients accumulate in the velocity or in a tensor of their
/// own.
enum class SGDAccumulatorAndMomentum { Combined = 0, Separate };

class SGD : public Optimizer {
public:
  /// Names: defaultLearningRate (0.1), defaultWeightDecay (0), defaultMomentum
  /// (0), defaultDampening (0), defaultVelocityScaling (1), lossScaling (1),
  /// nesterov (0).
  SGD(const Values &values,
      const std::vector<ClipNormSettings> &clipNormSettings = {},
      SGDAccumulatorAndMomentum accumulatorAndMomentum =
          SGDAccumulatorAndMomentum::Combined,
      DataType accumType = DataType::UNDEFINED,
      DataType accl1Type = DataType::UNDEFINED,
      const DebugContext &debugContext = {});
  SGD(OptimizerValue defaultLearningRate, OptimizerValue defaultWeightDecay,
      OptimizerValue defaultMomentum, OptimizerValue defaultDampening,
      OptimizerValue defaultVelocityScaling, OptimizerValue lossScaling,
      const std::vector<ClipNormSettings> &clipNormSettings = {},
      SGDAccumulatorAndMomentum accumulatorAndMomentum =
          SGDAccumulatorAndMomentum::Combined,
      DataType accumType = DataType::UNDEFINED,
      DataType accl1Type = DataType::UNDEFINED,
      const DebugContext &debugContext = {});

  std::unique_ptr<Optimizer> clone() const override;
  std::string type_s() const override { return "SGD"; }

  OptimizerValueMap learningRates() const { return valuesOf("learningRate"); }
  OptimizerValueMap weightDecays() const { return valuesOf("weightDecay"); }
  OptimizerValueMap momentums() const { return valuesOf("momentum"); }
  OptimizerValueMap dampenings() const { return valuesOf("dampening"); }
  OptimizerValueMap velocityScalings() const {
    return valuesOf("velocityScaling");
  }
  OptimizerValueMap nesterov() const { return valuesOf("nesterov"); }

  SGDAccumulatorAndMomentum getSGDAccumulatorAndMomentum() const {
    return accumulation;
  }
  DataType accumulatorType() const { return accumType; }
  DataType velocityType() const { return accl1Type; }

  // The numbers of an optimizer that gives none.
  static OptimizerValue getUnsetLearningRate() { return {0.1F, true}; }
  static OptimizerValue getUnsetWeightDecay() { return {0, true}; }
  static OptimizerValue getUnsetMomentum() { return {0, true}; }
  static OptimizerValue getUnsetDampening() { return {0, true}; }
  static OptimizerValue getUnsetVelocityScaling() { return {1, true}; }
  static OptimizerValue getUnsetLossScaling() { return {1, true}; }
  static OptimizerValue getUnsetNesterov() { return {0, true}; }

private:
  SGDAccumulatorAndMomentum accumulation;
  DataType accumType, accl1Type;
};

/// SGD without momentum whose numbers never change.
class ConstSGD : public SGD {
public:
  ConstSGD(float learningRate, float weightDecay = 0, float lossScaling = 1,
           const std::vector<ClipNormSettings> &clipNormSettings = {})
      : SGD(OptimizerValue(learningRate, true),
            OptimizerValue(weightDecay, true), OptimizerValue(0, true),
            OptimizerValue(0, true), OptimizerValue(1, true),
            OptimizerValue(lossScaling, true), clipNormSettings) {}
};

} // namespace popart

#endif
