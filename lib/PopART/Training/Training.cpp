// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The assembly of a training step.

#include "lib/PopART/Training/Training.h"

#include "lib/PopART/IR/Aliases.h"
#include "lib/PopART/IR/Float16.h"
#include "lib/PopART/IR/OpBuilder.h"
#include "lib/PopART/IR/VarUpdate.h"
#include "lib/PopART/Ops/Normalization/BatchNormalization.h"
#include "lib/PopART/Passes/Passes.h"
#include "lib/PopART/Support/Error.h"
#include "lib/PopART/Training/Autodiff.h"
#include "lib/PopART/Training/GradientGraph.h"
#include "lib/PopART/Training/Updates.h"

#include <algorithm>
#include <limits>
#include <unordered_set>

namespace populus::popir {

namespace {

class Trainer {
public:
  Trainer(Module &module, const TrainingOptions &options)
      : module(module), main(module.main()), options(options) {}

  States run() {
    checkOptions();
    Value &loss = findLoss();
    expandForTraining(main);
    std::vector<Value *> targets = variables();
    addAnchored(targets);
    std::unordered_set<const Op *> forward(main.ops().begin(),
                                           main.ops().end());
    GradientGraphMaker graphs;
    const GradientMap gradients =
        differentiate(main, {{&loss, &seedOf(loss)}}, targets, graphs);
    recompute(main, forward, options.recomputation);
    const Op *last = main.ops().back();
    addStatistics();
    for (const Op *op = OpList::after(*last); op; op = OpList::after(*op))
      forward.insert(op); // statistics belong to the stages of their norms
    std::vector<TrainedWeight> weights;
    for (Value *target : targets)
      if (auto found = gradients.find(target);
          found != gradients.end() && target->variable())
        weights.push_back({target->variable(), found->second,
                           target->users().front()->placement()});
    Graph &update = graphOfUpdates();
    const auto &automatic = options.automaticLossScaling;
    const States states = addUpdates(
        main, update, weights, options.optimizer, options.accumulation,
        automatic.has_value(), options.shardedFrom);
    if (automatic)
      addAutomaticLossScaling(main, update, gradients, largest(loss.info.type),
                              *automatic, options.accumulation.replicas);
    mirrorStages(forward, update);
    returnAnchors();
    copyViewsOfWeights();
    return states;
  }

private:
  void checkOptions() const {
    const Optimizer &optimizer = options.optimizer;
    const bool isVaried = !optimizer.lossScaling.isConst;
    if (optimizer.hasScaledState && isVaried && !optimizer.clipGroups.empty())
      failUnsupported("an optimizer that clips gradients cannot keep its state "
                      "scaled (scaledOptimizerState) with a loss scaling that "
                      "is not constant");
    if (!options.automaticLossScaling)
      return;
    check(*options.automaticLossScaling);
    if (!isVaried)
      fail(ErrorKind::Usage, "[AutomaticLossScale transform] The optimizer "
                             "must have non-const loss scaling");
  }

  Value &findLoss() {
    Value *loss = main.findValue(options.loss);
    if (!loss || !loss->producer())
      fail(ErrorKind::Usage,
           "Could not find loss tensor '{}' in main graph tensors",
           options.loss);
    if (loss->info.numElements() != 1)
      fail(ErrorKind::Usage, "Loss tensor, '{}', must be a scalar tensor",
           options.loss);
    return *loss;
  }

  /// The variables that the model reads.
  std::vector<Value *> variables() {
    std::vector<Value *> values;
    for (Value &value : main.values())
      if (value.variable() && !value.uses().empty())
        values.push_back(&value);
    return values;
  }

  /// Adds inputs whose gradients are returned. Other values get gradients on
  /// the way.
  void addAnchored(std::vector<Value *> &targets) {
    const std::string prefix = GradientPrefix;
    for (const std::string &anchor : options.anchors)
      if (anchor.starts_with(prefix)) {
        Value *value = main.findValue(anchor.substr(prefix.size()));
        if (value && std::ranges::count(targets, value) == 0)
          targets.push_back(value);
      }
  }

