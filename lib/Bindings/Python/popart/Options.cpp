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

PYBIND11_MAKE_OPAQUE(OptionTexts)
PYBIND11_MAKE_OPAQUE(BufferingDepths)
PYBIND11_MAKE_OPAQUE(TensorLocations)

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
OptionTexts toTexts(const py::object &values) {
  OptionTexts texts;
  for (const auto &entry : py::dict(values))
    texts[py::str(entry.first)] = py::str(entry.second);
  return texts;
}

using Options = py::class_<SessionOptions>;

/// A field that Python reads and writes as it is.
template <class Value>
void bindField(Options &options, const char *name,
               Value SessionOptions::*member, const char *help) {
  options.def_readwrite(name, member, help);
}

void bindField(Options &options, const char *name,
               OptionTexts SessionOptions::*member, const char *help) {
  options.def_property(name,
                       py::cpp_function(
                           [member](SessionOptions &self) -> OptionTexts & {
                             return self.*member;
                           },
                           py::return_value_policy::reference_internal),
                       py::cpp_function([member](SessionOptions &self,
                                                 const py::object &values) {
                         self.*member = toTexts(values);
                       }),
                       help);
}

/// A map that writes through, and takes a dict.
template <class Value>
void bindField(Options &options, const char *name,
               std::map<TensorId, Value> SessionOptions::*member,
               const char *help) {
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
      }),
      help);
}

void bindFields(Options &options) {
#define SESSION_OPTION(TYPE, NAME, DEFAULT, HELP)                              \
  bindField(options, #NAME, &SessionOptions::NAME, HELP);
#include <popart/sessionoptions.def>
}

} // namespace

void bindOptions(py::module_ &module) {
  bindEnums(module);
  bindScheduleEnums(module);
  bindLocations(module);
  bindSettings(module);
  py::bind_map<BufferingDepths>(module, "_Depths");
  py::bind_map<TensorLocations>(module, "_Locations");
  py::bind_map<OptionTexts>(module, "_Texts")
      .def("__eq__",
           [](const OptionTexts &texts, const py::object &other) {
             return (py::isinstance<py::dict>(other) ||
                     py::isinstance<OptionTexts>(other)) &&
                    texts == toTexts(other);
           })
      .def(
          "get",
          [](const OptionTexts &texts, const std::string &key,
             const py::object &fallback) -> py::object {
            const auto found = texts.find(key);
            return found == texts.end() ? fallback : py::str(found->second);
          },
          py::arg("key"), py::arg("default") = py::none())
      .def("update", [](OptionTexts &texts, const py::object &values) {
        for (auto &[key, value] : toTexts(values))
          texts[key] = value;
      });
  Options options(module, "SessionOptions",
                  "How a session compiles and runs. docs/popart-python.md says "
                  "which options have an effect.");
  options.def(py::init<>())
      .def("__copy__",
           [](const SessionOptions &self) { return SessionOptions(self); })
      .def(
          "__deepcopy__",
          [](const SessionOptions &self, const py::dict &) {
            return SessionOptions(self);
          },
          py::arg("memo"))
      .def("enableExplicitIR", &SessionOptions::enableExplicitIR,
           py::arg("enable"),
           "Sets useHostCopyOps, enableExplicitMainLoops and "
           "explicitRecomputation.");
  bindFields(options);
}

} // namespace populus::python
