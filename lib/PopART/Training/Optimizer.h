// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an optimizer is: its family, its values, what it keeps for each weight.
// Values are by name as PopART has them ("learningRate"); those that are not
// constant are variables of the module, which the host can write between steps.
// Formulas are those of PopART's documentation of SGD, Adam and Adaptive.

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

/// Gradients of these weights are scaled together so that the norm of all of
/// them is at most `maxNorm`.
struct ClipGroup {
  /// None: all weights.
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

  /// For all weights, and for those that have their own.
  HyperValues defaults;
  std::map<std::string, HyperValues> specific;
  HyperValue lossScaling = {1, true};

  /// SGD: the velocity is a tensor of its own, not the accumulator.
  bool hasSeparateVelocity = false;
  /// Weight decay is part of the gradient (L2 regularization), or taken from
  /// the weight.
  bool decayInGradient = false;
  /// RMSProp as TensorFlow has it: eps inside of the root, the learning rate
  /// inside of the momentum.
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
  /// Of SGD and the Adaptive family.
  bool hasMomentum(const std::string &weight) const;
  /// SGD: whether each gradient is added to the weight's velocity. Nesterov's
  /// step needs the gradient itself beside the velocity.
  bool addsToVelocity(const std::string &weight) const;
};

/// The values that an optimizer has where the user says nothing.
HyperValues defaultValues(Optimizer::Kind kind);

/// How many gradients are added up before an update, and whether the update is
/// by their mean. A running mean is one after each of them, so that sums of
/// many do not leave the range of float16. Gradients of several replicas are
/// part of the same sum or mean.
struct Accumulation {
  unsigned factor = 1;
  bool isMean = false;
  bool isRunning = false;
  unsigned replicas = 1;
};

/// A number of an update, made of several values: the learning rate by the loss
/// scaling.
struct Scalar {
  std::string name;
  double value = 0;
  bool isConst = true;
  /// For one weight only.
  bool isSpecific = false;
  /// It is proportional to this power of the loss scaling.
  int scalingPower = 0;

  /// The variable that holds it where it is not constant.
  std::string variableName(const std::string &weight) const;
};

/// The numbers of a weight's updates.
std::vector<Scalar> scalarsOf(const Optimizer &optimizer,
                              const std::string &weight,
                              const Accumulation &accumulation);

/// The name of a value for messages: "learning rate" for "learningRate".
std::string wordsOf(const std::string &name);

/// Why `next` cannot take the place of an optimizer that was compiled; empty if
/// it can: all but values that are not constant has to be the same.
std::string whyNotReplaceable(const Optimizer &optimizer,
                              const Optimizer &next);

} // namespace populus::popir

#endif
