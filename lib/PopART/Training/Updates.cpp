// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The updates of all weights, and the clipping of norms between their halves.

#include "lib/PopART/Training/Updates.h"

#include "lib/PopART/IR/Annotations.h"
#include "lib/PopART/IR/OpBuilder.h"
#include "lib/PopART/Training/WeightUpdate.h"

#include <gcl/CollectiveOperator.hpp>

#include <algorithm>
#include <memory>

namespace populus::popir {

Value &useScalarVariable(Graph &graph, const std::string &name, double value) {
  Module &module = graph.module();
  Variable *variable = module.findVariable(name);
  if (!variable)
    variable =
        &module.addVariable(name, {DataType::Float, {}},
                            std::make_shared<const HostTensor>(
                                HostTensor::scalar(DataType::Float, value)));
  return graph.useVariable(*variable);
}

Value &allReduce(OpBuilder &b, Value &x, unsigned replicas, bool isMean) {
  if (replicas == 1)
    return x;
  return b.op("ReplicatedAllReduce", {&x},
              {{annotations::CollectiveOperator,
                numberOf(isMean ? gcl::CollectiveOperator::MEAN
                                : gcl::CollectiveOperator::ADD)},
               {annotations::GroupSize, std::int64_t(replicas)}},
              "ai.graphcore");
}

namespace {

std::unique_ptr<WeightUpdate> makeUpdate(UpdateContext &context,
                                         const TrainedWeight &weight) {
  const Optimizer &optimizer = context.optimizer;
  return optimizer.isAdamFamily() || optimizer.isAdaptiveFamily()
             ? makeAdaptiveUpdate(context, weight)
             : makeSgdUpdate(context, weight);
}

/// Clips tensors to a joint norm of at most maxNorm: scales each of them by
/// maxNorm / max(norm, maxNorm).
void clip(Graph &graph, const ClipGroup &group, std::size_t number,
          const std::vector<Value **> &values) {
  if (values.empty())
    return;
  GraphBuilder b(graph, "ClipNorm");
  std::vector<Value *> squares;
  for (Value **value : values)
    squares.push_back(&b.reduceAll("ReduceSumSquare", **value));
  Value &norm = b.sqrt(b.op("Sum", squares));
  graph.rename(norm,
               graph.uniqueName("GlobalNorm___" + std::to_string(number)));
  Value &most = b.scalar(DataType::Float, group.maxNorm);
  Value &factor = b.div(most, b.op("Max", {&norm, &most}));
  for (Value **value : values)
    *value = &b.mul(**value, factor);
}

bool isIn(const ClipGroup &group, const TrainedWeight &weight) {
  return group.weights.empty() ||
         std::ranges::count(group.weights, weight.variable->name) != 0;
}

} // namespace

States addUpdates(Graph &gradients, Graph &update,
                  const std::vector<TrainedWeight> &weights,
                  const Optimizer &optimizer, const Accumulation &accumulation,
                  bool hasScaleFactor,
                  std::optional<std::int64_t> shardedFrom) {
  UpdateContext context(gradients, update, optimizer, accumulation,
                        hasScaleFactor, shardedFrom);
  std::vector<std::unique_ptr<WeightUpdate>> updates;
  std::vector<Value *> prepared;
  for (const TrainedWeight &weight : weights) {
    updates.push_back(makeUpdate(context, weight));
    prepared.push_back(&updates.back()->prepare());
  }
  for (std::size_t k = 0; k != optimizer.clipGroups.size(); ++k) {
    const ClipGroup &group = optimizer.clipGroups[k];
    std::vector<Value **> values;
    for (std::size_t i = 0; i != weights.size(); ++i)
      if (isIn(group, weights[i]))
        values.push_back(&prepared[i]);
    clip(update, group, k, values);
  }
  for (std::size_t i = 0; i != weights.size(); ++i)
    updates[i]->finish(*prepared[i]);
  return std::move(context.states);
}

} // namespace populus::popir
