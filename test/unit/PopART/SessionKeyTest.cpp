// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The key of a session's executable: each option that changes the executable
// changes it, and what is only told does not.

#include "lib/PopART/Interface/SessionProgram.h"

#include <gtest/gtest.h>

#include <set>

namespace popart::session {
namespace {

using populus::popir::AnchorReturn;
using populus::popir::AutomaticLossScaling;
using populus::popir::DataType;
// Tests of GoogleTest have a member Setup.
using SessionSetup = popart::session::Setup;
using Change = void (*)(SessionSetup &);

std::string keyAfter(Change change) {
  SessionSetup setup;
  setup.anchors = {"y"};
  setup.automaticLossScaling = AutomaticLossScaling();
  setup.optimizer.defaults["learningRate"] = {0.5, true};
  setup.optimizer.clipGroups.emplace_back();
  change(setup);
  return keyOf(setup).digits();
}

const Change Changes[] = {
    [](SessionSetup &) {},
    [](SessionSetup &s) { s.model = "other"; },
    [](SessionSetup &s) { s.inputShapes["x"] = {2}; },
    [](SessionSetup &s) { s.inputShapes["x"] = {2, 3}; },
    [](SessionSetup &s) { s.inputShapes["z"] = {2}; },
    [](SessionSetup &s) { s.anchors[0] = "z"; },
    [](SessionSetup &s) {
      s.request.program.anchorReturns["y"].kind = AnchorReturn::Sum;
    },
    [](SessionSetup &s) { s.request.program.anchorReturns["y"].n = 2; },
    [](SessionSetup &s) { s.anchors.push_back("z"); },
    [](SessionSetup &s) { s.request.program.batchesPerStep = 2; },
    [](SessionSetup &s) { s.request.program.numIoTiles = 32; },
    [](SessionSetup &s) { s.request.program.transfers["x"].viaIoTiles = true; },
    [](SessionSetup &s) {
      s.request.program.transfers["x"].overlap =
          populus::popir::HostTransfer::Loops;
    },
    [](SessionSetup &s) { s.loss = "loss"; },
    [](SessionSetup &s) { s.optimizer.kind = s.optimizer.Adam; },
    [](SessionSetup &s) { s.optimizer.defaults["learningRate"].value = 0.25; },
    [](SessionSetup &s) {
      s.optimizer.defaults["learningRate"].isConst = false;
    },
    [](SessionSetup &s) {
      s.optimizer.specific["w"]["learningRate"].value = 0.25;
    },
    [](SessionSetup &s) { s.optimizer.lossScaling.value = 2; },
    [](SessionSetup &s) { s.optimizer.hasSeparateVelocity = true; },
    [](SessionSetup &s) { s.optimizer.decayInGradient = true; },
    [](SessionSetup &s) { s.optimizer.isTensorFlowVariant = true; },
    [](SessionSetup &s) { s.optimizer.hasScaledState = true; },
    [](SessionSetup &s) { s.optimizer.accumType = DataType::Float16; },
    [](SessionSetup &s) { s.optimizer.accl1Type = DataType::Float16; },
    [](SessionSetup &s) { s.optimizer.accl2Type = DataType::Float16; },
    [](SessionSetup &s) { s.optimizer.accl3Type = DataType::Float16; },
    [](SessionSetup &s) { s.optimizer.clipGroups[0].maxNorm = 2; },
    [](SessionSetup &s) { s.optimizer.clipGroups[0].weights = {"w"}; },
    [](SessionSetup &s) { s.accumulation.factor = 2; },
    [](SessionSetup &s) { s.accumulation.isMean = true; },
    [](SessionSetup &s) { s.accumulation.isRunning = true; },
    [](SessionSetup &s) { s.accumulation.replicas = 2; },
    [](SessionSetup &s) { s.shardedFrom = 0; },
    [](SessionSetup &s) { s.shardedFrom = 2; },
    [](SessionSetup &s) { s.offChip.weights.offChipFrom = 2; },
    [](SessionSetup &s) { s.offChip.weights.viaIoTiles = true; },
    [](SessionSetup &s) { s.offChip.optimizerState.offChipFrom = 2; },
    [](SessionSetup &s) { s.offChip.accumulators.offChipFrom = 2; },
    [](SessionSetup &s) { s.offChip.activations.offChipFrom = 2; },
    [](SessionSetup &s) { s.offChip.named["w"].offChipFrom = 0; },
    [](SessionSetup &s) { s.phaseIpus = 2; },
    [](SessionSetup &s) { s.pipelining = Pipelining::Implicit; },
    [](SessionSetup &s) { s.pipelining = Pipelining::Explicit; },
    [](SessionSetup &s) { s.recomputesStages = true; },
    [](SessionSetup &s) { s.stridedGroups = true; },
    [](SessionSetup &s) { s.accumulates = true; },
    [](SessionSetup &s) {
      s.recomputation = populus::popir::Recomputation::All;
    },
    [](SessionSetup &s) { s.automaticLossScaling.reset(); },
    [](SessionSetup &s) { s.automaticLossScaling->binEdge = 0.25; },
    [](SessionSetup &s) { s.automaticLossScaling->threshold = 0.25; },
    [](SessionSetup &s) { s.automaticLossScaling->period = 2; },
    [](SessionSetup &s) {
      s.automaticLossScaling->tracking = AutomaticLossScaling::Named;
    },
    [](SessionSetup &s) { s.automaticLossScaling->names = {"t"}; },
    [](SessionSetup &s) { s.keepsAccumulators = true; },
    [](SessionSetup &s) { s.keepsOptimizerState = true; },
    [](SessionSetup &s) { s.request.machine.target = "ipu1"; },
    [](SessionSetup &s) { s.request.machine.device = "cpu"; },
    [](SessionSetup &s) { s.request.machine.numIpus = 2; },
    [](SessionSetup &s) { s.request.machine.tilesPerIpu = 2; },
    [](SessionSetup &s) { s.request.program.replicas = 2; },
    [](SessionSetup &s) { s.virtualGraphs = VirtualGraphs::Auto; },
    [](SessionSetup &s) { s.request.pipeline.patterns.apply("none"); },
    [](SessionSetup &s) { s.customPatterns = {"a"}; },
    [](SessionSetup &s) { s.customTransforms["Fwd0"] = {"a"}; },
    [](SessionSetup &s) { s.patternsOff = {"a"}; },
    [](SessionSetup &s) {
      s.request.pipeline.patterns.apply("-SubgraphOutline");
    },
    [](SessionSetup &s) { s.request.pipeline.options.outlineThreshold = 2; },
    [](SessionSetup &s) {
      s.request.pipeline.options.outlinePrunesByCopyCost = false;
    },
    [](SessionSetup &s) { s.request.program.partials = "half"; },
    [](SessionSetup &s) { s.request.program.convolutionOptions["a"] = "b"; },
    [](SessionSetup &s) { s.request.program.matmulOptions["a"] = "b"; },
    [](SessionSetup &s) { s.writableWeights = true; },
    [](SessionSetup &s) { s.request.program.roundsStochastically = true; },
    [](SessionSetup &s) { s.request.keepsGenerators = true; },
    [](SessionSetup &s) { s.request.program.codelets = {"a"}; },
    [](SessionSetup &s) { s.request.program.codeletFlags = "a"; },
    [](SessionSetup &s) {
      s.request.engineOptions["debug.allowOutOfMemory"] = "true";
    },
};

TEST(SessionKey, ChangesWithEachOption) {
  std::set<std::string> keys;
  for (Change change : Changes)
    keys.insert(keyAfter(change));
  EXPECT_EQ(keys.size(), std::size(Changes));
}

TEST(SessionKey, DoesNotChangeWithWhatIsTold) {
  const std::string plain = keyAfter([](SessionSetup &) {});
  EXPECT_EQ(plain, keyAfter([](SessionSetup &s) {
              s.request.cacheDirectory = "a";
              s.request.progress = [](const populus::popir::Progress &) {};
              s.request.drawings.folder = "a";
              s.request.drawings.checks = {"FINAL"};
              s.request.drawings.style.first = 1;
            }));
}

} // namespace
} // namespace popart::session
