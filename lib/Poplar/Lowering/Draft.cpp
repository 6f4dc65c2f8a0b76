// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Building the tables of an executable with places, and resolving them.

#include "lib/Poplar/Lowering/Draft.h"

#include "lib/Poplar/Lowering/BufferCategory.h"
#include "lib/Poplar/Lowering/Require.h"
#include "lib/Poplar/Support/Types.h"

#include <poplar/exceptions.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <numeric>
#include <tuple>
#include <utility>

namespace poplar::core {

namespace rt = populus::runtime;

namespace {

rt::DeviceKind deviceKind(TargetType type) {
  switch (type) {
  case TargetType::CPU:
    return rt::DeviceKind::Cpu;
  case TargetType::IPU_MODEL:
    return rt::DeviceKind::IpuModel;
  case TargetType::IPU:
    break;
  }
  return rt::DeviceKind::Ipu;
}

} // namespace

Draft::Draft(const GraphImpl &graph, const TargetData &target,
             rt::Executable &exe, unsigned threads)
    : graph(graph), target(target), exe(exe), storage(graph), workers(threads),
      exchanges(graph, storage, workers) {
  exe.device = deviceKind(target.type);
  exe.target = target.info->name;
  exe.numIpus = target.numIpus;
  exe.tilesPerIpu = graph.isCpu() ? storage.numCpuTiles() : target.tilesPerIpu;
  if (target.model)
    exe.model = target.model->timing;
  tiles.resize(exe.numTiles());
  typeIds.assign(graph.vertexTypes.size(), None);
}

void Draft::confine(Block &block, populus::archive::Layout layout) const {
  const std::uint64_t end = vectorForm(layout, 1).addressEnd();
  if (!isNative() && end < target.info->regions[1].end)
    block.addressEnd = std::min(block.addressEnd, end);
}

Block &Draft::buffers(std::uint32_t tile, bool interleaved) {
  std::uint32_t &id = tiles[tile].bufferBlock[interleaved];
  if (id == None) {
    Block block;
    block.tile = tile;
    block.category = MemoryCategory::Message;
    block.interleaved = interleaved;
    id = storage.addBlock(block);
  }
  return storage.blocks()[id];
}

Place Draft::bufferPlace(std::uint32_t tile, bool interleaved,
                         std::uint32_t offset) {
  buffers(tile, interleaved);
  return {tiles[tile].bufferBlock[interleaved], offset};
}

void Draft::addRegion(std::uint32_t fieldAndFlag, Place place,
                      std::uint64_t bytes) {
  if (isNative())
    return;
  exe.regions.push_back({0, static_cast<std::uint32_t>(bytes), fieldAndFlag});
  regionPlaces.push_back(place);
}

std::uint32_t Draft::replicasOf(const TensorView &view) const {
  std::uint32_t replicas = 1;
  if (!graph.hasReplicas)
    return replicas;
  view.forEachRun([&](const Run &run) {
    const Variable &variable = graph.variables[run.variable];
    const std::uint32_t factor = variable.replication.factor;
    if (factor != 1 && replicas != 1 && factor != replicas)
      throw graph_replication_error(graph.describeVariable(run.variable) +
                                    " has " + std::to_string(factor) +
                                    " replicas, but stands beside one of " +
                                    std::to_string(replicas));
    replicas = std::max(replicas, factor);
  });
  return replicas;
}

std::uint32_t Draft::addLayout(const TensorView &view,
                               std::span<const std::uint32_t> replicas) {
  rt::TensorLayout layout;
  layout.type = elementType(view.type);
  if (replicas.size() != 1)
    layout.shape.push_back(replicas.size());
  for (std::size_t extent : view.shape())
    layout.shape.push_back(extent);
  layout.segments.first = static_cast<std::uint32_t>(segments.size());
  for (std::uint32_t replica : replicas)
    for (const PlaceRun &run : storage.placesOf(view, replica))
      segments.push_back(run);
  layout.segments.count =
      static_cast<std::uint32_t>(segments.size()) - layout.segments.first;
  exe.tensors.push_back(std::move(layout));
  return static_cast<std::uint32_t>(exe.tensors.size() - 1);
}

std::uint32_t Draft::addTensor(const TensorView &view, std::uint32_t replicas) {
  std::vector<std::uint32_t> all(std::max(replicas, replicasOf(view)));
  std::iota(all.begin(), all.end(), 0u);
  return addLayout(view, all);
}

std::uint32_t Draft::addTensorOf(const TensorView &view,
                                 std::uint32_t replica) {
  return addLayout(view, {&replica, 1});
}

std::size_t Draft::targetIndex(const populus::archive::VertexType &type) const {
  const std::string name = codeTarget();
  for (std::size_t i = 0; i != type.targets.size(); ++i)
    if (type.targets[i].target == name)
      return i;
  std::string available;
  for (const auto &entry : type.targets)
    available += (available.empty() ? "" : ", ") + entry.target;
  throw graph_object_load_error(
      "vertex type '" + type.name + "' has no code for target '" + name +
      "', only for " + (available.empty() ? "none" : available) +
      "; compile its codelets with --target=" + name);
}

static rt::FieldInfo fieldInfo(const populus::archive::Field &field,
                               const populus::archive::FieldPlace &place) {
  rt::FieldInfo info;
  info.name = field.name;
  info.offset = place.offset;
  info.bytes = place.bytes;
  // Both enumerations count none or value, input, output, both.
  info.access = static_cast<rt::FieldAccess>(field.direction);
  info.elementBytes = rt::sizeOf(field.type);
  info.minAlign = std::max(field.minAlign, info.elementBytes);
  info.interleaved = field.interleaved;
  return info;
}

std::uint32_t Draft::vertexType(std::uint32_t graphType) {
  std::uint32_t &id = typeIds[graphType];
  if (id != None)
    return id;
  const auto &description = *graph.vertexTypes[graphType].description;
  const std::size_t index = targetIndex(description);
  rt::VertexType type;
  type.name = description.name;
  type.kind = description.kind;
  type.stateBytes = description.targets[index].stateBytes;
  for (const auto &field : description.fields)
    type.fields.push_back(fieldInfo(field, field.places[index]));
  id = static_cast<std::uint32_t>(exe.vertexTypes.size());
  exe.vertexTypes.push_back(std::move(type));
  graphTypes.push_back(graphType);
  return id;
}

// ---- Places to addresses ----------------------------------------------------

void Draft::writePointers() {
  for (const PointerFixup &pointer : pointers) {
    const Block &holder = storage.block(pointer.slot);
    TileDraft &tile = tiles[holder.tile];
    std::vector<std::uint8_t> &bytes =
        pointer.slot.block == tile.stateBlock ? tile.state : tile.fieldData;
    const VectorForm form = vectorForm(pointer.layout, pointer.elementBytes);
    const std::uint64_t address = storage.addressOf(pointer.target);
    // A count may stand in the bits above. Only in a program that does not fit
    // in memory, and so is not run, does an address go beyond its bits.
    std::uint64_t value = 0;
    const std::size_t width = std::min<std::size_t>(
        std::bit_ceil((form.addressBits + 7u) / 8u), form.bytes);
    std::memcpy(&value, bytes.data() + pointer.slot.offset, width);
    value |= (address - form.bias) / form.scale &
             (~std::uint64_t(0) >> (64 - form.addressBits));
    std::memcpy(bytes.data() + pointer.slot.offset, &value, width);
    if (isNative())
      exe.pointerSlots.push_back(
          {holder.tile, holder.address + pointer.slot.offset});
  }
  pointers.clear();
}

/// Makes a step of an exchange without pieces an empty one, so that tiles do
/// not wait for it.
static void
dropEmptyExchanges(rt::Executable &exe,
                   const std::function<bool(std::uint32_t)> &isEmpty) {
  for (rt::Step &step : exe.steps)
    if (step.kind == rt::StepKind::Exchange && isEmpty(step.exchange())) {
      step.kind = rt::StepKind::Sequence;
      step.index = 0;
    }
}

void Draft::dropCopiesTo(const std::vector<bool> &unwanted) {
  exchanges.dropPiecesTo(unwanted);
  dropEmptyExchanges(exe,
                     [&](std::uint32_t id) { return exchanges.isEmpty(id); });
}

void Draft::resolve() {
  exchanges.resolve(exe);
  // Blocks that share memory need no copies between them.
  dropEmptyExchanges(exe, [&](std::uint32_t id) {
    return exe.exchanges[id].pieces.count == 0;
  });
  for (const PlaceRun &run : std::exchange(segments, {}))
    exe.segments.push_back({storage.block(run.place).tile,
                            storage.addressOf(run.place), run.bytes});
  for (const PlacedData &part : std::exchange(data, {}))
    exe.data.push_back({storage.block(part.place).tile,
                        storage.addressOf(part.place), part.payload, part.bytes,
                        part.offset});
  for (std::size_t i = 0; i != statePlaces.size(); ++i)
    exe.vertices[i].state = storage.addressOf(statePlaces[i]);
  statePlaces.clear();
  for (std::size_t i = 0; i != regionPlaces.size(); ++i)
    exe.regions[i].address = storage.addressOf(regionPlaces[i]);
  regionPlaces.clear();
  writePointers();
}

} // namespace poplar::core
