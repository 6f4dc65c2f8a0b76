// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An optimizer: its family, hyperparameters, and state for each weight.
// Hyperparameters have PopART's names ("learningRate"). Non-constant ones are
// variables of the module, which the host can write between steps. The formulas
// are those of PopART's documentation of SGD, Adam and Adaptive.

#ifndef POPULUS_LIB_POPART_TRAINING_OPTIMIZER_H
#define POPULUS_LIB_POPART_TRAINING_OPTIMIZER_H

#include "lib/PopART/IR/DataType.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace populus::popir {

struct HyperValue {
  double value = 0;
  bool isConst = true;

  bool operator==(const HyperValue &) const = default;
};

using HyperValues = std::map<std::string, HyperValue>;

/// Clipping by global norm: the gradients of these weights are scaled by one
/// factor, so that their joint norm is at most `maxNorm`.
struct ClipGroup {
  /// Empty: all weights.
  std::vector<std::string> weights;
  double maxNorm = 1;

  bool operator==(const ClipGroup &) const = default;
};

struct Optimizer {
  enum Kind {
    Sgd,
    Adam,
    AdamNoBias,
    Lamb,
    LambNoBias,
    AdaMax,
    AdaGrad,
    RmsProp,
    CenteredRmsProp,
    AdaDelta
  } kind = Sgd;

  /// Values for all weights, and overrides by weight.
  HyperValues defaults;
  std::map<std::string, HyperValues> specific;
  HyperValue lossScaling = {1, true};

  /// SGD: the velocity is a tensor of its own, not the accumulator.
  bool hasSeparateVelocity = false;
  /// Weight decay is added to the gradient (L2 regularization); else it is
  /// subtracted from the weight.
  bool decayInGradient = false;
  /// TensorFlow's RMSProp: eps is inside the root, and the learning rate is
  /// inside the momentum.
  bool isTensorFlowVariant = false;
  /// The state of Adam is scaled with the loss.
  bool hasScaledState = false;
  /// Types of the accumulator and of the moments; none: the usual ones.
  std::optional<DataType> accumType, accl1Type, accl2Type, accl3Type;
  std::vector<ClipGroup> clipGroups;

  bool isAdamFamily() const { return kind >= Adam && kind <= AdaMax; }
  bool isAdaptiveFamily() const { return kind >= AdaGrad; }
  bool isLamb() const { return kind == Lamb || kind == LambNoBias; }

  /// The value of `name` for a weight. Every family has all of its names in
  /// `defaults` (defaultValues).
  const HyperValue &get(const std::string &weight,
                        const std::string &name) const;
  /// For SGD and the Adaptive family: true if a weight has momentum.
  bool hasMomentum(const std::string &weight) const;
  /// SGD: true if gradients accumulate in the velocity. Nesterov's step needs
  /// the gradient itself, too.
  bool addsToVelocity(const std::string &weight) const;
};

/// Default hyperparameters of a family.
HyperValues defaultValues(Optimizer::Kind kind);

/// Gradient accumulation: an update uses the sum or the mean of `factor`
/// gradients. A running mean is renormalised after each gradient, so that sums
/// do not overflow float16. Gradients of several replicas are part of the same
/// sum or mean.
struct Accumulation {
  unsigned factor = 1;
  bool isMean = false;
  bool isRunning = false;
  unsigned replicas = 1;
};

/// A number of an update, derived from hyperparameters. Example: learning rate
/// divided by loss scaling.
struct Scalar {
  std::string name;
  double value = 0;
  bool isConst = true;
  /// Overridden for one weight.
  bool isSpecific = false;
  /// It is proportional to this power of the loss scaling.
  int scalingPower = 0;

  /// The variable that holds it if it is not constant.
  std::string variableName(const std::string &weight) const;
};

/// The numbers of a weight's updates.
std::vector<Scalar> scalarsOf(const Optimizer &optimizer,
                              const std::string &weight,
                              const Accumulation &accumulation);

/// The name of a value for messages: "learning rate" for "learningRate".
std::string wordsOf(const std::string &name);

/// The reason why `next` cannot replace a compiled optimizer; empty if it can.
/// Only non-constant values may differ.
std::string whyNotReplaceable(const Optimizer &optimizer,
                              const Optimizer &next);

} // namespace populus::popir

#endif
