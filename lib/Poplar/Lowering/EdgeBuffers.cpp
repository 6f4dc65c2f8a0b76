// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See EdgeBuffers.h.

#include "lib/Poplar/Lowering/EdgeBuffers.h"

#include "lib/Poplar/Lowering/BufferCategory.h"

#include <poplar/exceptions.hpp>

#include <algorithm>
#include <unordered_map>

namespace poplar::core {

namespace rt = populus::runtime;
using populus::archive::Direction;
using populus::archive::Field;
using populus::archive::Layout;

EdgeBuffers::EdgeBuffers(Draft &draft, std::string name)
    : draft(draft), name(std::move(name)),
      id(static_cast<std::uint32_t>(draft.exe.computeSets.size())),
      before(draft.exchanges), firstPointer(draft.pointers.size()),
      firstRegion(draft.regionPlaces.size()) {
  draft.operandBlocks.emplace_back();
}

void EdgeBuffers::beginTile(std::uint32_t index) {
  tile = index;
  bufferEnd[0] = bufferEnd[1] = 0;
  operandBlock[0] = operandBlock[1] = None;
}

void EdgeBuffers::finishTile() {
  if (bufferEnd[0] + bufferEnd[1] != 0)
    buffers.push_back(
        {tile, {bufferEnd[0], bufferEnd[1]}, {bufferUse[0], bufferUse[1]}});
}

void EdgeBuffers::fail() const {
  throw graph_memory_allocation_error(
      "out of memory: the vertices of compute set '" + name +
      "' need more than 2 GiB of message buffers on tile " +
      std::to_string(tile));
}

void EdgeBuffers::addUseOnTile(bool interleaved, MemoryCategory use) {
  if (bufferEnd[interleaved] == 0)
    bufferUse[interleaved] = use;
  else if (bufferUse[interleaved] != use)
    bufferUse[interleaved] = MemoryCategory::Message;
}

Place EdgeBuffers::makeBuffer(const Field &field, Layout layout,
                              std::uint64_t bytes, MemoryCategory use) {
  addUseOnTile(field.interleaved, use);
  const std::uint32_t align =
      std::max<std::uint32_t>(field.minAlign, bytes >= 8 ? 8 : WordBytes);
  std::uint64_t &end = bufferEnd[field.interleaved];
  const std::uint64_t offset = alignUp(end, align);
  end = alignUp(offset + bytes, WordBytes);
  if (end >> 31)
    fail();
  Block &block = draft.buffers(tile, field.interleaved);
  block.align = std::max(block.align, align);
  draft.confine(block, layout);
  return draft.bufferPlace(tile, field.interleaved,
                           static_cast<std::uint32_t>(offset));
}

Place EdgeBuffers::makeOutput(const Field &field, Layout layout,
                              std::uint64_t bytes) {
  writesBuffers = true;
  return makeBuffer(field, layout, bytes, MemoryCategory::OutputEdge);
}

/// Returns true if all elements have initial data. They may never change.
bool EdgeBuffers::haveInitialData(const std::vector<PlaceRun> &places) const {
  return std::all_of(places.begin(), places.end(), [&](const PlaceRun &run) {
    const std::uint32_t variable = draft.storage.block(run.place).variable;
    return variable != None && !draft.graph.variables[variable].data.empty();
  });
}

/// Makes a buffer in a block that can hold its elements from the start.
Place EdgeBuffers::makeOperand(const Field &field, Layout layout,
                               std::uint64_t bytes) {
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
    fail();
  block.align = std::max(block.align, align);
  draft.confine(block, layout);
  return {operands, static_cast<std::uint32_t>(offset)};
}

Place EdgeBuffers::gather(const Field &field, Layout layout,
                          const std::vector<PlaceRun> &places,
                          std::uint64_t bytes) {
  if (field.direction != Direction::Input) {
    const Place buffer = makeOutput(field, layout, bytes);
    bufferUse[field.interleaved] = MemoryCategory::Message; // an input, too
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
      draft.confine(block, layout);
      return *it;
    }
  const Place buffer =
      isOperand ? makeOperand(field, layout, bytes)
                : makeBuffer(field, layout, bytes, MemoryCategory::Message);
  before.addBuffer(group, buffer);
  return buffer;
}

/// Returns true if the buffers are so large that other data should use their
/// memory while the compute set does not run. Buffers that vertices write are
/// live until the next exchange. They are rarely large, so they all share a
/// block.
bool EdgeBuffers::wantsOwnBlocks() const {
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
void EdgeBuffers::moveToOwnBlocks() {
  std::unordered_map<std::uint32_t, std::uint32_t> moved;
  for (const TileBuffers &onTile : buffers)
    for (bool interleaved : {false, true}) {
      if (onTile.end[interleaved] == 0)
        continue;
      Block block = draft.buffers(onTile.tile, interleaved);
      block.bytes = onTile.end[interleaved];
      block.category = MemoryCategory::Message;
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

void EdgeBuffers::finish() {
  if (wantsOwnBlocks()) {
    moveToOwnBlocks();
    return;
  }
  for (const TileBuffers &onTile : buffers)
    for (bool interleaved : {false, true})
      if (onTile.end[interleaved] != 0) {
        Block &block = draft.buffers(onTile.tile, interleaved);
        addUse(block, onTile.use[interleaved]);
        block.bytes = std::max(block.bytes, onTile.end[interleaved]);
      }
}

} // namespace poplar::core
