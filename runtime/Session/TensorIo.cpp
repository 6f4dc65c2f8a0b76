// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Segment by segment copies.

#include "runtime/Session/TensorIo.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

namespace populus::runtime {

namespace {

/// Calls copy(tile bytes, offset in the packed data, count) for each segment
/// that the process holds.
template <typename Copy>
void forEachSegment(const Executable &executable, const DeviceMemory &memory,
                    std::uint32_t tensor, Copy copy) {
  const Range range = executable.tensors[tensor].segments;
  std::size_t offset = 0;
  for (std::uint32_t i = 0; i != range.count; ++i) {
    const Segment &segment = executable.segments[range.first + i];
    if (segment.bytes != 0 && memory.holds(segment.tile))
      copy(memory.at(segment.tile, segment.address), offset, segment.bytes);
    offset += segment.bytes;
  }
}

} // namespace

std::uint64_t tensorBytes(const TensorLayout &tensor) {
  std::uint64_t bytes = sizeOf(tensor.type);
  for (std::uint64_t extent : tensor.shape)
    bytes *= extent;
  return bytes;
}

void gather(const Executable &executable, const DeviceMemory &memory,
            std::uint32_t tensor, void *data, std::size_t begin) {
  forEachSegment(executable, memory, tensor,
                 [&](std::byte *place, std::size_t offset, std::size_t bytes) {
                   std::memcpy(static_cast<std::byte *>(data) + offset - begin,
                               place, bytes);
                 });
}

void scatter(const Executable &executable, const DeviceMemory &memory,
             std::uint32_t tensor, const void *data, std::size_t begin) {
  forEachSegment(executable, memory, tensor,
                 [&](std::byte *place, std::size_t offset, std::size_t bytes) {
                   std::memcpy(place,
                               static_cast<const std::byte *>(data) + offset -
                                   begin,
                               bytes);
                 });
}

HostTraffic hostTrafficOf(const Executable &executable, std::uint32_t tensor,
                          std::uint32_t ipu) {
  const Range range = executable.tensors[tensor].segments;
  std::unordered_map<std::uint32_t, std::uint64_t> byTile;
  HostTraffic traffic;
  for (std::uint32_t i = 0; i != range.count; ++i) {
    const Segment &segment = executable.segments[range.first + i];
    if (segment.tile / executable.tilesPerIpu != ipu)
      continue;
    traffic.bytes += segment.bytes;
    traffic.busiestTileBytes = std::max(traffic.busiestTileBytes,
                                        byTile[segment.tile] += segment.bytes);
  }
  return traffic;
}

} // namespace populus::runtime
