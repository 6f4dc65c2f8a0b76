// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a module that computes a loss to one that trains: gradients, the updates
// of an optimizer, running statistics of batch norms. The main graph is then
// one micro-batch; with gradient accumulation a second program, `update`,
// follows each batch.

#ifndef POPULUS_LIB_POPART_TRAINING_TRAINING_H
#define POPULUS_LIB_POPART_TRAINING_TRAINING_H

#include "lib/PopART/IR/Module.h"
#include "lib/PopART/Training/LossScaling.h"
#include "lib/PopART/Training/Optimizer.h"
#include "lib/PopART/Training/Recomputation.h"
#include "lib/PopART/Training/Updates.h"

namespace populus::popir {

struct TrainingOptions {
  /// The tensor that is made smaller; a value of one element.
  std::string loss;
  Optimizer optimizer;
  Accumulation accumulation;
  /// Accumulators are there even for one micro-batch.
  bool accumulates = false;
  /// Weights of as many elements have their optimizer's state divided over the
  /// replicas.
  std::optional<std::int64_t> shardedFrom;
  Recomputation recomputation = Recomputation::None;
  std::optional<AutomaticLossScaling> automaticLossScaling;
  /// What is returned besides the results that the module has; gradients
  /// (Gradient___x) may be among it.
  std::vector<std::string> anchors;
};

/// On several IPUs operators are placed before they are differentiated: their
/// gradients and the updates of what they read are computed where they are.
void placeForTraining(Module &module, unsigned numIpus);

/// Adds what training needs, and returns what it keeps. The weights are the
/// variables that the main graph names.
States addTraining(Module &module, const TrainingOptions &options);

/// By variable, what the host writes so that the next steps are those of
/// another optimizer.
std::map<std::string, double>
optimizerVariables(const Module &module, const Optimizer &optimizer,
                   const Accumulation &accumulation);

} // namespace populus::popir

#endif
