// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds an optimizer's weight updates to a graph: for each weight, the operators
// of the optimizer's formula, which read and write the weight and its state.

#ifndef POPULUS_LIB_POPART_TRAINING_UPDATES_H
#define POPULUS_LIB_POPART_TRAINING_UPDATES_H

#include "lib/PopART/IR/Module.h"
#include "lib/PopART/IR/OpBuilder.h"
#include "lib/PopART/Training/Optimizer.h"

#include <map>
#include <optional>
#include <string>

namespace populus::popir {

struct TrainedWeight {
  Variable *variable = nullptr;
  /// The weight's gradient, in the graph of gradients.
  Value *gradient = nullptr;
  /// Placement of the weight, and of its update.
  Placement home;
};

/// The purpose of a variable that training adds.
enum class StateKind {
  /// An accumulator of gradients.
  Accumulator,
  /// Optimizer state, which lives from step to step.
  Optimizer,
  /// Temporary: not needed after a step.
  Passing
};
struct State {
  StateKind kind = StateKind::Optimizer;
  /// The shape of the tensor that each replica has a shard of: the elements as
  /// one dimension, divided evenly, with padding behind the last ones.
  std::optional<Shape> whole;
};
using States = std::map<std::string, State>;

/// Adds the updates of all weights to `update`, and returns the added
/// variables. If `update` is another graph than `gradients`, each run of
/// `gradients` adds to accumulators, which the update reads and clears. With
/// several replicas, optimizer state for weights of `shardedFrom` elements or
/// more is sharded: each replica updates its shard of the weight, and all
/// gather the whole one. With a scale factor, the gradients are scaled by
/// lossScaling_FLOAT times LossScaleFactor.
States addUpdates(Graph &gradients, Graph &update,
                  const std::vector<TrainedWeight> &weights,
                  const Optimizer &optimizer, const Accumulation &accumulation,
                  bool hasScaleFactor,
                  std::optional<std::int64_t> shardedFrom = std::nullopt);

/// The variable of a non-constant loss scaling, and the variable that automatic
/// loss scaling multiplies it by.
inline constexpr const char *LossScaling = "lossScaling_FLOAT";
inline constexpr const char *LossScaleFactor = "lossScaleUpdateFactor";
/// The variable that counts the micro-batches of a running mean.
inline constexpr const char *MeanCounter = "Counter___mean";

/// The sum or the mean of `x` over all replicas; `x` itself for one replica.
Value &allReduce(OpBuilder &b, Value &x, unsigned replicas, bool isMean);

/// The variable that holds a scalar of float; made where there is none.
Value &useScalarVariable(Graph &graph, const std::string &name, double value);

} // namespace populus::popir

#endif
