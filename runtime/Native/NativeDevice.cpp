// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CPU and IPU Model devices: vertices are host functions that work directly
// on the tiles' memory. On the IPU Model a vertex takes the cycles that its
// author or the library estimated, scheduled on six workers by the common
// timing model; on the CPU device nothing takes any.

#include "runtime/Native/HostCode.h"
#include "runtime/Session/Device.h"
#include "runtime/Session/Session.h"
#include "runtime/Target/Timing.h"

#include <cstring>

namespace populus::runtime {

namespace {

class NativeDevice : public Device {
public:
  NativeDevice(const Executable &executable, DeviceMemory &memory)
      : executable(executable), memory(memory), code(executable) {
    for (const PointerSlot &slot : executable.pointerSlots)
      relocate(slot);
  }

  std::string_view engine() const override { return "native"; }

  void runTile(std::span<const TileVertices> tiles, std::uint64_t,
               TileRun &result) override {
    const TileVertices &vertices = tiles.front();
    timing::TileSchedule schedule;
    const Range range = vertices.vertices;
    for (std::uint32_t i = 0; i != range.count; ++i) {
      const Vertex &vertex = executable.vertices[range.first + i];
      code.function(vertex.entry)(memory.at(vertices.tile, vertex.state));
      if (executable.vertexTypes[vertex.type].kind == VertexKind::Worker)
        schedule.add(vertex.estimate);
      else
        schedule.addAlone(vertex.estimate);
    }
    if (executable.device == DeviceKind::IpuModel)
      result.cycles = schedule.finish();
  }

private:
  /// Turns a tile address in the vertex state into a host pointer.
  void relocate(const PointerSlot &slot) {
    std::byte *place = memory.at(slot.tile, slot.slot);
    std::uint64_t address;
    std::memcpy(&address, place, sizeof(address));
    const AddressRange range = tileAddresses(executable, slot.tile);
    // One past the end is a valid pointer to an empty region.
    if (address < range.begin || address > range.end)
      throw RunError("tile " + std::to_string(slot.tile) +
                     ": a pointer in vertex state leads out of the tile's "
                     "memory; the program is damaged");
    std::byte *pointer = memory.at(slot.tile, static_cast<Address>(address));
    std::memcpy(place, &pointer, sizeof(pointer));
  }

  const Executable &executable;
  DeviceMemory &memory;
  HostCode code;
};

} // namespace

std::unique_ptr<Device> createNativeDevice(const Executable &executable,
                                           DeviceMemory &memory) {
  return std::make_unique<NativeDevice>(executable, memory);
}

} // namespace populus::runtime
