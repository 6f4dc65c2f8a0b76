// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The key of a session's executable in the cache. Each struct of options is
// taken apart whole, so none of its fields can be forgotten (OptionKey.h).

#include "lib/PopART/Interface/SessionProgram.h"
#include "lib/PopART/Support/Cache.h"
#include "lib/PopART/Support/OptionKey.h"
#include "lib/PopART/Training/OptimizerKey.h"

namespace populus::popir {

static void addTo(OptionKey &key, const Accumulation &accumulation) {
  const auto &[factor, isMean, isRunning, replicas] = accumulation;
  key.add(factor, isMean, isRunning, replicas);
}

static void addTo(OptionKey &key, const AutomaticLossScaling &settings) {
  const auto &[binEdge, threshold, period, tracking, names] = settings;
  key.add(binEdge, threshold, period, tracking, names);
}

} // namespace populus::popir

namespace popart::session {

using populus::popir::OptionKey;

static void addTo(OptionKey &key, const Anchor &anchor) {
  const auto &[name, kind, period] = anchor;
  key.add(name, kind, period);
}

static void addTo(OptionKey &key, const Machine &machine) {
  const auto &[target, device, numIpus, tilesPerIpu, replicas] = machine;
  key.add(target, device, numIpus, tilesPerIpu, replicas);
}

static void addTo(OptionKey &key, const OffChip &offChip) {
  const auto &[weights, optimizerState, accumulators, named] = offChip;
  key.add(weights, optimizerState, accumulators, named);
}

static void addTo(OptionKey &key, const Setup &setup) {
  const auto &[model, inputShapes, anchors, batchesPerStep, loss, optimizer,
               accumulation, accumulates, offChip, shardedFrom, recomputation,
               automaticLossScaling, keepsAccumulators, keepsOptimizerState,
               machine, virtualGraphs, phaseIpus, pipelining, recomputesStages,
               stridedGroups, patterns, customPatterns, customTransforms,
               patternsOff, outline, outlineThreshold, pruneByCopyCost,
               partials, convolutionOptions, matmulOptions, writableWeights,
               roundsStochastically, keepsGenerators, codelets, codeletFlags,
               engineOptions, output] = setup;
  key.add(model, inputShapes, anchors, batchesPerStep, loss, optimizer,
          accumulation, accumulates, offChip, shardedFrom, recomputation,
          automaticLossScaling, keepsAccumulators, keepsOptimizerState, machine,
          virtualGraphs, phaseIpus, pipelining, recomputesStages, stridedGroups,
          patterns, customPatterns, customTransforms, patternsOff, outline,
          outlineThreshold, pruneByCopyCost, partials, convolutionOptions,
          matmulOptions, writableWeights, roundsStochastically, keepsGenerators,
          codelets, codeletFlags, engineOptions);
}

populus::runtime::ContentHash keyOf(const Setup &setup) {
  OptionKey key(populus::popir::compilerHash());
  key.add(setup);
  return key.get();
}

} // namespace popart::session
