// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads each vertex once, from the initial data of its tile. When the vertex
// runs, ComputeSetCheck checks that this data is intact.

#include "lib/Poplar/Verify/VertexReader.h"

#include "lib/Poplar/Support/Types.h"
#include "lib/Poplar/Verify/GraphPlaces.h"
#include "lib/Poplar/Verify/VerifyLowering.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <tuple>

namespace poplar::core {

namespace rt = populus::runtime;
using populus::archive::Field;
using populus::archive::FieldKind;
using populus::archive::FieldPlace;
using populus::archive::Layout;

VertexReader::VertexReader(const GraphImpl &graph, const rt::Executable &exe,
                           const LoweringRecord &record)
    : graph(graph), exe(exe), record(record), code(graph, exe),
      target(rt::targetOf(exe)), isNative(exe.device != rt::DeviceKind::Ipu) {
  sortData();
  firstRegion.assign(exe.vertices.size() + 1, 0);
  firstFixed.assign(exe.vertices.size() + 1, 0);
  // The vertices of a tile are contiguous, and every vertex has a tile.
  std::uint32_t next = 0;
  for (const rt::TileVertices &list : exe.tileVertices) {
    if (list.vertices.first != next)
      throw VerifyError("the vertices of tile " + std::to_string(list.tile) +
                        " do not follow those before");
    for (std::uint32_t i = 0; i != list.vertices.count; ++i)
      readVertex(list.tile, next++);
  }
  if (next != exe.vertices.size() || record.vertices.size() != next)
    throw VerifyError("there are vertices that no compute set has");
}

void VertexReader::sortData() {
  data.resize(exe.data.size());
  std::iota(data.begin(), data.end(), 0u);
  const auto keyOf = [&](std::uint32_t i) {
    return std::tie(exe.data[i].tile, exe.data[i].address);
  };
  std::sort(data.begin(), data.end(),
            [&](auto a, auto b) { return keyOf(a) < keyOf(b); });
  firstData.resize(exe.numTiles() + 1);
  for (std::uint32_t t = 0, i = 0; t <= exe.numTiles(); ++t) {
    while (i != data.size() && exe.data[data[i]].tile < t)
      ++i;
    firstData[t] = i;
  }
}

void VertexReader::fail(const std::string &problem) const {
  throw VerifyError(graph.describe(origin) + " on tile " +
                    std::to_string(tile) + ": " + problem);
}

/// Reads bytes of the current vertex, and records them.
const std::uint8_t *VertexReader::load(std::uint32_t address,
                                       std::uint64_t bytes) {
  const auto end = data.begin() + firstData[tile + 1];
  const auto next =
      std::upper_bound(data.begin() + firstData[tile], end, address,
                       [&](std::uint32_t a, std::uint32_t i) {
                         return a < exe.data[i].address;
                       });
  if (next != data.begin() + firstData[tile]) {
    const rt::DataBlock &block = exe.data[*std::prev(next)];
    if (address + bytes <= std::uint64_t(block.address) + block.bytes) {
      const std::uint64_t offset = block.offset + (address - block.address);
      fixed.push_back(
          {address, static_cast<std::uint32_t>(bytes), block.payload, offset});
      return exe.payloads[block.payload].contents().data() + offset;
    }
  }
  fail("there are no bytes for it at address " + std::to_string(address));
}

VectorForm VertexReader::formOf(Layout layout,
                                std::uint32_t elementBytes) const {
  return vectorForm(layout, target, isNative, elementBytes);
}

VertexReader::Vector VertexReader::readVector(const std::uint8_t *from,
                                              VectorForm form) const {
  std::uint64_t low = 0;
  std::memcpy(&low, from, std::min<std::size_t>(form.bytes, 8));
  Vector vector;
  const std::uint64_t mask = ~std::uint64_t(0) >> (64 - form.addressBits);
  vector.address =
      static_cast<std::uint32_t>((low & mask) * form.scale + form.bias);
  vector.hasCount = form.countBits != 0;
  if (vector.hasCount && form.addressBits == 64)
    std::memcpy(&vector.count, from + 8, form.countBits / 8);
  else if (vector.hasCount)
    vector.count =
        low >> form.addressBits & ~std::uint64_t(0) >> (64 - form.countBits);
  return vector;
}

void VertexReader::requireCount(const Field &field, const Vector &vector,
                                std::uint64_t count) const {
  if (vector.hasCount && vector.count != count)
    fail("field '" + field.name + "' has " + std::to_string(vector.count) +
         " elements, not " + std::to_string(count));
}

void VertexReader::readVertex(std::uint32_t onTile, std::uint32_t id) {
  tile = onTile;
  origin = record.vertices[id].vertex;
  state = exe.vertices[id].state;
  const Vertex &vertex = graph.vertices[origin];
  const auto &type = *graph.vertexTypes[vertex.type].description;
  const std::string compiledFor = isNative ? "cpu" : exe.target;
  const auto layout = std::find_if(
      type.targets.begin(), type.targets.end(),
      [&](const auto &entry) { return entry.target == compiledFor; });
  const auto index = static_cast<std::size_t>(layout - type.targets.begin());
  if (exe.vertexTypes[exe.vertices[id].type].name != type.name)
    fail("it is of type '" + exe.vertexTypes[exe.vertices[id].type].name + "'");
  const std::string problem =
      code.problemOf(onTile, exe.vertices[id], graph.vertexTypes[vertex.type]);
  if (!problem.empty())
    fail(problem);
  const std::uint32_t replica = record.vertices[id].replica;
  if (onTile != (graph.isCpu()
                     ? replica
                     : vertex.tile + replica * vertex.replication.stride))
    fail("it belongs on another tile");
  if (layout->stateBytes != 0)
    load(state, layout->stateBytes);
  for (std::size_t i = 0; i != type.fields.size(); ++i) {
    const Field &field = type.fields[i];
    const FieldSlot &slot = graph.slots[vertex.firstSlot + i];
    if (field.kind == FieldKind::State || field.kind == FieldKind::StateVector)
      readState(field, field.places[index], slot);
    else
      readEdges(field, field.places[index], slot);
  }
  firstRegion[id + 1] = static_cast<std::uint32_t>(regions.size());
  firstFixed[id + 1] = static_cast<std::uint32_t>(fixed.size());
}

void VertexReader::readState(const Field &field, const FieldPlace &place,
                             const FieldSlot &slot) {
  if (slot.kind == FieldSlot::Unset && field.kind == FieldKind::State)
    return;
  const std::uint64_t bytes =
      std::uint64_t(slot.count) * rt::sizeOf(field.type);
  const std::uint8_t *wanted = graph.fieldValues.data() + slot.first;
  const std::uint8_t *found = load(state + place.offset, place.bytes);
  if (field.kind == FieldKind::StateVector) {
    const Vector vector =
        readVector(found, formOf(place.inner, rt::sizeOf(field.type)));
    requireCount(field, vector, slot.count);
    fixed.pop_back(); // of the state
    if (bytes == 0)
      return;
    found = load(vector.address, bytes);
    if (std::memcmp(wanted, found, bytes) != 0)
      fail("field '" + field.name + "' has other values");
    return;
  }
  fixed.pop_back();
  if (std::memcmp(wanted, found, bytes) != 0)
    fail("field '" + field.name + "' has another value");
}

void VertexReader::readEdges(const Field &field, const FieldPlace &place,
                             const FieldSlot &slot) {
  const std::uint32_t elementBytes = rt::sizeOf(field.type);
  const std::uint8_t *own = load(state + place.offset, place.bytes);
  fixed.pop_back(); // of the state
  if (field.kind == FieldKind::Edge || field.kind == FieldKind::EdgeVector) {
    forEachRegionOf(graph, slot, [&](const Region &region) {
      const Vector vector = readVector(own, formOf(place.inner, elementBytes));
      if (field.kind == FieldKind::EdgeVector)
        requireCount(field, vector, region.numElements);
      regions.push_back(vector.address);
    });
    return;
  }
  const bool isTable =
      place.outer == Layout::DeltaN || place.outer == Layout::DeltaNElements;
  const VectorForm entry =
      formOf(isTable ? place.outer : place.inner, elementBytes);
  const Vector array =
      readVector(own, formOf(isTable ? Layout::ShortSpan : place.outer, 1));
  std::uint64_t count = 0;
  forEachRegionOf(graph, slot, [&](const Region &) { ++count; });
  requireCount(field, array, count);
  if (count == 0)
    return;
  const std::uint8_t *slots = load(array.address, count * entry.bytes);
  forEachRegionOf(graph, slot, [&](const Region &region) {
    const Vector vector = readVector(slots, entry);
    if (field.kind != FieldKind::EdgeScalars)
      requireCount(field, vector, region.numElements);
    regions.push_back(vector.address);
    slots += entry.bytes;
  });
}

} // namespace poplar::core
