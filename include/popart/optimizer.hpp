// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Base class of optimizers: named numbers for all weights and for single ones.
// docs/training.md has the formulas.

#ifndef POPULUS_INCLUDE_POPART_OPTIMIZER_HPP
#define POPULUS_INCLUDE_POPART_OPTIMIZER_HPP

#include <popart/clipnormsettings.hpp>
#include <popart/debugcontext.hpp>
#include <popart/optimizervaluemap.hpp>
#include <popart/tensorinfo.hpp>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace popart {

enum class OptimizerType { SGD = 0, Adam, Adaptive, NTYPES };
/// Decay subtracts a part of the weight from it; L2Regularization adds it to
/// the gradient.
enum class WeightDecayMode { Decay = 0, L2Regularization };

class Optimizer {
public:
  /// By name: "defaultLearningRate".
  using Values = std::map<std::string, std::pair<float, bool>>;

  virtual ~Optimizer();
  virtual std::unique_ptr<Optimizer> clone() const = 0;
  OptimizerType type() const { return kind; }
  virtual std::string type_s() const = 0;

  OptimizerValue lossScaling() const { return scaling; }
  float getLossScalingVal() const { return scaling.val(); }
  const std::vector<ClipNormSettings> &getClipNormSettings() const {
    return clips;
  }
  bool hasSpecific(const TensorId &weight) const {
    return specifics.count(weight) != 0;
  }
  bool hasSpecific() const { return !specifics.empty(); }

  /// Gives a weight its own numbers, by name ("learningRate"). Other numbers
  /// are those that all weights have now.
  void insertSpecific(const TensorId &weight, const Values &values);

  /// Returns true if `other` can take the place of this optimizer in a session:
  /// it is of the same class, and each constant has the same number. Throws
  /// optimizer_replacement_error otherwise.
  bool validReplacement(const Optimizer &other) const;

  /// Returns a number by name ("learningRate"). An unknown name is an error.
  OptimizerValueMap valuesOf(const std::string &name) const;

protected:
  /// `defaults` has every name that the optimizer knows, with its default.
  Optimizer(OptimizerType kind, const std::string &name,
            const std::map<std::string, float> &defaults, const Values &given,
            const std::vector<ClipNormSettings> &clipNormSettings);

private:
  OptimizerType kind;
  std::string className;
  OptimizerValue scaling;
  std::map<std::string, OptimizerValue> everywhere;
  std::map<TensorId, std::map<std::string, OptimizerValue>> specifics;
  std::vector<ClipNormSettings> clips;
};

} // namespace popart

#endif
