// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Updates are computed in float32, whatever the types of weights and states.
// The update of a weight has two halves, between which norms are clipped:
// prepare() returns the gradient, and finish() writes the weight with it, after
// weight decay and momentum. Gradients are still scaled with the loss, so
// unscaled() takes the scale from their norm. A velocity that accumulates the
// gradients of micro-batches is clipped in place of their sum.

#include "lib/PopART/Training/Updates.h"

#include "lib/PopART/IR/Annotations.h"
#include "lib/PopART/IR/OpBuilder.h"
#include "lib/PopART/IR/VarUpdate.h"
#include "lib/PopART/Support/Error.h"

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

static std::int64_t numberOf(gcl::CollectiveOperator how) {
  return static_cast<std::int64_t>(how);
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

/// State shared by the updates of all weights. Shared scalars are created on
/// first use.
class Context {
public:
  Context(Graph &gradients, Graph &update, const Optimizer &optimizer,
          const Accumulation &accumulation, bool hasScaleFactor,
          std::optional<std::int64_t> shardedFrom)
      : gradients(gradients), update(update), optimizer(optimizer),
        accumulation(accumulation), hasScaleFactor(hasScaleFactor),
        shardedFrom(shardedFrom) {}

  bool accumulates() const { return &gradients != &update; }

  /// True if each replica updates its shard of a weight. Norms are of whole
  /// tensors; a velocity that takes gradients does so before they are reduced,
  /// and begins with different values in different shards.
  bool isSharded(const TrainedWeight &weight) const {
    const bool takesNorms = optimizer.isLamb() || !optimizer.clipGroups.empty();
    return shardedFrom && accumulation.replicas != 1 && !takesNorms &&
           !optimizer.addsToVelocity(weight.variable->name) &&
           weight.variable->info.numElements() >= *shardedFrom;
  }

  /// The factor by which automatic loss scaling changes a scalar; null if the
  /// scalar does not depend on it.
  Value *changeOf(const Scalar &scalar, Graph &graph) {
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

  /// The loss scaling divided by that of the previous update, for state that is
  /// scaled with the loss; null if the scaling is constant.
  Value *growthOfScaling() {
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

  /// Weights of the running mean: n/(n+1) for the mean of n gradients so far,
  /// 1/(n+1) for the next gradient.
  struct Shares {
    Value *old = nullptr, *added = nullptr;
  };
  const Shares &runningMean() {
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
  WeightUpdate(Context &context, const TrainedWeight &weight)
      : context(context), optimizer(context.optimizer), weight(weight),
        name(weight.variable->name),
        b(context.update, "Update_" + name, weight.home),
        whole(context.update.useVariable(*weight.variable)),
        isSharded(context.isSharded(weight)),
        w(isSharded ? scattered(whole, gcl::CollectiveOperator::LOCAL) : whole),
        scalars(scalarsOf(optimizer, name, context.accumulation)) {}
  virtual ~WeightUpdate() = default;

  /// The tensor to clip: the gradient, perhaps scaled.
  virtual Value &prepare() = 0;
  /// The gradient of the loss itself, given the tensor of prepare().
  virtual Value &unscaled(Value &prepared) {
    return scaled(prepared, "gradientScaling");
  }
  /// Writes weight and state, given the tensor of prepare(), perhaps clipped.
  virtual void finish(Value &prepared) = 0;

protected:
  // ---- Numbers --------------------------------------------------------------

  const Scalar &scalarOf(const char *which) const {
    return *std::ranges::find(scalars, which, &Scalar::name);
  }
  Value &scalar(const char *which) { return scalar(which, b); }
  Value &scalar(const char *which, GraphBuilder &at) {
    const Scalar &found = scalarOf(which);
    if (found.isConst)
      return at.scalar(DataType::Float, found.value);
    Value &given =
        useScalarVariable(at.graph(), found.variableName(name), found.value);
    Value *change = context.changeOf(found, at.graph());
    return change ? at.mul(given, *change) : given;
  }
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
                    double initial, std::optional<Shape> shape = std::nullopt) {
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
  Value &state(const char *prefix, DataType type, double initial = 0) {
    return state(context.update, prefix, type, initial);
  }
  static std::shared_ptr<const HostTensor> filled(const TensorInfo &info,
                                                  double value) {
    if (value == 0)
      return nullptr;
    std::vector<float> elements(static_cast<std::size_t>(info.numElements()),
                                static_cast<float>(value));
    return std::make_shared<const HostTensor>(
        HostTensor::ofFloats(info.shape, std::move(elements))
            .convertedTo(info.type));
  }

  void write(Value &variable, Value &value) {
    addVarUpdate(b.graph(), variable, b.cast(value, variable.info.type),
                 weight.home);
  }
  void writeWeight(Value &value) {
    write(whole, isSharded ? gathered(b.cast(value, w.info.type)) : value);
  }

  /// The sum of the gradients of micro-batches, whole in every replica.
  Value &accumulator(Graph &graph) {
    return namedState(graph, "Accum___" + name, accumulatorType(), 0,
                      weight.variable->info.shape);
  }

  // ---- Gradients ------------------------------------------------------------

  DataType accumulatorType() const {
    return optimizer.accumType.value_or(weight.variable->info.type);
  }

  /// The sum over replicas or, for running means, their mean.
  Value &ofAllReplicas(Value &x) {
    const Accumulation &accumulation = context.accumulation;
    return accumulation.isMean && accumulation.isRunning ? meanOfReplicas(x)
                                                         : sumOfReplicas(x);
  }
  Value &sumOfReplicas(Value &x) {
    return isSharded ? scattered(x, gcl::CollectiveOperator::ADD)
                     : allReduce(b, x, context.accumulation.replicas, false);
  }
  Value &meanOfReplicas(Value &x) {
    return isSharded ? scattered(x, gcl::CollectiveOperator::MEAN)
                     : allReduce(b, x, context.accumulation.replicas, true);
  }

  /// The replica's shard of the reduced value.
  Value &scattered(Value &x, gcl::CollectiveOperator how) {
    return b.op(
        "ReplicatedReduceScatter", {&x},
        {{annotations::CollectiveOperator, numberOf(how)},
         {annotations::GroupSize, std::int64_t(context.accumulation.replicas)}},
        "ai.graphcore");
  }
  /// The whole weight, of the shards of all replicas.
  Value &gathered(Value &shard) {
    Value &all = b.op(
        "ReplicatedAllGather", {&shard},
        {{annotations::GroupSize, std::int64_t(context.accumulation.replicas)}},
        "ai.graphcore");
    const TensorInfo &info = weight.variable->info;
    return b.reshape(b.slice(all, 0, 0, info.numElements()), info.shape);
  }

  /// The gradient with the decay of the weight, where it belongs there.
  Value &withDecay(Value &g) {
    if (!optimizer.decayInGradient || isAlways("weightDecay", 0))
      return g;
    return b.add(g, b.mul(asFloat(w), scalar("weightDecay")));
  }

  /// The gradient, accumulated over micro-batches and replicas, in float32.
  Value &gradient() {
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
  Value &added(Value &sum, GraphBuilder &adder) {
    return adder.add(sum, adder.cast(*weight.gradient, sum.info.type));
  }
  Value &movedMean(Value &mean, GraphBuilder &adder) {
    const Context::Shares &shares = context.runningMean();
    Value &kept = adder.mul(adder.cast(mean, DataType::Float), *shares.old);
    Value &more =
        adder.mul(adder.cast(*weight.gradient, DataType::Float), *shares.added);
    return adder.cast(adder.add(kept, more), mean.info.type);
  }
  /// Resets the accumulator.
  void clearGradient() {
    if (!context.accumulates())
      return;
    Value &sum = accumulator(context.update);
    write(sum, b.expand(b.scalar(sum.info.type, 0), sum.info.shape));
  }

  Context &context;
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

  Value &prepare() override { return gradient(); }
  void finish(Value &g) override {
    Value &v = state("Accl1___", optimizer.accl1Type.value_or(w.info.type));
    Value &velocity = moved(v, g);
    Value *step = &velocity;
    if (optimizer.get(name, "nesterov").value != 0) {
      Value *look = &scaled(g, "nesterovGradScaleFactor1");
      if (!isAlways("sgdWeightDecay", 0))
        look = &b.add(*look, b.mul(asFloat(w), scalar("sgdWeightDecay")));
      step = &b.add(*look, b.mul(velocity, scalar("scaledMomentum1")));
    }
    write(v, velocity);
    writeWeight(b.sub(asFloat(w), b.mul(*step, scalar("scaledLearningRate1"))));
    clearGradient();
  }

private:
  Value &moved(Value &v, Value &g) {
    Value *sum = &b.mul(asFloat(v), scalar("scaledMomentum1"));
    if (!isAlways("scaledWeightDecay1", 0))
      sum = &b.add(*sum, b.mul(asFloat(w), scalar("scaledWeightDecay1")));
    return b.add(*sum, scaled(g, "dampeningScaleFactor1"));
  }
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
    if (!context.accumulates())
      return asFloat(sumOfReplicas(*weight.gradient));
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
  Value &unscaled(Value &prepared) override {
    return context.accumulates() ? prepared : WeightUpdate::unscaled(prepared);
  }
  void finish(Value &prepared) override {
    if (!context.accumulates())
      raw = &prepared;
    Value &velocity =
        context.accumulates()
            ? prepared
            : b.add(asFloat(*v), scaled(prepared, "dampeningScaleFactor1"));
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

/// Adam, its variants, and LAMB.
class AdamUpdate final : public WeightUpdate {
public:
  using WeightUpdate::WeightUpdate;

  Value &prepare() override {
    return scaled(gradient(), "adamGradientScaling");
  }

  void finish(Value &g) override {
    Value &s = withDecay(g);
    Value &m = state("Accl1___", optimizer.accl1Type.value_or(DataType::Float));
    Value &v = state("Accl2___", optimizer.accl2Type.value_or(DataType::Float));
    Value &beta1 = scalar("adamBeta1"), &beta2 = scalar("adamBeta2");
    const bool isMax = optimizer.kind == Optimizer::AdaMax;
    Value &mean = moving(rescaled(m, 1), beta1, s);
    Value &oldSize = rescaled(v, isMax ? 1 : 2);
    Value &size =
        isMax ? b.op("Max", {&b.mul(oldSize, beta2), &b.op("Abs", {&s})})
              : moving(oldSize, beta2, b.square(s));
    Value *x = &quotient(mean, size, beta1, beta2);
    if (!optimizer.decayInGradient && !isAlways("weightDecay", 0))
      x = &b.add(*x, b.mul(asFloat(w), scalar("weightDecay")));
    Value *rate = &scalar("learningRate");
    if (optimizer.isLamb() && !isAlways("maxWeightNorm", 0))
      rate = &b.mul(*rate, trust(*x));
    write(m, mean);
    write(v, size);
    writeWeight(b.sub(asFloat(w), b.mul(*x, *rate)));
    clearGradient();
  }

private:
  /// Rescales a moment to the current loss scaling; the moment is proportional
  /// to this power of the scaling.
  Value &rescaled(Value &moment, int power) {
    Value &x = asFloat(moment);
    Value *growth =
        optimizer.hasScaledState ? context.growthOfScaling() : nullptr;
    if (!growth)
      return x;
    return b.mul(x, power == 2 ? b.square(*growth) : *growth);
  }

  /// f a + (1 - f) x
  Value &moving(Value &a, Value &factor, Value &x) {
    return b.add(b.mul(a, factor), b.mul(x, b.from(1, factor)));
  }

  Value &quotient(Value &mean, Value &size, Value &beta1, Value &beta2) {
    Value &eps = scalar("adamEps");
    if (optimizer.kind == Optimizer::AdamNoBias ||
        optimizer.kind == Optimizer::LambNoBias)
      return b.div(mean, b.add(b.sqrt(size), eps));
    Value &t = state(context.update, "Step___", DataType::Float, 0, Shape());
    Value &now = b.add(t, 1);
    write(t, now);
    auto bias = [&](Value &beta) -> Value & {
      return b.from(1, b.op("Pow", {&beta, &now}));
    };
    Value &corrected = b.div(mean, bias(beta1));
    if (optimizer.kind == Optimizer::AdaMax)
      return b.div(corrected, b.add(size, eps));
    return b.div(corrected, b.add(b.sqrt(b.div(size, bias(beta2))), eps));
  }

  /// min(|w|, largest) / |x|, or 1 if either norm is 0.
  Value &trust(Value &x) {
    Value &weightNorm = norm(asFloat(w)), &stepNorm = norm(x);
    Value &most = scalar("maxWeightNorm"), &zero = b.scalar(DataType::Float, 0);
    Value &ratio = b.div(b.op("Min", {&weightNorm, &most}), stepNorm);
    Value &isNone =
        b.op("Equal", {&b.mul(b.mul(weightNorm, stepNorm), most), &zero});
    return b.select(isNone, b.scalar(DataType::Float, 1), ratio);
  }
  Value &norm(Value &x) { return b.sqrt(b.reduceAll("ReduceSumSquare", x)); }
};

/// AdaGrad, RMSProp, AdaDelta.
class AdaptiveUpdate final : public WeightUpdate {
public:
  using WeightUpdate::WeightUpdate;

  Value &prepare() override {
    return scaled(gradient(), "adaptiveGradientScaling");
  }

  void finish(Value &g) override {
    Value *x = &step(withDecay(g));
    const bool hasMomentum = optimizer.hasMomentum(name);
    const bool hasRateInside = optimizer.isTensorFlowVariant && hasMomentum;
    if (hasMomentum) {
      Value &kept =
          state("Accl3___", optimizer.accl3Type.value_or(w.info.type));
      Value &added = hasRateInside ? b.mul(*x, scalar("learningRate")) : *x;
      x = &b.add(b.mul(asFloat(kept), scalar("adaptiveMomentum")), added);
      write(kept, *x);
    }
    Value &moved = hasRateInside ? *x : b.mul(*x, scalar("learningRate"));
    writeWeight(b.sub(decayed(hasRateInside), moved));
    clearGradient();
  }

private:
  Value &decayed(bool hasRateInside) {
    if (optimizer.decayInGradient || isAlways("weightDecay", 0))
      return asFloat(w);
    Value &decay = hasRateInside
                       ? scalar("weightDecay")
                       : b.mul(scalar("weightDecay"), scalar("learningRate"));
    return b.mul(asFloat(w), b.from(1, decay));
  }

  Value &moving(Value &a, Value &x) {
    Value &alpha = scalar("adaptiveAlpha");
    return b.add(b.mul(a, alpha), b.mul(x, b.from(1, alpha)));
  }

  Value &step(Value &s) {
    const bool isTensorFlow = optimizer.isTensorFlowVariant;
    Value &v1 = state("Accl1___", optimizer.accl1Type.value_or(DataType::Float),
                      isTensorFlow ? 1 : 0);
    Value &square = b.square(s), &eps = scalar("adaptiveEps");
    Value &size = optimizer.kind == Optimizer::AdaGrad
                      ? b.add(asFloat(v1), square)
                      : moving(asFloat(v1), square);
    write(v1, size);
    if (optimizer.kind == Optimizer::AdaDelta) {
      Value &v2 =
          state("Accl2___", optimizer.accl2Type.value_or(DataType::Float));
      Value &old = asFloat(v2);
      Value &x =
          b.mul(s, b.div(b.sqrt(b.add(old, eps)), b.sqrt(b.add(size, eps))));
      write(v2, moving(old, b.square(x)));
      return x;
    }
    Value *variance = &size;
    if (optimizer.kind == Optimizer::CenteredRmsProp) {
      Value &v2 =
          state("Accl2___", optimizer.accl2Type.value_or(DataType::Float));
      Value &mean = moving(asFloat(v2), s);
      write(v2, mean);
      variance = &b.sub(size, b.square(mean));
    }
    return isTensorFlow ? b.div(s, b.sqrt(b.add(*variance, eps)))
                        : b.div(s, b.add(b.sqrt(*variance), eps));
  }
};

std::unique_ptr<WeightUpdate> makeUpdate(Context &context,
                                         const TrainedWeight &weight) {
  const Optimizer &optimizer = context.optimizer;
  if (optimizer.isAdamFamily())
    return std::make_unique<AdamUpdate>(context, weight);
  if (optimizer.isAdaptiveFamily())
    return std::make_unique<AdaptiveUpdate>(context, weight);
  if (!optimizer.hasMomentum(weight.variable->name))
    return std::make_unique<PlainSgd>(context, weight);
  if (optimizer.addsToVelocity(weight.variable->name))
    return std::make_unique<CombinedSgd>(context, weight);
  return std::make_unique<SeparateSgd>(context, weight);
}

/// Clips tensors to a joint norm of at most maxNorm: scales each of them by
/// maxNorm / max(norm, maxNorm).
void clip(Graph &graph, const ClipGroup &group, std::size_t number,
          const std::vector<std::pair<WeightUpdate *, Value **>> &values) {
  if (values.empty())
    return;
  GraphBuilder b(graph, "ClipNorm");
  std::vector<Value *> squares;
  for (const auto &[update, value] : values)
    squares.push_back(
        &b.reduceAll("ReduceSumSquare", update->unscaled(**value)));
  Value &norm = b.sqrt(b.op("Sum", squares));
  graph.rename(norm,
               graph.uniqueName("GlobalNorm___" + std::to_string(number)));
  Value &most = b.scalar(DataType::Float, group.maxNorm);
  Value &factor = b.div(most, b.op("Max", {&norm, &most}));
  for (const auto &[_, value] : values)
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
  Context context(gradients, update, optimizer, accumulation, hasScaleFactor,
                  shardedFrom);
  std::vector<std::unique_ptr<WeightUpdate>> updates;
  std::vector<Value *> prepared;
  for (const TrainedWeight &weight : weights) {
    updates.push_back(makeUpdate(context, weight));
    prepared.push_back(&updates.back()->prepare());
  }
  for (std::size_t k = 0; k != optimizer.clipGroups.size(); ++k) {
    const ClipGroup &group = optimizer.clipGroups[k];
    std::vector<std::pair<WeightUpdate *, Value **>> values;
    for (std::size_t i = 0; i != weights.size(); ++i)
      if (isIn(group, weights[i]))
        values.emplace_back(updates[i].get(), &prepared[i]);
    clip(update, group, k, values);
  }
  for (std::size_t i = 0; i != weights.size(); ++i)
    updates[i]->finish(*prepared[i]);
  return std::move(context.states);
}

} // namespace populus::popir