  /// The initial gradient, dLoss/dLoss: the loss scaling.
  Value &seedOf(Value &loss) {
    GraphBuilder b(main, "lossScaling");
    const HyperValue &scaling = options.optimizer.lossScaling;
    if (scaling.isConst)
      return b.expand(b.scalar(loss.info.type, scaling.value), loss.info.shape);
    Value *number = &useScalarVariable(main, LossScaling, scaling.value);
    if (options.automaticLossScaling) {
      number = &b.mul(*number, useScalarVariable(main, LossScaleFactor, 1));
      main.rename(*number, main.uniqueName("finalLossScale"));
    }
    return b.expand(b.cast(*number, loss.info.type), loss.info.shape);
  }
  static double largest(DataType type) {
    return type == DataType::Float16 ? Float16::Largest
                                     : std::numeric_limits<float>::max();
  }

  /// Batch norms in training mode update their running statistics with the mean
  /// of those of all replicas.
  void addStatistics() {
    std::vector<std::pair<Value *, Value *>> writes;
    for (Op *op : main.ops())
      if (auto *norm = dynamic_cast<BatchNormalization *>(op);
          norm && norm->isTraining())
        for (std::size_t i : {1, 2})
          if (norm->hasOutput(i) && norm->input(i + 2).variable())
            writes.emplace_back(norm->inputs()[i + 2], norm->outputs()[i]);
    for (auto [variable, value] : writes) {
      const Placement home = value->producer()->placement();
      GraphBuilder b(main, "RunningStatistics_" + variable->name, home);
      addVarUpdate(main, *variable,
                   allReduce(b, *value, options.accumulation.replicas, true),
                   home);
    }
  }

  /// The graph of the updates: the main graph, unless gradients accumulate.
  Graph &graphOfUpdates() {
    if (!options.accumulates)
      return main;
    Graph &update = module.addGraph("update");
    module.programs = {{"step", &main}, {"update", &update}};
    return update;
  }

  /// The backward pass visits the pipeline stages in reverse order; it begins
  /// in the last forward stage. Updates after all micro-batches are in no
  /// stage.
  void mirrorStages(const std::unordered_set<const Op *> &forward,
                    Graph &update) {
    std::int64_t last = 0;
    for (const Op *op : main.ops())
      if (forward.contains(op))
        last = std::max(last, op->placement().stage.value_or(0));
    for (Op *op : main.ops())
      if (std::optional<std::int64_t> &stage = op->placement().stage;
          stage && !forward.contains(op))
        stage = 2 * last - *stage;
    if (&update != &main)
      for (Op *op : update.ops())
        op->placement().stage.reset();
  }

  void returnAnchors() {
    for (const std::string &anchor : options.anchors) {
      Value *value = main.findValue(anchor);
      if (!value)
        fail(ErrorKind::Usage, "Anchor tensor `{}' not in Ir Tensors.", anchor);
      main.addResult(anchor, *value);
    }
  }

  /// A result that may alias a weight is copied before the weight is updated.
  void copyViewsOfWeights() {
    const Aliases aliases(main);
    std::unordered_set<const Value *> weights;
    for (const Value &value : main.values())
      if (value.variable())
        weights.insert(aliases.groupOf(value));
    for (std::size_t i = 0; i != main.results().size(); ++i) {
      Value &value = *main.results()[i].value;
      const Op *producer = value.producer();
      if (!producer || !weights.contains(aliases.groupOf(value)))
        continue;
      GraphBuilder b(main, producer->name() + "/copy", producer->placement(),
                     OpList::after(*producer));
      main.setResult(i, b.op("TensorRemap", {&value}, {}, "ai.graphcore"));
    }
  }

  Module &module;
  Graph &main;
  const TrainingOptions &options;
};

} // namespace

void placeForTraining(Module &module, unsigned numIpus) {
  PassOptions options;
  options.numIpus = numIpus;
  assignIpus(module, options);
}

States addTraining(Module &module, const TrainingOptions &options) {
  return Trainer(module, options).run();
}

std::map<std::string, double>
optimizerVariables(const Module &module, const Optimizer &optimizer,
                   const Accumulation &accumulation) {
  std::map<std::string, double> values;
  for (const Variable &variable : module.variables())
    for (const Scalar &scalar :
         scalarsOf(optimizer, variable.name, accumulation))
      if (!scalar.isConst)
        values[scalar.variableName(variable.name)] = scalar.value;
  if (!optimizer.lossScaling.isConst)
    values[LossScaling] = optimizer.lossScaling.value;
  return values;
}

} // namespace populus::popir
