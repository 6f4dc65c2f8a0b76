// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host access between runs: tensors to which the graph gave handles, and rows
// of remote buffers.

#include <poplar/Engine.hpp>

#include "lib/Poplar/Engine/EngineImpl.h"
#include "lib/Poplar/Support/NearestName.h"
#include "runtime/Target/ElementType.h"

#include <pvti/pvti.hpp>

#include <functional>

namespace poplar {

namespace rt = populus::runtime;
using core::EngineImpl;

namespace core {

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
  return bytes / numProcesses;
}

std::size_t bytesBetween(const void *begin, const void *end) {
  if (std::less<>()(end, begin))
    return 0;
  return static_cast<std::size_t>(static_cast<const char *>(end) -
                                  static_cast<const char *>(begin));
}

} // namespace core

namespace {

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

} // namespace

void Engine::readTensor(StringRef handle, void *buffer) {
  const pvti::Tracepoint span(&pvti::tracePoplar, "Engine::readTensor");
  const std::uint32_t id = held().findHostTensor(handle, false);
  requireBuffer(handle, buffer, held().bytesOf(id));
  held().session("Engine::readTensor").readTensor(id, buffer);
}
void Engine::readTensor(StringRef handle, void *begin, void *end) {
  const std::uint32_t id = held().findHostTensor(handle, false);
  requireSize(handle, core::bytesBetween(begin, end), held().bytesOf(id));
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
  requireSize(handle, core::bytesBetween(begin, end), held().bytesOf(id));
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
  requireSize(handle, core::bytesBetween(begin, end), held().bytesOf(id));
  requireBuffer(handle, begin, held().bytesOf(id));
  held().writeMetadata(handle, metadata);
  held().session("Engine::writeTensor").writeTensor(id, begin);
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

} // namespace poplar
