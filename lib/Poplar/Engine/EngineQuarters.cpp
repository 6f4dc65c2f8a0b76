// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host side of the metadata of quarters. A handle or stream `x` with variable
// metadata has a second one, `x.metadata`; the executable stores constant
// metadata (Quarters.h).

#include "lib/Poplar/Engine/EngineImpl.h"
#include "lib/Poplar/Graph/Quarters.h"

#include <poplar/exceptions.hpp>

#include <algorithm>
#include <cstdlib>
#include <optional>

namespace poplar::core {

namespace rt = populus::runtime;

namespace {

std::string metadataHandle(StringRef handle) {
  return handle.cloneAsString() + populus::archive::MetadataSuffix;
}

std::optional<QuarterMetadata> fixedMetadata(const rt::Executable &executable,
                                             const char *kind,
                                             StringRef handle) {
  const auto fact =
      executable.metadata.find(metadataFact(kind, handle.cloneAsString()));
  if (fact == executable.metadata.end())
    return std::nullopt;
  return QuarterMetadata(static_cast<unsigned char>(
      std::strtoul(fact->second.c_str(), nullptr, 10)));
}

} // namespace

void EngineImpl::requireMetadata(StringRef handle, rt::ElementType type,
                                 bool isGiven) const {
  const bool isQuarter = type == rt::ElementType::Quarter;
  if (isQuarter && !isGiven)
    throw tensor_io_state_error(
        "'" + handle +
        "' has elements of type quarter, which mean nothing "
        "without metadata; use the form with a QuarterMetadata");
  if (!isQuarter && isGiven)
    throw tensor_io_state_error("'" + handle + "' has elements of type " +
                                std::string(rt::name(type)) +
                                ", which have no metadata");
}

void EngineImpl::requireEqualMetadata(StringRef handle, QuarterMetadata device,
                                      QuarterMetadata host) const {
  if (device != host)
    throw tensor_io_state_error(
        "the metadata of '" + handle + "' are " + device.toString() +
        " on the device, but the host has " + host.toString());
}

QuarterMetadata EngineImpl::readMetadata(StringRef handle) {
  requireMetadata(handle, typeOf(findHostTensor(handle, false)), true);
  if (const auto fixed = fixedMetadata(*executable, TensorFact, handle))
    return *fixed;
  const std::uint32_t id = findHostTensor(metadataHandle(handle), false);
  std::vector<std::uint8_t> replicas(bytesOf(id));
  session("Engine::readTensor").readTensor(id, replicas.data());
  return QuarterMetadata(static_cast<unsigned char>(replicas.front()));
}

void EngineImpl::writeMetadata(StringRef handle, QuarterMetadata metadata) {
  requireMetadata(handle, typeOf(findHostTensor(handle, true)), true);
  if (const auto fixed = fixedMetadata(*executable, TensorFact, handle))
    return requireEqualMetadata(handle, *fixed, metadata);
  const std::uint32_t id = findHostTensor(metadataHandle(handle), true);
  const std::vector<std::uint8_t> replicas(bytesOf(id), metadata.getBinary());
  session("Engine::writeTensor").writeTensor(id, replicas.data());
}

void EngineImpl::connectMetadata(StringRef handle, QuarterMetadata metadata,
                                 QuarterMetadata *result) {
  const rt::Stream &stream = executable->streams[findStream(handle)];
  requireMetadata(handle, stream.type, true);
  const bool toHost = stream.direction == rt::StreamDirection::DeviceToHost;
  if (const auto fixed = fixedMetadata(*executable, StreamFact, handle)) {
    if (toHost && result)
      *result = *fixed;
    else
      requireEqualMetadata(handle, *fixed, metadata);
    return;
  }
  const std::string own = metadataHandle(handle);
  const auto isOwn = [&](const rt::Stream &other) {
    return other.handle == own;
  };
  if (std::none_of(executable->streams.begin(), executable->streams.end(),
                   isOwn))
    return; // no program uses the stream
  connect(own, [this, name = handle.cloneAsString(), toHost, metadata,
                result](void *transfer, std::size_t bytes) {
    auto *replicas = static_cast<std::uint8_t *>(transfer);
    if (!toHost) {
      std::fill_n(replicas, bytes, metadata.getBinary());
      return;
    }
    const QuarterMetadata arrived(static_cast<unsigned char>(*replicas));
    if (result)
      *result = arrived;
    else
      requireEqualMetadata(name, arrived, metadata);
  });
}

} // namespace poplar::core
