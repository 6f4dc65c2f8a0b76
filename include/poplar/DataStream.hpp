// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams of data between host and device, and remote buffers. Both are cheap
// handles; copies stand for the same stream.

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
  unsigned replicationFactor() const { return 1; }

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

/// Memory outside the IPU. None can be made yet: Graph::addRemoteBuffer throws.
class RemoteBuffer {
public:
  RemoteBuffer() : elements(0), rows(0) {}

  std::string handle() const { return name; }
  std::size_t numElements() const { return elements; }
  std::size_t getRepeats() const { return rows; }
  Type elementType() const { return type; }

private:
  std::string name;
  std::size_t elements, rows;
  Type type;
};

} // namespace poplar

#endif
