// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operators by which an optimizer changes weights: for each weight those of
// its formula, on the state that the optimizer keeps for it, and the writing of
// what they compute.

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
  /// In the graph of gradients.
  Value *gradient = nullptr;
  /// Where the weight is: updates are there, too.
  Placement home;
};

/// What a variable that training adds is for.
enum class StateKind {
  /// Gradients that are added up.
  Accumulator,
  /// What the optimizer keeps for the next steps.
  Optimizer,
  /// Of no use after a step.
  Passing
};
struct State {
  StateKind kind = StateKind::Optimizer;
  /// The shape of the tensor that each replica has a shard of: the elements as
  /// one dimension, divided evenly, with padding behind the last ones.
  std::optional<Shape> whole;
};
using States = std::map<std::string, State>;

/// Adds the updates of all weights to `update`. Where that is not the graph of
/// the gradients, each run of `gradients` adds them to accumulators, which the
/// update reads and clears. With several replicas the state of the optimizer
/// for weights of `shardedFrom` elements or more is divided over them: each
/// updates its shard of the weight, and all gather the whole one. With a scale
/// factor the gradients are those of the loss times lossScaling_FLOAT times
/// LossScaleFactor. Returns what it keeps.
States addUpdates(Graph &gradients, Graph &update,
                  const std::vector<TrainedWeight> &weights,
                  const Optimizer &optimizer, const Accumulation &accumulation,
                  bool hasScaleFactor,
                  std::optional<std::int64_t> shardedFrom = std::nullopt);

/// The variable that the loss scaling is in where it is not constant, and that
/// by which automatic loss scaling multiplies it.
inline constexpr const char *LossScaling = "lossScaling_FLOAT";
inline constexpr const char *LossScaleFactor = "lossScaleUpdateFactor";
/// The variable that counts the micro-batches of a running mean.
inline constexpr const char *MeanCounter = "Counter___mean";

/// What all replicas have, added up, or their mean; `x` itself for one replica.
Value &allReduce(OpBuilder &b, Value &x, unsigned replicas, bool isMean);

/// The variable that holds a scalar of float; made where there is none.
Value &useScalarVariable(Graph &graph, const std::string &name, double value);

} // namespace populus::popir

#endif
