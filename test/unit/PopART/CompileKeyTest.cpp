// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The key of popart-compile's executable: each option that changes the
// executable changes it, and what is only told does not.

#include "lib/PopART/CompileKey.h"
#include "runtime/Support/Environment.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <set>

namespace populus::popir {
namespace {

using Change = void (*)(CompileOptions &);

std::string keyAfter(Change change) {
  CompileOptions options;
  options.model = "folder/model.onnx";
  options.training.emplace();
  change(options);
  return keyOf(options, "bytes").digits();
}

const Change Changes[] = {
    [](CompileOptions &) {},
    [](CompileOptions &o) { o.model = "folder/other.onnx"; },
    [](CompileOptions &o) { o.machine.target = "ipu1"; },
    [](CompileOptions &o) { o.machine.device = "cpu"; },
    [](CompileOptions &o) { o.machine.numIpus = 2; },
    [](CompileOptions &o) { o.machine.tilesPerIpu = 2; },
    [](CompileOptions &o) { o.import.shapes.inputShapes["x"] = {2}; },
    [](CompileOptions &o) { o.import.shapes.inputShapes["x"] = {2, 3}; },
    [](CompileOptions &o) { o.import.shapes.dims["x"] = 2; },
    [](CompileOptions &o) { o.import.anchors = {"x"}; },
    [](CompileOptions &o) { o.import.folding.resultBytes = 1; },
    [](CompileOptions &o) { o.import.folding.totalBytes = 1; },
    [](CompileOptions &o) { o.import.folding.totalElements = 1; },
    [](CompileOptions &o) { o.import.fixed.values["x"] = "1"; },
    [](CompileOptions &o) { o.import.fixed.folder = "x"; },
    [](CompileOptions &o) { o.import.bounds.bounds["x"] = 1; },
    [](CompileOptions &o) { o.import.bounds.boundsAll = true; },
    [](CompileOptions &o) { o.import.returnsResults = false; },
    [](CompileOptions &o) { o.import.variableWeights = true; },
    [](CompileOptions &o) { o.import.frozenWeights = {"w"}; },
    [](CompileOptions &o) { o.import.isStrict = true; },
    [](CompileOptions &o) { o.fit.searches = true; },
    [](CompileOptions &o) { o.fit.availableMemory = false; },
    [](CompileOptions &o) { o.fit.recomputation = false; },
    [](CompileOptions &o) { o.fit.numIpus = false; },
    [](CompileOptions &o) { o.training.reset(); },
    [](CompileOptions &o) { o.training->loss.kind = Loss::L1; },
    [](CompileOptions &o) { o.training->loss.output = "y"; },
    [](CompileOptions &o) { o.training->loss.labels = "y"; },
    [](CompileOptions &o) { o.training->loss.isMean = false; },
    [](CompileOptions &o) { o.training->loss.ignored = 0; },
    [](CompileOptions &o) { o.training->optimizer.kind = Optimizer::Adam; },
    [](CompileOptions &o) { o.training->weights.trained = {"w"}; },
    [](CompileOptions &o) { o.training->weights.frozen = {"w"}; },
    [](CompileOptions &o) { o.training->recomputation = Recomputation::All; },
    [](CompileOptions &o) { o.program.replicas = 2; },
    [](CompileOptions &o) { o.program.broadcastInputs = {"x"}; },
    [](CompileOptions &o) { o.program.batchesPerStep = 2; },
    [](CompileOptions &o) { o.program.microBatches = 2; },
    [](CompileOptions &o) { o.program.pipelined = true; },
    [](CompileOptions &o) { o.program.partials = "half"; },
    [](CompileOptions &o) { o.program.convolutionOptions["a"] = "b"; },
    [](CompileOptions &o) { o.program.matmulOptions["a"] = "b"; },
    [](CompileOptions &o) { o.program.roundsStochastically = true; },
    [](CompileOptions &o) { o.program.codelets = {"a"}; },
    [](CompileOptions &o) { o.program.codeletFlags = "a"; },
    [](CompileOptions &o) { o.program.anchorReturns["x"].n = 2; },
    [](CompileOptions &o) {
      o.program.anchorReturns["x"].kind = AnchorReturn::Sum;
    },
    [](CompileOptions &o) { o.pipeline.patterns.apply("none"); },
    [](CompileOptions &o) { o.pipeline.demanded = {"HalfPrecision"}; },
    [](CompileOptions &o) { o.pipeline.options.outline.threshold = 2; },
    [](CompileOptions &o) {
      o.pipeline.options.outline.pruneByCopyCost = false;
    },
    [](CompileOptions &o) { o.pipeline.options.floatConvolutions = 2; },
    [](CompileOptions &o) { o.pipeline.options.numIpus = 2; },
    [](CompileOptions &o) { o.verifyLowering = true; },
    [](CompileOptions &o) { o.stop = Stage::Ir; },
};

TEST(CompileKey, ChangesWithEachOption) {
  std::set<std::string> keys;
  for (Change change : Changes)
    keys.insert(keyAfter(change));
  EXPECT_EQ(keys.size(), std::size(Changes));
}

TEST(CompileKey, ChangesWithTheModel) {
  EXPECT_NE(keyOf({}, "a").digits(), keyOf({}, "b").digits());
}

// The same list is read for all keys.
TEST(CompileKey, ChangesWithTheEnvironment) {
  const std::string before = keyOf({}, "a").digits();
  unsigned changes = 0;
  for (const runtime::EnvironmentVariable &variable :
       runtime::EnvironmentVariables) {
    const char *old = std::getenv(variable.name);
    const std::optional<std::string> kept =
        old ? std::optional<std::string>(old) : std::nullopt;
    ::setenv(variable.name, "something else", 1);
    EXPECT_EQ(keyOf({}, "a").digits() != before, variable.changesExecutables)
        << variable.name;
    changes += variable.changesExecutables;
    if (kept)
      ::setenv(variable.name, kept->c_str(), 1);
    else
      ::unsetenv(variable.name);
  }
  EXPECT_NE(changes, 0u);
}

using ModuleChange = void (*)(ModuleProgram::Options &);

const ModuleChange ModuleChanges[] = {
    [](ModuleProgram::Options &) {},
    [](ModuleProgram::Options &o) { o.machine.target = "ipu1"; },
    [](ModuleProgram::Options &o) { o.machine.tilesPerIpu = 3; },
    [](ModuleProgram::Options &o) { o.program.replicas = 2; },
    [](ModuleProgram::Options &o) { o.program.batchesPerStep = 2; },
    [](ModuleProgram::Options &o) { o.program.microBatches = 2; },
    [](ModuleProgram::Options &o) { o.program.pipelined = true; },
    [](ModuleProgram::Options &o) { o.program.partials = "half"; },
    [](ModuleProgram::Options &o) { o.program.roundsStochastically = true; },
    [](ModuleProgram::Options &o) { o.program.codelets = {"a"}; },
    [](ModuleProgram::Options &o) { o.program.anchorReturns["x"].n = 2; },
    [](ModuleProgram::Options &o) { o.pipeline.options.outline.threshold = 2; },
    [](ModuleProgram::Options &o) { o.engineOptions["a"] = "b"; },
};

TEST(CompileKey, OfAModuleChangesWithEachOption) {
  std::set<std::string> keys;
  for (ModuleChange change : ModuleChanges) {
    ModuleProgram::Options options;
    change(options);
    keys.insert(keyOfModule(options, "module").digits());
  }
  keys.insert(keyOfModule({}, "another").digits());
  EXPECT_EQ(keys.size(), std::size(ModuleChanges) + 1);
}

TEST(CompileKey, DoesNotChangeWithWhatIsTold) {
  const std::string plain = keyAfter([](CompileOptions &) {});
  EXPECT_EQ(plain, keyAfter([](CompileOptions &o) {
              o.model = "elsewhere/model.onnx";
              o.output = "y";
              o.jobs = 3;
              o.dumpDirectory = "y";
              o.cacheDirectory = "y";
              o.profile = "y";
              o.dryRun = true;
              o.program.mapTensors = true;
              o.pipeline.verifyEach = false;
            }));
}

} // namespace
} // namespace populus::popir
