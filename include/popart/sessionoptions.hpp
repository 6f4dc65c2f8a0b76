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

struct SessionOptions {
  /// Directory for drawings of the graph.
  std::string logDir;
  /// Stages to draw: "FWD0", "FWD1", "PREALIAS", "FINAL", "ALL".
  std::set<std::string> dotChecks;
  /// First and last operator of drawings, and whether operators have names.
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
  /// Accumulation type of matrix products, "half" or "float".
  std::string partialsTypeMatMuls;

  /// Makes functions of repeated parts of the model if that saves more than the
  /// copies of arguments and results cost. The threshold is the minimum amount
  /// of code of such a part, in matrix products.
  bool enableOutlining = true;
  bool enableOutliningCopyCostPruning = true;
  float outlineThreshold = 1.0f;

  /// Weights do not change. If false, resetHostWeights can replace them.
  bool constantWeights = true;
  /// If false, prepareDevice only transforms the model.
  bool compileEngine = true;
  /// Cache executables in the folder cachePath. The environment variable
  /// POPART_CACHE_DIR does the same for all sessions.
  bool enableEngineCaching = false;
  std::string cachePath = "session_cache";
  /// Use zeros or random numbers instead of data of the StepIO. Results are not
  /// returned.
  SyntheticDataMode syntheticDataMode = SyntheticDataMode::Off;
  bool instrumentWithHardwareCycleCounter = false;

  /// Initializers that writeWeights and buffersFromHost may change even if
  /// weights are constant.
  std::vector<TensorId> updatableNamedBuffers;
  /// Convert 64-bit types, which the device lacks, to 32-bit types. If false,
  /// models with 64-bit inputs or results are refused, and so is 64-bit data.
  bool enableSupportedDataTypeCasting = true;
  /// Round float16 stochastically on emulated IPUs. setRandomSeed sets the
  /// seed.
  bool enableStochasticRounding = false;
  /// Stop at invalid operations, divisions by zero and overflows of floats on
  /// emulated IPUs.
  bool enableFloatingPointChecks = false;
  /// Files with codelets of custom operators: .gp files, or sources, which are
  /// compiled with these flags.
  std::vector<std::string> customCodelets;
  std::string customCodeletCompileFlags;

  ExperimentalSettings experimentalSettings;

  /// Accumulate the gradients of several micro-batches, which form a batch,
  /// before weights change. The gradients are summed or averaged. The average
  /// is taken at the end or, to stay in the range of float16, after each
  /// micro-batch.
  bool enableGradientAccumulation = false;
  std::int64_t accumulationFactor = 1;
  ReductionType accumulationAndReplicationReductionType = ReductionType::Sum;
  MeanReductionStrategy meanAccumulationAndReplicationReductionStrategy =
      MeanReductionStrategy::Post;
  /// Adapt the loss scaling to the magnitude of float16 gradients.
  AutomaticLossScalingSettings automaticLossScalingSettings;
  /// Do not store accumulators, or the optimizer's state, in saved models, and
  /// do not read them from models.
  bool disableGradAccumulationTensorStreams = false;
  bool disableOptimizerStateTensorStreams = false;

  /// Assignment of operators to IPUs. Off ignores annotations; Manual requires
  /// one for every operator; Auto assigns the operators without one.
  VirtualGraphMode virtualGraphMode = VirtualGraphMode::Off;
  /// Receives the progress of prepareDevice: the current step and the number of
  /// steps.
  std::function<void(int, int)> compilationProgressLogger;
  /// Called often while a session is made and compiled. An exception from it
  /// ends the compilation.
  std::function<void()> compilationCheck;

  /// Keep the state of the random rounding generators from step to step, and
  /// allow calls of getRNGState and setRNGState.
  bool enableLoadAndOffloadRNGState = false;

  /// Selects the part of the forward pass that the gradients compute again.
  RecomputationType autoRecomputation = RecomputationType::None;

  // Not supported: a forward-only program. docs/popart.md lists the other
  // options.
  bool enablePipelining = false;
  bool enableReplicatedGraphs = false;
  std::int64_t replicatedGraphCount = 1;
  bool enableDistributedReplicatedGraphs = false;
  std::int64_t globalReplicationFactor = 1;
  std::int64_t globalReplicaOffset = 0;
  bool createImplicitPipeliningFwdOnlyProgram = false;
  bool groupNormStridedChannelGrouping = false;
  ExecutionPhaseSettings executionPhaseSettings;

  // Options without effect: they steer the original's layout and schedule.
  // Results are the same up to rounding.
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

  // Options with effect again.

  /// The tiles of each IPU that are kept for transfers: 0, or an even number of
  /// at least 32.
  int numIOTiles = 0;
  /// The places of tensors: on the tiles, on the I/O tiles, or in the host's
  /// memory.
  TensorLocationSettings activationTensorLocationSettings;
  TensorLocationSettings weightTensorLocationSettings;
  TensorLocationSettings optimizerStateTensorLocationSettings;
  TensorLocationSettings accumulatorTensorLocationSettings;
  std::map<TensorId, TensorLocation> tensorLocationSettingsOverride;

  // Options without effect.
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
