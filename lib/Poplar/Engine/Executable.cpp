// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// poplar::Executable: compileGraph, and saving and loading as .ipux bytes.

#include "lib/Poplar/Engine/ExecutableData.h"

#include "lib/Poplar/Device/DeviceAccess.h"
#include "lib/Poplar/Engine/ExecutableAccess.h"
#include "lib/Poplar/Engine/IpuMemory.h"
#include "lib/Poplar/Graph/Access.h"
#include "lib/Poplar/Lowering/Lowering.h"
#include "lib/Poplar/Report/DebugExecutable.h"
#include "lib/Poplar/Report/Report.h"
#include "lib/Poplar/Support/EngineOptions.h"
#include "lib/Profile/ReportBuilder.h"
#include "runtime/Format/Ipux.h"
#include "runtime/Session/TensorNames.h"
#include "runtime/Support/InputStream.h"

#include <poplar/Engine.hpp>

#include <pvti/pvti.hpp>

#include <algorithm>
#include <cstdlib>

namespace populus {

runtime::Executable &access(poplar::Executable &executable) {
  const auto &data = poplar::core::Access::data(executable);
  if (!data)
    throw poplar::poplar_error("an executable is used that was never assigned; "
                               "make it with compileGraph or deserialize");
  return *data->executable;
}

const runtime::Executable &access(const poplar::Executable &executable) {
  return access(const_cast<poplar::Executable &>(executable));
}

} // namespace populus

