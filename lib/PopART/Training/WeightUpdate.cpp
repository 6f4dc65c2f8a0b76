// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The common parts of updates.

#include "lib/PopART/Training/WeightUpdate.h"

#include "lib/PopART/IR/Annotations.h"
#include "lib/PopART/IR/VarUpdate.h"

namespace populus::popir {

bool UpdateContext::isSharded(const TrainedWeight &weight) const {
  const bool takesNorms = optimizer.isLamb() || !optimizer.clipGroups.empty();
  return shardedFrom && accumulation.replicas != 1 && !takesNorms &&
         !optimizer.addsToVelocity(weight.variable->name) &&
         weight.variable->info.numElements() >= *shardedFrom;
}

Value *UpdateContext::changeOf(const Scalar &scalar, Graph &graph) {
  if (!hasScaleFactor || scalar.scalingPower == 0)
    return nullptr;
  Value &factor = useScalarVariable(graph, LossScaleFactor, 1);
  if (scalar.scalingPower > 0)
    return &factor;
  Value *&inverse = inverses[&graph];
  if (!inverse) {
    GraphBuilder b(graph, "InverseLossScale");
    inverse = &b.div(b.scalar(DataType::Float, 1), factor);
  }
  return inverse;
}

Value *UpdateContext::growthOfScaling() {
  if (optimizer.lossScaling.isConst)
    return nullptr;
  if (!growth) {
    GraphBuilder b(update, "PreviousLossScaling");
    const double initial = optimizer.lossScaling.value;
    Value *now = &useScalarVariable(update, LossScaling, initial);
    if (hasScaleFactor)
      now = &b.mul(*now, useScalarVariable(update, LossScaleFactor, 1));
    const char *name = "PreviousLossScaling_FLOAT";
    states[name].kind = StateKind::Optimizer;
    Value &before = useScalarVariable(update, name, initial);
    growth = &b.div(*now, before);
    addVarUpdate(update, before, *now);
  }
  return growth;
}

const UpdateContext::Shares &UpdateContext::runningMean() {
  if (!shares.old) {
    GraphBuilder b(gradients, "RunningMean");
    states[MeanCounter].kind = StateKind::Passing;
    Value &count = useScalarVariable(gradients, MeanCounter, 0);
    Value &next = b.add(count, 1);
    shares.added = &b.div(b.scalar(DataType::Float, 1), next);
    shares.old = &b.mul(count, *shares.added);
    addVarUpdate(gradients, count, next);
    Value &again = useScalarVariable(update, MeanCounter, 0);
    addVarUpdate(update, again,
                 GraphBuilder(update).scalar(DataType::Float, 0));
  }
  return shares;
}

Value &WeightUpdate::scalar(const char *which, GraphBuilder &at) {
  const Scalar &found = scalarOf(which);
  if (found.isConst)
    return at.scalar(DataType::Float, found.value);
  Value &given =
      useScalarVariable(at.graph(), found.variableName(name), found.value);
  Value *change = context.changeOf(found, at.graph());
  return change ? at.mul(given, *change) : given;
}

Value &WeightUpdate::namedState(Graph &graph, const std::string &stateName,
                                DataType type, double initial,
                                std::optional<Shape> shape) {
  State &entry = context.states.emplace(stateName, State()).first->second;
  Module &module = graph.module();
  Variable *variable = module.findVariable(stateName);
  const TensorInfo info{type, shape.value_or(w.info.shape)};
  const bool isShard = isSharded && !shape;
  if (isShard)
    entry.whole = weight.variable->info.shape;
  if (!variable) {
    variable = &module.addVariable(stateName, info, filled(info, initial));
    if (!shape && !isShard)
      variable->layout = weight.variable;
  } else if (isShard && variable->info != info) {
    // The model brings its value; the host writes the shards.
    *variable = {stateName, info, nullptr, nullptr, {}};
  }
  return graph.useVariable(*variable);
}

std::shared_ptr<const HostTensor> WeightUpdate::filled(const TensorInfo &info,
                                                       double value) {
  if (value == 0)
    return nullptr;
  std::vector<float> elements(static_cast<std::size_t>(info.numElements()),
                              static_cast<float>(value));
  return std::make_shared<const HostTensor>(
      HostTensor::ofFloats(info.shape, std::move(elements))
          .convertedTo(info.type));
}

void WeightUpdate::write(Value &variable, Value &value) {
  addVarUpdate(b.graph(), variable, b.cast(value, variable.info.type),
               weight.home);
}

Value &WeightUpdate::accumulator(Graph &graph) {
  return namedState(graph, "Accum___" + name, accumulatorType(), 0,
                    weight.variable->info.shape);
}

Value &WeightUpdate::ofAllReplicas(Value &x) {
  const Accumulation &accumulation = context.accumulation;
  return accumulation.isMean && accumulation.isRunning ? meanOfReplicas(x)
                                                       : sumOfReplicas(x);
}

Value &WeightUpdate::sumOfReplicas(Value &x) {
  return isSharded ? scattered(x, gcl::CollectiveOperator::ADD)
                   : allReduce(b, x, context.accumulation.replicas, false);
}

Value &WeightUpdate::meanOfReplicas(Value &x) {
  return isSharded ? scattered(x, gcl::CollectiveOperator::MEAN)
                   : allReduce(b, x, context.accumulation.replicas, true);
}

Value &WeightUpdate::scattered(Value &x, gcl::CollectiveOperator how) {
  return b.op(
      "ReplicatedReduceScatter", {&x},
      {{annotations::CollectiveOperator, numberOf(how)},
       {annotations::GroupSize, std::int64_t(context.accumulation.replicas)}},
      "ai.graphcore");
}

Value &WeightUpdate::gathered(Value &shard) {
  Value &all = b.op(
      "ReplicatedAllGather", {&shard},
      {{annotations::GroupSize, std::int64_t(context.accumulation.replicas)}},
      "ai.graphcore");
  const TensorInfo &info = weight.variable->info;
  return b.reshape(b.slice(all, 0, 0, info.numElements()), info.shape);
}

Value &WeightUpdate::gradient() {
  if (!context.accumulates())
    return asFloat(ofAllReplicas(*weight.gradient));
  Graph &micro = context.gradients;
  GraphBuilder adder(micro, "Accumulate_" + name, weight.home);
  context.states["Accum___" + name].kind = StateKind::Accumulator;
  Value &sum = accumulator(micro);
  addVarUpdate(micro, sum,
               context.accumulation.isRunning ? movedMean(sum, adder)
                                              : added(sum, adder),
               weight.home);
  return asFloat(ofAllReplicas(accumulator(context.update)));
}

Value &WeightUpdate::movedMean(Value &mean, GraphBuilder &adder) {
  const UpdateContext::Shares &shares = context.runningMean();
  Value &kept = adder.mul(adder.cast(mean, DataType::Float), *shares.old);
  Value &more =
      adder.mul(adder.cast(*weight.gradient, DataType::Float), *shares.added);
  return adder.cast(adder.add(kept, more), mean.info.type);
}

void WeightUpdate::clearGradient() {
  if (!context.accumulates())
    return;
  Value &sum = accumulator(context.update);
  write(sum, b.expand(b.scalar(sum.info.type, 0), sum.info.shape));
}

} // namespace populus::popir
