// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operators by which an optimizer changes weights: for each weight those of
// its formula, on the state that the optimizer keeps for it, and the writing of
// what they compute.

#ifndef POPULUS_LIB_POPART_TRAINING_UPDATES_H
#define POPULUS_LIB_POPART_TRAINING_UPDATES_H

#include "lib/PopART/IR/Module.h"
#include "lib/PopART/Training/Optimizer.h"

namespace populus::popir {

struct TrainedWeight {
  Variable *variable = nullptr;
  /// In the graph of gradients.
  Value *gradient = nullptr;
  /// Where the weight is: updates are there, too.
  Placement home;
};

/// Adds the updates of all weights to `update`. Where that is not the graph of
/// the gradients, each run of `gradients` adds them to accumulators, which the
/// update reads and clears.
void addUpdates(Graph &gradients, Graph &update,
                const std::vector<TrainedWeight> &weights,
                const Optimizer &optimizer, const Accumulation &accumulation);

/// The variable that holds a scalar of float; made where there is none.
Value &useScalarVariable(Graph &graph, const std::string &name, double value);

} // namespace populus::popir

#endif
