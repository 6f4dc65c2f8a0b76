// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See SessionModule.h.

#include "lib/PopART/Interface/SessionModule.h"

#include "lib/PopART/Custom/Rewrites.h"
#include "lib/PopART/Import/Importer.h"
#include "lib/PopART/Import/ModelFile.h"
#include "lib/PopART/Interface/Exchanges.h"
#include "lib/PopART/Interface/ModelBytes.h"
#include "lib/PopART/Interface/ModelRules.h"
#include "lib/PopART/Interface/ReplicaSettings.h"
#include "lib/PopART/Interface/Stages.h"
#include "lib/PopART/Lowering/OffChip.h"
#include "lib/PopART/Support/Error.h"
#include "lib/PopART/Support/Log.h"
#include "lib/PopART/Training/OffChipActivations.h"

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <utility>

namespace popart::session {

using namespace populus::popir;

static TrainingOptions trainingOf(const Setup &setup) {
  TrainingOptions training;
  training.loss = setup.loss;
  training.optimizer = setup.optimizer;
  training.accumulation = setup.accumulation;
  training.accumulates = setup.accumulates;
  training.shardedFrom = setup.shardedFrom;
  training.recomputation = setup.recomputation;
  training.automaticLossScaling = setup.automaticLossScaling;
  training.anchors = modelAnchors(setup);
  return training;
}

/// True if replicas have different weights, which then cannot be constants.
static bool hasGroups(const Setup &setup) {
  const onnx::ModelProto model = parseModel(setup.model, "the model");
  return !replicaSettings(model, setup.request.program.replicas)
              .variables.empty();
}

/// Gradients are those of all replicas.
static void refuseGroups(const Setup &setup) {
  const onnx::ModelProto model = parseModel(setup.model, "the model");
  for (const auto &[name, groups] :
       replicaSettings(model, setup.request.program.replicas).variables)
    if (groups.count != 1)
      failUnsupported("the weight '{}' has a value for each of {} groups of "
                      "replicas (VariableSettings), which is not supported in "
                      "training",
                      name, groups.count);
}

/// The model before anything is made of it.
static std::unique_ptr<Module> importForward(const Setup &setup) {
  ImportOptions options;
  options.shapes.inputShapes = setup.inputShapes;
  options.variableWeights = setup.writableWeights || !setup.loss.empty() ||
                            hasGroups(setup) || setup.offChip != OffChip();
  options.returnsResults = setup.loss.empty(); // or training adds them
  options.anchors = modelAnchors(setup);
  onnx::ModelProto proto = parseModel(setup.model, "the model");
  useReplicas(proto, setup.request.program.replicas);
  applyRules(proto, setup);
  std::unique_ptr<Module> module = importModel(std::move(proto), options);
  checkImported(*module);
  // The name that builders give; programs look for `maingraph` then.
  if (module->main().name == "BuilderGraph")
    module->main().name.clear();
  return module;
}

void SessionSource::importSetup() {
  imported = importForward(setup);
  std::unique_ptr<Module> &module = imported;
  std::set<std::string> anchors(setup.anchors.begin(), setup.anchors.end());
  anchors.insert(setup.loss);
  auto transformAt = [&](const char *checkpoint) {
    applyCustomTransforms(*module, setup.customTransforms, checkpoint, anchors);
  };
  check(setup.customTransforms);
  transformAt("Fwd0");
  applyCustomPatterns(*module, setup.customPatterns, anchors);
  transformAt("Fwd1");
  const bool isTraining = !setup.loss.empty();
  if (isTraining)
    refuseGroups(setup);
  const bool isPipelined = setup.pipelining != Pipelining::Off;
  const bool isSliced = setup.batchSlices.count > 1;
  if (isTraining || isPipelined || isSliced)
    placeForTraining(*module, setup.request.ipusPerReplica());
  if (isPipelined)
    placeStages(*module, setup);
  if (isTraining) {
    states = addTraining(*module, trainingOf(setup));
    transformAt("Bwd0");
    applyCustomPatterns(*module, setup.customPatterns, anchors);
  }
  returnStashes(*module, setup);
  for (const Value &value : module->main().values())
    infos[value.name] = infoOf(value.info);
  const std::size_t numSliced = serializeBatch(*module, setup.batchSlices);
  if (isSliced)
    logging::info(logging::Module::ir,
                  "{} operators work on slices of the batch", numSliced);
  transformAt("PreAlias");
}

namespace {

/// Names of variables that called graphs use.
std::set<std::string> usedByCallees(const Module &module) {
  std::set<std::string> names;
  for (const Graph *graph : calledGraphs(module))
    for (const Value &value : graph->values())
      if (value.variable())
        names.insert(value.variable()->name);
  return names;
}

Locations locationsOf(const OffChip &offChip, const Variable &variable,
                      const State *state) {
  if (const auto named = offChip.named.find(variable.name);
      named != offChip.named.end())
    return named->second;
  if (!state)
    return offChip.weights;
  switch (state->kind) {
  case StateKind::Optimizer:
    return offChip.optimizerState;
  case StateKind::Accumulator:
    return offChip.accumulators;
  default:
    return {};
  }
}

void place(Variable &variable, const Locations &locations, const State *state) {
  const std::int64_t elements = state && state->whole
                                    ? numElements(*state->whole)
                                    : variable.info.numElements();
  if (elements == 0)
    return;
  if (locations.offChipFrom && elements >= *locations.offChipFrom)
    variable.remoteRows = 1;
  variable.viaIoTiles = locations.viaIoTiles;
}

} // namespace

/// Lets variables lie in the host's memory or on the I/O tiles, as the setup
/// requests. Anchors stay where they are used, and so do variables that a
/// called graph uses.
static void placeOffChip(Module &module, const Setup &setup,
                         const States &states) {
  if (setup.offChip == OffChip())
    return;
  std::set<std::string> onChip = usedByCallees(module);
  onChip.insert(setup.anchors.begin(), setup.anchors.end());
  const std::map<std::string, std::int64_t> weights = weightsOf(setup.model);
  for (const Variable &variable : module.variables()) {
    const auto state = states.find(variable.name);
    const bool isState = state != states.end();
    if ((isState || weights.contains(variable.name)) &&
        !onChip.contains(variable.name)) {
      const State *known = isState ? &state->second : nullptr;
      place(*module.findVariable(variable.name),
            locationsOf(setup.offChip, variable, known), known);
    }
  }
}

/// Lets activations lie in the host's memory while nothing reads them.
static void placeActivations(Module &module, const Setup &setup,
                             bool isPipelined) {
  const Locations &all = setup.offChip.activations;
  const auto placeOf = [&](const Value &value) {
    const auto named = setup.offChip.named.find(value.name);
    const bool isNamed = named != setup.offChip.named.end();
    const Locations &locations = isNamed ? named->second : all;
    return ActivationPlace{locations.offChipFrom && value.info.numElements() >=
                                                        *locations.offChipFrom,
                           locations.viaIoTiles};
  };
  if (all == Locations() && setup.offChip.named.empty())
    return;
  if (isPipelined && all != Locations())
    failUnsupported("activationTensorLocationSettings is not supported in a "
                    "pipeline, which has activations of several micro-batches; "
                    "keep them on the chip, or compute them again "
                    "(RecomputationType::Pipeline)");
  if (!isPipelined)
    storeActivations(module.main(), placeOf);
}

/// An anchored input needs a stream in each direction. The stream to the device
/// has the input's name; the other one gets a new name.
void SessionSource::returnInputs() {
  Graph &main = imported->main();
  for (GraphResult result : std::vector<GraphResult>(main.results())) {
    const bool isInput =
        std::ranges::any_of(main.arguments(), [&](const Value *input) {
          return input->name == result.name;
        });
    if (isInput) {
      const std::string stream = result.name + "/anchor";
      returnedInputs[stream] = std::exchange(result.name, stream);
    }
    main.removeResult(0);
    main.addResult(result.name, *result.value);
  }
}

Module &SessionSource::module(Request &request) {
  importSetup();
  const Graph &main = imported->main();
  logging::info(logging::Module::ir, "{} operators of a model{}",
                main.ops().size(),
                setup.loss.empty() ? "" : " and its training");
  for (const Value &value : main.values())
    infos[value.name] = infoOf(value.info);
  returnInputs();
  request.program.pipelined = isOverlapped(*imported, setup);
  placeOffChip(*imported, setup, states);
  placeActivations(*imported, setup, request.program.pipelined);
  if (request.program.pipelined)
    request.pipeline.demanded = {"OrderStages", "StashStages"};
  const onnx::ModelProto model = parseModel(setup.model, "the model");
  request.program.broadcastInputs =
      replicaSettings(model, request.program.replicas).broadcastInputs;
  std::map<std::string, HostTransfer> transfers = inputExchanges(model);
  for (const auto &[anchor, transfer] : request.program.transfers)
    transfers[streamOf(*this, anchor)] = transfer;
  request.program.transfers = std::move(transfers);
  std::map<std::string, AnchorReturn> returns;
  for (const auto &[anchor, wanted] : request.program.anchorReturns)
    returns[streamOf(*this, anchor)] = wanted;
  request.program.anchorReturns = std::move(returns);
  return *imported;
}

void SessionSource::afterPasses(Module &module) {
  logging::info(logging::Module::ir, "{} operators after all transforms",
                module.main().ops().size());
  for (const char *checkpoint : {"MainLoops", "Final"})
    applyCustomTransforms(module, setup.customTransforms, checkpoint);
}

std::string streamOf(const SessionSource &source, const std::string &anchor) {
  const std::string stream = anchor + "/anchor";
  return source.returnedInputs.contains(stream) ? stream : anchor;
}

} // namespace popart::session
