// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An edge whose elements lie together on the vertex's own tile is a pointer to
// them. Any other edge gets a buffer on the tile, filled by an exchange before
// the vertices run and, if the vertex writes it, copied back by one after.
// Inputs of the same elements on one tile share a buffer. An edge that is
// written needs a buffer also where it would share a word of memory with other
// elements, because tiles store whole words and two vertices would undo each
// other's stores.

#include "lib/Poplar/Lowering/VertexLowering.h"

#include "lib/Poplar/Graph/Introspection.h"
#include "lib/Poplar/Graph/Types.h"
#include "lib/Poplar/Lowering/ExchangeMerging.h"
#include "lib/Poplar/Lowering/Gathering.h"
#include "lib/Poplar/Lowering/Require.h"

#include <poplar/exceptions.hpp>

#include <algorithm>
#include <cstring>
#include <limits>
#include <tuple>
#include <unordered_map>

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
        before(draft), firstPointer(draft.pointers.size()),
        firstRegion(draft.regionPlaces.size()) {
    draft.operandBlocks.emplace_back();
  }

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
  bool haveInitialData(const std::vector<PlaceRun> &places) const;
  Place makeBuffer(const Field &field, std::uint64_t bytes);
  Place makeOperand(const Field &field, std::uint64_t bytes);
  bool wantsOwnBuffers() const;
  void makeOwnBuffers();
  void confine(Block &block, Layout layout) const;
  Place gather(const Field &field, const std::vector<PlaceRun> &places,
               std::uint64_t bytes);

  Place fieldData(std::uint64_t bytes, std::uint32_t align, Layout layout);
  Place stateSlot(const FieldPlace &place) const {
    return {draft.tiles[tile].stateBlock, stateOffset + place.offset};
  }
  std::vector<Region> regionsOf(const Field &field, const FieldSlot &slot);
  [[noreturn]] void fail(const Field &field, const std::string &problem) const;
  [[noreturn]] void failBuffers() const;

  Draft &draft;
  const GraphImpl &graph;
  std::span<const std::uint32_t> sets;
  const std::vector<std::vector<ElementSpan>> &overwritten; // or none
  std::string name;
  std::uint32_t id; // of the executable
  Gathering before;
  std::vector<rt::CopyPiece> after;

  /// Elements that a vertex works on where they are.
  struct DirectAccess {
    std::uint32_t block, begin, end, vertex;
    bool writes;
  };
  void noteAccess(const Field &field, const PlaceRun &run);
  void finishAccesses();
  void addAccesses(std::vector<DirectAccess> &list);
  void checkWrites() const;
  std::vector<DirectAccess> reads, writes; // of the tile in work
  std::vector<PlaceRun> written;           // directly, by all tiles

  /// The ends of each tile's buffers, and whether vertices write to some.
  struct TileBuffers {
    std::uint32_t tile;
    std::uint64_t end[2];
  };
  std::vector<TileBuffers> buffers;
  bool writesBuffers = false;
  /// Of the draft, the first ones of this compute set.
  const std::size_t firstPointer, firstRegion;

  // The tile in work.
  std::uint32_t tile = 0;
  std::uint64_t bufferEnd[2] = {0, 0};
  /// Its operand blocks: [1] is interleaved memory.
  std::uint32_t operandBlock[2] = {None, None};

  // The vertex in work.
  std::uint32_t vertex = 0;
  std::uint32_t set = 0;
  std::uint32_t replica = 0;
  std::uint32_t stateOffset = 0;
  /// Of the regions of the field in work.
  Layout regionLayout = Layout::OnePtr;
  std::uint32_t fieldIndex = 0;
};

void ComputeSetLowering::fail(const Field &field,
                              const std::string &problem) const {
  throw graph_connection_error("field '" + field.name + "' of " +
                               graph.describe(vertex) + " " + problem);
}

void ComputeSetLowering::failBuffers() const {
  throw graph_memory_allocation_error(
      "out of memory: the vertices of compute set '" + name +
      "' need more than 2 GiB of message buffers on tile " +
      std::to_string(tile));
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
            {id, r, source.tile + r * source.replication.stride, i});
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
  checkWrites();
  if (wantsOwnBuffers())
    makeOwnBuffers();
  else
    for (const TileBuffers &onTile : buffers)
      for (bool interleaved : {false, true})
        if (onTile.end[interleaved] != 0) {
          Block &block = draft.buffers(onTile.tile, interleaved);
          block.bytes = std::max(block.bytes, onTile.end[interleaved]);
        }
  draft.firstAccess.push_back(draft.vertexAccesses.size());
  LoweredComputeSet lowered;
  lowered.name = name;
  lowered.inputs = before.finish();
  lowered.outputs = std::move(after);
  lowered.computeSet = id;
  draft.exe.computeSets.push_back(std::move(result));
  return lowered;
}

