// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options of a session. An option that asks for an unsupported feature is an
// error when the session is made. Options that steer the original's layout and
// schedule have no effect, and the log says so (docs/popart.md).

#ifndef POPULUS_INCLUDE_POPART_SESSIONOPTIONS_HPP
#define POPULUS_INCLUDE_POPART_SESSIONOPTIONS_HPP

#include <popart/names.hpp>
#include <popart/reductiontype.hpp>

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
enum class TensorStorage { OffChip = 0, OnChip };
enum class ReplicatedTensorSharding { Off = 0, On };

/// Location of a tensor. Tensors are always on the chip.
struct TensorLocation {
  TensorLocation() {}
  TensorLocation(TensorStorage storage) : storage(storage) {}
  TensorLocation(TensorStorage storage, ReplicatedTensorSharding sharding)
      : storage(storage), replicatedTensorSharding(sharding) {}
  bool operator==(const TensorLocation &other) const {
    return storage == other.storage &&
           replicatedTensorSharding == other.replicatedTensorSharding;
  }
  bool operator!=(const TensorLocation &other) const {
    return !(*this == other);
  }

  TensorStorage storage = TensorStorage::OnChip;
  ReplicatedTensorSharding replicatedTensorSharding =
      ReplicatedTensorSharding::Off;
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
  /// Transforms of a program's own (transforms/transform.hpp), by the point
  /// where they are applied to the main graph: "Fwd0", "Fwd1" behind the
  /// program's patterns, "Bwd0" behind the gradients, "PreAlias" in front of
  /// the passes of the compiler, "MainLoops" and "Final" behind them.
  std::map<std::string, std::vector<std::string>>
      customTransformApplierSettings;
};

struct SessionOptions {
  /// Directory for drawings of the graph.
  std::string logDir;
  /// Stages to draw: "FWD0", "FWD1", "PREALIAS", "FINAL", "ALL".
  std::set<std::string> dotChecks;
  /// The first and the last operator of drawings, and whether they have names.
  int firstDotOp = 0;
  int finalDotOp = 10000;
  bool dotOpNames = false;

  /// Options of poplar::Engine.
  std::map<std::string, std::string> engineOptions;
  /// Options of poplin for convolutions and for matrix products.
  std::map<std::string, std::string> convolutionOptions;
  std::map<std::string, std::string> matmulOptions;
  /// Options of the summary report.
  std::map<std::string, std::string> reportOptions;
  /// The type in which matrix products add up, "half" or "float".
  std::string partialsTypeMatMuls;

  /// Parts of the model that repeat become functions, where that saves more
  /// than copies of arguments and results cost. The threshold is the code that
  /// such a part has at least, in products of matrices.
  bool enableOutlining = true;
  bool enableOutliningCopyCostPruning = true;
  float outlineThreshold = 1.0f;

  /// Weights do not change. With false, resetHostWeights can give others.
  bool constantWeights = true;
  /// With false prepareDevice only transforms the model.
  bool compileEngine = true;
  /// Keep executables in the folder cachePath and take them from there; the
  /// environment's POPART_CACHE_DIR does the same for all sessions.
  bool enableEngineCaching = false;
  std::string cachePath = "session_cache";
  /// Zeros or random numbers instead of what the StepIO gives; results are not
  /// returned.
  SyntheticDataMode syntheticDataMode = SyntheticDataMode::Off;
  bool instrumentWithHardwareCycleCounter = false;

  /// Initializers that writeWeights and buffersFromHost may change although
  /// weights are constant.
  std::vector<TensorId> updatableNamedBuffers;
  /// Types of 64 bits, which the device does not have, become those of 32. With
  /// false, a model whose inputs or results have them is refused, and so is
  /// data of them.
  bool enableSupportedDataTypeCasting = true;
  /// Round float16 up or down at random on emulated IPUs; setRandomSeed says
  /// what is drawn.
  bool enableStochasticRounding = false;
  /// Stop at invalid operations, divisions by zero and overflows of floats, on
  /// emulated IPUs.
  bool enableFloatingPointChecks = false;
  /// Files with codelets of operators that programs define: .gp, or sources
  /// that are compiled with these flags.
  std::vector<std::string> customCodelets;
  std::string customCodeletCompileFlags;

  ExperimentalSettings experimentalSettings;

  /// Add up the gradients of so many micro-batches, which together are a batch,
  /// before the weights change: by their sum or by their mean, which is taken
  /// in the end or, so that float16 suffices, after each of them.
  bool enableGradientAccumulation = false;
  std::int64_t accumulationFactor = 1;
  ReductionType accumulationAndReplicationReductionType = ReductionType::Sum;
  MeanReductionStrategy meanAccumulationAndReplicationReductionStrategy =
      MeanReductionStrategy::Post;
  /// Let the loss scaling follow the size of the gradients of float16.
  AutomaticLossScalingSettings automaticLossScalingSettings;
  /// Accumulators, or the state of the optimizer, are not in saved models, and
  /// are not taken from them.
  bool disableGradAccumulationTensorStreams = false;
  bool disableOptimizerStateTensorStreams = false;

