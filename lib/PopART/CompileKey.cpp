// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The keys of executables in the caches. Each struct of options is taken apart
// whole, so none of its fields can be forgotten (OptionKey.h). Callbacks and
// files written beside the executable are not part of the key.

#include "lib/PopART/CompileKey.h"

#include "lib/PopART/Support/Cache.h"
#include "lib/PopART/Support/OptionKey.h"
#include "lib/PopART/Training/OptimizerKey.h"

#include <filesystem>

namespace populus::popir {

static void addTo(OptionKey &key, const MachineOptions &machine) {
  const auto &[target, device, numIpus, tilesPerIpu] = machine;
  key.add(target, device, numIpus, tilesPerIpu);
}

static void addTo(OptionKey &key, const ShapeOptions &shapes) {
  const auto &[inputShapes, dims] = shapes;
  key.add(inputShapes, dims);
}

static void addTo(OptionKey &key, const FoldingBudget &budget) {
  const auto &[resultBytes, totalBytes, totalElements] = budget;
  key.add(resultBytes, totalBytes, totalElements);
}

static void addTo(OptionKey &key, const FixedInputs &fixed) {
  const auto &[values, folder] = fixed;
  key.add(values, folder);
}

static void addTo(OptionKey &key, const BoundOptions &options) {
  const auto &[bounds, boundsAll] = options;
  key.add(bounds, boundsAll);
}

static void addTo(OptionKey &key, const ImportOptions &options) {
  const auto &[shapes, anchors, folding, fixed, bounds, returnsResults,
               variableWeights, frozenWeights, isStrict, warn, padded] =
      options;
  key.add(shapes, anchors, folding, fixed, bounds, returnsResults,
          variableWeights, frozenWeights, isStrict);
}

static void addTo(OptionKey &key, const FitOptions &fit) {
  const auto &[searches, availableMemory, recomputation, numIpus] = fit;
  key.add(searches, availableMemory, recomputation, numIpus);
}

static void addTo(OptionKey &key, const Loss &loss) {
  const auto &[kind, output, labels, isMean, ignored] = loss;
  key.add(kind, output, labels, isMean, ignored);
}

static void addTo(OptionKey &key, const WeightPatterns &patterns) {
  const auto &[trained, frozen] = patterns;
  key.add(trained, frozen);
}

static void addTo(OptionKey &key, const TrainingRequest &training) {
  const auto &[loss, optimizer, weights, recomputation] = training;
  key.add(loss, optimizer, weights, recomputation);
}

static void addTo(OptionKey &key, const AnchorReturn &anchor) {
  const auto &[kind, n] = anchor;
  key.add(kind, n);
}

static void addTo(OptionKey &key, const ProgramOptions &program) {
  const auto &[replicas, batchesPerStep, microBatches, pipelined, partials,
               convolutionOptions, matmulOptions, roundsStochastically,
               codelets, codeletFlags, broadcastInputs, mapTensors,
               anchorReturns] = program;
  key.add(replicas, batchesPerStep, microBatches, pipelined, partials,
          convolutionOptions, matmulOptions, roundsStochastically, codelets,
          codeletFlags, broadcastInputs, anchorReturns);
}

static void addTo(OptionKey &key, const OutlineOptions &outline) {
  const auto &[threshold, pruneByCopyCost] = outline;
  key.add(threshold, pruneByCopyCost);
}

static void addTo(OptionKey &key, const PassOptions &options) {
  const auto &[outline, floatConvolutions, numIpus] = options;
  key.add(outline, floatConvolutions, numIpus);
}

static void addTo(OptionKey &key, const Pipeline &pipeline) {
  const auto &[patterns, demanded, options, verifyEach, afterEach,
               atCheckpoint] = pipeline;
  for (const Pass &pass : allPasses())
    key.add(pipeline.runs(pass));
  key.add(demanded, options);
}

static void addTo(OptionKey &key, const CompileOptions &options) {
  const auto &[model, output, machine, import, fit, training, program, pipeline,
               verifyLowering, jobs, stop, dumpDirectory, cacheDirectory,
               profile, dryRun, progress, note] = options;
  // Reports name the model by its file.
  key.add(std::filesystem::path(model).filename().string(), machine, import,
          fit, training, program, pipeline, verifyLowering, stop);
}

static void addTo(OptionKey &key, const ModuleProgram::Options &options) {
  const auto &[machine, program, pipeline, engineOptions, dotDirectory,
               dotChecks, cacheDirectory, progress] = options;
  key.add(machine, program, pipeline, engineOptions);
}

runtime::ContentHash keyOf(const CompileOptions &options,
                           const std::string &model) {
  OptionKey key(compilerHash());
  key.add(options, model);
  return key.get();
}

runtime::ContentHash keyOfModule(const ModuleProgram::Options &options,
                                 const std::string &module) {
  OptionKey key(compilerHash());
  key.add(options, module);
  return key.get();
}

} // namespace populus::popir
