// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Appends a loss to a model without one. It compares an output with labels,
// which become an input unless the model has them.

#ifndef POPULUS_LIB_POPART_TRAINING_LOSS_H
#define POPULUS_LIB_POPART_TRAINING_LOSS_H

#include "lib/PopART/IR/Module.h"

#include <optional>

namespace populus::popir {

struct Loss {
  enum Kind {
    Nll,        // of probabilities, with integer labels
    SoftmaxNll, // of logits, with integer labels
    L1,         // of the difference to labels of the output's shape
    Mse,        // of its square
    Identity,   // the output itself
  } kind = Nll;
  std::string output, labels;
  /// Reduce over the batch by the mean; else by the sum.
  bool isMean = true;
  /// Rows with this label contribute no loss.
  std::optional<std::int64_t> ignored;
};

/// Kinds by the names that users give them.
struct LossKind {
  const char *name;
  Loss::Kind kind;
  bool hasLabels;
};
const std::vector<LossKind> &lossKinds();

/// Adds the loss to the main graph; returns its name.
std::string addLoss(Module &module, const Loss &loss);

} // namespace populus::popir

#endif
