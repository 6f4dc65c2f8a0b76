// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// poplar::Engine over a session of the runtime: names to numbers, host buffers
// and callbacks to stream functions, errors of the runtime to poplar's.

#include <poplar/Engine.hpp>

#include "lib/Poplar/Device/TargetData.h"
#include "lib/Poplar/Engine/EngineImpl.h"
#include "lib/Poplar/Engine/ExecutableData.h"
#include "lib/Poplar/Graph/Access.h"
#include "lib/Poplar/Lowering/Lowering.h"
#include "lib/Poplar/Report/Report.h"
#include "lib/Poplar/Support/Log.h"
#include "lib/Poplar/Support/NearestName.h"
#include "runtime/Format/Ipux.h"
#include "runtime/Target/ElementType.h"

#include <pvti/pvti.hpp>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iostream>
#include <optional>
#include <ostream>

namespace poplar {

namespace rt = populus::runtime;
using core::Access;
using core::EngineImpl;

namespace core {

namespace {

/// The checks of codelets that the environment asks for, or else an option.
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
  if (report.has_execution())
    report.mutable_execution()->set_level(
        static_cast<std::uint32_t>(options.countLevel));
  if (options.blockFilter)
    populus::profile::keepBlocks(report, [&](const std::string &name) {
      return std::regex_search(name, *options.blockFilter);
    });
  return report;
}

/// Adds the runs so far to the report, if it is to tell of the last one.
void EngineImpl::updateReport() {
  if (!options.reportExecution || reportedRuns == options.reportedRuns)
    return;
  ++reportedRuns;
  writeReport(options.reportFolder, report());
}

void EngineImpl::load(const Target &target) {
  const rt::Executable &exe = *executable;
  const TargetData &data = Access::data(target);
  if (data.type != targetType(exe.device) || data.info->name != exe.target ||
      data.numIpus != exe.numIpus || data.tilesPerIpu != exe.tilesPerIpu)
    throw poplar_error(
        "the program was compiled for " +
        describeTarget(toString(targetType(exe.device)), exe.target,
                       exe.numIpus, exe.tilesPerIpu) +
        ", but the device is " +
        describeTarget(toString(data.type), std::string(data.info->name),
                       data.numIpus, data.tilesPerIpu));
  const auto full = exe.metadata.find(OutOfMemoryKey);
  if (full != exe.metadata.end() && exe.device == rt::DeviceKind::Ipu) {
    graph_memory_allocation_error error(full->second);
    error.profilePath = reportPath;
    throw error;
  }
  clockHz = data.info->clockHz;
  rt::SessionOptions session;
  session.recordSteps = options.profileExecution;
  session.formatPrints = options.formatPrints;
  session.floatControl = options.floatControl;
  session.seed = options.seed;
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
    for (std::uint32_t r = 0; r != streams[i].size(); ++r)
      if (streams[i][r])
        loaded->connectStream(i, streams[i][r], r);
  for (std::uint32_t i = 0; i != hostFunctions.size(); ++i)
    for (std::uint32_t r = 0; r != hostFunctions[i].size(); ++r)
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
                    device.stepRecords().size(), begin, begin});
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
  for (; numFindings != loaded->findings().size(); ++numFindings) {
    const rt::Finding &finding = loaded->findings()[numFindings];
    std::cerr << "populus: check: "
              << rt::CheckNames[static_cast<std::size_t>(finding.check)] << ": "
              << finding.message() << '\n';
  }
}

namespace {

/// The entry of that name; `what` they are is for the message.
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

/// Puts a function where one replica, or all of them, will find it.
template <typename Function>
void setReplica(std::vector<Function> &byReplica, std::uint32_t replica,
                const Function &function, const std::string &what) {
  if (replica == rt::AllReplicas)
    std::fill(byReplica.begin(), byReplica.end(), function);
  else if (replica < byReplica.size())
    byReplica[replica] = function;
  else
    throw stream_connection_error(what + ": there is no replica " +
                                  std::to_string(replica));
}

} // namespace

std::uint32_t EngineImpl::findStream(StringRef handle) const {
  return findByHandle(executable->streams, handle, "stream");
}

std::uint32_t EngineImpl::findRemoteBuffer(StringRef handle) const {
  return findByHandle(executable->remoteBuffers, handle, "remote buffer");
}

