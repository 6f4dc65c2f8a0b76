// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns a module that computes a loss into one that trains: adds gradients, the
// updates of an optimizer, and the running statistics of batch norms. The main
// graph then processes one micro-batch; with gradient accumulation, a second
// program `update` runs after each batch.

#ifndef POPULUS_LIB_POPART_TRAINING_TRAINING_H
#define POPULUS_LIB_POPART_TRAINING_TRAINING_H

#include "lib/PopART/IR/Module.h"
#include "lib/PopART/Training/LossScaling.h"
#include "lib/PopART/Training/Optimizer.h"
#include "lib/PopART/Training/Recomputation.h"
#include "lib/PopART/Training/Updates.h"

namespace populus::popir {

struct TrainingOptions {
  /// The tensor to minimise; it has one element.
  std::string loss;
  Optimizer optimizer;
  Accumulation accumulation;
  /// Creates accumulators even for one micro-batch.
  bool accumulates = false;
  /// Weights of as many elements have their optimizer's state divided over the
  /// replicas.
  std::optional<std::int64_t> shardedFrom;
  Recomputation recomputation = Recomputation::None;
  std::optional<AutomaticLossScaling> automaticLossScaling;
  /// Values to return besides the module's results; may name gradients
  /// (Gradient___x).
  std::vector<std::string> anchors;
};

/// Places operators on several IPUs before differentiation. Gradients and
/// weight updates then run on the IPUs of the forward operators.
void placeForTraining(Module &module, unsigned numIpus);

/// Adds the training step, and returns the variables that it adds. The weights
/// are the variables that the main graph uses.
States addTraining(Module &module, const TrainingOptions &options);

/// Values that the host writes to variables, to switch to another optimizer
/// for the next steps.
std::map<std::string, double>
optimizerVariables(const Module &module, const Optimizer &optimizer,
                   const Accumulation &accumulation);

} // namespace populus::popir

#endif