namespace poplar {

namespace profile = populus::profile;

using core::Access;
using core::ExecutableData;

Executable::Executable() = default;
Executable::Executable(Executable &&other) noexcept = default;
Executable &Executable::operator=(Executable &&other) noexcept = default;
Executable::~Executable() = default;

namespace {

Executable makeExecutable(ExecutableData data) {
  Executable result;
  Access::data(result) = std::make_shared<ExecutableData>(std::move(data));
  return result;
}

} // namespace

namespace {

/// Adds the liveness to the record that executables store.
void addLiveness(const core::VariableLiveness &liveness,
                 populus::report::Recorded &recorded) {
  populus::report::Liveness &record = *recorded.mutable_liveness();
  for (const std::string &name : liveness.names)
    record.add_variables(name);
  for (const core::VariableLiveness::Part &part : liveness.parts) {
    populus::report::LivePart &entry = *record.add_parts();
    entry.set_variable(part.variable);
    entry.set_bytes(part.bytes);
    for (const auto &range : part.tiles) {
      entry.add_tiles(range.begin);
      entry.add_tiles(range.end);
    }
    for (const core::LiveInterval &interval : part.intervals) {
      entry.add_moments(interval.first);
      entry.add_moments(interval.last);
    }
  }
  record.mutable_program_at()->Assign(liveness.stepAt.begin(),
                                      liveness.stepAt.end());
  for (const core::VariableLiveness::RegionUse &use : liveness.regions) {
    populus::report::Recorded::Region &entry = *recorded.add_regions();
    entry.set_tile(use.tile);
    entry.set_category(static_cast<std::uint32_t>(use.category));
    entry.set_region(use.region);
    entry.set_overlapped(use.overlapped);
    entry.set_bytes(use.bytes);
  }
}

/// The number of replicas of a graph or of its parts.
std::uint32_t replicasOf(const core::GraphImpl &graph) {
  std::uint32_t replicas = graph.whole.factor;
  for (const core::Variable &variable : graph.variables)
    replicas = std::max(replicas, variable.replication.factor);
  return replicas;
}

/// Findings of checks name tensors, so the executable of an engine that checks
/// has to know them. Executables that are made for files or caches do not: how
/// they will run must not change them.
bool wantsNamesForChecks(const core::EngineOptions &options,
                         core::CompiledFor purpose) {
  return purpose == core::CompiledFor::ThisEngine &&
         (options.checkRuns || std::getenv("POPULUS_CHECK"));
}

} // namespace

ExecutableData core::compile(const Graph &graph,
                             ArrayRef<program::Program> programs,
                             const EngineOptions &options, CompiledFor purpose,
                             std::function<void(int, int)> progress) {
  const pvti::Tracepoint span(&pvti::tracePoplar, "poplar::compileGraph");
  LoweringOptions lowering;
  lowering.allowOutOfMemory = options.allowOutOfMemory;
  lowering.stacks = {options.workerStackBytes, options.supervisorStackBytes};
  lowering.verify = options.verifyLowering;
  lowering.threads = options.compilationThreads;
  lowering.progress = std::move(progress);
  lowering.recordLiveness = true;
  lowering.listVariables =
      options.reportVariables || !options.variablesFile.empty();
  if (options.reportSerializedGraph)
    writeGraph(options.reportFolder, graph, programs);
  lowering.keepRecord =
      !options.debugExecutable.empty() || wantsNamesForChecks(options, purpose);
  Lowered lowered = lower(Access::impl(graph), programs, lowering);
  ExecutableData compiled = {lowered.executable};
  populus::report::Recorded recorded;
  if (DeviceAccess::data(graph.getTarget()).compilesIpuCode())
    measureOnIpu(Access::impl(graph), programs, lowering, lowered, recorded);
  addLiveness(lowered.liveness, recorded);
  compiled.executable->metadata[profile::RecordedKey] =
      recorded.SerializeAsString();
  if (const std::uint32_t replicas = replicasOf(Access::impl(graph));
      replicas != 1)
    compiled.executable->metadata[profile::ReplicasKey] =
        std::to_string(replicas);
  if (const core::Replication whole = Access::impl(graph).whole;
      whole.factor != 1 && whole.stride != 0)
    compiled.executable->metadata[profile::ReplicaTilesKey] =
        std::to_string(whole.stride);
  if (lowering.listVariables)
    writeVariables(options, lowered.variables);
  if (lowered.record)
    addVariables(*compiled.executable, Access::impl(graph), *lowered.record);
  if (!options.debugExecutable.empty())
    writeDebugExecutable(options.debugExecutable, *compiled.executable);
  // The file's request must not change other executables.
  if (!wantsNamesForChecks(options, purpose))
    compiled.executable->metadata.erase(populus::runtime::VariablesKey);
  if (!options.summaryDestination.empty())
    writeSummary(options.summaryDestination,
                 graphProfile(profile::describeProgram(*compiled.executable)));
  return compiled;
}

Executable compileGraph(const Graph &graph, ArrayRef<program::Program> programs,
                        const OptionFlags &options, ProgressFunc progress,
                        const DebugContext &) {
  const core::EngineOptions parsed = core::parseEngineOptions(options);
  ExecutableData compiled =
      core::compile(graph, programs, parsed, core::CompiledFor::AnyEngine,
                    std::move(progress));
  if (parsed.reportGraph)
    core::writeReport(parsed.reportFolder,
                      profile::describeProgram(*compiled.executable));
  return makeExecutable(std::move(compiled));
}

Executable compileGraph(Graph &&graph, ArrayRef<program::Program> programs,
                        const OptionFlags &options, ProgressFunc progress,
                        const DebugContext &debugContext) {
  const Graph &kept = graph;
  return compileGraph(kept, programs, options, std::move(progress),
                      debugContext);
}

void Executable::serialize(std::ostream &out) const {
  const std::vector<std::uint8_t> bytes =
      populus::runtime::serializeExecutable(populus::access(*this));
  out.write(reinterpret_cast<const char *>(bytes.data()),
            static_cast<std::streamsize>(bytes.size()));
  if (!out)
    throw poplar_error("the executable cannot be written");
}

Executable Executable::deserialize(std::istream &in) {
  const auto bytes = populus::runtime::readAll<std::vector<std::uint8_t>>(in);
  try {
    return makeExecutable(
        {populus::runtime::parseExecutable(bytes, "the executable").release()});
  } catch (const std::runtime_error &error) {
    throw graph_object_load_error(error.what());
  }
}

Executable Executable::deserialize(std::unique_ptr<std::istream> in) {
  if (!in)
    throw graph_object_load_error("there is no stream to read an executable "
                                  "from");
  return deserialize(*in);
}

} // namespace poplar