void ComputeSetLowering::lowerTile(std::span<const Placed> vertices) {
  tile = vertices.front().tile;
  bufferEnd[0] = bufferEnd[1] = 0;
  operandBlock[0] = operandBlock[1] = None;
  for (const Placed &placed : vertices)
    lowerVertex(placed);
  finishAccesses();
  if (bufferEnd[0] + bufferEnd[1] != 0)
    buffers.push_back({tile, {bufferEnd[0], bufferEnd[1]}});
}

/// Whether buffers are so large that other data should have their memory when
/// the compute set does not run. Those that vertices write are live until the
/// exchange behind it, and so rarely large that they all share a block.
bool ComputeSetLowering::wantsOwnBuffers() const {
  constexpr std::uint64_t SmallShare = 64;
  const rt::TargetInfo &info = *draft.target.info;
  return info.isIpu() && !writesBuffers &&
         std::any_of(buffers.begin(), buffers.end(),
                     [&](const TileBuffers &onTile) {
                       return onTile.end[0] + onTile.end[1] >
                              info.bytesPerTile() / SmallShare;
                     });
}

/// Moves all buffers to operand blocks.
void ComputeSetLowering::makeOwnBuffers() {
  std::unordered_map<std::uint32_t, std::uint32_t> moved;
  for (const TileBuffers &onTile : buffers)
    for (bool interleaved : {false, true}) {
      if (onTile.end[interleaved] == 0)
        continue;
      Block block = draft.buffers(onTile.tile, interleaved);
      block.bytes = onTile.end[interleaved];
      block.operandsOf = id;
      const std::uint32_t own = draft.storage.addBlock(block);
      draft.operandBlocks[id].push_back(own);
      moved.emplace(draft.tiles[onTile.tile].bufferBlock[interleaved], own);
    }
  const auto move = [&](Place &place) {
    if (const auto found = moved.find(place.block); found != moved.end())
      place.block = found->second;
  };
  for (std::size_t i = firstPointer; i != draft.pointers.size(); ++i)
    move(draft.pointers[i].target);
  for (std::size_t i = firstRegion; i != draft.regionPlaces.size(); ++i)
    move(draft.regionPlaces[i]);
  before.moveBuffers(moved);
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
  result.state = stateOffset;
  result.estimate = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(estimateCycles(graph, vertex),
                              std::numeric_limits<std::uint32_t>::max()));
  for (fieldIndex = 0; fieldIndex != type.fields.size(); ++fieldIndex)
    lowerField(type.fields[fieldIndex],
               type.fields[fieldIndex].places[targetIndex],
               graph.slots[source.firstSlot + fieldIndex]);
  draft.exe.vertices.push_back(result);
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

/// Keeps a block where a pointer of this layout reaches it.
void ComputeSetLowering::confine(Block &block, Layout layout) const {
  const std::uint64_t end = draft.vectorForm(layout, 1).addressEnd();
  if (!draft.isNative() && end < draft.target.info->regions[1].end)
    block.addressEnd = std::min(block.addressEnd, end);
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

/// Writes a vector where it stands in the vertex state or in a list: the count
/// if the layout has one, and the pointer as soon as it is known.
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

/// Whether a vertex that runs at the same time writes what an edge reads.
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

/// Whether a vertex may work on elements where they are. Makes the block as
/// aligned as the field needs.
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
  confine(block, regionLayout);
  return true;
}

Place ComputeSetLowering::makeBuffer(const Field &field, std::uint64_t bytes) {
  const std::uint32_t align =
      std::max<std::uint32_t>(field.minAlign, bytes >= 8 ? 8 : WordBytes);
  std::uint64_t &end = bufferEnd[field.interleaved];
  const std::uint64_t offset = alignUp(end, align);
  end = alignUp(offset + bytes, WordBytes);
  if (end >> 31)
    failBuffers();
  Block &block = draft.buffers(tile, field.interleaved);
  block.align = std::max(block.align, align);
  confine(block, regionLayout);
  return draft.bufferPlace(tile, field.interleaved,
                           static_cast<std::uint32_t>(offset));
}

/// Whether all elements have initial data, which may be all that they ever
/// hold.
bool ComputeSetLowering::haveInitialData(
    const std::vector<PlaceRun> &places) const {
  return std::all_of(places.begin(), places.end(), [&](const PlaceRun &run) {
    const std::uint32_t variable = draft.storage.block(run.place).variable;
    return variable != None && !graph.variables[variable].data.empty();
  });
}

