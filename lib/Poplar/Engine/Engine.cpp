// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// poplar::Engine on top of a session of the runtime: it loads and runs
// programs, translates names to numbers, and reports. EngineStreams.cpp and
// EngineTensors.cpp exchange data with the host.

#include <poplar/Engine.hpp>

#include "lib/Poplar/Device/DeviceAccess.h"
#include "lib/Poplar/Engine/EngineImpl.h"
#include "lib/Poplar/Engine/ExecutableData.h"
#include "lib/Poplar/Graph/Access.h"
#include "lib/Poplar/Lowering/Lowering.h"
#include "lib/Poplar/Report/Report.h"
#include "lib/Poplar/Support/Log.h"
#include "lib/Poplar/Support/NearestName.h"
#include "lib/Profile/ReportBuilder.h"
#include "runtime/Format/Ipux.h"
#include "runtime/Session/FindingReport.h"
#include "runtime/Support/OutputFile.h"

#include <pvti/pvti.hpp>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <ostream>

namespace poplar {

namespace rt = populus::runtime;
using core::Access;
using core::EngineImpl;

namespace core {

namespace {

/// Checks of codelets that the environment or else an option requests.
rt::CheckOptions wantedChecks(rt::DeviceKind device, bool byOption) {
  const char *text = std::getenv("POPULUS_CHECK");
  if (!text && !byOption)
    return {};
  if (!text)
    text = "mistakes";
  const std::optional<rt::CheckOptions> checks = rt::CheckOptions::parse(text);
  if (!checks)
    throw poplar_error(std::string("POPULUS_CHECK=") + text +
                       ": expected a list of bounds, uninit, races, "
                       "alignment, deadstores, or all");
  if (device == rt::DeviceKind::Ipu)
    return *checks;
  log(LogLevel::Warn, "checks of codelets have no effect: only programs for "
                      "the IPU device are checked");
  return {};
}

std::string describeTarget(const std::string &kind, const std::string &name,
                           unsigned ipus, unsigned tiles) {
  return kind + " " + name + " with " + std::to_string(ipus) + " x " +
         std::to_string(tiles) + " tiles";
}

TargetType targetType(rt::DeviceKind kind) {
  switch (kind) {
  case rt::DeviceKind::Cpu:
    return TargetType::CPU;
  case rt::DeviceKind::IpuModel:
    return TargetType::IPU_MODEL;
  case rt::DeviceKind::Ipu:
    break;
  }
  return TargetType::IPU;
}

} // namespace

EngineImpl::EngineImpl(const ExecutableData &compiled,
                       const EngineOptions &options)
    : executable(compiled.executable), options(options) {
  for (const rt::Stream &stream : executable->streams)
    streams.emplace_back(stream.replicas);
  for (const rt::HostFunction &function : executable->hostFunctions)
    hostFunctions.emplace_back(function.replicas);
  if (options.reportGraph || options.reportExecution)
    reportPath = writeReport(options.reportFolder, report());
}

populus::report::Report EngineImpl::report() const {
  populus::report::Report report =
      populus::profile::describeProgram(*executable);
  if (loaded)
    populus::profile::addExecution(report, *loaded, runs);
  if (report.has_execution()) {
    populus::report::Execution &execution = *report.mutable_execution();
    execution.set_level(static_cast<std::uint32_t>(options.countLevel));
    execution.set_no_compute_counts(!options.countComputeSets);
    execution.set_no_external_counts(!options.countExternalExchanges);
    execution.set_no_host_counts(!options.countHostExchanges);
  }
  if (options.blockFilter)
    populus::profile::keepBlocks(report, [&](const std::string &name) {
      return std::regex_search(name, *options.blockFilter);
    });
  return report;
}

/// Adds the runs so far to the report if the last one is to be reported.
void EngineImpl::updateReport() {
  if (!options.reportExecution || reportedRuns == options.reportedRuns)
    return;
  ++reportedRuns;
  writeReport(options.reportFolder, report());
}

namespace {

/// The fabric to the processes that run the other replicas; null where the
/// options leave none to others.
rt::Fabric *fabricFor(const rt::Executable &exe, const EngineOptions &options) {
  if (!options.numReplicas)
    return nullptr;
  const auto known = exe.metadata.find(populus::profile::ReplicasKey);
  const std::uint32_t all =
      known == exe.metadata.end()
          ? 1
          : static_cast<std::uint32_t>(std::stoul(known->second));
  const std::uint32_t first = options.firstReplica.value_or(0);
  if (first == 0 && *options.numReplicas == all)
    return nullptr;
  rt::Fabric *fabric = nullptr;
  try {
    fabric = &rt::connectFabric();
  } catch (const rt::RunError &error) {
    throw runtime_error(error.what());
  }
  if (*options.numReplicas * fabric->size() != all ||
      first != *options.numReplicas * fabric->index())
    throw poplar_error(
        "the engine options give this process " +
        std::to_string(*options.numReplicas) + " of " + std::to_string(all) +
        " replicas, from replica " + std::to_string(first) +
        " on (target.numberRuntimeReplica, target.firstRuntimeReplica), but it "
        "is instance " +
        std::to_string(fabric->index()) + " of " +
        std::to_string(fabric->size()) +
        "; poprun starts instances, and all have equally many replicas, in "
        "order");
  return fabric;
}

} // namespace

void EngineImpl::load(const Target &target) {
  const rt::Executable &exe = *executable;
  rt::Fabric *fabric = fabricFor(exe, options);
  numProcesses = fabric ? fabric->size() : 1;
  const TargetData &data = DeviceAccess::data(target);
  if (data.type != targetType(exe.device) || data.info->name != exe.target ||
      data.numIpus * numProcesses != exe.numIpus ||
      (data.tilesPerIpu != exe.tilesPerIpu &&
       exe.device != rt::DeviceKind::Cpu)) // where each replica has a tile
    throw poplar_error(
        "the program was compiled for " +
        describeTarget(toString(targetType(exe.device)), exe.target,
                       exe.numIpus / numProcesses, exe.tilesPerIpu) +
        ", but the device is " +
        describeTarget(toString(data.type), std::string(data.info->name),
                       data.numIpus, data.tilesPerIpu));
  const auto full = exe.metadata.find(OutOfMemoryKey);
  if (full != exe.metadata.end() && exe.device == rt::DeviceKind::Ipu) {
    graph_memory_allocation_error error(full->second);
    error.profilePath = reportPath;
    throw error;
  }
  if (data.type == TargetType::IPU)
    applySimulatorOptions(options);
  clockHz = data.info->clockHz;
  rt::SessionOptions session;
  session.recordSteps = options.profileExecution;
  session.formatPrints = options.formatPrints;
  session.floatControl = options.floatControl;
  session.seed = options.seed;
  session.fabric = fabric;
  session.watch.checks = wantedChecks(exe.device, options.checkRuns);
  session.recordVertices =
      options.countLevel == EngineOptions::CountLevel::Vertex;
  session.watch.countInstructions = options.reportInstructions;
  log(LogLevel::Info, "loading the program");
  loaded.reset(); // two copies of the tiles' memory may be too much
  try {
    loaded = rt::Session::create(executable, session);
    numFindings = 0;
    runs.clear();
  } catch (const std::runtime_error &error) {
    throw system_runtime_error(error.what());
  }
  for (std::uint32_t i = 0; i != streams.size(); ++i)
    for (std::uint32_t r = 0; r < streams[i].size() / numProcesses; ++r)
      if (streams[i][r])
        loaded->connectStream(i, streams[i][r], r);
  for (std::uint32_t i = 0; i != hostFunctions.size(); ++i)
    for (std::uint32_t r = 0; r < hostFunctions[i].size() / numProcesses; ++r)
      if (hostFunctions[i][r])
        loaded->connectHostFunction(i, hostFunctions[i][r], r);
  if (printStream)
    loaded->setPrintStream(*printStream);
}

rt::Session &EngineImpl::session(const char *forWhat) {
  if (!loaded)
    throw poplar_error(std::string(forWhat) +
                       " needs a loaded program; call Engine::load first");
  return *loaded;
}

namespace {

std::uint64_t hostNanoseconds() {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(
          std::chrono::steady_clock::now().time_since_epoch())
          .count());
}

} // namespace

void EngineImpl::run(unsigned program, const std::string &name,
                     const EngineOptions &current) {
  rt::Session &device = session("Engine::run");
  if (program >= executable->programs.size())
    throw poplar_error("there is no program " + std::to_string(program) +
                       "; the engine has " +
                       std::to_string(executable->programs.size()));
  device.setHostTimeout(
      static_cast<std::uint64_t>(current.hostSyncTimeout * clockHz));
  const std::uint64_t begin = hostNanoseconds();
  const bool isRecorded = runs.size() < MostRunRecords;
  if (isRecorded)
    runs.push_back({name, program, options.profileExecution,
                    device.recorded(0).steps.size(), device.clock(), begin,
                    begin});
  try {
    device.run(program);
    if (isRecorded)
      runs.back().end = hostNanoseconds();
  } catch (const rt::RunError &error) {
    printFindings();
    throw application_runtime_error(error.what());
  }
  printFindings();
  updateReport();
}

void EngineImpl::printFindings() {
  const std::vector<rt::Finding> &findings = loaded->findings();
  std::cerr << rt::listOf(std::span(findings).subspan(numFindings),
                          "populus: ");
  numFindings = findings.size();
  const char *file = std::getenv("POPULUS_CHECK_OUTPUT");
  if (!file || !wantedChecks(executable->device, options.checkRuns).any())
    return;
  const std::string reason =
      rt::writeFile(file, rt::sarifOf(findings, "populus"));
  if (!reason.empty())
    throw poplar_error(std::string("POPULUS_CHECK_OUTPUT: cannot write ") +
                       file + ": " + reason);
}

namespace {

/// Finds an entry by name; `what` is used in the message.
template <typename Entries>
std::uint32_t findByHandle(const Entries &entries, StringRef handle,
                           const char *what) {
  std::vector<std::string_view> names;
  for (std::uint32_t i = 0; i != entries.size(); ++i) {
    if (handle == StringRef(entries[i].handle))
      return i;
    names.push_back(entries[i].handle);
  }
  throw stream_connection_error(std::string("there is no ") + what + " '" +
                                handle.cloneAsString() + "'" +
                                didYouMean(std::string(handle), names));
}

} // namespace

std::uint32_t EngineImpl::findStream(StringRef handle) const {
  return findByHandle(executable->streams, handle, "stream");
}

std::uint32_t EngineImpl::findRemoteBuffer(StringRef handle) const {
  return findByHandle(executable->remoteBuffers, handle, "remote buffer");
}

std::uint32_t EngineImpl::findHostFunction(StringRef handle) const {
  return findByHandle(executable->hostFunctions, handle, "host function");
}

} // namespace core

