// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CPU and IPU Model devices: vertices are host functions that work directly
// on the tiles' memory. On the IPU Model a vertex takes the cycles that its
// author or the library estimated, scheduled on six workers by the common
// timing model; on the CPU device nothing takes any. Tiles' memory is in no
// cache when their turn comes, so what the next tile's vertices begin with is
// fetched while those of a tile are at work.

#include "runtime/Native/HostCode.h"
#include "runtime/Session/Device.h"
#include "runtime/Session/Session.h"
#include "runtime/Support/Prefetch.h"
#include "runtime/Target/Timing.h"

#include <algorithm>
#include <cstring>

namespace populus::runtime {

namespace {

class NativeDevice : public Device {
public:
  NativeDevice(const Executable &executable, DeviceMemory &memory)
      : executable(executable), memory(memory), code(executable) {
    for (const PointerSlot &slot : executable.pointerSlots)
      if (memory.holds(slot.tile))
        relocate(slot);
    for (const VertexType &type : executable.vertexTypes)
      pointers.push_back(pointersOf(type));
    for (const TileVertices &vertices : executable.tileVertices)
      if (executable.device == DeviceKind::IpuModel)
        cycles.push_back(cyclesOf(vertices));
      else
        divided.push_back(canDivide(vertices));
  }

  std::string_view engine() const override { return "native"; }

  void runTile(std::span<const TileVertices> tiles, std::uint64_t,
               TileRun &result) override {
    const TileVertices &vertices = tiles.front();
    if (tiles.size() > 2)
      fetchStates(tiles[2]);
    if (tiles.size() > 1)
      fetchOperands(tiles[1]);
    for (std::uint32_t i = 0; i != vertices.vertices.count; ++i)
      runVertex(vertices, i);
    if (!cycles.empty())
      result.cycles = cycles[numberOf(vertices)];
  }

  bool dividesTile(const TileVertices &vertices) const override {
    return !divided.empty() && divided[numberOf(vertices)];
  }

  void runVertex(const TileVertices &vertices, std::uint32_t index) override {
    const Vertex &vertex = executable.vertices[vertices.vertices.first + index];
    code.function(vertex.entry)(memory.at(vertices.tile, vertex.state));
  }

private:
  /// The most vertices of a tile, and bytes of the memory that one of them
  /// points to, that are fetched; the host's prefetcher recognises the pattern
  /// and fetches the rest.
  static constexpr std::uint32_t MostFetchedVertices = 8;
  static constexpr unsigned MostFetched = 4 * HostLine;

  std::size_t numberOf(const TileVertices &vertices) const {
    return static_cast<std::size_t>(&vertices - executable.tileVertices.data());
  }

  /// On the CPU device, where all is on one tile and nothing takes cycles.
  bool canDivide(const TileVertices &vertices) const {
    const auto all =
        std::span(executable.vertices)
            .subspan(vertices.vertices.first, vertices.vertices.count);
    return std::none_of(all.begin(), all.end(), [&](const Vertex &vertex) {
      return code.needsOrder(vertex.entry);
    });
  }

  /// Estimates do not depend on what a vertex does.
  std::uint64_t cyclesOf(const TileVertices &vertices) const {
    timing::TileSchedule schedule;
    const Range range = vertices.vertices;
    for (std::uint32_t i = 0; i != range.count; ++i) {
      const Vertex &vertex = executable.vertices[range.first + i];
      if (executable.vertexTypes[vertex.type].kind == VertexKind::Worker)
        schedule.add(vertex.estimate);
      else
        schedule.addAlone(vertex.estimate);
    }
    return schedule.finish();
  }

  /// Returns the offsets of the pointers to tensors in the state of a vertex.
  static std::vector<std::uint32_t> pointersOf(const VertexType &type) {
    std::vector<std::uint32_t> offsets;
    for (const FieldInfo &field : type.fields)
      if (field.access != FieldAccess::Value &&
          field.bytes >= sizeof(std::byte *) &&
          field.offset + sizeof(std::byte *) <= type.stateBytes)
        offsets.push_back(field.offset);
    return offsets;
  }

  template <typename Function>
  void forFirstVertices(const TileVertices &vertices, Function visit) const {
    const Range range = vertices.vertices;
    for (std::uint32_t i = 0; i != std::min(range.count, MostFetchedVertices);
         ++i) {
      const Vertex &vertex = executable.vertices[range.first + i];
      visit(vertex, memory.at(vertices.tile, vertex.state));
    }
  }

  void fetchStates(const TileVertices &vertices) const {
    forFirstVertices(vertices, [&](const Vertex &vertex, std::byte *state) {
      const std::uint32_t bytes =
          executable.vertexTypes[vertex.type].stateBytes;
      for (std::uint32_t at = 0; at < bytes; at += HostLine)
        prefetch<Access::Read>(state + at);
    });
  }

  void fetchOperands(const TileVertices &vertices) const {
    forFirstVertices(vertices, [&](const Vertex &vertex, std::byte *state) {
      for (std::uint32_t offset : pointers[vertex.type]) {
        std::byte *operand;
        std::memcpy(&operand, state + offset, sizeof(operand));
        for (unsigned at = 0; at != MostFetched; at += HostLine)
          prefetch<Access::Read>(operand + at);
      }
    });
  }

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
  std::vector<std::vector<std::uint32_t>> pointers; // by vertex type
  // By TileVertices: of the IPU Model, and of the CPU device.
  std::vector<std::uint64_t> cycles;
  std::vector<bool> divided;
};

} // namespace

std::unique_ptr<Device> createNativeDevice(const Executable &executable,
                                           DeviceMemory &memory) {
  return std::make_unique<NativeDevice>(executable, memory);
}

} // namespace populus::runtime
