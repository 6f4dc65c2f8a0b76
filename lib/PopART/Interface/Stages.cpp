// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assigns pipeline stages. An operator without a stage gets the stage of its
// IPU. Consecutive stages on one IPU are merged, and stages are renumbered
// without gaps. The backward pass has its own stages (Training.cpp), so a model
// of n stages trains in 2n - 1.

#include "lib/PopART/Interface/Stages.h"

#include "lib/PopART/IR/Op.h"
#include "lib/PopART/Passes/Stages.h"
#include "lib/PopART/Support/Error.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

namespace popart::session {

using namespace populus::popir;

namespace {

constexpr std::array<std::string_view, 2> StashPrefixes = {"Stashed___",
                                                           "Restored___"};

/// The value that an anchor is a stashed copy of; empty if it is none.
std::string stashedBy(const Setup &setup, const std::string &anchor) {
  if (setup.pipelining != Pipelining::Off)
    for (const std::string_view prefix : StashPrefixes)
      if (anchor.starts_with(prefix))
        return anchor.substr(prefix.size());
  return {};
}

void checkSetup(const Setup &setup) {
  const bool isImplicit = setup.pipelining == Pipelining::Implicit;
  if (isImplicit && (setup.request.ipusPerReplica() < 2 ||
                     setup.virtualGraphs == VirtualGraphs::Off))
    failInput("Pipelining requires more than 1 IPU, and virtual graphs; the "
              "device has {}, and the session option virtualGraphMode is {}",
              setup.request.ipusPerReplica(),
              setup.virtualGraphs == VirtualGraphs::Off ? "Off" : "on");
  const bool hasPeriod = std::ranges::any_of(
      setup.request.program.anchorReturns, [](const auto &anchor) {
        return anchor.second.kind == AnchorReturn::EveryN;
      });
  if (hasPeriod && isImplicit)
    failInput("AnchorReturnType::EVERYN is not valid for pipelined models");
  if (hasPeriod)
    failInput("[Explicit Pipeline] Cannot execute when an anchor has "
              "AnchorReturnType 'EveryN'");
  if (setup.automaticLossScaling && !setup.accumulates)
    failInput("Automatic loss scaling is not currently supported when the "
              "'enablePipelining' SessionOption is set to 'true', but the "
              "'enableGradientAccumulation' SessionOption is set to 'false'");
}

class StagePlacement {
public:
  StagePlacement(Graph &graph, const Setup &setup)
      : graph(graph), setup(setup) {}

  void run() {
    fill();
    checkOrder();
    number();
    checkDepth();
    if (setup.recomputesStages)
      keepWhatStagesRead();
  }

private:
  static std::int64_t &stageOf(Op &op) { return *op.placement().stage; }
  static std::int64_t stageOf(const Op &op) { return *op.placement().stage; }

  /// Assigns missing stages: the latest stage of the operands; without any
  /// annotation, the IPU.
  void fill() {
    const bool isAnnotated = std::ranges::any_of(graph.ops(), [](const Op *op) {
      return op->placement().stage.has_value();
    });
    for (Op *op : graph.ops()) {
      Placement &placement = op->placement();
      if (!isAnnotated)
        placement.stage = placement.ipu.value_or(0);
      if (placement.stage)
        continue;
      placement.stage = 0;
      for (const Value *input : op->inputs())
        if (input && input->producer())
          placement.stage =
              std::max(*placement.stage, stageOf(*input->producer()));
    }
  }

  void checkOrder() const {
    for (const Op *op : graph.ops())
      for (const Value *input : op->inputs())
        if (input && input->producer() &&
            stageOf(*input->producer()) > stageOf(*op))
          failInput(
              "Tensor {} is consumed in an earlier pipeline stage than it "
              "is produced: in stage {}, by {}, and produced in {}",
              input->name, stageOf(*op), op->describe(),
              stageOf(*input->producer()));
  }

