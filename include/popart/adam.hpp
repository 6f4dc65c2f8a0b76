// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adam, AdamW, AdaMax and LAMB.

#ifndef POPULUS_INCLUDE_POPART_ADAM_HPP
#define POPULUS_INCLUDE_POPART_ADAM_HPP

#include <popart/optimizer.hpp>

namespace popart {

/// NoBias: moments are not corrected for their initial zeros.
enum class AdamMode { Adam = 0, AdamNoBias, AdaMax, Lamb, LambNoBias };

class Adam : public Optimizer {
public:
  /// Names: defaultLearningRate (0.1), defaultWeightDecay (0), defaultBeta1
  /// (0.9), defaultBeta2 (0.999), defaultEps (1e-6), lossScaling (1),
  /// defaultMaxWeightNorm (10).
  Adam(const Values &values, AdamMode mode, WeightDecayMode weightDecayMode,
       DataType accumType, DataType accl1Type, DataType accl2Type,
       const std::vector<ClipNormSettings> &clipNormSettings = {},
       bool scaledOptimizerState = false,
       const DebugContext &debugContext = {});
  Adam(const Values &values, AdamMode mode = AdamMode::Adam,
       DataType accumType = DataType::UNDEFINED,
       DataType accl1Type = DataType::FLOAT,
       DataType accl2Type = DataType::FLOAT,
       const std::vector<ClipNormSettings> &clipNormSettings = {},
       bool scaledOptimizerState = false,
       const DebugContext &debugContext = {});

  std::unique_ptr<Optimizer> clone() const override;
  std::string type_s() const override { return "Adam"; }

  OptimizerValueMap learningRates() const { return valuesOf("learningRate"); }
  OptimizerValueMap weightDecays() const { return valuesOf("weightDecay"); }
  OptimizerValueMap beta1s() const { return valuesOf("beta1"); }
  OptimizerValueMap beta2s() const { return valuesOf("beta2"); }
  OptimizerValueMap epss() const { return valuesOf("eps"); }
  OptimizerValueMap maxWeightNorms() const { return valuesOf("maxWeightNorm"); }

  AdamMode getMode() const { return mode; }
  WeightDecayMode getWeightDecayMode() const { return decayMode; }
  bool useScaledOptimizerState() const { return scaled; }
  DataType accumulatorType() const { return accumType; }
  DataType moment1Type() const { return accl1Type; }
  DataType moment2Type() const { return accl2Type; }

  // The numbers of an optimizer that gives none.
  static OptimizerValue getUnsetLearningRate() { return {0.1F, true}; }
  static OptimizerValue getUnsetWeightDecay() { return {0, true}; }
  static OptimizerValue getUnsetBeta1() { return {0.9F, true}; }
  static OptimizerValue getUnsetBeta2() { return {0.999F, true}; }
  static OptimizerValue getUnsetEps() { return {1e-6F, true}; }
  static OptimizerValue getUnsetLossScaling() { return {1, true}; }
  static OptimizerValue getUnsetMaxWeightNorm() { return {10, true}; }

private:
  AdamMode mode;
  WeightDecayMode decayMode;
  DataType accumType, accl1Type, accl2Type;
  bool scaled;
};

} // namespace popart

#endif
