// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One block for each buffer: the rows of the first replica, those of the next.

#include "runtime/Session/RemoteMemory.h"

#include "runtime/Format/MetadataKeys.h"
#include "runtime/Session/Session.h"

#include <cstring>

namespace populus::runtime {

RemoteMemory::RemoteMemory(const Executable &executable)
    : buffers(executable.remoteBuffers) {
  for (std::uint32_t i = 0; i != buffers.size(); ++i) {
    const std::size_t bytes =
        rowBytes(i) * buffers[i].numRows * buffers[i].replicas;
    // An additional byte lets an empty buffer be no special case.
    auto *block = static_cast<std::byte *>(std::calloc(bytes + 1, 1));
    if (!block)
      throw RunError("cannot reserve " + std::to_string(bytes >> 20) +
                     " MiB of host memory for remote buffer '" +
                     buffers[i].handle + "'");
    memory.emplace_back(block);
    const auto values =
        executable.metadata.find(RemoteValuesKey + buffers[i].handle);
    if (values != executable.metadata.end())
      fill(i, values->second);
  }
}

void RemoteMemory::fill(std::uint32_t buffer, const std::string &values) {
  const RemoteBuffer &info = buffers[buffer];
  if (values.size() != rowBytes(buffer) * info.numRows)
    throw RunError("the executable has " + std::to_string(values.size()) +
                   " bytes of initial values of remote buffer '" + info.handle +
                   "', which is of another size");
  for (std::uint32_t i = 0; i != info.replicas; ++i)
    std::memcpy(memory[buffer].get() + i * values.size(), values.data(),
                values.size());
}

std::size_t RemoteMemory::rowBytes(std::uint32_t buffer) const {
  return buffers[buffer].numElements * sizeOf(buffers[buffer].type);
}

std::byte *RemoteMemory::row(std::uint32_t buffer, std::uint64_t index,
                             std::uint32_t replica) const {
  const RemoteBuffer &info = buffers[buffer];
  if (index >= info.numRows)
    throw RunError("remote buffer '" + info.handle + "' has " +
                   std::to_string(info.numRows) + " rows, so none of number " +
                   std::to_string(index));
  if (replica >= info.replicas)
    throw RunError("remote buffer '" + info.handle + "' has " +
                   std::to_string(info.replicas) + " replicas, so none of " +
                   "number " + std::to_string(replica));
  return memory[buffer].get() +
         (replica * info.numRows + index) * rowBytes(buffer);
}

} // namespace populus::runtime
