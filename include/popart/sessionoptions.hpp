// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options of a session. An option that asks for an unsupported feature is an
// error when the session is made. Options that steer the original's layout and
// schedule have no effect, and the log says so (docs/popart.md).

#ifndef POPULUS_INCLUDE_POPART_SESSIONOPTIONS_HPP
#define POPULUS_INCLUDE_POPART_SESSIONOPTIONS_HPP

#include <popart/names.hpp>
#include <popart/reductiontype.hpp>
#include <popart/tensorlocation.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace popart {

enum class VirtualGraphMode { Off = 0, Manual, Auto, ExecutionPhases };
enum class RecomputationType {
  None = 0,
  Standard,
  NormOnly,
  Pipeline,
  RecomputeAll
};
enum class MeanReductionStrategy { Running = 0, Post };
enum class SyntheticDataMode { Off = 0, Zeros, RandomNormal, RandomUniform };
enum class Instrumentation { Outer = 0, Inner };
enum class MergeVarUpdateType { None = 0, All, AutoLoose, AutoTight };
enum class SubgraphCopyingStrategy { OnEnterAndExit = 0, JustInTime };
enum class ExecutionPhaseIOSchedule { Preload = 0, OnDemand };
enum class ExecutionPhaseSchedule { Interleaving = 0, Batch, BatchClusteredIO };
enum class AccumulateOuterFragmentSchedule {
  Scheduler = 0,
  Serial,
  OverlapCycleOptimized,
  OverlapMemoryOptimized
};
enum class BatchSerializationTransformContext { Fwd = 0, Bwd };
enum class BatchSerializationMethod { UnrollDynamic = 0, UnrollStatic, Loop };
enum class BatchSerializationBatchSchedule {
  Scheduler = 0,
  Isomorphic,
  OverlapOnIo,
  OverlapOnCompute
};
enum class AutodiffStitchStrategy {
  RecomputeMinimal = 0,
  RecomputeAllNonInputs,
  AddFwdOutputs,
  SafeAddFwdOutputs
};
enum class GradientTensorTrackingMethod {
  AllNonViewChangingGradientTensors = 0,
  ConvAndMatmulGradients,
  GradientsOfUserSpecifiedTensors
};

struct TensorLocationSettings {
  TensorLocationSettings() {}
  TensorLocationSettings(const TensorLocation &location,
                         int minElementsForOffChip = 2,
                         int minElementsForReplicatedTensorSharding = 8192)
      : location(location), minElementsForOffChip(minElementsForOffChip),
        minElementsForReplicatedTensorSharding(
            minElementsForReplicatedTensorSharding) {}
  bool operator==(const TensorLocationSettings &other) const {
    return location == other.location &&
           minElementsForOffChip == other.minElementsForOffChip &&
           minElementsForReplicatedTensorSharding ==
               other.minElementsForReplicatedTensorSharding;
  }
  bool operator!=(const TensorLocationSettings &other) const {
    return !(*this == other);
  }

  TensorLocation location;
  int minElementsForOffChip = 2;
  int minElementsForReplicatedTensorSharding = 8192;
};

struct ExecutionPhaseSettings {
  int phases = 0;
  int stages = 2;
  ExecutionPhaseIOSchedule weightIOSchedule = ExecutionPhaseIOSchedule::Preload;
  ExecutionPhaseIOSchedule activationIOSchedule =
      ExecutionPhaseIOSchedule::Preload;
  ExecutionPhaseIOSchedule optimizerStateIOSchedule =
      ExecutionPhaseIOSchedule::OnDemand;
  ExecutionPhaseIOSchedule accumulatorIOSchedule =
      ExecutionPhaseIOSchedule::Preload;
  ExecutionPhaseSchedule schedule = ExecutionPhaseSchedule::Interleaving;
};

struct BatchSerializationSettings {
  int factor = 0;
  bool concatOnVirtualGraphChange = true;
  bool concatOnExecutionPhaseChange = true;
  bool concatOnPipelineStageChange = true;
  BatchSerializationTransformContext transformContext =
      BatchSerializationTransformContext::Fwd;
  BatchSerializationMethod method = BatchSerializationMethod::UnrollDynamic;
  BatchSerializationBatchSchedule batchSchedule =
      BatchSerializationBatchSchedule::Isomorphic;
};

struct AutodiffSettings {
  AutodiffStitchStrategy stitchStrategy =
      AutodiffStitchStrategy::RecomputeAllNonInputs;
};

struct AccumulateOuterFragmentSettings {
  AccumulateOuterFragmentSchedule schedule =
      AccumulateOuterFragmentSchedule::Serial;
  std::vector<int> excludedVirtualGraphs;
};

struct AutomaticLossScalingSettings {
  bool enabled = false;
  float binEdgeLocation = 0.125f;
  float thresholdUpperCountProportion = 1e-7f;
  std::vector<TensorId> toTrackTensors;
  int updatePeriod = 1;
  GradientTensorTrackingMethod gradientTensorTrackingMethod =
      GradientTensorTrackingMethod::AllNonViewChangingGradientTensors;
};

struct ExperimentalSettings {
  /// Custom transforms (transforms/transform.hpp), by the point at which they
  /// are applied to the main graph: "Fwd0"; "Fwd1" after custom patterns;
  /// "Bwd0" after gradients are added; "PreAlias" before the passes of the
  /// compiler; "MainLoops" and "Final" after them.
  std::map<std::string, std::vector<std::string>>
      customTransformApplierSettings;
};

using OptionTexts = std::map<std::string, std::string>;
using BufferingDepths = std::map<TensorId, unsigned>;
using TensorLocations = std::map<TensorId, TensorLocation>;

/// The options of a session, a field for each row of sessionoptions.def.
struct SessionOptions {
#define SESSION_OPTION(TYPE, NAME, DEFAULT, HELP) TYPE NAME = DEFAULT;
#include <popart/sessionoptions.def>

  /// Called often while a session is made and compiled. An exception from it
  /// ends the compilation.
  std::function<void()> compilationCheck;

  void enableExplicitIR(bool enable) {
    useHostCopyOps = enable;
    enableExplicitMainLoops = enable;
    explicitRecomputation = enable;
  }
};

} // namespace popart

#endif
