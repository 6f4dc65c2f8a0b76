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
    : graph(graph), target(target), exe(exe), storage(graph), workers(threads) {
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

rt::CopyPiece makePiece(Place from, Place to, std::uint32_t bytes) {
  rt::CopyPiece piece;
  piece.srcTile = from.block;
  piece.src = from.offset;
  piece.dstTile = to.block;
  piece.dst = to.offset;
  piece.bytes = bytes;
  return piece;
}

namespace {

/// Joins pieces that continue the previous one on both sides. Moves the rest to
/// the front and returns how many remain.
std::size_t joinPieces(std::span<rt::CopyPiece> pieces) {
  std::size_t kept = 0;
  for (const rt::CopyPiece &piece : pieces) {
    if (piece.bytes == 0)
      continue;
    if (kept != 0) {
      rt::CopyPiece &last = pieces[kept - 1];
      if (last.srcTile == piece.srcTile && last.dstTile == piece.dstTile &&
          last.src + last.bytes == piece.src &&
          last.dst + last.bytes == piece.dst) {
        last.bytes += piece.bytes;
        continue;
      }
    }
    pieces[kept++] = piece;
  }
  return kept;
}

/// Limit on pieces of exchanges whose patterns have not been searched for yet.
constexpr std::size_t MostUnpacked = std::size_t(1) << 22;

} // namespace

std::uint32_t Draft::addExchange(const std::string &name,
                                 std::vector<rt::CopyPiece> pieces) {
  // Pieces that are joined here need no sorting later.
  pieces.resize(joinPieces(pieces));
  if (pieces.empty())
    return None;
  rt::Exchange exchange;
  exchange.name = name;
  exe.exchanges.push_back(std::move(exchange));
  pieces.shrink_to_fit();
  numUnpacked += pieces.size();
  newPieces.push_back({std::move(pieces), {}});
  if (numUnpacked > MostUnpacked)
    packExchanges();
  return static_cast<std::uint32_t>(exe.exchanges.size() - 1);
}

/// Orders pieces by destination, for the search for patterns.
static bool isBefore(const rt::CopyPiece &a, const rt::CopyPiece &b) {
  return std::tie(a.dstTile, a.dst) < std::tie(b.dstTile, b.dst);
}

/// Sorts the pieces of an exchange by destination and joins neighbours. Returns
/// a block in which two pieces write the same bytes, or None.
static std::uint32_t finishExchange(std::vector<rt::CopyPiece> &pieces) {
  std::sort(pieces.begin(), pieces.end(), isBefore);
  for (std::size_t i = 1; i < pieces.size(); ++i) {
    const rt::CopyPiece &a = pieces[i - 1], &b = pieces[i];
    if (a.dstTile == b.dstTile && a.dst + a.bytes > b.dst)
      return a.dstTile;
  }
  pieces.resize(joinPieces(pieces));
  return None;
}

/// Checks that all receivers of a broadcast are of the same kind. Other code
/// looks only at the first receiver.
void Draft::checkReceivers() const {
  const std::vector<Block> &blocks = storage.blocks();
  for (std::uint32_t id = 0; id != exe.broadcasts.size(); ++id) {
    const auto receivers = exe.receiversOf(id);
    require(!receivers.empty(), "a broadcast has receivers");
    for (const rt::Receiver &receiver : receivers)
      require(isBuffer(blocks[receiver.tile]) &&
                  blocks[receiver.tile].operandsOf ==
                      blocks[receivers.front().tile].operandsOf,
              "a broadcast goes to buffers, or to operands of one compute set");
  }
}

/// Joins pieces of the newest exchanges and finds their patterns. Throws if two
/// pieces of an exchange write the same bytes.
void Draft::packExchanges() {
  std::vector<std::uint32_t> overlaps(newPieces.size() - firstUnpacked, None);
  workers.run(overlaps.size(), [&](std::size_t i, unsigned) {
    PackedPieces &packed = newPieces[firstUnpacked + i];
    overlaps[i] = finishExchange(packed.pieces);
    packed = packPieces(std::move(packed.pieces));
  });
  for (std::size_t i = 0; i != overlaps.size(); ++i)
    if (overlaps[i] != None)
      throw graph_connection_error(
          "'" + exe.exchanges[firstUnpacked + i].name +
          "': two vertices write the same elements of " +
          graph.describeVariable(storage.blocks()[overlaps[i]].variable));
  firstUnpacked = newPieces.size();
  numUnpacked = 0;
}

void Draft::finishExchanges() {
  checkReceivers();
  packExchanges();
  PackedList list(exe.copyPieces, exe.copyPatterns);
  list.reserve(newPieces);
  for (std::size_t i = 0; i != newPieces.size(); ++i)
    exe.exchanges[i].pieces =
        list.add(std::exchange(newPieces[i], PackedPieces()));
  newPieces.clear();
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
  layout.segments.first = static_cast<std::uint32_t>(exe.segments.size());
  for (std::uint32_t replica : replicas)
    for (const PlaceRun &run : storage.placesOf(view, replica))
      exe.segments.push_back({run.place.block, run.place.offset, run.bytes});
  layout.segments.count =
      static_cast<std::uint32_t>(exe.segments.size()) - layout.segments.first;
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
    const std::uint64_t address =
        storage.block(pointer.target).address + pointer.target.offset;
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

/// Drops the pieces for which keep(piece) is false. An exchange without pieces
/// becomes an empty step, so tiles do not wait for it.
template <typename Keep> void Draft::keepPieces(Keep keep) {
  std::uint32_t kept = 0;
  for (rt::Exchange &exchange : exe.exchanges) {
    const rt::Range pieces = exchange.pieces;
    exchange.pieces.first = kept;
    for (std::uint32_t i = 0; i != pieces.count; ++i) {
      const rt::CopyPiece piece = exe.copyPieces[pieces.first + i];
      if (keep(piece))
        exe.copyPieces[kept++] = piece;
    }
    exchange.pieces.count = kept - exchange.pieces.first;
  }
  exe.copyPieces.resize(kept);
  dropEmptyExchanges();
}

void Draft::dropEmptyExchanges() {
  for (rt::Step &step : exe.steps)
    if (step.kind == rt::StepKind::Exchange &&
        exe.exchanges[step.index].pieces.count == 0) {
      step.kind = rt::StepKind::Sequence;
      step.index = 0;
    }
}

void Draft::dropCopiesTo(const std::vector<bool> &unwanted) {
  // Receivers of a broadcast that are still wanted keep it.
  std::uint32_t kept = 0;
  for (rt::Range &broadcast : exe.broadcasts) {
    const rt::Range all = broadcast;
    broadcast.first = kept;
    for (std::uint32_t i = 0; i != all.count; ++i) {
      const rt::Receiver receiver = exe.receivers[all.first + i];
      if (!unwanted[receiver.tile])
        exe.receivers[kept++] = receiver;
    }
    broadcast.count = kept - broadcast.first;
  }
  exe.receivers.resize(kept);
  keepPieces([&](const rt::CopyPiece &piece) {
    return piece.isBroadcast() ? exe.broadcasts[piece.broadcast()].count != 0
                               : !unwanted[piece.dstTile];
  });
  dropUnusedBroadcasts();
}

/// Drops the broadcasts that no piece names.
void Draft::dropUnusedBroadcasts() {
  std::vector<std::uint32_t> newId(exe.broadcasts.size(), None);
  for (const rt::CopyPiece &piece : exe.copyPieces)
    if (piece.isBroadcast())
      newId[piece.broadcast()] = 0;
  std::uint32_t kept = 0, receivers = 0;
  for (std::uint32_t id = 0; id != newId.size(); ++id) {
    if (newId[id] == None)
      continue;
    const rt::Range range = exe.broadcasts[id];
    std::copy_n(exe.receivers.begin() + range.first, range.count,
                exe.receivers.begin() + receivers);
    exe.broadcasts[kept] = {receivers, range.count};
    receivers += range.count;
    newId[id] = kept++;
  }
  exe.broadcasts.resize(kept);
  exe.receivers.resize(receivers);
  for (rt::CopyPiece &piece : exe.copyPieces)
    if (piece.isBroadcast())
      piece.dstTile = newId[piece.broadcast()] | rt::CopyPiece::BroadcastFlag;
}

/// Blocks of a tile now follow each other, so search for patterns again.
void Draft::resolveExchanges() {
  const std::vector<Block> &blocks = storage.blocks();
  std::vector<PackedPieces> resolved(exe.exchanges.size());
  workers.run(resolved.size(), [&](std::size_t i, unsigned) {
    std::vector<rt::CopyPiece> pieces;
    forEachPieceOf(
        static_cast<std::uint32_t>(i),
        [&](const rt::CopyPiece &piece) { pieces.push_back(piece); });
    std::sort(pieces.begin(), pieces.end(), isBefore);
    for (rt::CopyPiece &piece : pieces) {
      piece.src += blocks[piece.srcTile].address;
      piece.srcTile = blocks[piece.srcTile].tile;
      if (!piece.isBroadcast()) {
        piece.dst += blocks[piece.dstTile].address;
        piece.dstTile = blocks[piece.dstTile].tile;
      }
    }
    // Drop pieces whose source and destination got the same memory.
    std::erase_if(pieces, [](const rt::CopyPiece &piece) {
      return piece.srcTile == piece.dstTile && piece.src == piece.dst;
    });
    resolved[i] = packPieces(std::move(pieces));
  });
  exe.copyPieces.clear();
  exe.copyPatterns.clear();
  PackedList list(exe.copyPieces, exe.copyPatterns);
  list.reserve(resolved);
  for (std::size_t i = 0; i != resolved.size(); ++i)
    exe.exchanges[i].pieces =
        list.add(std::exchange(resolved[i], PackedPieces()));
  dropEmptyExchanges();
}

void Draft::resolve() {
  const std::vector<Block> &blocks = storage.blocks();
  const auto resolvePlace = [&](std::uint32_t &tile, Address &address) {
    const Block &block = blocks[tile];
    address += block.address;
    tile = block.tile;
  };
  resolveExchanges();
  for (rt::Receiver &receiver : exe.receivers)
    resolvePlace(receiver.tile, receiver.address);
  for (rt::Segment &segment : exe.segments)
    resolvePlace(segment.tile, segment.address);
  for (rt::DataBlock &data : exe.data)
    resolvePlace(data.tile, data.address);
  for (const rt::TileVertices &list : exe.tileVertices) {
    const Address base = list.vertices.count == 0
                             ? 0
                             : blocks[tiles[list.tile].stateBlock].address;
    for (std::uint32_t i = 0; i != list.vertices.count; ++i)
      exe.vertices[list.vertices.first + i].state += base;
  }
  for (std::size_t i = 0; i != regionPlaces.size(); ++i)
    exe.regions[i].address =
        storage.block(regionPlaces[i]).address + regionPlaces[i].offset;
  regionPlaces.clear();
  writePointers();
}

} // namespace poplar::core
