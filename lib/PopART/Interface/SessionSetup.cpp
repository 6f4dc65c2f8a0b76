// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handles every option of a session: rejects it, warns about it, or copies it
// to the setup. A new option has to be added here.

#include "lib/PopART/Interface/SessionSetup.h"

#include "lib/PopART/Interface/Exchanges.h"
#include "lib/PopART/Support/Environment.h"

#include <algorithm>

namespace popart {

namespace {

populus::popir::AnchorReturn toCompiler(const AnchorReturnType &type) {
  using populus::popir::AnchorReturn;
  switch (type.id()) {
  case AnchorReturnTypeId::All:
    break;
  case AnchorReturnTypeId::Final:
    return {AnchorReturn::Final};
  case AnchorReturnTypeId::Sum:
    return {AnchorReturn::Sum};
  case AnchorReturnTypeId::EveryN:
    return {AnchorReturn::EveryN, static_cast<unsigned>(type.rp())};
  }
  return {AnchorReturn::All};
}

/// The replicas of this process, and of all processes of the job.
unsigned localReplicasOf(const SessionOptions &options) {
  return options.enableReplicatedGraphs
             ? static_cast<unsigned>(options.replicatedGraphCount)
             : 1;
}
unsigned replicasOf(const SessionOptions &options) {
  return options.enableDistributedReplicatedGraphs
             ? static_cast<unsigned>(options.globalReplicationFactor)
             : localReplicasOf(options);
}

/// The machine of all replicas; the device is that of this process.
populus::popir::MachineOptions machineOf(const DeviceInfo &device,
                                         const SessionOptions &options) {
  const unsigned replicas = localReplicasOf(options);
  const bool isCpu = device.getType() == DeviceType::Cpu;
  const auto ipus = static_cast<unsigned>(device.getNumIpus());
  if (ipus % replicas != 0)
    throw error("For replicated graphs, the number of IPUs must be divisible "
                "by the replication factor. The device has {}, and the session "
                "option replicatedGraphCount is {}.",
                ipus, replicas);
  populus::popir::MachineOptions machine;
  machine.target = device.getIpuVersion();
  machine.device = isCpu                                      ? "cpu"
                   : device.getType() == DeviceType::IpuModel ? "ipu-model"
                                                              : "ipu";
  if (isCpu && replicasOf(options) != replicas)
    throw error("the CPU device has no replicas that processes could share "
                "(globalReplicationFactor {}); use an IPU, or an IPU Model",
                replicasOf(options));
  machine.numIpus = ipus / replicas * replicasOf(options);
  machine.tilesPerIpu =
      isCpu ? 0 : static_cast<unsigned>(device.getTilesPerIPU());
  return machine;
}

void refuse(bool isAsked, const char *option) {
  if (isAsked)
    throw error("the session option {} asks for what is not supported; see "
                "docs/popart.md",
                option);
}

session::Pipelining pipeliningOf(const SessionOptions &options) {
  if (!options.enablePipelining)
    return session::Pipelining::Off;
  return options.enableExplicitMainLoops ? session::Pipelining::Explicit
                                         : session::Pipelining::Implicit;
}

void refuseForwardProgram(const SessionOptions &options) {
  auto refuseWith = [](const char *reason) {
    throw error("Implicit pipelining forward-only program is not supported {}.",
                reason);
  };
  const session::Pipelining pipelining = pipeliningOf(options);
  if (pipelining == session::Pipelining::Off)
    refuseWith("without implicit pipelining");
  if (pipelining == session::Pipelining::Explicit)
    refuseWith("with explicit pipelining");
  if (!options.enableGradientAccumulation)
    refuseWith("without gradient accumulation");
  refuse(true, "createImplicitPipeliningFwdOnlyProgram");
}

void refusePipelines(const SessionOptions &options) {
  if (options.createImplicitPipeliningFwdOnlyProgram)
    refuseForwardProgram(options);
  if (pipeliningOf(options) != session::Pipelining::Explicit)
    return;
  auto require = [](bool isOn, const char *option) {
    if (!isOn)
      throw error("SessionOption '{}' must be true.", option);
  };
  require(options.useHostCopyOps, "useHostCopyOps");
  require(options.explicitRecomputation, "explicitRecomputation");
}

/// Rejects options that PopART does not combine with gradient clipping.
void refuseClipping(const SessionOptions &options, const Optimizer &optimizer) {
  const bool isSerial = options.accumulateOuterFragmentSettings.schedule ==
                        AccumulateOuterFragmentSchedule::Serial;
  if (options.enablePipelining && isSerial &&
      !optimizer.getClipNormSettings().empty())
    throw error("Incompatible accumulateOuterFragmentSchedule used with "
                "gradient clipping: Serial, in a pipeline");
}

/// One process has all replicas, or, in a job of several, an equal share.
void refuseReplicas(const SessionOptions &options) {
  const std::int64_t local =
      options.enableReplicatedGraphs ? options.replicatedGraphCount : 1;
  if (local < 1)
    throw error("the session option replicatedGraphCount is {}, and has to be "
                "1 or more",
                local);
  if (!options.enableReplicatedGraphs && options.replicatedGraphCount > 1)
    throw error("the session option replicatedGraphCount is {}, and "
                "enableReplicatedGraphs is false; set it to true, or the count "
                "to 1",
                options.replicatedGraphCount);
  const std::int64_t global = options.globalReplicationFactor;
  const std::int64_t offset = options.globalReplicaOffset;
  if (!options.enableDistributedReplicatedGraphs) {
    if ((global != local && global != 1) || offset != 0)
      throw error("the session options globalReplicationFactor {} and "
                  "globalReplicaOffset {} are for a job of several processes "
                  "that poprun starts; set enableDistributedReplicatedGraphs "
                  "there",
                  global, offset);
    return;
  }
  if (global < local || global % local != 0 || offset < 0 ||
      offset % local != 0 || offset + local > global)
    throw error("the session option globalReplicationFactor is {}, and this "
                "process has {} of the replicas (replicatedGraphCount), from "
                "replica {} on (globalReplicaOffset); all processes have "
                "equally many",
                global, local, offset);
}

void refusePhases(const SessionOptions &options) {
  const ExecutionPhaseSettings &settings = options.executionPhaseSettings;
  if (settings.stages < 1)
    throw error("the session option executionPhaseSettings.stages is {}, and "
                "has to be 1 or more",
                settings.stages);
  if (settings.phases < 2)
    return;
  if (options.virtualGraphMode != VirtualGraphMode::ExecutionPhases)
    throw error("> 1 execution phases requires "
                "VirtualGraphMode::ExecutionPhases");
  if (settings.schedule != ExecutionPhaseSchedule::Interleaving)
    throw error("ExecutionPhaseSchedule::{} is not supported: transfers of a "
                "phase take place between its operators. Use Interleaving",
                settings.schedule == ExecutionPhaseSchedule::Batch
                    ? "Batch"
                    : "BatchClusteredIO");
}

void refuseBatchSlices(const SessionOptions &options) {
  const BatchSerializationSettings &settings =
      options.batchSerializationSettings;
  if (settings.factor < 0)
    throw error("the session option batchSerializationSettings.factor is {}, "
                "and has to be 0 or more",
                settings.factor);
  if (settings.factor < 2)
    return;
  using Schedule = BatchSerializationBatchSchedule;
  if (settings.batchSchedule == Schedule::OverlapOnIo ||
      settings.batchSchedule == Schedule::OverlapOnCompute)
    throw error("BatchSerializationBatchSchedule::{} is not supported: slices "
                "have no transfers of their own. Use Isomorphic or Scheduler",
                settings.batchSchedule == Schedule::OverlapOnIo
                    ? "OverlapOnIo"
                    : "OverlapOnCompute");
  if (settings.method != BatchSerializationMethod::Loop)
    return;
  if (settings.transformContext != BatchSerializationTransformContext::Bwd)
    throw error("BatchSerializationMethod::Loop requires "
                "BatchSerializationTransformContext::Bwd");
  if (!settings.concatOnVirtualGraphChange ||
      !settings.concatOnExecutionPhaseChange ||
      !settings.concatOnPipelineStageChange)
    throw error("BatchSerializationMethod::Loop requires "
                "concatOnVirtualGraphChange, concatOnExecutionPhaseChange and "
                "concatOnPipelineStageChange: a loop is in one place");
}

void refuseOptions(const SessionOptions &options) {
  if (options.firstDotOp < 0 || options.finalDotOp < options.firstDotOp)
    throw error("the session options firstDotOp {} and finalDotOp {} leave no "
                "operators to draw",
                options.firstDotOp, options.finalDotOp);
  refusePipelines(options);
  refusePhases(options);
  refuseReplicas(options);
  refuseBatchSlices(options);
  if (options.enableExplicitMainLoops && !options.useHostCopyOps)
    throw error("enableExplicitMainLoops requires useHostCopyOps.");
  if (options.numIOTiles < 0)
    throw error("the session option numIOTiles is {}, and has to be 0 or more",
                options.numIOTiles);
  if (options.accumulationFactor < 1)
    throw error("the session option accumulationFactor is {}, and has to be 1 "
                "or more",
                options.accumulationFactor);
  if (!options.enableGradientAccumulation && options.accumulationFactor > 1)
    throw error("enableGradientAccumulation is false, but accumulationFactor > "
                "1. Either set enableGradientAccumulation to true, or set the "
                "accumulationFactor to 1");
}

populus::popir::Recomputation toCompiler(RecomputationType type) {
  using populus::popir::Recomputation;
  switch (type) {
  case RecomputationType::NormOnly:
    return Recomputation::Norms;
  case RecomputationType::Standard:
    return Recomputation::Standard;
  case RecomputationType::RecomputeAll:
    return Recomputation::All;
  default:
    return Recomputation::None;
  }
}

std::optional<populus::popir::AutomaticLossScaling>
toCompiler(const AutomaticLossScalingSettings &settings) {
  if (!settings.enabled)
    return std::nullopt;
  populus::popir::AutomaticLossScaling result;
  result.binEdge = settings.binEdgeLocation;
  result.threshold = settings.thresholdUpperCountProportion;
  result.period =
      static_cast<unsigned>(std::max(settings.updatePeriod, 0)); // 0: refused
  result.names = settings.toTrackTensors;
  const bool wantsNames =
      settings.gradientTensorTrackingMethod ==
      GradientTensorTrackingMethod::GradientsOfUserSpecifiedTensors;
  if (wantsNames && result.names.empty())
    throw error("[AutomaticLossScale transform] toTrackTensors names no "
                "tensors, and gradientTensorTrackingMethod is "
                "GradientsOfUserSpecifiedTensors");
  if (!result.names.empty())
    result.tracking = populus::popir::AutomaticLossScaling::Named;
  else if (settings.gradientTensorTrackingMethod ==
           GradientTensorTrackingMethod::ConvAndMatmulGradients)
    result.tracking = populus::popir::AutomaticLossScaling::Products;
  return result;
}

populus::popir::BatchSlices
toCompiler(const BatchSerializationSettings &settings) {
  return {settings.factor, settings.method == BatchSerializationMethod::Loop,
          settings.concatOnVirtualGraphChange,
          settings.concatOnExecutionPhaseChange,
          settings.concatOnPipelineStageChange};
}

session::VirtualGraphs toCompiler(VirtualGraphMode mode) {
  switch (mode) {
  case VirtualGraphMode::Off:
    return session::VirtualGraphs::Off;
  case VirtualGraphMode::Manual:
    return session::VirtualGraphs::Manual;
  default:
    return session::VirtualGraphs::Auto;
  }
}

/// Warns about changed options that have no effect.
void warnAboutOptions(const SessionOptions &options) {
  const SessionOptions usual;
  auto warn = [](bool isSet, const char *option) {
    if (isSet)
      session::logWarning(std::string("the session option ") + option +
                          " has no effect");
  };
#define POPULUS_WARN(OPTION) warn(options.OPTION != usual.OPTION, #OPTION)
  POPULUS_WARN(virtualGraphSplitRatios);
  POPULUS_WARN(explicitRecomputation);
  POPULUS_WARN(separateCallOpPdfs);
  POPULUS_WARN(enableNonStableSoftmax);
  POPULUS_WARN(enableStableNorm);
  POPULUS_WARN(enableFullyConnectedPass);
  POPULUS_WARN(enablePrefetchDatastreams);
  POPULUS_WARN(defaultBufferingDepth);
  POPULUS_WARN(bufferingDepthMap);
  POPULUS_WARN(rearrangeAnchorsOnHost);
  POPULUS_WARN(rearrangeStreamsOnHost);
  POPULUS_WARN(enableExplicitMainLoops);
  POPULUS_WARN(useHostCopyOps);
  POPULUS_WARN(aliasZeroCopy);
  POPULUS_WARN(opxAliasChecking);
  POPULUS_WARN(opxModifyChecking);
  POPULUS_WARN(strictOpVersions);
  POPULUS_WARN(enableInplaceAmbiguityChecking);
  POPULUS_WARN(throwIfLog2ScaleTensorNotInRange);
  POPULUS_WARN(stashAllTensorsInferencePipeline);
  POPULUS_WARN(groupHostSync);
  POPULUS_WARN(delayVarUpdates);
  POPULUS_WARN(decomposeGradSum);
  auto warnAboutSharding = [&](const TensorLocationSettings &settings,
                               const char *option) {
    warn(settings.location.replicatedTensorSharding ==
             ReplicatedTensorSharding::On,
         option);
  };
  warnAboutSharding(
      options.weightTensorLocationSettings,
      "weightTensorLocationSettings.location.replicatedTensorSharding");
  warnAboutSharding(
      options.accumulatorTensorLocationSettings,
      "accumulatorTensorLocationSettings.location.replicatedTensorSharding");
  warnAboutSharding(
      options.activationTensorLocationSettings,
      "activationTensorLocationSettings.location.replicatedTensorSharding");
  POPULUS_WARN(ensureFp32LossScaleTensor);
  POPULUS_WARN(outlineSequenceBreakCost);
  POPULUS_WARN(subgraphCopyingStrategy);
  POPULUS_WARN(mergeVarUpdate);
  POPULUS_WARN(mergeVarUpdateMemThreshold);
  POPULUS_WARN(looseThresholdAtPeak);
  POPULUS_WARN(enableVariablesCaching);
  POPULUS_WARN(enableGroupedMatmuls);
  POPULUS_WARN(enableMergeExchange);
  POPULUS_WARN(scheduleNonWeightUpdateGradientConsumersEarly);
  POPULUS_WARN(enableConstantFoldingOfMultipleConsumers);
  POPULUS_WARN(enableEfficientOverlapIOTopoCons);
  POPULUS_WARN(exportPoplarComputationGraph);
  POPULUS_WARN(exportPoplarVertexGraph);
  POPULUS_WARN(kahnTieBreaker);
  POPULUS_WARN(timeLimitScheduler);
  POPULUS_WARN(swapLimitScheduler);
  POPULUS_WARN(serializedPoprithmsShiftGraphsDir);
  POPULUS_WARN(transitiveClosureOptimizationThreshold);
  POPULUS_WARN(hardwareInstrumentations);
  POPULUS_WARN(lstmOptions);
  POPULUS_WARN(gclOptions);
#undef POPULUS_WARN
  warn(options.accumulateOuterFragmentSettings.schedule !=
               usual.accumulateOuterFragmentSettings.schedule ||
           !options.accumulateOuterFragmentSettings.excludedVirtualGraphs
                .empty(),
       "accumulateOuterFragmentSettings");
  warn(options.autodiffSettings.stitchStrategy !=
           usual.autodiffSettings.stitchStrategy,
       "autodiffSettings");
}

/// The elements of a weight from which on the state of its optimizer is divided
/// over the replicas.
std::optional<std::int64_t> shardedFrom(const SessionOptions &options,
                                        unsigned replicas) {
  const TensorLocationSettings &settings =
      options.optimizerStateTensorLocationSettings;
  const bool isOn = settings.location.replicatedTensorSharding ==
                    ReplicatedTensorSharding::On;
  if (!isOn || replicas == 1)
    return std::nullopt;
  return settings.minElementsForReplicatedTensorSharding;
}

/// Off chip, the tiles that load a tensor matter; on the chip those that keep
/// it.
session::Locations locationsOf(const TensorLocation &location,
                               std::int64_t least, bool hasIoTiles) {
  session::Locations locations;
  const bool isOffChip = location.storage == TensorStorage::OffChip;
  if (isOffChip)
    locations.offChipFrom = least;
  locations.viaIoTiles =
      hasIoTiles && (isOffChip ? location.loadTileSet
                               : location.storageTileSet) == TileSet::IO;
  return locations;
}

session::OffChip offChipOf(const SessionOptions &options, bool hasIoTiles) {
  const auto of = [&](const TensorLocationSettings &settings) {
    return locationsOf(settings.location, settings.minElementsForOffChip,
                       hasIoTiles);
  };
  session::OffChip offChip;
  offChip.weights = of(options.weightTensorLocationSettings);
  offChip.optimizerState = of(options.optimizerStateTensorLocationSettings);
  offChip.accumulators = of(options.accumulatorTensorLocationSettings);
  offChip.activations = of(options.activationTensorLocationSettings);
  for (const auto &[id, location] : options.tensorLocationSettingsOverride)
    offChip.named[id] = locationsOf(location, 0, hasIoTiles);
  return offChip;
}

std::string cacheDirectory(const SessionOptions &options) {
  if (options.enableEngineCaching)
    return options.cachePath;
  const char *folder = populus::popir::environment("CACHE_DIR");
  return folder ? folder : "";
}

/// Numerics, anchors and codelets.
populus::popir::ProgramOptions programOf(const SessionOptions &options,
                                         const DataFlow &dataFlow) {
  populus::popir::ProgramOptions program;
  program.replicas = replicasOf(options);
  program.batchesPerStep = static_cast<unsigned>(dataFlow.batchesPerStep());
  program.microBatches = static_cast<unsigned>(options.accumulationFactor);
  program.partials = options.partialsTypeMatMuls;
  program.convolutionOptions = options.convolutionOptions;
  program.matmulOptions = options.matmulOptions;
  program.roundsStochastically = options.enableStochasticRounding;
  program.codelets = options.customCodelets;
  program.codeletFlags = options.customCodeletCompileFlags;
  for (const TensorId &id : dataFlow.anchors())
    program.anchorReturns[id] = toCompiler(dataFlow.art(id));
  program.numIoTiles = static_cast<unsigned>(options.numIOTiles);
  program.transfers = session::anchorExchanges(dataFlow);
  return program;
}

populus::popir::Pipeline pipelineOf(const SessionOptions &options,
                                    const Patterns &patterns) {
  populus::popir::Pipeline pipeline;
  pipeline.patterns.apply("none");
  for (const std::string &name : session::patternNames())
    if (patterns.isPatternEnabled(name))
      pipeline.patterns.apply(name);
  // OpToIdentity concerns identity losses.
  if (patterns.isPatternEnabled("OpToIdentity"))
    pipeline.patterns.apply("PostNRepl");
  if (!options.enableOutlining)
    pipeline.patterns.apply("-SubgraphOutline");
  pipeline.options.outlineThreshold = options.outlineThreshold;
  pipeline.options.outlinePrunesByCopyCost =
      options.enableOutliningCopyCostPruning;
  return pipeline;
}

populus::popir::Drawings drawingsOf(const SessionOptions &options) {
  return {options.logDir,
          options.dotChecks,
          {static_cast<std::size_t>(options.firstDotOp),
           static_cast<std::size_t>(options.finalDotOp), options.dotOpNames}};
}

/// The steps of the graph compiler, as sessions count them.
std::function<void(const populus::popir::Progress &)>
progressOf(const SessionOptions &options) {
  if (!options.compilationProgressLogger)
    return {};
  return [log = options.compilationProgressLogger](
             const populus::popir::Progress &state) {
    if (state.total != 0)
      log(static_cast<int>(state.done), static_cast<int>(state.total));
  };
}

populus::popir::Request requestOf(const DataFlow &dataFlow,
                                  const DeviceInfo &device,
                                  const SessionOptions &options,
                                  const Patterns &patterns) {
  populus::popir::Request request;
  request.machine = machineOf(device, options);
  request.program = programOf(options, dataFlow);
  request.pipeline = pipelineOf(options, patterns);
  request.keepsGenerators = options.enableLoadAndOffloadRNGState;
  request.engineOptions = options.engineOptions;
  if (options.instrumentWithHardwareCycleCounter)
    request.engineOptions["debug.instrument"] = "true";
  if (options.enableFloatingPointChecks)
    request.engineOptions["debug.floatPointOpException"] = "true";
  if (replicasOf(options) != localReplicasOf(options)) {
    request.firstReplica = static_cast<unsigned>(options.globalReplicaOffset);
    request.numOwnReplicas = localReplicasOf(options);
  }
  request.cacheDirectory = cacheDirectory(options);
  request.drawings = drawingsOf(options);
  request.progress = progressOf(options);
  request.check = options.compilationCheck;
  return request;
}

} // namespace

void checkOptions(const SessionOptions &options, const Optimizer *optimizer) {
  refuseOptions(options);
  if (optimizer)
    refuseClipping(options, *optimizer);
  warnAboutOptions(options);
}

session::Setup setupOf(const std::string &model, const DataFlow &dataFlow,
                       const DeviceInfo &device,
                       const InputShapeInfo &inputShapes,
                       const SessionOptions &options,
                       const Patterns &patterns) {
  session::checkExchanges(model, dataFlow, options);
  session::Setup setup;
  setup.model = model;
  for (const TensorId &id : inputShapes.getAllTensorIds())
    setup.inputShapes[id] = inputShapes.get(id).shape();
  setup.anchors = dataFlow.anchors();
  setup.request = requestOf(dataFlow, device, options, patterns);
  setup.virtualGraphs = toCompiler(options.virtualGraphMode);
  if (options.executionPhaseSettings.phases > 1)
    setup.phaseIpus =
        static_cast<unsigned>(options.executionPhaseSettings.stages);
  setup.pipelining = pipeliningOf(options);
  setup.batchSlices = toCompiler(options.batchSerializationSettings);
  setup.recomputesStages =
      options.autoRecomputation == RecomputationType::Pipeline;
  for (const populus::popir::CustomPattern &pattern :
       populus::popir::customPatterns())
    if (patterns.isPatternEnabled(pattern.name))
      setup.customPatterns.insert(pattern.name);
  setup.customTransforms =
      options.experimentalSettings.customTransformApplierSettings;
  for (const auto &[name, isOn] : patterns.getSettings())
    if (!isOn)
      setup.patternsOff.insert(name);
  setup.stridedGroups = options.groupNormStridedChannelGrouping;
  setup.writableWeights =
      !options.constantWeights || !options.updatableNamedBuffers.empty();
  setup.automaticLossScaling = toCompiler(options.automaticLossScalingSettings);
  setup.keepsAccumulators = options.disableGradAccumulationTensorStreams;
  setup.keepsOptimizerState = options.disableOptimizerStateTensorStreams;
  setup.accumulates = options.enableGradientAccumulation;
  setup.recomputation = toCompiler(options.autoRecomputation);
  const bool isMean =
      options.accumulationAndReplicationReductionType == ReductionType::Mean;
  const unsigned replicas = setup.request.program.replicas;
  setup.accumulation = {
      static_cast<unsigned>(options.accumulationFactor), isMean,
      isMean && options.meanAccumulationAndReplicationReductionStrategy ==
                    MeanReductionStrategy::Running,
      replicas};
  const bool hasIoTiles =
      options.numIOTiles > 0 && device.getType() != DeviceType::Cpu;
  setup.offChip = offChipOf(options, hasIoTiles);
  setup.shardedFrom = shardedFrom(options, replicas);
  return setup;
}

} // namespace popart
