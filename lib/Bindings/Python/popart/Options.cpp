// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SessionOptions, with all their fields. Options of the libraries below are
// dicts that write through: opts.engineOptions["debug.instrument"] = "true".

#include "lib/Bindings/Python/popart/Bindings.h"

#include <popart/sessionoptions.hpp>
#include <popart/tileset.hpp>

#include <pybind11/functional.h>
#include <pybind11/stl.h>
#include <pybind11/stl_bind.h>

namespace py = pybind11;
using namespace popart;

using Texts = std::map<std::string, std::string>;
using Depths = std::map<TensorId, unsigned>;
using Locations = std::map<TensorId, TensorLocation>;
PYBIND11_MAKE_OPAQUE(Texts)
PYBIND11_MAKE_OPAQUE(Depths)
PYBIND11_MAKE_OPAQUE(Locations)

namespace populus::python {

namespace {

void bindEnums(py::module_ &module) {
  py::enum_<VirtualGraphMode>(module, "VirtualGraphMode")
      .value("Off", VirtualGraphMode::Off)
      .value("Manual", VirtualGraphMode::Manual)
      .value("Auto", VirtualGraphMode::Auto)
      .value("ExecutionPhases", VirtualGraphMode::ExecutionPhases)
      .value("PingPong", VirtualGraphMode::ExecutionPhases);
  py::enum_<RecomputationType>(module, "RecomputationType")
      .value("NoRecompute", RecomputationType::None)
      .value("Standard", RecomputationType::Standard)
      .value("NormOnly", RecomputationType::NormOnly)
      .value("Pipeline", RecomputationType::Pipeline)
      .value("RecomputeAll", RecomputationType::RecomputeAll);
  py::enum_<MeanReductionStrategy>(module, "MeanReductionStrategy")
      .value("Running", MeanReductionStrategy::Running)
      .value("Post", MeanReductionStrategy::Post);
  py::enum_<SyntheticDataMode>(module, "SyntheticDataMode")
      .value("Off", SyntheticDataMode::Off)
      .value("Zeros", SyntheticDataMode::Zeros)
      .value("RandomNormal", SyntheticDataMode::RandomNormal)
      .value("RandomUniform", SyntheticDataMode::RandomUniform);
  py::enum_<Instrumentation>(module, "Instrumentation")
      .value("Outer", Instrumentation::Outer)
      .value("Inner", Instrumentation::Inner);
  py::enum_<MergeVarUpdateType>(module, "MergeVarUpdateType")
      .value("Off", MergeVarUpdateType::None)
      .value("All", MergeVarUpdateType::All)
      .value("AutoLoose", MergeVarUpdateType::AutoLoose)
      .value("AutoTight", MergeVarUpdateType::AutoTight);
  py::enum_<SubgraphCopyingStrategy>(module, "SubgraphCopyingStrategy")
      .value("OnEnterAndExit", SubgraphCopyingStrategy::OnEnterAndExit)
      .value("JustInTime", SubgraphCopyingStrategy::JustInTime);
}

void bindScheduleEnums(py::module_ &module) {
  py::enum_<ExecutionPhaseIOSchedule>(module, "ExecutionPhaseIOSchedule")
      .value("Preload", ExecutionPhaseIOSchedule::Preload)
      .value("OnDemand", ExecutionPhaseIOSchedule::OnDemand);
  py::enum_<ExecutionPhaseSchedule>(module, "ExecutionPhaseSchedule")
      .value("Interleaving", ExecutionPhaseSchedule::Interleaving)
      .value("Batch", ExecutionPhaseSchedule::Batch)
      .value("BatchClusteredIO", ExecutionPhaseSchedule::BatchClusteredIO);
  using Outer = AccumulateOuterFragmentSchedule;
  py::enum_<Outer>(module, "AccumulateOuterFragmentSchedule")
      .value("Scheduler", Outer::Scheduler)
      .value("Serial", Outer::Serial)
      .value("OverlapCycleOptimized", Outer::OverlapCycleOptimized)
      .value("OverlapMemoryOptimized", Outer::OverlapMemoryOptimized);
  py::enum_<BatchSerializationTransformContext>(
      module, "BatchSerializationTransformContext")
      .value("Fwd", BatchSerializationTransformContext::Fwd)
      .value("Bwd", BatchSerializationTransformContext::Bwd);
  py::enum_<BatchSerializationMethod>(module, "BatchSerializationMethod")
      .value("UnrollDynamic", BatchSerializationMethod::UnrollDynamic)
      .value("UnrollStatic", BatchSerializationMethod::UnrollStatic)
      .value("Loop", BatchSerializationMethod::Loop);
  using Batch = BatchSerializationBatchSchedule;
  py::enum_<Batch>(module, "BatchSerializationBatchSchedule")
      .value("Scheduler", Batch::Scheduler)
      .value("Isomorphic", Batch::Isomorphic)
      .value("OverlapOnIo", Batch::OverlapOnIo)
      .value("OverlapOnCompute", Batch::OverlapOnCompute);
  using Stitch = AutodiffStitchStrategy;
  py::enum_<Stitch>(module, "AutodiffStitchStrategy")
      .value("RecomputeMinimal", Stitch::RecomputeMinimal)
      .value("RecomputeAllNonInputs", Stitch::RecomputeAllNonInputs)
      .value("AddFwdOutputs", Stitch::AddFwdOutputs)
      .value("SafeAddFwdOutputs", Stitch::SafeAddFwdOutputs);
  using Tracking = GradientTensorTrackingMethod;
  py::enum_<Tracking>(module, "GradientTensorTrackingMethod")
      .value("AllNonViewChangingGradientTensors",
             Tracking::AllNonViewChangingGradientTensors)
      .value("ConvAndMatmulGradients", Tracking::ConvAndMatmulGradients)
      .value("GradientsOfUserSpecifiedTensors",
             Tracking::GradientsOfUserSpecifiedTensors);
}

void bindLocations(py::module_ &module) {
  py::enum_<TensorStorage>(module, "TensorStorage")
      .value("OnChip", TensorStorage::OnChip)
      .value("OffChip", TensorStorage::OffChip);
  py::enum_<ReplicatedTensorSharding>(module, "ReplicatedTensorSharding")
      .value("Off", ReplicatedTensorSharding::Off)
      .value("On", ReplicatedTensorSharding::On);
  py::class_<TensorLocation>(module, "TensorLocation")
      .def(py::init<>())
      .def(py::init<TensorStorage>(), py::arg("storage"))
      .def(py::init<TensorStorage, ReplicatedTensorSharding>(),
           py::arg("storage"), py::arg("replicatedTensorSharding"))
      .def(py::init([](TensorStorage storage, TileSet load, TileSet keep,
                       ReplicatedTensorSharding sharding, const py::object &) {
             return TensorLocation(storage, load, keep, sharding);
           }),
           py::arg("storage"), py::arg("loadTileSet"),
           py::arg("storageTileSet"), py::arg("replicatedTensorSharding"),
           py::arg("shardingDomain") = py::none())
      .def_readwrite("storage", &TensorLocation::storage)
      .def_readwrite("loadTileSet", &TensorLocation::loadTileSet)
      .def_readwrite("storageTileSet", &TensorLocation::storageTileSet)
      .def_readwrite("replicatedTensorSharding",
                     &TensorLocation::replicatedTensorSharding);
  using Settings = TensorLocationSettings;
  py::class_<Settings>(module, "TensorLocationSettings")
      .def(py::init<>())
      .def(py::init<const TensorLocation &, int, int>(), py::arg("location"),
           py::arg("minElementsForOffChip") = 2,
           py::arg("minElementsForReplicatedTensorSharding") = 8192)
      .def(py::init([](TensorStorage storage, int offChip, int sharding) {
             return Settings(TensorLocation(storage), offChip, sharding);
           }),
           py::arg("storage"), py::arg("minElementsForOffChip") = 2,
           py::arg("minElementsForReplicatedTensorSharding") = 8192)
      .def_readwrite("location", &Settings::location)
      .def_readwrite("minElementsForOffChip", &Settings::minElementsForOffChip)
      .def_readwrite("minElementsForReplicatedTensorSharding",
                     &Settings::minElementsForReplicatedTensorSharding);
}

void bindSettings(py::module_ &module) {
  py::class_<ExecutionPhaseSettings>(module, "ExecutionPhaseSettings")
      .def(py::init<>())
      .def_readwrite("phases", &ExecutionPhaseSettings::phases)
      .def_readwrite("stages", &ExecutionPhaseSettings::stages)
      .def_readwrite("weightIOSchedule",
                     &ExecutionPhaseSettings::weightIOSchedule)
      .def_readwrite("activationIOSchedule",
                     &ExecutionPhaseSettings::activationIOSchedule)
      .def_readwrite("optimizerStateIOSchedule",
                     &ExecutionPhaseSettings::optimizerStateIOSchedule)
      .def_readwrite("accumulatorIOSchedule",
                     &ExecutionPhaseSettings::accumulatorIOSchedule)
      .def_readwrite("schedule", &ExecutionPhaseSettings::schedule);
  using Serialization = BatchSerializationSettings;
  py::class_<Serialization>(module, "BatchSerializationSettings")
      .def(py::init<>())
      .def_readwrite("factor", &Serialization::factor)
      .def_readwrite("concatOnVirtualGraphChange",
                     &Serialization::concatOnVirtualGraphChange)
      .def_readwrite("concatOnExecutionPhaseChange",
                     &Serialization::concatOnExecutionPhaseChange)
      .def_readwrite("concatOnPipelineStageChange",
                     &Serialization::concatOnPipelineStageChange)
      .def_readwrite("transformContext", &Serialization::transformContext)
      .def_readwrite("method", &Serialization::method)
      .def_readwrite("batchSchedule", &Serialization::batchSchedule);
  py::class_<AutodiffSettings>(module, "AutodiffSettings")
      .def(py::init<>())
      .def_readwrite("stitchStrategy", &AutodiffSettings::stitchStrategy);
  using Outer = AccumulateOuterFragmentSettings;
  py::class_<Outer>(module, "AccumulateOuterFragmentSettings")
      .def(py::init<>())
      .def_readwrite("schedule", &Outer::schedule)
      .def_readwrite("excludedVirtualGraphs", &Outer::excludedVirtualGraphs);
  py::class_<ExperimentalSettings>(module, "ExperimentalSettings")
      .def(py::init<>())
      .def_readwrite("customTransformApplierSettings",
                     &ExperimentalSettings::customTransformApplierSettings);
  using LossScaling = AutomaticLossScalingSettings;
  py::class_<LossScaling>(module, "AutomaticLossScalingSettings")
      .def(py::init<>())
      .def_readwrite("enabled", &LossScaling::enabled)
      .def_readwrite("binEdgeLocation", &LossScaling::binEdgeLocation)
      .def_readwrite("thresholdUpperCountProportion",
                     &LossScaling::thresholdUpperCountProportion)
      .def_readwrite("toTrackTensors", &LossScaling::toTrackTensors)
      .def_readwrite("updatePeriod", &LossScaling::updatePeriod)
      .def_readwrite("gradientTensorTrackingMethod",
                     &LossScaling::gradientTensorTrackingMethod);
}

/// Keys and values of whatever types have a text.
Texts toTexts(const py::object &values) {
  Texts texts;
  for (const auto &entry : py::dict(values))
    texts[py::str(entry.first)] = py::str(entry.second);
  return texts;
}

using Options = py::class_<SessionOptions>;

void bindTexts(Options &options, const char *name,
               Texts SessionOptions::*member) {
  options.def_property(
      name,
      py::cpp_function(
          [member](SessionOptions &self) -> Texts & { return self.*member; },
          py::return_value_policy::reference_internal),
      py::cpp_function(
          [member](SessionOptions &self, const py::object &values) {
            self.*member = toTexts(values);
          }));
}

/// A map that writes through, and takes a dict.
template <class Value>
void bindMap(Options &options, const char *name,
             std::map<TensorId, Value> SessionOptions::*member) {
  options.def_property(
      name,
      py::cpp_function(
          [member](SessionOptions &self) -> std::map<TensorId, Value> & {
            return self.*member;
          },
          py::return_value_policy::reference_internal),
      py::cpp_function([member](SessionOptions &self, const py::object &given) {
        std::map<TensorId, Value> values;
        for (const auto &entry : py::dict(given))
          values.insert_or_assign(entry.first.cast<TensorId>(),
                                  entry.second.cast<Value>());
        self.*member = std::move(values);
      }));
}

void bindFields(Options &options) {
  options.def_readwrite("logDir", &SessionOptions::logDir)
      .def_readwrite("dotChecks", &SessionOptions::dotChecks)
      .def_readwrite("firstDotOp", &SessionOptions::firstDotOp)
      .def_readwrite("finalDotOp", &SessionOptions::finalDotOp)
      .def_readwrite("dotOpNames", &SessionOptions::dotOpNames)
      .def_readwrite("partialsTypeMatMuls",
                     &SessionOptions::partialsTypeMatMuls)
      .def_readwrite("enableOutlining", &SessionOptions::enableOutlining)
      .def_readwrite("enableOutliningCopyCostPruning",
                     &SessionOptions::enableOutliningCopyCostPruning)
      .def_readwrite("outlineThreshold", &SessionOptions::outlineThreshold)
      .def_readwrite("constantWeights", &SessionOptions::constantWeights)
      .def_readwrite("compileEngine", &SessionOptions::compileEngine)
      .def_readwrite("compilationProgressLogger",
                     &SessionOptions::compilationProgressLogger)
      .def_readwrite("enableEngineCaching",
                     &SessionOptions::enableEngineCaching)
      .def_readwrite("cachePath", &SessionOptions::cachePath)
      .def_readwrite("syntheticDataMode", &SessionOptions::syntheticDataMode)
      .def_readwrite("instrumentWithHardwareCycleCounter",
                     &SessionOptions::instrumentWithHardwareCycleCounter)
      .def_readwrite("enableGradientAccumulation",
                     &SessionOptions::enableGradientAccumulation)
      .def_readwrite("accumulationFactor", &SessionOptions::accumulationFactor)
      .def_readwrite("accumulationAndReplicationReductionType",
                     &SessionOptions::accumulationAndReplicationReductionType)
      .def_readwrite("enablePipelining", &SessionOptions::enablePipelining)
      .def_readwrite("enableReplicatedGraphs",
                     &SessionOptions::enableReplicatedGraphs)
      .def_readwrite("replicatedGraphCount",
                     &SessionOptions::replicatedGraphCount)
      .def_readwrite("enableDistributedReplicatedGraphs",
                     &SessionOptions::enableDistributedReplicatedGraphs)
      .def_readwrite("globalReplicationFactor",
                     &SessionOptions::globalReplicationFactor)
      .def_readwrite("globalReplicaOffset",
                     &SessionOptions::globalReplicaOffset)
      .def_readwrite("createImplicitPipeliningFwdOnlyProgram",
                     &SessionOptions::createImplicitPipeliningFwdOnlyProgram)
      .def_readwrite("enableLoadAndOffloadRNGState",
                     &SessionOptions::enableLoadAndOffloadRNGState)
      .def_readwrite("automaticLossScalingSettings",
                     &SessionOptions::automaticLossScalingSettings)
      .def_readwrite("executionPhaseSettings",
                     &SessionOptions::executionPhaseSettings)
      .def_readwrite("experimentalSettings",
                     &SessionOptions::experimentalSettings)
      .def_readwrite(
          "meanAccumulationAndReplicationReductionStrategy",
          &SessionOptions::meanAccumulationAndReplicationReductionStrategy)
      .def_readwrite("virtualGraphMode", &SessionOptions::virtualGraphMode)
      .def_readwrite("virtualGraphSplitRatios",
                     &SessionOptions::virtualGraphSplitRatios)
      .def_readwrite("autoRecomputation", &SessionOptions::autoRecomputation)
      .def_readwrite("explicitRecomputation",
                     &SessionOptions::explicitRecomputation)
      .def_readwrite("separateCallOpPdfs", &SessionOptions::separateCallOpPdfs)
      .def_readwrite("enableStochasticRounding",
                     &SessionOptions::enableStochasticRounding)
      .def_readwrite("enableFloatingPointChecks",
                     &SessionOptions::enableFloatingPointChecks)
      .def_readwrite("enableNonStableSoftmax",
                     &SessionOptions::enableNonStableSoftmax)
      .def_readwrite("enableStableNorm", &SessionOptions::enableStableNorm)
      .def_readwrite("groupNormStridedChannelGrouping",
                     &SessionOptions::groupNormStridedChannelGrouping)
      .def_readwrite("enableFullyConnectedPass",
                     &SessionOptions::enableFullyConnectedPass)
      .def_readwrite("enablePrefetchDatastreams",
                     &SessionOptions::enablePrefetchDatastreams)
      .def_readwrite("defaultBufferingDepth",
                     &SessionOptions::defaultBufferingDepth)
      .def_readwrite("rearrangeAnchorsOnHost",
                     &SessionOptions::rearrangeAnchorsOnHost)
      .def_readwrite("rearrangeStreamsOnHost",
                     &SessionOptions::rearrangeStreamsOnHost)
      .def_readwrite("enableExplicitMainLoops",
                     &SessionOptions::enableExplicitMainLoops)
      .def_readwrite("useHostCopyOps", &SessionOptions::useHostCopyOps)
      .def_readwrite("aliasZeroCopy", &SessionOptions::aliasZeroCopy)
      .def_readwrite("opxAliasChecking", &SessionOptions::opxAliasChecking)
      .def_readwrite("opxModifyChecking", &SessionOptions::opxModifyChecking)
      .def_readwrite("strictOpVersions", &SessionOptions::strictOpVersions)
      .def_readwrite("enableInplaceAmbiguityChecking",
                     &SessionOptions::enableInplaceAmbiguityChecking)
      .def_readwrite("throwIfLog2ScaleTensorNotInRange",
                     &SessionOptions::throwIfLog2ScaleTensorNotInRange)
      .def_readwrite("enableSupportedDataTypeCasting",
                     &SessionOptions::enableSupportedDataTypeCasting)
      .def_readwrite("stashAllTensorsInferencePipeline",
                     &SessionOptions::stashAllTensorsInferencePipeline)
      .def_readwrite("groupHostSync", &SessionOptions::groupHostSync)
      .def_readwrite("disableGradAccumulationTensorStreams",
                     &SessionOptions::disableGradAccumulationTensorStreams)
      .def_readwrite("disableOptimizerStateTensorStreams",
                     &SessionOptions::disableOptimizerStateTensorStreams)
      .def_readwrite("delayVarUpdates", &SessionOptions::delayVarUpdates)
      .def_readwrite("decomposeGradSum", &SessionOptions::decomposeGradSum)
      .def_readwrite("accumulateOuterFragmentSettings",
                     &SessionOptions::accumulateOuterFragmentSettings)
      .def_readwrite("batchSerializationSettings",
                     &SessionOptions::batchSerializationSettings)
      .def_readwrite("autodiffSettings", &SessionOptions::autodiffSettings)
      .def_readwrite("numIOTiles", &SessionOptions::numIOTiles)
      .def_readwrite("activationTensorLocationSettings",
                     &SessionOptions::activationTensorLocationSettings)
      .def_readwrite("weightTensorLocationSettings",
                     &SessionOptions::weightTensorLocationSettings)
      .def_readwrite("optimizerStateTensorLocationSettings",
                     &SessionOptions::optimizerStateTensorLocationSettings)
      .def_readwrite("accumulatorTensorLocationSettings",
                     &SessionOptions::accumulatorTensorLocationSettings)
      .def_readwrite("ensureFp32LossScaleTensor",
                     &SessionOptions::ensureFp32LossScaleTensor)
      .def_readwrite("outlineSequenceBreakCost",
                     &SessionOptions::outlineSequenceBreakCost)
      .def_readwrite("subgraphCopyingStrategy",
                     &SessionOptions::subgraphCopyingStrategy)
      .def_readwrite("mergeVarUpdate", &SessionOptions::mergeVarUpdate)
      .def_readwrite("mergeVarUpdateMemThreshold",
                     &SessionOptions::mergeVarUpdateMemThreshold)
      .def_readwrite("looseThresholdAtPeak",
                     &SessionOptions::looseThresholdAtPeak)
      .def_readwrite("enableVariablesCaching",
                     &SessionOptions::enableVariablesCaching)
      .def_readwrite("enableGroupedMatmuls",
                     &SessionOptions::enableGroupedMatmuls)
      .def_readwrite("enableMergeExchange",
                     &SessionOptions::enableMergeExchange)
      .def_readwrite(
          "scheduleNonWeightUpdateGradientConsumersEarly",
          &SessionOptions::scheduleNonWeightUpdateGradientConsumersEarly)
      .def_readwrite("enableConstantFoldingOfMultipleConsumers",
                     &SessionOptions::enableConstantFoldingOfMultipleConsumers)
      .def_readwrite("enableEfficientOverlapIOTopoCons",
                     &SessionOptions::enableEfficientOverlapIOTopoCons)
      .def_readwrite("exportPoplarComputationGraph",
                     &SessionOptions::exportPoplarComputationGraph)
      .def_readwrite("exportPoplarVertexGraph",
                     &SessionOptions::exportPoplarVertexGraph)
      .def_readwrite("kahnTieBreaker", &SessionOptions::kahnTieBreaker)
      .def_readwrite("timeLimitScheduler", &SessionOptions::timeLimitScheduler)
      .def_readwrite("swapLimitScheduler", &SessionOptions::swapLimitScheduler)
      .def_readwrite("serializedPoprithmsShiftGraphsDir",
                     &SessionOptions::serializedPoprithmsShiftGraphsDir)
      .def_readwrite("transitiveClosureOptimizationThreshold",
                     &SessionOptions::transitiveClosureOptimizationThreshold)
      .def_readwrite("hardwareInstrumentations",
                     &SessionOptions::hardwareInstrumentations)
      .def_readwrite("customCodelets", &SessionOptions::customCodelets)
      .def_readwrite("customCodeletCompileFlags",
                     &SessionOptions::customCodeletCompileFlags)
      .def_readwrite("updatableNamedBuffers",
                     &SessionOptions::updatableNamedBuffers);
  bindMap(options, "bufferingDepthMap", &SessionOptions::bufferingDepthMap);
  bindMap(options, "tensorLocationSettingsOverride",
          &SessionOptions::tensorLocationSettingsOverride);
  bindTexts(options, "engineOptions", &SessionOptions::engineOptions);
  bindTexts(options, "convolutionOptions", &SessionOptions::convolutionOptions);
  bindTexts(options, "matmulOptions", &SessionOptions::matmulOptions);
  bindTexts(options, "reportOptions", &SessionOptions::reportOptions);
  bindTexts(options, "lstmOptions", &SessionOptions::lstmOptions);
  bindTexts(options, "gclOptions", &SessionOptions::gclOptions);
}

} // namespace

void bindOptions(py::module_ &module) {
  bindEnums(module);
  bindScheduleEnums(module);
  bindLocations(module);
  bindSettings(module);
  py::bind_map<Depths>(module, "_Depths");
  py::bind_map<Locations>(module, "_Locations");
  py::bind_map<Texts>(module, "_Texts")
      .def("__eq__",
           [](const Texts &texts, const py::dict &other) {
             return texts == toTexts(other);
           })
      .def(
          "get",
          [](const Texts &texts, const std::string &key,
             const py::object &fallback) -> py::object {
            const auto found = texts.find(key);
            return found == texts.end() ? fallback : py::str(found->second);
          },
          py::arg("key"), py::arg("default") = py::none())
      .def("update", [](Texts &texts, const py::object &values) {
        for (auto &[key, value] : toTexts(values))
          texts[key] = value;
      });
  Options options(module, "SessionOptions",
                  "How a session compiles and runs. docs/popart-python.md says "
                  "which options have an effect.");
  options.def(py::init<>())
      .def("enableExplicitIR", &SessionOptions::enableExplicitIR,
           py::arg("enable"));
  bindFields(options);
}

} // namespace populus::python