std::uint32_t EngineImpl::findHostTensor(StringRef handle, bool write) const {
  std::vector<std::string_view> names;
  for (std::uint32_t i = 0; i != executable->hostTensors.size(); ++i) {
    const rt::HostTensor &known = executable->hostTensors[i];
    if (!(write ? known.writable : known.readable))
      continue;
    if (handle == StringRef(known.handle))
      return i;
    names.push_back(known.handle);
  }
  throw tensor_io_state_error(
      std::string("there is no host ") + (write ? "write" : "read") +
      " handle '" + handle.cloneAsString() + "'" +
      didYouMean(std::string(handle), names) + " (Graph::createHost" +
      (write ? "Write" : "Read") + " makes one)");
}

rt::ElementType EngineImpl::typeOf(std::uint32_t hostTensor) const {
  return executable->tensors[executable->hostTensors[hostTensor].tensor].type;
}

std::size_t EngineImpl::bytesOf(std::uint32_t hostTensor) const {
  const rt::TensorLayout &tensor =
      executable->tensors[executable->hostTensors[hostTensor].tensor];
  std::size_t bytes = rt::sizeOf(tensor.type);
  for (std::uint64_t extent : tensor.shape)
    bytes *= extent;
  return bytes;
}

/// The function with a span around each transfer.
static rt::StreamFunction traced(rt::StreamFunction function,
                                 const std::string &stream) {
  return [function = std::move(function),
          label = "stream '" + stream + "'"](auto &&...arguments) {
    const pvti::Tracepoint span(&pvti::tracePoplar, label);
    return function(std::forward<decltype(arguments)>(arguments)...);
  };
}

void EngineImpl::connect(StringRef handle, rt::StreamFunction function,
                         std::uint32_t replica) {
  const std::uint32_t id = findStream(handle);
  if (pvti::isTracing())
    function = traced(std::move(function), std::string(handle));
  setReplica(streams[id], replica, function, "stream '" + handle + "'");
  if (loaded)
    loaded->connectStream(id, std::move(function), replica);
}

void EngineImpl::connectHostFunction(StringRef handle, std::uint32_t replica,
                                     std::shared_ptr<HostCallback> callback) {
  const std::uint32_t id =
      findByHandle(executable->hostFunctions, handle, "host function");
  if (!callback)
    throw stream_connection_error("host function '" + handle +
                                  "' was connected to no callback");
  const rt::HostFunctionCall call =
      [callback](std::span<const void *const> inputs,
                 std::span<void *const> outputs) {
        (*callback)({inputs.data(), inputs.size()},
                    {outputs.data(), outputs.size()});
      };
  setReplica(hostFunctions[id], replica, call,
             "host function '" + handle + "'");
  if (loaded)
    loaded->connectHostFunction(id, call, replica);
}

} // namespace core

namespace {

/// Copies between a stream's transfer and a buffer that is used over and over.
class CircularBuffer {
public:
  CircularBuffer(char *begin, std::size_t size, bool toDevice)
      : begin(begin), size(size), toDevice(toDevice) {}

  void operator()(void *transfer, std::size_t bytes) {
    char *place = static_cast<char *>(transfer);
    while (bytes != 0) {
      const std::size_t part = std::min(bytes, size - position);
      if (toDevice)
        std::memcpy(place, begin + position, part);
      else
        std::memcpy(begin + position, place, part);
      place += part;
      bytes -= part;
      position = (position + part) % size;
    }
  }

private:
  char *begin;
  std::size_t size;
  bool toDevice;
  std::size_t position = 0;
};

bool isToDevice(const rt::Executable &exe, std::uint32_t stream) {
  return exe.streams[stream].direction == rt::StreamDirection::HostToDevice;
}

void requireSize(StringRef handle, std::size_t given, std::size_t needed) {
  if (given != needed)
    throw tensor_io_state_error(
        "the tensor of handle '" + handle + "' has " + std::to_string(needed) +
        " bytes, but the host buffer has " + std::to_string(given));
}

void requireBuffer(StringRef handle, const void *buffer, std::size_t needed) {
  if (!buffer && needed != 0)
    throw tensor_io_state_error("the tensor of handle '" + handle +
                                "' was given a null pointer for its " +
                                std::to_string(needed) + " bytes");
}

/// Bytes of a buffer; 0 if its end is before its begin.
std::size_t distance(const void *begin, const void *end) {
  if (std::less<>()(end, begin))
    return 0;
  return static_cast<std::size_t>(static_cast<const char *>(end) -
                                  static_cast<const char *>(begin));
}

} // namespace