Engine::Engine(const Graph &graph, const program::Program &program,
               const OptionFlags &options)
    : Engine(graph, ArrayRef<program::Program>(program), options) {}
Engine::Engine(const Graph &graph, ArrayRef<program::Program> programs,
               const OptionFlags &options, ProgressFunc progress,
               const DebugContext &) {
  const core::EngineOptions parsed = core::parseEngineOptions(options);
  impl.reset(new EngineImpl(core::compile(graph, programs, parsed,
                                          core::CompiledFor::ThisEngine,
                                          std::move(progress)),
                            parsed));
}
Engine::Engine(Executable &&executable, const OptionFlags &options)
    : Engine(static_cast<const Executable &>(executable), options) {
  executable = Executable();
}
Engine::Engine(const Executable &executable, const OptionFlags &options) {
  const auto &data = Access::data(executable);
  if (!data)
    throw poplar_error("an engine was given an executable that was never "
                       "assigned");
  impl.reset(new EngineImpl(*data, core::parseEngineOptions(options)));
}
Engine::Engine(Engine &&other) noexcept = default;
Engine &Engine::operator=(Engine &&other) noexcept = default;
Engine::~Engine() = default;

EngineImpl &Engine::held() const {
  if (!impl)
    throw poplar_error("an engine is used whose program was moved to another "
                       "engine");
  return *impl;
}

