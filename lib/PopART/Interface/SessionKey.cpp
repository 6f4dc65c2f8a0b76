// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The key of a session's executable. Each struct of options is
// taken apart whole, so none of its fields can be forgotten (OptionKey.h).

#include "lib/PopART/Driver.h"
#include "lib/PopART/Interface/SessionModule.h"
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

static void addTo(OptionKey &key, const BatchSlices &slices) {
  const auto &[count, usesLoop, joinsAtIpus, joinsAtPhases, joinsAtStages] =
      slices;
  key.add(count, usesLoop, joinsAtIpus, joinsAtPhases, joinsAtStages);
}

} // namespace populus::popir

namespace popart::session {

using populus::popir::OptionKey;

static void addTo(OptionKey &key, const Locations &locations) {
  const auto &[offChipFrom, viaIoTiles] = locations;
  key.add(offChipFrom, viaIoTiles);
}

static void addTo(OptionKey &key, const OffChip &offChip) {
  const auto &[weights, optimizerState, accumulators, activations, named] =
      offChip;
  key.add(weights, optimizerState, accumulators, activations, named);
}

static void addTo(OptionKey &key, const Setup &setup) {
  const auto &[model, inputShapes, anchors, request, loss, optimizer,
               accumulation, accumulates, offChip, shardedFrom, recomputation,
               automaticLossScaling, keepsAccumulators, keepsOptimizerState,
               virtualGraphs, phaseIpus, pipelining, batchSlices,
               recomputesStages, stridedGroups, customPatterns,
               customTransforms, patternsOff, writableWeights] = setup;
  key.add(model, inputShapes, anchors, loss, optimizer, accumulation,
          accumulates, offChip, shardedFrom, recomputation,
          automaticLossScaling, keepsAccumulators, keepsOptimizerState,
          virtualGraphs, phaseIpus, pipelining, batchSlices, recomputesStages,
          stridedGroups, customPatterns, customTransforms, patternsOff,
          writableWeights);
}

void SessionSource::addTo(OptionKey &key) const { key.add(setup); }

populus::runtime::ContentHash keyOf(const Setup &setup) {
  return keyOf(setup.request, SessionSource(setup));
}

} // namespace popart::session
