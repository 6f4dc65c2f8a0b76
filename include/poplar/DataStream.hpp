// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams of data between host and device, and remote buffers. Both are cheap
// handles; copies of a handle refer to the same stream.

#ifndef POPULUS_INCLUDE_POPLAR_DATASTREAM_HPP
#define POPULUS_INCLUDE_POPLAR_DATASTREAM_HPP

#include <poplar/StringRef.hpp>
#include <poplar/Type.hpp>

#include <cstddef>
#include <memory>
#include <string>

namespace poplar {

namespace core {
struct StreamData;
struct RemoteBufferData;
struct Access;
} // namespace core

enum class DataStreamType {
  HostToDeviceFIFO,
  DeviceToHostFIFO,
  HostToDeviceBuffer,
  DeviceToHostBuffer,
};

class DataStream {
public:
  /// An invalid stream, to be assigned to.
  DataStream() {}

  std::string handle() const;
  std::size_t numElements() const;
  Type elementType() const;
  DataStreamType type() const;
  unsigned replicationFactor() const;

  friend bool operator==(const DataStream &a, const DataStream &b) {
    return a.data == b.data;
  }
  friend bool operator!=(const DataStream &a, const DataStream &b) {
    return a.data != b.data;
  }

private:
  friend struct core::Access;
  std::shared_ptr<const core::StreamData> data;
};

/// Memory outside the IPU, as rows of elements. Each replica has its own. The
/// contents are initially zero and persist between runs.
class RemoteBuffer {
public:
  /// An invalid buffer, to be assigned to.
  RemoteBuffer() {}

  std::string handle() const;
  /// The elements of a row, and the number of rows.
  std::size_t numElements() const;
  std::size_t getRepeats() const;
  Type elementType() const;
  bool isRearrangeOnHost() const;
  bool isOptimisedForMemory() const;

  friend bool operator==(const RemoteBuffer &a, const RemoteBuffer &b) {
    return a.data == b.data;
  }
  friend bool operator!=(const RemoteBuffer &a, const RemoteBuffer &b) {
    return a.data != b.data;
  }

private:
  friend struct core::Access;
  std::shared_ptr<const core::RemoteBufferData> data;
};

} // namespace poplar

#endif