/// Like a buffer, in a block that could hold its elements from the start.
Place ComputeSetLowering::makeOperand(const Field &field, std::uint64_t bytes) {
  std::uint32_t &operands = operandBlock[field.interleaved];
  if (operands == None) {
    Block block;
    block.tile = tile;
    block.category = MemoryCategory::Message;
    block.interleaved = field.interleaved;
    block.operandsOf = id;
    operands = draft.storage.addBlock(block);
    draft.operandBlocks[id].push_back(operands);
  }
  const std::uint32_t align =
      std::max<std::uint32_t>(field.minAlign, bytes >= 8 ? 8 : WordBytes);
  Block &block = draft.storage.blocks()[operands];
  const std::uint64_t offset = alignUp(block.bytes, align);
  block.bytes = alignUp(offset + bytes, WordBytes);
  if (block.bytes >> 31)
    failBuffers();
  block.align = std::max(block.align, align);
  confine(block, regionLayout);
  return {operands, static_cast<std::uint32_t>(offset)};
}

/// A buffer that holds the elements before the vertices run.
Place ComputeSetLowering::gather(const Field &field,
                                 const std::vector<PlaceRun> &places,
                                 std::uint64_t bytes) {
  if (field.direction != Direction::Input) {
    const Place buffer = makeBuffer(field, bytes);
    before.addOwn(places, buffer);
    return buffer;
  }
  const Gathering::Id group = before.find(places);
  const std::span<const Place> known = before.buffersOf(group);
  const bool isOperand = haveInitialData(places);
  const std::uint32_t own =
      isOperand ? operandBlock[field.interleaved]
                : draft.tiles[tile].bufferBlock[field.interleaved];
  for (auto it = known.rbegin();
       it != known.rend() && draft.storage.block(*it).tile == tile; ++it)
    if (it->block == own && it->offset % field.minAlign == 0) {
      Block &block = draft.storage.block(*it);
      block.align = std::max(block.align, field.minAlign);
      confine(block, regionLayout);
      return *it;
    }
  const Place buffer =
      isOperand ? makeOperand(field, bytes) : makeBuffer(field, bytes);
  before.addBuffer(group, buffer);
  return buffer;
}

void ComputeSetLowering::noteAccess(const Field &field, const PlaceRun &run) {
  DirectAccess access = {run.place.block, run.place.offset,
                         run.place.offset + run.bytes, vertex, false};
  if (field.direction != Direction::Output)
    reads.push_back(access);
  access.writes = true;
  if (field.direction != Direction::Input)
    writes.push_back(access);
}

/// Gives the accesses of a tile to the draft, neighbours joined. Throws where
/// two vertices write the same elements.
void ComputeSetLowering::finishAccesses() {
  addAccesses(reads);
  addAccesses(writes);
}

void ComputeSetLowering::addAccesses(std::vector<DirectAccess> &list) {
  std::sort(list.begin(), list.end(),
            [](const DirectAccess &a, const DirectAccess &b) {
              return std::tie(a.block, a.begin) < std::tie(b.block, b.begin);
            });
  for (std::size_t i = 0; i != list.size();) {
    const DirectAccess &first = list[i];
    std::uint32_t end = first.end;
    for (++i; i != list.size() && list[i].block == first.block &&
              list[i].begin <= end;
         ++i) {
      if (first.writes && list[i].begin < end)
        throw graph_connection_error(
            graph.describe(list[i - 1].vertex) + " and " +
            graph.describe(list[i].vertex) + " write the same elements of " +
            graph.describeVariable(
                draft.storage.blocks()[first.block].variable));
      end = std::max(end, list[i].end);
    }
    const PlaceRun run = {{first.block, first.begin}, end - first.begin};
    draft.vertexAccesses.push_back({run.place, run.bytes, !first.writes});
    if (first.writes)
      written.push_back(run);
  }
  list.clear();
}

/// Throws where one vertex writes elements in place and another one sends its
/// result there.
void ComputeSetLowering::checkWrites() const {
  if (written.empty() || after.empty())
    return;
  std::vector<PlaceRun> all = written;
  for (const rt::CopyPiece &piece : after)
    all.push_back({{piece.dstTile, piece.dst}, piece.bytes});
  std::sort(all.begin(), all.end(), [](const PlaceRun &a, const PlaceRun &b) {
    return std::tie(a.place.block, a.place.offset) <
           std::tie(b.place.block, b.place.offset);
  });
  for (std::size_t i = 1; i < all.size(); ++i)
    if (all[i - 1].place.block == all[i].place.block &&
        all[i - 1].place.offset + all[i - 1].bytes > all[i].place.offset)
      throw graph_connection_error(
          "'" + name + "': two vertices write the same elements of " +
          graph.describeVariable(
              draft.storage.blocks()[all[i].place.block].variable));
}

/// A vertex has as many replicas as what it is connected to; it may also read
/// what is not replicated.
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
    noteAccess(field, places.front());
    return places.front().place;
  }
  const std::uint64_t bytes = edgeBytes(field, region);
  const Place buffer = field.direction == Direction::Output
                           ? makeBuffer(field, bytes)
                           : gather(field, places, bytes);
  if (field.direction != Direction::Input) {
    writesBuffers = true;
    Place from = buffer;
    for (const PlaceRun &run : places) {
      after.push_back(makePiece(from, run.place, run.bytes));
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
