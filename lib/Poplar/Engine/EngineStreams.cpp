// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host ends of a program's streams and host functions. Circular buffers and
// callbacks become functions that the runtime calls for each transfer.

#include <poplar/Engine.hpp>

#include "lib/Poplar/Engine/EngineImpl.h"
#include "runtime/Target/ElementType.h"

#include <pvti/pvti.hpp>

#include <algorithm>
#include <cstring>

namespace poplar {

namespace rt = populus::runtime;
using core::EngineImpl;

namespace core {

namespace {

/// Stores a function for one of the \p count replicas that this process has, or
/// for all of them.
template <typename Function>
void setReplica(std::vector<Function> &byReplica, std::uint32_t replica,
                std::size_t count, const Function &function,
                const std::string &what) {
  if (replica == rt::AllReplicas)
    std::fill(byReplica.begin(), byReplica.end(), function);
  else if (replica < count)
    byReplica[replica] = function;
  else
    throw stream_connection_error(what + ": there is no replica " +
                                  std::to_string(replica));
}

/// The function with a span around each transfer.
rt::StreamFunction traced(rt::StreamFunction function,
                          const std::string &stream) {
  return [function = std::move(function),
          label = "stream '" + stream + "'"](auto &&...arguments) {
    const pvti::Tracepoint span(&pvti::tracePoplar, label);
    return function(std::forward<decltype(arguments)>(arguments)...);
  };
}

} // namespace

void EngineImpl::connect(StringRef handle, rt::StreamFunction function,
                         std::uint32_t replica) {
  const std::uint32_t id = findStream(handle);
  if (pvti::isTracing())
    function = traced(std::move(function), std::string(handle));
  setReplica(streams[id], replica, streams[id].size() / numProcesses, function,
             "stream '" + handle + "'");
  if (loaded)
    loaded->connectStream(id, std::move(function), replica);
}

void EngineImpl::connectHostFunction(StringRef handle, std::uint32_t replica,
                                     std::shared_ptr<HostCallback> callback) {
  const std::uint32_t id = findHostFunction(handle);
  if (!callback)
    throw stream_connection_error("host function '" + handle +
                                  "' was connected to no callback");
  const rt::HostFunctionCall call =
      [callback](std::span<const void *const> inputs,
                 std::span<void *const> outputs) {
        (*callback)({inputs.data(), inputs.size()},
                    {outputs.data(), outputs.size()});
      };
  setReplica(hostFunctions[id], replica,
             hostFunctions[id].size() / numProcesses, call,
             "host function '" + handle + "'");
  if (loaded)
    loaded->connectHostFunction(id, call, replica);
}

} // namespace core

namespace {

/// Transfers between a stream and a circular buffer.
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

} // namespace

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
  const std::size_t size = core::bytesBetween(begin, end);
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

/// Serves transfers with a callback, which may prefetch.
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

void Engine::connectStreamToCallback(const DataStream &stream,
                                     StreamCallbackHandle callback) {
  connectStreamToCallback(stream.handle(), std::move(callback));
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

std::vector<std::string> Engine::listStreams() const {
  std::vector<std::string> names;
  for (const rt::Stream &stream : held().executable->streams)
    names.push_back(stream.handle);
  return names;
}

} // namespace poplar
