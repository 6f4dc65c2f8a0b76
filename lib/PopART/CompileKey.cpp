// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each struct of options is taken apart whole, so none of its fields can be
// forgotten (OptionKey.h). Callbacks and files written beside the executable
// are not part of the key.

#include "lib/PopART/CompileKey.h"

#include "lib/PopART/Training/OptimizerKey.h"

#include <filesystem>

namespace populus::popir {

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

void addTo(OptionKey &key, const CompileOptions &options) {
  const auto &[model, output, request, import, fit, training, stop, profile,
               dryRun, note] = options;
  // Reports name the model by its file.
  key.add(std::filesystem::path(model).filename().string(), import, fit,
          training, stop);
}

} // namespace populus::popir
