// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// If the elements of an edge are contiguous on the vertex's own tile, the edge
// is a pointer to them. Any other edge gets a buffer on the tile. An exchange
// fills the buffer before the vertices run and, if the vertex writes it,
// another one copies it back. Inputs of the same elements on one tile share a
// buffer. A written edge also needs a buffer if it would share a word of memory
// with other elements: tiles store whole words, so two vertices would undo each
// other's stores.

#include "lib/Poplar/Lowering/VertexLowering.h"

#include "lib/Poplar/Graph/Introspection.h"
#include "lib/Poplar/Lowering/DirectAccesses.h"
#include "lib/Poplar/Lowering/EdgeBuffers.h"
#include "lib/Poplar/Lowering/ExchangeMerging.h"
#include "lib/Poplar/Lowering/Require.h"
#include "lib/Poplar/Support/Types.h"

#include <poplar/exceptions.hpp>

#include <algorithm>
#include <cstring>
#include <limits>

namespace poplar::core {

namespace rt = populus::runtime;
using populus::archive::Direction;
using populus::archive::Field;
using populus::archive::FieldKind;
using populus::archive::FieldPlace;
using populus::archive::Layout;

namespace {

std::string nameOf(const GraphImpl &graph,
                   std::span<const std::uint32_t> sets) {
  std::vector<std::string> names;
  for (std::uint32_t set : sets)
    if (names.empty() || names.back() != graph.computeSets[set].name)
      names.push_back(graph.computeSets[set].name);
  return joinNames(names);
}

class ComputeSetLowering {
public:
  ComputeSetLowering(Draft &draft, std::span<const std::uint32_t> sets,
                     const std::vector<std::vector<ElementSpan>> &overwritten)
      : draft(draft), graph(draft.graph), sets(sets), overwritten(overwritten),
        name(nameOf(graph, sets)),
        id(static_cast<std::uint32_t>(draft.exe.computeSets.size())),
        buffers(draft, name), accesses(graph, draft.storage) {}

  LoweredComputeSet lower();

private:
  /// A vertex in one of its replicas.
  struct Placed {
    std::uint32_t vertex, replica, tile;
    std::uint32_t set; // of `sets`
  };
  std::vector<Placed> placeVertices() const;
  void lowerTile(std::span<const Placed> vertices);
  void lowerVertex(const Placed &placed);
  void lowerField(const Field &field, const FieldPlace &place,
                  const FieldSlot &slot);
  void writeState(const Field &field, const FieldPlace &place,
                  const FieldSlot &slot);
  void writeVector(const Field &field, Layout layout, Place slot, Place target,
                   std::uint64_t count);
  void lowerRegions(const Field &field, const FieldPlace &place,
                    const FieldSlot &slot);
  void lowerList(const Field &field, const FieldPlace &place,
                 const std::vector<Region> &regions);
  Place lowerRegion(const Field &field, const Region &region);
  void checkReplicas(const Field &field, std::span<const Run> runs) const;
  bool needsCopy(const Field &field, std::span<const Run> runs) const;
  bool canPointTo(const Field &field, const std::vector<PlaceRun> &places);
  Place fieldData(std::uint64_t bytes, std::uint32_t align, Layout layout);
  Place stateSlot(const FieldPlace &place) const {
    return {draft.tiles[tile].stateBlock, stateOffset + place.offset};
  }
  std::vector<Region> regionsOf(const Field &field, const FieldSlot &slot);
  [[noreturn]] void fail(const Field &field, const std::string &problem) const;

  Draft &draft;
  const GraphImpl &graph;
  std::span<const std::uint32_t> sets;
  const std::vector<std::vector<ElementSpan>> &overwritten; // or none
  std::string name;
  std::uint32_t id; // of the executable
  EdgeBuffers buffers;
  DirectAccesses accesses;
  std::vector<Piece> after;

  // The tile in work.
  std::uint32_t tile = 0;