  void number() {
    std::map<std::int64_t, const Op *> firstOf;
    for (const Op *op : graph.ops()) {
      const Op *first = firstOf.emplace(stageOf(*op), op).first->second;
      if (first->placement().ipu != op->placement().ipu)
        failInput("Ops {} and {} have the same pipeline stage {}, but are on "
                  "different virtual graphs: {} and {}",
                  first->describe(), op->describe(), stageOf(*op),
                  first->placement().ipu.value_or(0),
                  op->placement().ipu.value_or(0));
    }
    std::map<std::int64_t, std::int64_t> numbers;
    const Op *before = nullptr;
    for (const auto &[stage, first] : firstOf) {
      if (!before || before->placement().ipu != first->placement().ipu)
        ++numStages;
      numbers[stage] = numStages - 1;
      before = first;
    }
    for (Op *op : graph.ops())
      stageOf(*op) = numbers.at(stageOf(*op));
  }

  /// Checks that there are enough batches, or micro-batches, to fill the
  /// pipeline.
  void checkDepth() const {
    const bool isTraining = !setup.loss.empty();
    const std::int64_t stages = isTraining ? 2 * numStages - 1 : numStages;
    const bool accumulates = isTraining && setup.accumulates;
    const std::int64_t depth = accumulates
                                   ? setup.accumulation.factor
                                   : setup.request.program.batchesPerStep;
    if (depth < stages)
      failInput("For pipelining, depth ({}) must be at least the number of "
                "pipeline stages, which is {}; it is {}",
                accumulates ? "gradient accumulation factor" : "batchesPerStep",
                stages, depth);
  }

  /// Recomputes all values of a stage except those that other stages read. The
  /// last stage is the first one of the backward pass.
  void keepWhatStagesRead() {
    for (Op *op : graph.ops()) {
      std::optional<bool> &again = op->placement().recompute;
      if (!again && stageOf(*op) + 1 != numStages)
        again = std::ranges::none_of(op->outputs(), [&](const Value *output) {
          return output && isReadElsewhere(*output, stageOf(*op));
        });
    }
  }

  static bool isReadElsewhere(const Value &value, std::int64_t stage) {
    return std::ranges::any_of(
        value.users(), [&](const Op *user) { return stageOf(*user) != stage; });
  }

  Graph &graph;
  const Setup &setup;
  std::int64_t numStages = 0;
};

/// True if a later stage on the same IPU reads a value.
bool isStashed(const Value &value) {
  const std::vector<Op *> users = value.users();
  if (users.empty())
    return false;
  const Op &home = value.producer() ? *value.producer() : *users.front();
  return std::ranges::any_of(users, [&](const Op *user) {
    const Placement &there = user->placement(), &here = home.placement();
    return there.stage && here.stage && there.ipu == here.ipu &&
           *there.stage != *here.stage;
  });
}

} // namespace

std::vector<std::string> modelAnchors(const Setup &setup) {
  std::vector<std::string> names;
  for (const std::string &anchor : setup.anchors)
    if (stashedBy(setup, anchor).empty())
      names.push_back(anchor);
  return names;
}

void placeStages(Module &module, const Setup &setup) {
  checkSetup(setup);
  StagePlacement(module.main(), setup).run();
}

bool isOverlapped(Module &module, const Setup &setup) {
  if (setup.pipelining == Pipelining::Off)
    return false;
  fillStages(module.main());
  const std::string problem = whyNotOverlapped(module.main());
  if (!problem.empty())
    logWarning("enablePipelining: the stages run one after the other, because "
               "micro-batches depend on each other: " +
               problem);
  return problem.empty();
}

void returnStashes(Module &module, const Setup &setup) {
  Graph &main = module.main();
  for (const std::string &anchor : setup.anchors) {
    const std::string name = stashedBy(setup, anchor);
    if (name.empty())
      continue;
    Value *value = main.findValue(name);
    if (!value || !isStashed(*value))
      failInput("Anchor tensor `{}' not in Ir Tensors.", anchor);
    main.addResult(anchor, *value);
  }
}

} // namespace popart::session
