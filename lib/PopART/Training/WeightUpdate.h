// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Common parts of the updates of weights: numbers, the memory of weights
// and states, and accumulated gradients. Updates are computed in float32,
// whatever the types of weights and states. The update of a weight has two
// halves, between which norms are clipped: prepare() returns the tensor to
// clip, and finish() writes the weight with it. SgdUpdates.cpp and
// AdaptiveUpdates.cpp have the optimizers.

#ifndef POPULUS_LIB_POPART_TRAINING_WEIGHTUPDATE_H
#define POPULUS_LIB_POPART_TRAINING_WEIGHTUPDATE_H

#include "lib/PopART/IR/GradientNames.h"
#include "lib/PopART/IR/OpBuilder.h"
#include "lib/PopART/Training/Updates.h"

#include <gcl/CollectiveOperator.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace populus::popir {

/// A kind of reduction as an attribute.
inline std::int64_t numberOf(gcl::CollectiveOperator how) {
  return static_cast<std::int64_t>(how);
}

/// State shared by the updates of all weights. Shared scalars are created on
/// first use.
class UpdateContext {
public:
  UpdateContext(Graph &gradients, Graph &update, const Optimizer &optimizer,
                const Accumulation &accumulation, bool hasScaleFactor,
                std::optional<std::int64_t> shardedFrom)
      : gradients(gradients), update(update), optimizer(optimizer),
        accumulation(accumulation), hasScaleFactor(hasScaleFactor),
        shardedFrom(shardedFrom) {}

  bool accumulates() const { return &gradients != &update; }

  /// True if each replica updates its shard of a weight. Norms are of whole
  /// tensors; a velocity that takes gradients does so before they are reduced,
  /// and begins with different values in different shards.
  bool isSharded(const TrainedWeight &weight) const;

  /// The factor by which automatic loss scaling changes a scalar; null if the
  /// scalar does not depend on it.
  Value *changeOf(const Scalar &scalar, Graph &graph);

  /// The loss scaling divided by that of the previous update, for state that is
  /// scaled with the loss; null if the scaling is constant.
  Value *growthOfScaling();

  /// Weights of the running mean: n/(n+1) for the mean of n gradients so far,
  /// 1/(n+1) for the next gradient.
  struct Shares {
    Value *old = nullptr, *added = nullptr;
  };
  const Shares &runningMean();

  Graph &gradients;
  Graph &update;
  const Optimizer &optimizer;
  const Accumulation &accumulation;
  /// The variables that the updates add.
  States states;

private:
  const bool hasScaleFactor;
  const std::optional<std::int64_t> shardedFrom;
  std::map<const Graph *, Value *> inverses;
  Value *growth = nullptr;
  Shares shares;
};

/// The update of one weight.
class WeightUpdate {
public:
  WeightUpdate(UpdateContext &context, const TrainedWeight &weight)
      : context(context), optimizer(context.optimizer), weight(weight),
        name(weight.variable->name),
        b(context.update, UpdatePrefix + name, weight.home),
        whole(context.update.useVariable(*weight.variable)),
        isSharded(context.isSharded(weight)),
        w(isSharded ? scattered(whole, gcl::CollectiveOperator::LOCAL) : whole),
        scalars(scalarsOf(optimizer, name, context.accumulation)) {}
  virtual ~WeightUpdate() = default;

  /// The tensor to clip.
  virtual Value &prepare() = 0;
  /// Writes weight and state, given the tensor of prepare(), perhaps clipped.
  virtual void finish(Value &prepared) = 0;

protected:
  // ---- Numbers --------------------------------------------------------------

  const Scalar &scalarOf(const char *which) const {
    return *std::ranges::find(scalars, which, &Scalar::name);
  }
  Value &scalar(const char *which) { return scalar(which, b); }
  Value &scalar(const char *which, GraphBuilder &at);
  /// True if a scalar is constant and has this value.
  bool isAlways(const char *which, double value) const {
    return scalarOf(which).isConst && scalarOf(which).value == value;
  }
  /// x times a scalar, or just x if the scalar is always 1.
  Value &scaled(Value &x, const char *which) { return scaled(x, which, b); }
  Value &scaled(Value &x, const char *which, GraphBuilder &at) {
    return isAlways(which, 1) ? x : at.mul(x, scalar(which, at));
  }

  // ---- Memory ---------------------------------------------------------------

  Value &asFloat(Value &x) { return b.cast(x, DataType::Float); }

  /// Optimizer state of the weight as a value of a graph; by default it has the
  /// weight's shape. A model may provide the initial value.
  Value &state(Graph &graph, const char *prefix, DataType type, double initial,
               std::optional<Shape> shape = std::nullopt) {
    return namedState(graph, prefix + name, type, initial, shape);
  }
  Value &namedState(Graph &graph, const std::string &stateName, DataType type,
                    double initial, std::optional<Shape> shape = std::nullopt);
  Value &state(const char *prefix, DataType type, double initial = 0) {
    return state(context.update, prefix, type, initial);
  }
  static std::shared_ptr<const HostTensor> filled(const TensorInfo &info,
                                                  double value);

  void write(Value &variable, Value &value);
  void writeWeight(Value &value) {
    write(whole, isSharded ? gathered(b.cast(value, w.info.type)) : value);
  }

  /// The sum of the gradients of micro-batches, whole in every replica.
  Value &accumulator(Graph &graph);

  // ---- Gradients ------------------------------------------------------------

  DataType accumulatorType() const {
    return optimizer.accumType.value_or(weight.variable->info.type);
  }

  /// The sum over replicas or, for running means, their mean.
  Value &ofAllReplicas(Value &x);
  Value &sumOfReplicas(Value &x);
  Value &meanOfReplicas(Value &x);

  /// The replica's shard of the reduced value.
  Value &scattered(Value &x, gcl::CollectiveOperator how);
  /// The whole weight, of the shards of all replicas.
  Value &gathered(Value &shard);

  /// The gradient, accumulated over micro-batches and replicas, in float32.
  Value &gradient();
  Value &added(Value &sum, GraphBuilder &adder) {
    return adder.add(sum, adder.cast(*weight.gradient, sum.info.type));
  }
  Value &movedMean(Value &mean, GraphBuilder &adder);
  /// Resets the accumulator.
  void clearGradient();

  UpdateContext &context;
  const Optimizer &optimizer;
  const TrainedWeight &weight;
  const std::string name;
  GraphBuilder b;
  Value &whole;
  const bool isSharded;
  /// The weight, or the replica's shard of it.
  Value &w;
  const std::vector<Scalar> scalars;
};

/// SGD with and without momentum.
std::unique_ptr<WeightUpdate> makeSgdUpdate(UpdateContext &context,
                                            const TrainedWeight &weight);
/// Adam, AdaGrad, and their relatives.
std::unique_ptr<WeightUpdate> makeAdaptiveUpdate(UpdateContext &context,
                                                 const TrainedWeight &weight);

} // namespace populus::popir

#endif
