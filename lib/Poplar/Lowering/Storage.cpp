// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Laying out variables on tiles.

#include "lib/Poplar/Lowering/Storage.h"

#include "lib/Poplar/Support/Types.h"

#include <poplar/exceptions.hpp>

#include <algorithm>

namespace poplar::core {

namespace {

/// Blocks of this many bytes are aligned to it, so that vector loads work.
constexpr std::uint32_t VectorBytes = 8;

void append(std::vector<PlaceRun> &places, Place place, std::uint64_t bytes) {
  if (!places.empty()) {
    PlaceRun &last = places.back();
    if (last.place.block == place.block &&
        std::uint64_t(last.place.offset) + last.bytes == place.offset) {
      last.bytes += static_cast<std::uint32_t>(bytes);
      return;
    }
  }
  places.push_back({place, static_cast<std::uint32_t>(bytes)});
}

} // namespace

Storage::Storage(const GraphImpl &graph) : graph(graph) {
  if (!graph.isCpu() || !graph.hasReplicas)
    return;
  for (const Variable &variable : graph.variables)
    cpuTiles = std::max(cpuTiles, variable.replication.factor);
  for (const Vertex &vertex : graph.vertices)
    cpuTiles = std::max(cpuTiles, vertex.replication.factor);
}

std::uint32_t Storage::addBlock(const Block &block) {
  allBlocks.push_back(block);
  return static_cast<std::uint32_t>(allBlocks.size() - 1);
}

const std::vector<Storage::Part> &
Storage::partsOf(std::uint32_t variable) const {
  static const std::vector<Part> none;
  return variable < parts.size() ? parts[variable] : none;
}

void Storage::failUnmapped(std::uint32_t variable, std::uint64_t begin) const {
  throw invalid_tile_mapping(
      graph.describeVariable(variable) +
      (begin == 0 ? " is"
                  : " is, from element " + std::to_string(begin) + " on,") +
      " not mapped to a tile; use Graph::setTileMapping");
}

const std::vector<Storage::Part> &Storage::requireParts(std::uint32_t id) {
  if (parts.size() <= id)
    parts.resize(graph.variables.size());
  std::vector<Part> &list = parts[id];
  if (!list.empty())
    return list;

  const Variable &variable = graph.variables[id];
  const unsigned elementBytes = sizeOf(variable.type);
  blockOnTile.resize(std::max(graph.target.getNumTiles(), cpuTiles), None);
  const auto place = [&](std::uint64_t begin, std::uint64_t end,
                         std::uint32_t tile) {
    if (blockOnTile[tile] == None) {
      Block block;
      block.variable = id;
      block.tile = tile;
      block.category = variable.isConstant ? MemoryCategory::Constant
                                           : MemoryCategory::Variable;
      blockOnTile[tile] = addBlock(block);
    }
    Block &block = allBlocks[blockOnTile[tile]];
    list.push_back(
        {begin,
         end,
         {blockOnTile[tile], static_cast<std::uint32_t>(block.bytes)}});
    block.bytes += (end - begin) * elementBytes;
    if (block.bytes >> 31)
      throw graph_memory_allocation_error(
          "out of memory: " + graph.describeVariable(id) +
          " alone takes more than 2 GiB on tile " + std::to_string(tile));
  };

  for (std::uint32_t r = 0; r != variable.replication.factor; ++r) {
    const std::uint64_t first = r * variable.numElements;
    std::uint64_t mapped = 0;
    if (graph.isCpu()) {
      place(first, first + variable.numElements, r);
      mapped = variable.numElements;
    } else {
      variable.tiles.forEach(
          0, variable.numElements,
          [&](std::uint64_t begin, std::uint64_t end, std::uint32_t tile) {
            if (begin != mapped)
              failUnmapped(id, mapped);
            place(first + begin, first + end,
                  tile + r * variable.replication.stride);
            mapped = end;
          });
    }
    if (mapped != variable.numElements)
      failUnmapped(id, mapped);
  }
  for (const Part &part : list) {
    blockOnTile[block(part.place).tile] = None;
    if (block(part.place).bytes >= VectorBytes)
      block(part.place).align = VectorBytes;
  }
  return list;
}

void Storage::appendPlaces(Run run, std::uint32_t replica,
                           std::vector<PlaceRun> &places) {
  if (run.count == 0)
    return;
  const Variable &variable = graph.variables[run.variable];
  if (variable.allReplicasOf != None)
    run.variable = variable.allReplicasOf;
  else if (variable.replication.factor != 1)
    run.offset += static_cast<std::int64_t>(replica * variable.numElements);
  const std::vector<Part> &list = requireParts(run.variable);
  const unsigned elementBytes = sizeOf(graph.variables[run.variable].type);
  const auto find = [&](std::uint64_t element) {
    return std::prev(std::upper_bound(
        list.begin(), list.end(), element,
        [](std::uint64_t e, const Part &part) { return e < part.begin; }));
  };
  auto part = find(static_cast<std::uint64_t>(run.offset));
  const bool forward = run.stride == 1 || run.count == 1;
  for (std::uint64_t i = 0; i != run.count;) {
    const auto element = static_cast<std::uint64_t>(
        run.offset + static_cast<std::int64_t>(i) * run.stride);
    if (element < part->begin || element >= part->end)
      part = find(element);
    const std::uint64_t count =
        forward ? std::min(run.count - i, part->end - element) : 1;
    append(places,
           {part->place.block,
            part->place.offset + static_cast<std::uint32_t>(
                                     (element - part->begin) * elementBytes)},
           count * elementBytes);
    i += count;
  }
}

std::vector<PlaceRun> Storage::placesOf(std::span<const Run> runs,
                                        std::uint32_t replica) {
  std::vector<PlaceRun> places;
  for (const Run &run : runs)
    appendPlaces(run, replica, places);
  return places;
}

std::vector<PlaceRun> Storage::placesOf(const TensorView &view,
                                        std::uint32_t replica) {
  std::vector<PlaceRun> places;
  view.forEachRun([&](const Run &run) { appendPlaces(run, replica, places); });
  return places;
}

} // namespace poplar::core