void Engine::load(const Device &device) {
  const pvti::Tracepoint span(&pvti::tracePoplar, "Engine::load");
  held().load(device.getTarget());
}
void Engine::load(const Device &device, const RuntimeOptions &options) {
  const pvti::Tracepoint span(&pvti::tracePoplar, "Engine::load");
  EngineImpl &engine = held();
  core::applyRuntimeOptions(options, engine.options);
  engine.load(device.getTarget());
}
void Engine::run(unsigned program, const std::string &debugName) {
  const pvti::Tracepoint span(&pvti::tracePoplar, "Engine::run");
  held().run(program, debugName, held().options);
}
void Engine::run(unsigned program, const std::string &debugName,
                 const RuntimeOptions &options) {
  const pvti::Tracepoint span(&pvti::tracePoplar, "Engine::run");
  core::EngineOptions changed = held().options;
  core::applyRuntimeOptions(options, changed);
  held().run(program, debugName, changed);
}
void Engine::loadAndRun(const Device &device, unsigned program) {
  load(device);
  run(program);
}

void Engine::setPrintStream(std::ostream &out) {
  held().printStream = &out;
  if (held().loaded)
    held().loaded->setPrintStream(out);
}

Engine::TimerTimePoint Engine::getTimeStamp() const {
  return std::chrono::steady_clock::now();
}

std::string Engine::reportTiming(const TimerTimePoint &from,
                                 const TimerTimePoint &to) const {
  const std::chrono::duration<double> seconds = to - from;
  return std::to_string(seconds.count()) + " s";
}

void Engine::reportIntervals(std::ostream &out) const {
  const auto microseconds = [&](std::uint64_t time) {
    return (time - held().runs.front().begin) / 1000;
  };
  out << "name,program,begin,end\n";
  for (const populus::profile::RunRecord &run : held().runs)
    out << run.name << ',' << run.program << ',' << microseconds(run.begin)
        << ',' << microseconds(run.end) << '\n';
}

void Engine::serializeExecutable(std::ostream &out) const {
  const std::vector<std::uint8_t> bytes =
      rt::serializeExecutable(*held().executable);
  out.write(reinterpret_cast<const char *>(bytes.data()),
            static_cast<std::streamsize>(bytes.size()));
}

} // namespace poplar
