// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The key of popart-compile's executable: each option that changes the
// executable changes it, and what is only told does not.

#include "lib/PopART/CompileKey.h"
#include "lib/PopART/Driver.h"
#include "lib/Poplar/Support/EngineOptionTable.h"
#include "runtime/Support/Environment.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>

namespace populus::popir {
namespace {

/// A model of some bytes.
class Bytes : public Source {
public:
  Bytes(const CompileOptions &options, const std::string &bytes)
      : options(options), bytes(bytes) {}

  void addTo(OptionKey &key) const override { key.add(options, bytes); }
  Module &module(Request &) override { throw std::logic_error("no module"); }

private:
  CompileOptions options;
  std::string bytes;
};

std::string keyOf(const CompileOptions &options, const std::string &bytes) {
  return keyOf(options.request, Bytes(options, bytes)).digits();
}

using Change = void (*)(CompileOptions &);

std::string keyAfter(Change change) {
  CompileOptions options;
  options.model = "folder/model.onnx";
  options.training.emplace();
  change(options);
  return keyOf(options, "bytes");
}

const Change Changes[] = {
    [](CompileOptions &) {},
    [](CompileOptions &o) { o.model = "folder/other.onnx"; },
    [](CompileOptions &o) { o.request.machine.target = "ipu1"; },
    [](CompileOptions &o) { o.request.machine.device = "cpu"; },
    [](CompileOptions &o) { o.request.machine.numIpus = 2; },
    [](CompileOptions &o) { o.request.machine.tilesPerIpu = 2; },
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
    [](CompileOptions &o) { o.request.program.replicas = 2; },
    [](CompileOptions &o) { o.request.program.broadcastInputs = {"x"}; },
    [](CompileOptions &o) { o.request.program.batchesPerStep = 2; },
    [](CompileOptions &o) { o.request.program.microBatches = 2; },
    [](CompileOptions &o) { o.request.program.pipelined = true; },
    [](CompileOptions &o) { o.request.program.partials = "half"; },
    [](CompileOptions &o) { o.request.program.convolutionOptions["a"] = "b"; },
    [](CompileOptions &o) { o.request.program.matmulOptions["a"] = "b"; },
    [](CompileOptions &o) { o.request.program.roundsStochastically = true; },
    [](CompileOptions &o) { o.request.program.codelets = {"a"}; },
    [](CompileOptions &o) { o.request.program.codeletFlags = "a"; },
    [](CompileOptions &o) { o.request.program.anchorReturns["x"].n = 2; },
    [](CompileOptions &o) {
      o.request.program.anchorReturns["x"].kind = AnchorReturn::Sum;
    },
    [](CompileOptions &o) { o.request.pipeline.patterns.apply("none"); },
    [](CompileOptions &o) { o.request.pipeline.demanded = {"HalfPrecision"}; },
    [](CompileOptions &o) { o.request.pipeline.options.outlineThreshold = 2; },
    [](CompileOptions &o) {
      o.request.pipeline.options.outlinePrunesByCopyCost = false;
    },
    [](CompileOptions &o) { o.request.pipeline.options.floatConvolutions = 2; },
    [](CompileOptions &o) { o.request.pipeline.options.numIpus = 2; },
    [](CompileOptions &o) { o.request.keepsGenerators = true; },
    [](CompileOptions &o) {
      o.request.engineOptions["debug.verifyLowering"] = "true";
    },
    [](CompileOptions &o) { o.stop = Stage::Ir; },
};

/// Tests run with POPULUS_VERIFY_LOWERING=1, which would hide the option.
class CompileKey : public ::testing::Test {
protected:
  CompileKey() { ::unsetenv("POPULUS_VERIFY_LOWERING"); }
};

TEST_F(CompileKey, ChangesWithEachOption) {
  std::set<std::string> keys;
  for (Change change : Changes)
    keys.insert(keyAfter(change));
  EXPECT_EQ(keys.size(), std::size(Changes));
}

TEST_F(CompileKey, ChangesWithTheModel) {
  EXPECT_NE(keyOf(CompileOptions(), "a"), keyOf(CompileOptions(), "b"));
}

/// The key while a variable of the environment has a value.
std::string keyWith(const char *variable, const std::string &value) {
  const char *old = std::getenv(variable);
  const std::optional<std::string> kept =
      old ? std::optional<std::string>(old) : std::nullopt;
  ::setenv(variable, value.c_str(), 1);
  std::string key = keyOf(CompileOptions(), "a");
  if (kept)
    ::setenv(variable, kept->c_str(), 1);
  else
    ::unsetenv(variable);
  return key;
}

// The same list is read for all keys.
TEST_F(CompileKey, ChangesWithTheEnvironment) {
  const std::string before = keyOf(CompileOptions(), "a");
  unsigned changes = 0;
  for (const runtime::EnvironmentVariable &variable :
       runtime::EnvironmentVariables) {
    if (variable.setsEngineOptions)
      continue;
    EXPECT_EQ(keyWith(variable.name, "something else") != before,
              variable.changesExecutables)
        << variable.name;
    changes += variable.changesExecutables;
  }
  EXPECT_NE(changes, 0u);
}

// Each row of the table of engine options, wherever it is set.
TEST_F(CompileKey, ChangesWithEngineOptions) {
  using poplar::core::OptionEffect;
  const std::string before = keyOf(CompileOptions(), "a");
  for (const poplar::core::EngineOption &option :
       poplar::core::engineOptions()) {
    const bool changes = option.effect == OptionEffect::Executable ||
                         option.effect == OptionEffect::Acceptance;
    const std::string name(option.key), value(option.another);
    CompileOptions options;
    options.request.engineOptions[name] = value;
    EXPECT_EQ(keyOf(options, "a") != before, changes) << name;
    const std::string json = "{\"" + name + "\":\"" + value + "\"}";
    for (const char *variable :
         {"POPLAR_ENGINE_OPTIONS", "POPLAR_RUNTIME_OPTIONS"})
      EXPECT_EQ(keyWith(variable, json) != before, changes)
          << variable << " " << name;
  }
  EXPECT_NE(keyWith("POPLAR_ENGINE_OPTIONS", "no JSON"), before);
  EXPECT_NE(keyWith("POPULUS_VERIFY_LOWERING", "1"), before);
}

TEST_F(CompileKey, DoesNotChangeWithWhatIsTold) {
  const std::string plain = keyAfter([](CompileOptions &) {});
  EXPECT_EQ(plain, keyAfter([](CompileOptions &o) {
              o.model = "elsewhere/model.onnx";
              o.output = "y";
              o.request.engineOptions["opt.maxCompilationThreads"] = "3";
              o.request.dumpDirectory = "y";
              o.request.cacheDirectory = "y";
              o.profile = "y";
              o.dryRun = true;
              o.request.program.mapTensors = true;
              o.request.pipeline.verifyEach = false;
            }));
}

} // namespace
} // namespace populus::popir