  // The vertex in work.
  std::uint32_t vertex = 0;
  std::uint32_t set = 0;
  std::uint32_t replica = 0;
  std::uint32_t stateOffset = 0;
  /// Layout of the regions of the current field.
  Layout regionLayout = Layout::OnePtr;
  std::uint32_t fieldIndex = 0;
};

void ComputeSetLowering::fail(const Field &field,
                              const std::string &problem) const {
  throw graph_connection_error("field '" + field.name + "' of " +
                               graph.describe(vertex) + " " + problem);
}

/// The vertices by tile, those of a tile in the order in which they were added.
std::vector<ComputeSetLowering::Placed>
ComputeSetLowering::placeVertices() const {
  std::vector<Placed> order;
  for (std::uint32_t i = 0; i != sets.size(); ++i)
    for (std::uint32_t id : graph.computeSets[sets[i]].vertices) {
      const Vertex &source = graph.vertices[id];
      if (source.tile == None)
        throw invalid_tile_mapping(graph.describe(id) +
                                   " is not mapped to a tile; use "
                                   "Graph::setTileMapping");
      for (std::uint32_t r = 0; r != source.replication.factor; ++r)
        order.push_back(
            {id, r,
             graph.isCpu() ? r : source.tile + r * source.replication.stride,
             i});
    }
  std::stable_sort(
      order.begin(), order.end(),
      [](const Placed &a, const Placed &b) { return a.tile < b.tile; });
  return order;
}

LoweredComputeSet ComputeSetLowering::lower() {
  const std::vector<Placed> order = placeVertices();
  rt::ComputeSet result;
  result.name = name;
  std::vector<rt::TileVertices> lists;
  for (std::size_t begin = 0; begin != order.size();) {
    const std::uint32_t onTile = order[begin].tile;
    std::size_t end = begin;
    while (end != order.size() && order[end].tile == onTile)
      ++end;
    lists.push_back({onTile,
                     {static_cast<std::uint32_t>(draft.exe.vertices.size()),
                      static_cast<std::uint32_t>(end - begin)}});
    lowerTile(std::span(order).subspan(begin, end - begin));
    begin = end;
  }
  result.tiles.first =
      static_cast<std::uint32_t>(draft.exe.tileVertices.size());
  result.tiles.count = static_cast<std::uint32_t>(lists.size());
  draft.exe.tileVertices.insert(draft.exe.tileVertices.end(), lists.begin(),
                                lists.end());
  accesses.checkWrites(name, after);
  buffers.finish();
  draft.firstAccess.push_back(draft.vertexAccesses.size());
  LoweredComputeSet lowered;
  lowered.name = name;
  lowered.inputs = buffers.finishInputs();
  lowered.outputs = std::move(after);
  lowered.computeSet = id;
  draft.exe.computeSets.push_back(std::move(result));
  return lowered;
}

void ComputeSetLowering::lowerTile(std::span<const Placed> vertices) {
  tile = vertices.front().tile;
  buffers.beginTile(tile);
  for (const Placed &placed : vertices)
    lowerVertex(placed);
  accesses.finishTile(draft.vertexAccesses);
  buffers.finishTile();
}

void ComputeSetLowering::lowerVertex(const Placed &placed) {
  vertex = placed.vertex;
  set = placed.set;
  replica = placed.replica;
  const Vertex &source = graph.vertices[vertex];
  const auto &type = *graph.vertexTypes[source.type].description;
  const std::uint32_t typeId = draft.vertexType(source.type);
  const std::size_t targetIndex = draft.targetIndex(type);
  const auto &layout = type.targets[targetIndex];

  TileDraft &onTile = draft.tiles[tile];
  if (onTile.stateBlock == None) {
    Block block;
    block.tile = tile;
    block.category = MemoryCategory::VertexInstanceState;
    onTile.stateBlock = draft.storage.addBlock(block);
  }
  const std::uint32_t align = std::max(layout.stateAlign, WordBytes);
  Block &block = draft.storage.blocks()[onTile.stateBlock];
  block.align = std::max(block.align, align);
  stateOffset = static_cast<std::uint32_t>(alignUp(onTile.state.size(), align));
  onTile.state.resize(stateOffset + layout.stateBytes);
  block.bytes = onTile.state.size();
  const auto known = std::lower_bound(onTile.vertexTypes.begin(),
                                      onTile.vertexTypes.end(), typeId);
  if (known == onTile.vertexTypes.end() || *known != typeId)
    onTile.vertexTypes.insert(known, typeId);

  if (!draft.isNative())
    draft.exe.firstRegion.push_back(
        static_cast<std::uint32_t>(draft.exe.regions.size()));
  rt::Vertex result;
  result.type = typeId;
  result.estimate = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(estimateCycles(graph, vertex),
                              std::numeric_limits<std::uint32_t>::max()));
  for (fieldIndex = 0; fieldIndex != type.fields.size(); ++fieldIndex)
    lowerField(type.fields[fieldIndex],
               type.fields[fieldIndex].places[targetIndex],
               graph.slots[source.firstSlot + fieldIndex]);
  draft.exe.vertices.push_back(result);
  draft.statePlaces.push_back({onTile.stateBlock, stateOffset});
  if (draft.recordsOrigins)
    draft.origins.push_back({vertex, replica});
}

void ComputeSetLowering::lowerField(const Field &field, const FieldPlace &place,
                                    const FieldSlot &slot) {
  if (field.kind == FieldKind::State || field.kind == FieldKind::StateVector)
    writeState(field, place, slot);
  else
    lowerRegions(field, place, slot);
}

// ---- Values -----------------------------------------------------------------

void ComputeSetLowering::writeState(const Field &field, const FieldPlace &place,
                                    const FieldSlot &slot) {
  // A value that was not set is zero, as the state's bytes are.
  if (slot.kind == FieldSlot::Unset && field.kind == FieldKind::State)
    return;
  const std::uint64_t bytes =
      std::uint64_t(slot.count) * rt::sizeOf(field.type);
  const std::uint8_t *values = graph.fieldValues.data() + slot.first;
  if (field.kind == FieldKind::State) {
    if (bytes > place.bytes)
      fail(field, "has another size than its value");
    std::memcpy(draft.tiles[tile].state.data() + stateOffset + place.offset,
                values, bytes);
    return;
  }
  const Place target =
      fieldData(bytes, std::max(field.minAlign, WordBytes), place.inner);
  std::memcpy(draft.tiles[tile].fieldData.data() + target.offset, values,
              bytes);
  draft.addRegion(fieldIndex, target, bytes);
  writeVector(field, place.inner, stateSlot(place), target, slot.count);
}

Place ComputeSetLowering::fieldData(std::uint64_t bytes, std::uint32_t align,
                                    Layout layout) {
  TileDraft &onTile = draft.tiles[tile];
  if (onTile.fieldDataBlock == None) {
    Block block;
    block.tile = tile;
    block.category = MemoryCategory::VertexFieldData;
    onTile.fieldDataBlock = draft.storage.addBlock(block);
  }
  Block &block = draft.storage.blocks()[onTile.fieldDataBlock];
  block.align = std::max(block.align, align);
  const auto offset =
      static_cast<std::uint32_t>(alignUp(onTile.fieldData.size(), align));
  onTile.fieldData.resize(offset + bytes);
  block.bytes = onTile.fieldData.size();
  return {onTile.fieldDataBlock, offset};
}

/// Writes a vector to the vertex state or to a list: the count, if the layout
/// has one, and the pointer as soon as it is known.
void ComputeSetLowering::writeVector(const Field &field, Layout layout,
                                     Place slot, Place target,
                                     std::uint64_t count) {
  const std::uint32_t elementBytes = rt::sizeOf(field.type);
  const VectorForm form = draft.vectorForm(layout, elementBytes);
  TileDraft &onTile = draft.tiles[tile];
  std::uint8_t *bytes =
      (slot.block == onTile.stateBlock ? onTile.state : onTile.fieldData)
          .data() +
      slot.offset;
  if (form.countBits != 0) {
    if (count > form.maxCount())
      fail(field, "has " + std::to_string(count) +
                      " elements in one vector or list, more than the " +
                      std::to_string(form.maxCount()) +
                      " that its layout can express; use VectorLayout::SPAN or "
                      "VectorListLayout::COMPACT_DELTAN");
    if (form.addressBits % 8 == 0) {
      std::memcpy(bytes + form.addressBits / 8, &count, form.countBits / 8);
    } else {
      const auto word = static_cast<std::uint32_t>(count << form.countShift());
      std::memcpy(bytes, &word, sizeof(word));
    }
  }
  draft.pointers.push_back(
      {slot, target, layout, static_cast<std::uint8_t>(elementBytes)});
}

// ---- Edges ------------------------------------------------------------------

std::vector<Region> ComputeSetLowering::regionsOf(const Field &field,
                                                  const FieldSlot &slot) {
  std::vector<Region> regions;
  if (slot.kind == FieldSlot::Unset)
    fail(field, "is not connected; use Graph::connect");
  if (slot.kind == FieldSlot::Regions) {
    const auto first = graph.regions.begin() + slot.first;
    regions.assign(first, first + slot.count);
    return regions;
  }
  const auto &indexed = graph.indexedRegions[slot.first];
  for (std::size_t i = 0; i != indexed.size(); ++i) {
    if (!indexed[i])
      fail(field, "is not connected at index " + std::to_string(i));
    regions.push_back(*indexed[i]);
  }
  return regions;
}

std::uint64_t edgeBytes(const Field &field, const Region &region) {
  return region.numElements * rt::sizeOf(field.type);
}

void ComputeSetLowering::lowerRegions(const Field &field,
                                      const FieldPlace &place,
                                      const FieldSlot &slot) {
  const std::vector<Region> regions = regionsOf(field, slot);
  draft.numEdges += regions.size();
  regionLayout = place.inner;
  if (field.kind == FieldKind::Edge || field.kind == FieldKind::EdgeVector) {
    require(regions.size() == 1, "an edge that is no list has one region");
    const Place target = lowerRegion(field, regions.front());
    draft.addRegion(fieldIndex, target, edgeBytes(field, regions.front()));
    writeVector(field, place.inner, stateSlot(place), target,
                regions.front().numElements);
    return;
  }
  lowerList(field, place, regions);
}

/// An array of vectors in the field data. The table of a packed list is an
/// array too: its entries have the list's layout, and a short span points to
/// it.
void ComputeSetLowering::lowerList(const Field &field, const FieldPlace &place,
                                   const std::vector<Region> &regions) {
  const bool isTable =
      place.outer == Layout::DeltaN || place.outer == Layout::DeltaNElements;
  const Layout entryLayout = isTable ? place.outer : place.inner;
  const Layout arrayLayout = isTable ? Layout::ShortSpan : place.outer;
  const VectorForm entry =
      draft.vectorForm(entryLayout, rt::sizeOf(field.type));
  const Place array =
      fieldData(std::uint64_t(entry.bytes) * regions.size(),
                std::max<std::uint32_t>(draft.isNative() ? 8 : WordBytes,
                                        draft.vectorForm(arrayLayout, 1).scale),
                arrayLayout);
  draft.addRegion(fieldIndex | rt::VertexRegion::ArrayFlag, array,
                  std::uint64_t(entry.bytes) * regions.size());
  for (std::size_t i = 0; i != regions.size(); ++i) {
    const Place slot = {array.block, static_cast<std::uint32_t>(
                                         array.offset + i * entry.bytes)};
    const Place target = lowerRegion(field, regions[i]);
    draft.addRegion(fieldIndex, target, edgeBytes(field, regions[i]));
    writeVector(field, entryLayout, slot, target, regions[i].numElements);
  }
  writeVector(field, arrayLayout, stateSlot(place), array, regions.size());
}

/// Returns true if a vertex that runs at the same time writes elements of the
/// edge.
bool ComputeSetLowering::needsCopy(const Field &field,
                                   std::span<const Run> runs) const {
  if (overwritten.empty() || field.direction != Direction::Input)
    return false;
  return std::any_of(runs.begin(), runs.end(), [&](const Run &run) {
    return run.count != 0 &&
           std::any_of(overwritten[set].begin(), overwritten[set].end(),
                       [&](const ElementSpan &span) {
                         return span.meets(spanOf(run));
                       });
  });
}

/// Returns true if the vertex may access the elements in place. Raises the
/// alignment of the block to that of the field.
bool ComputeSetLowering::canPointTo(const Field &field,
                                    const std::vector<PlaceRun> &places) {
  if (places.size() != 1)
    return false;
  const PlaceRun &run = places.front();
  Block &block = draft.storage.block(run.place);
  if (block.tile != tile || run.place.offset % field.minAlign != 0)
    return false;
  if (field.direction != Direction::Input) {
    const std::uint64_t end = std::uint64_t(run.place.offset) + run.bytes;
    if (run.place.offset % WordBytes != 0 ||
        (end % WordBytes != 0 && end != block.bytes))
      return false;
  }
  block.align = std::max(block.align, field.minAlign);
  block.interleaved |= field.interleaved;
  draft.confine(block, regionLayout);
  return true;
}

/// A vertex has as many replicas as the tensors that it is connected to. It may
/// also read unreplicated tensors.
void ComputeSetLowering::checkReplicas(const Field &field,
                                       std::span<const Run> runs) const {
  for (const Run &run : runs) {
    const std::uint32_t own = graph.vertices[vertex].replication.factor;
    const std::uint32_t factor =
        graph.variables[run.variable].replication.factor;
    if (factor != own && (factor != 1 || field.direction != Direction::Input))
      throw graph_replication_error(
          "field '" + field.name + "' of " + graph.describe(vertex) +
          ", of which there are " + std::to_string(own) +
          " replicas, is connected to " + graph.describeVariable(run.variable) +
          ", which has " + std::to_string(factor) +
          "; use Graph::getNonReplicatedTensor, or "
          "add both to the same graph");
  }
}

Place ComputeSetLowering::lowerRegion(const Field &field,
                                      const Region &region) {
  const std::vector<Run> runs = graph.regionRuns.get(region.runs);
  if (graph.hasReplicas)
    checkReplicas(field, runs);
  const std::vector<PlaceRun> places = draft.storage.placesOf(runs, replica);
  if (places.empty()) // no elements: any address of that alignment will do
    return fieldData(0, std::max(field.minAlign, WordBytes), regionLayout);
  if (!needsCopy(field, runs) && canPointTo(field, places)) {
    accesses.note(field, places.front(), vertex);
    return places.front().place;
  }
  const std::uint64_t bytes = edgeBytes(field, region);
  const Place buffer = field.direction == Direction::Output
                           ? buffers.makeOutput(field, regionLayout, bytes)
                           : buffers.gather(field, regionLayout, places, bytes);
  if (field.direction != Direction::Input) {
    Place from = buffer;
    for (const PlaceRun &run : places) {
      after.push_back({from, run.place, run.bytes});
      from.offset += run.bytes;
    }
  }
  return buffer;
}

} // namespace

LoweredComputeSet
lowerComputeSets(Draft &draft, std::span<const std::uint32_t> sets,
                 const std::vector<std::vector<ElementSpan>> &overwritten) {
  return ComputeSetLowering(draft, sets, overwritten).lower();
}

} // namespace poplar::core