  /// Which IPU an operator is on: Off, and annotations do not count; Manual,
  /// and all operators have one; Auto, and those without one get one.
  VirtualGraphMode virtualGraphMode = VirtualGraphMode::Off;
  /// Told how far prepareDevice is: a step, of how many.
  std::function<void(int, int)> compilationProgressLogger;
  /// Called often while a session is made and compiled; what it throws ends
  /// that.
  std::function<void()> compilationCheck;

  /// Keep the state of the random rounding generators from step to step, and
  /// allow calls of getRNGState and setRNGState.
  bool enableLoadAndOffloadRNGState = false;

  /// Selects the part of the forward pass that the gradients compute again.
  RecomputationType autoRecomputation = RecomputationType::None;

  // Refused: several replicas, a forward-only program. docs/popart.md: others.
  bool enablePipelining = false;
  bool enableReplicatedGraphs = false;
  std::int64_t replicatedGraphCount = 1;
  bool enableDistributedReplicatedGraphs = false;
  std::int64_t globalReplicationFactor = 1;
  std::int64_t globalReplicaOffset = 0;
  bool createImplicitPipeliningFwdOnlyProgram = false;
  bool groupNormStridedChannelGrouping = false;
  ExecutionPhaseSettings executionPhaseSettings;

  // Without effect: how the original lays out and schedules its work. Results
  // are the same, up to rounding.
  std::vector<float> virtualGraphSplitRatios;
  bool explicitRecomputation = false;
  bool separateCallOpPdfs = true;
  bool enableNonStableSoftmax = false;
  bool enableStableNorm = false;
  bool enableFullyConnectedPass = true;
  bool enablePrefetchDatastreams = true;
  unsigned defaultBufferingDepth = 1;
  std::map<TensorId, unsigned> bufferingDepthMap;
  bool rearrangeAnchorsOnHost = true;
  bool rearrangeStreamsOnHost = false;
  bool enableExplicitMainLoops = false;
  bool useHostCopyOps = false;
  bool aliasZeroCopy = false;
  bool opxAliasChecking = false;
  bool opxModifyChecking = false;
  bool strictOpVersions = true;
  bool enableInplaceAmbiguityChecking = false;
  bool throwIfLog2ScaleTensorNotInRange = true;
  bool stashAllTensorsInferencePipeline = false;
  bool groupHostSync = false;
  bool delayVarUpdates = true;
  bool decomposeGradSum = false;
  AccumulateOuterFragmentSettings accumulateOuterFragmentSettings;
  BatchSerializationSettings batchSerializationSettings;
  AutodiffSettings autodiffSettings;
  int numIOTiles = 0;
  TensorLocationSettings activationTensorLocationSettings;
  TensorLocationSettings weightTensorLocationSettings;
  TensorLocationSettings optimizerStateTensorLocationSettings;
  TensorLocationSettings accumulatorTensorLocationSettings;
  std::map<TensorId, TensorLocation> tensorLocationSettingsOverride;
  bool ensureFp32LossScaleTensor = false;
  float outlineSequenceBreakCost = 10000.0f;
  SubgraphCopyingStrategy subgraphCopyingStrategy =
      SubgraphCopyingStrategy::OnEnterAndExit;
  MergeVarUpdateType mergeVarUpdate = MergeVarUpdateType::None;
  std::int64_t mergeVarUpdateMemThreshold = 1000000;
  std::int64_t looseThresholdAtPeak = 8000;
  bool enableVariablesCaching = true;
  bool enableGroupedMatmuls = true;
  bool enableMergeExchange = true;
  bool scheduleNonWeightUpdateGradientConsumersEarly = false;
  bool enableConstantFoldingOfMultipleConsumers = true;
  bool enableEfficientOverlapIOTopoCons = false;
  bool exportPoplarComputationGraph = false;
  bool exportPoplarVertexGraph = false;
  std::string kahnTieBreaker = "greedy";
  double timeLimitScheduler = 1e9;
  std::int64_t swapLimitScheduler = 1000000000;
  std::string serializedPoprithmsShiftGraphsDir;
  std::int64_t transitiveClosureOptimizationThreshold = 100000;
  std::set<Instrumentation> hardwareInstrumentations = {Instrumentation::Outer};
  std::map<std::string, std::string> lstmOptions;
  std::map<std::string, std::string> gclOptions;

  void enableExplicitIR(bool enable) {
    useHostCopyOps = enable;
    enableExplicitMainLoops = enable;
    explicitRecomputation = enable;
  }
};

} // namespace popart

#endif
