// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SGD. Its velocity either takes the whole gradient at the update, or the
// gradients of micro-batches one by one.

#include "lib/PopART/IR/VarUpdate.h"
#include "lib/PopART/Training/WeightUpdate.h"

namespace populus::popir {

namespace {

/// w <- w f - lr g; weight decay is in f.
class PlainSgd final : public WeightUpdate {
public:
  using WeightUpdate::WeightUpdate;

  Value &prepare() override { return gradient(); }
  void finish(Value &g) override {
    Value &kept = scaled(asFloat(w), "weightDecayScaleFactor0");
    writeWeight(b.sub(kept, b.mul(g, scalar("scaledLearningRate0"))));
    clearGradient();
  }
};

/// SGD with momentum and a separate velocity:
/// v <- mm v + wd w + g;  w <- w - lr v.
class SeparateSgd final : public WeightUpdate {
public:
  using WeightUpdate::WeightUpdate;

  Value &prepare() override {
    raw = &gradient();
    v = &state("Accl1___", optimizer.accl1Type.value_or(w.info.type));
    Value *sum = &b.mul(asFloat(*v), scalar("scaledMomentum1"));
    if (!isAlways("scaledWeightDecay1", 0))
      sum = &b.add(*sum, b.mul(asFloat(w), scalar("scaledWeightDecay1")));
    return b.add(*sum, scaled(*raw, "dampeningScaleFactor1"));
  }
  void finish(Value &velocity) override {
    Value *step = &velocity;
    if (optimizer.get(name, "nesterov").value != 0) {
      Value *look = &scaled(*raw, "nesterovGradScaleFactor1");
      if (!isAlways("sgdWeightDecay", 0))
        look = &b.add(*look, b.mul(asFloat(w), scalar("sgdWeightDecay")));
      step = &b.add(*look, b.mul(velocity, scalar("scaledMomentum1")));
    }
    write(*v, velocity);
    writeWeight(b.sub(asFloat(w), b.mul(*step, scalar("scaledLearningRate1"))));
    clearGradient();
  }

private:
  Value *v = nullptr, *raw = nullptr;
};

/// SGD with momentum that accumulates gradients in the velocity. Between
/// updates the velocity is mm v + wd w already, with the momentum of the last
/// update. Nesterov's look-ahead needs the sum of the gradients by itself, too.
/// Velocities of replicas are summed before the update, so each begins with its
/// part of mm v + wd w.
class CombinedSgd final : public WeightUpdate {
public:
  using WeightUpdate::WeightUpdate;

  Value &prepare() override {
    const double decay = scalarOf("scaledWeightDecay1").value;
    seed(decay);
    v = &velocity(context.update);
    if (!context.accumulates()) {
      raw = &asFloat(sumOfReplicas(*weight.gradient));
      return b.add(asFloat(*v), scaled(*raw, "dampeningScaleFactor1"));
    }
    Graph &micro = context.gradients;
    GraphBuilder adder(micro, "Accumulate_" + name, weight.home);
    Value &sum = velocity(micro);
    Value &more = scaled(adder.cast(*weight.gradient, DataType::Float),
                         "dampeningScaleFactor1", adder);
    addVarUpdate(micro, sum,
                 adder.cast(adder.add(adder.cast(sum, DataType::Float), more),
                            sum.info.type),
                 weight.home);
    if (isNesterov())
      addUpGradient(adder);
    return asFloat(sumOfReplicas(*v));
  }
  void finish(Value &velocity) override {
    Value &step = isNesterov() ? lookAhead(velocity) : velocity;
    Value &moved =
        b.sub(asFloat(w), b.mul(step, scalar("scaledLearningRate1")));
    writeWeight(moved);
    Value *next = &b.mul(velocity, scalar("scaledMomentum1"));
    if (!isAlways("scaledWeightDecay1", 0))
      next = &b.add(*next, b.mul(moved, scalar("scaledWeightDecay1")));
    if (replicasOfState() != 1)
      next = &b.mul(*next, 1.0 / replicasOfState());
    write(*v, *next);
    if (rawSum)
      write(*rawSum,
            b.expand(b.scalar(rawSum->info.type, 0), rawSum->info.shape));
  }

private:
  DataType type() const {
    return optimizer.accl1Type.value_or(weight.variable->info.type);
  }
  Value &velocity(Graph &graph) { return state(graph, "Accl___", type(), 0); }

  /// Replicas that share out what the velocity begins with.
  unsigned replicasOfState() const {
    return context.accumulates() ? context.accumulation.replicas : 1;
  }
  bool isNesterov() const { return optimizer.get(name, "nesterov").value != 0; }
  /// vs (g + wd w) + mm v; here v contains g already.
  Value &lookAhead(Value &velocity) {
    Value *look = &scaled(*raw, "nesterovGradScaleFactor1");
    if (!isAlways("sgdWeightDecay", 0))
      look = &b.add(*look, b.mul(asFloat(w), scalar("sgdWeightDecay")));
    return b.add(*look, b.mul(velocity, scalar("scaledMomentum1")));
  }
  /// Accumulates the gradients of the micro-batches separately.
  void addUpGradient(GraphBuilder &adder) {
    const std::string sumName = "Accl___" + name + "_nesterovGrad";
    context.states[sumName].kind = StateKind::Accumulator;
    Value &sum = namedState(context.gradients, sumName, type(), 0);
    addVarUpdate(context.gradients, sum,
                 adder.add(sum, adder.cast(*weight.gradient, sum.info.type)),
                 weight.home);
    Value &all = namedState(context.update, sumName, type(), 0);
    raw = &asFloat(sumOfReplicas(all));
    rawSum = &all;
  }

  /// The first step decays as well: the velocity begins with wd w.
  void seed(double decay) {
    Module &module = context.update.module();
    const std::string stateName = "Accl___" + name;
    if (decay == 0 || !weight.variable->initial ||
        module.findVariable(stateName))
      return;
    std::vector<double> elements = weight.variable->initial->toDoubles();
    std::vector<float> first;
    for (double element : elements)
      first.push_back(static_cast<float>(element * decay / replicasOfState()));
    const Shape &shape = weight.variable->info.shape;
    module
        .addVariable(stateName, {type(), shape},
                     std::make_shared<const HostTensor>(
                         HostTensor::ofFloats(shape, std::move(first))
                             .convertedTo(type())))
        .layout = weight.variable;
  }

  Value *v = nullptr, *raw = nullptr, *rawSum = nullptr;
};

} // namespace

std::unique_ptr<WeightUpdate> makeSgdUpdate(UpdateContext &context,
                                            const TrainedWeight &weight) {
  const Optimizer &optimizer = context.optimizer;
  if (!optimizer.hasMomentum(weight.variable->name))
    return std::make_unique<PlainSgd>(context, weight);
  if (optimizer.addsToVelocity(weight.variable->name))
    return std::make_unique<CombinedSgd>(context, weight);
  return std::make_unique<SeparateSgd>(context, weight);
}

} // namespace populus::popir