Engine::Engine(const Graph &graph, const program::Program &program,
               const OptionFlags &options)
    : Engine(graph, ArrayRef<program::Program>(program), options) {}
Engine::Engine(const Graph &graph, ArrayRef<program::Program> programs,
               const OptionFlags &options, ProgressFunc progress,
               const DebugContext &) {
  const core::EngineOptions parsed = core::parseEngineOptions(options);
  impl.reset(new EngineImpl(
      core::compile(graph, programs, parsed, std::move(progress)), parsed));
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

void Engine::readTensor(StringRef handle, void *buffer) {
  const pvti::Tracepoint span(&pvti::tracePoplar, "Engine::readTensor");
  const std::uint32_t id = held().findHostTensor(handle, false);
  requireBuffer(handle, buffer, held().bytesOf(id));
  held().session("Engine::readTensor").readTensor(id, buffer);
}
void Engine::readTensor(StringRef handle, void *begin, void *end) {
  const std::uint32_t id = held().findHostTensor(handle, false);
  requireSize(handle, distance(begin, end), held().bytesOf(id));
  readTensor(handle, begin);
}
void Engine::writeTensor(StringRef handle, const void *buffer) {
  const pvti::Tracepoint span(&pvti::tracePoplar, "Engine::writeTensor");
  const std::uint32_t id = held().findHostTensor(handle, true);
  requireBuffer(handle, buffer, held().bytesOf(id));
  held().requireMetadata(handle, held().typeOf(id), /*isGiven=*/false);
  held().session("Engine::writeTensor").writeTensor(id, buffer);
}
void Engine::writeTensor(StringRef handle, const void *begin, const void *end) {
  const std::uint32_t id = held().findHostTensor(handle, true);
  requireSize(handle, distance(begin, end), held().bytesOf(id));
  writeTensor(handle, begin);
}

void Engine::readTensor(StringRef handle, QuarterMetadata &metadata,
                        void *begin, void *end) {
  readTensor(handle, begin, end);
  metadata = held().readMetadata(handle);
}
void Engine::readTensor(StringRef handle, const QuarterMetadata &metadata,
                        void *begin, void *end) {
  readTensor(handle, begin, end);
  held().requireEqualMetadata(handle, held().readMetadata(handle), metadata);
}
void Engine::writeTensor(StringRef handle, const QuarterMetadata &metadata,
                         const void *begin, const void *end) {
  const pvti::Tracepoint span(&pvti::tracePoplar, "Engine::writeTensor");
  const std::uint32_t id = held().findHostTensor(handle, true);
  requireSize(handle, distance(begin, end), held().bytesOf(id));
  requireBuffer(handle, begin, held().bytesOf(id));
  held().writeMetadata(handle, metadata);
  held().session("Engine::writeTensor").writeTensor(id, begin);
}

void Engine::connectStream(StringRef handle, void *buffer) {
  const std::uint32_t id = held().findStream(handle);
  const rt::Stream &stream = held().executable->streams[id];
  const std::size_t size = stream.numElements * rt::sizeOf(stream.type);
  connectStream(handle, buffer, static_cast<char *>(buffer) + size);
}

void Engine::connectStream(StringRef handle, void *begin, void *end) {
  held().requireMetadata(
      handle, held().executable->streams[held().findStream(handle)].type,
      /*isGiven=*/false);
  connectCircle(handle, begin, end);
}

void Engine::connectStream(StringRef handle, QuarterMetadata &metadata,
                           void *begin, void *end) {
  connectCircle(handle, begin, end);
  held().connectMetadata(handle, metadata, &metadata);
}
void Engine::connectStream(StringRef handle, const QuarterMetadata &metadata,
                           void *begin, void *end) {
  connectCircle(handle, begin, end);
  held().connectMetadata(handle, metadata, nullptr);
}

void Engine::connectCircle(StringRef handle, void *begin, void *end) {
  const std::uint32_t id = held().findStream(handle);
  const rt::Stream &stream = held().executable->streams[id];
  const std::size_t transfer = stream.numElements * rt::sizeOf(stream.type);
  if (!begin && transfer != 0)
    throw stream_connection_error("stream '" + handle +
                                  "' was connected to a null pointer");
  const std::size_t size = distance(begin, end);
  if (size < transfer)
    throw stream_connection_error(
        "stream '" + handle + "' transfers " + std::to_string(transfer) +
        " bytes at a time, but the host buffer has " + std::to_string(size));
  // Replicas go on where the one before them stopped.
  const auto circle = std::make_shared<CircularBuffer>(
      static_cast<char *>(begin), size, isToDevice(*held().executable, id));
  held().connect(handle, [circle](void *transfer, std::size_t bytes) {
    (*circle)(transfer, bytes);
  });
}

namespace {

/// Serves transfers with a callback, which may give data ahead of time.
class CallbackServer {
public:
  CallbackServer(std::unique_ptr<StreamCallback> callback, bool mayPrefetch)
      : callback(std::move(callback)), mayPrefetch(mayPrefetch) {}
  CallbackServer(const CallbackServer &) = delete;
  CallbackServer &operator=(const CallbackServer &) = delete;
  ~CallbackServer() {
    if (!prefetched.empty())
      callback->invalidatePrefetched();
  }

  void operator()(void *transfer, std::size_t bytes) {
    if (prefetched.size() == bytes && bytes != 0)
      std::memcpy(transfer, prefetched.data(), bytes);
    else
      callback->fetch(transfer);
    prefetched.clear();
    callback->complete();
    if (!mayPrefetch)
      return;
    std::vector<char> next(bytes);
    if (callback->prefetch(next.data()) == StreamCallback::Result::Success)
      prefetched = std::move(next);
  }

private:
  std::unique_ptr<StreamCallback> callback;
  bool mayPrefetch;
  std::vector<char> prefetched;
};

} // namespace

void Engine::connectStreamToCallback(StringRef handle,
                                     StreamCallbackHandle callback) {
  connectStreamToCallback(handle, rt::AllReplicas, std::move(callback));
}

void Engine::connectStreamToCallback(StringRef handle, unsigned replica,
                                     StreamCallbackHandle callback) {
  const std::uint32_t id = held().findStream(handle);
  const bool toDevice = isToDevice(*held().executable, id);
  held().requireMetadata(handle, held().executable->streams[id].type,
                         /*isGiven=*/false);
  std::unique_ptr<StreamCallback> function = callback.release();
  if (!function)
    throw stream_connection_error("stream '" + handle +
                                  "' was connected to no callback");
  // std::function wants to be copied, so the server is shared.
  const auto server = std::make_shared<CallbackServer>(
      std::move(function), toDevice && held().options.enablePrefetch);
  held().connect(
      handle,
      [server](void *transfer, std::size_t bytes) {
        (*server)(transfer, bytes);
      },
      replica);
}

void Engine::connectHostFunction(StringRef handle,
                                 HostCallbackHandle callback) {
  held().connectHostFunction(handle, rt::AllReplicas, callback.release());
}
void Engine::connectHostFunction(StringRef handle, unsigned replica,
                                 HostCallbackHandle callback) {
  held().connectHostFunction(handle, replica, callback.release());
}

namespace {

std::uint64_t rowNumber(int repeatIndex) {
  if (repeatIndex < 0)
    throw stream_connection_error("a remote buffer has no row " +
                                  std::to_string(repeatIndex));
  return static_cast<std::uint64_t>(repeatIndex);
}

} // namespace

void Engine::copyToRemoteBuffer(const void *source, const std::string &handle,
                                int repeatIndex, unsigned replica) {
  const std::uint32_t id = held().findRemoteBuffer(handle);
  rt::Session &session = held().session("Engine::copyToRemoteBuffer");
  if (!source)
    throw stream_connection_error("remote buffer '" + handle +
                                  "' was given a null pointer");
  try {
    session.writeRemoteBuffer(id, rowNumber(repeatIndex), replica, source);
  } catch (const rt::RunError &error) {
    throw stream_connection_error(error.what());
  }
}

void Engine::copyFromRemoteBuffer(const std::string &handle, void *destination,
                                  int repeatIndex, unsigned replica) {
  const std::uint32_t id = held().findRemoteBuffer(handle);
  rt::Session &session = held().session("Engine::copyFromRemoteBuffer");
  if (!destination)
    throw stream_connection_error("remote buffer '" + handle +
                                  "' was given a null pointer");
  try {
    session.readRemoteBuffer(id, rowNumber(repeatIndex), replica, destination);
  } catch (const rt::RunError &error) {
    throw stream_connection_error(error.what());
  }
}

std::vector<std::string> Engine::listStreams() const {
  std::vector<std::string> names;
  for (const rt::Stream &stream : held().executable->streams)
    names.push_back(stream.handle);
  return names;
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
