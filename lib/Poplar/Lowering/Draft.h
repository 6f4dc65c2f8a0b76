// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An unlinked executable. Whatever has an address in the executable has a place
// here, that is, an offset in a block of tile memory: exchanges, segments of
// tensors, initial data, states, pointers and regions of vertices. resolve()
// turns places into addresses, and nothing else does.

#ifndef POPULUS_LIB_POPLAR_LOWERING_DRAFT_H
#define POPULUS_LIB_POPLAR_LOWERING_DRAFT_H

#include "lib/Poplar/Device/TargetData.h"
#include "lib/Poplar/Device/VectorForm.h"
#include "lib/Poplar/Lowering/DirectAccesses.h"
#include "lib/Poplar/Lowering/Exchanges.h"
#include "lib/Poplar/Lowering/Storage.h"
#include "lib/Poplar/Verify/LoweringRecord.h"
#include "runtime/Format/Executable.h"
#include "runtime/Session/WorkerPool.h"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace poplar::core {

/// A pointer in vertex state or field data that waits for its target's address.
/// `layout` and `elementBytes` tell its form (VectorForm.h).
struct PointerFixup {
  Place slot;
  Place target;
  populus::archive::Layout layout = populus::archive::Layout::OnePtr;
  std::uint8_t elementBytes = 1;
};

/// Initial contents of a place: bytes of a payload from `offset` on.
struct PlacedData {
  Place place;
  std::uint32_t payload = 0;
  std::uint32_t bytes = 0;
  std::uint64_t offset = 0;
};

/// Blocks of a tile other than those of variables.
struct TileDraft {
  std::uint32_t stateBlock = None;
  std::uint32_t fieldDataBlock = None;
  /// Buffers that are live around one step only: [1] is interleaved memory.
  std::uint32_t bufferBlock[2] = {None, None};
  std::vector<std::uint8_t> state;
  std::vector<std::uint8_t> fieldData;
  std::vector<std::uint32_t> vertexTypes; // of the executable, sorted
};

class Draft {
public:
  Draft(const GraphImpl &graph, const TargetData &target,
        populus::runtime::Executable &exe, unsigned threads);

  const GraphImpl &graph;
  const TargetData &target;
  populus::runtime::Executable &exe;
  Storage storage;
  /// For work on many tiles, blocks or exchanges, each for itself.
  mutable populus::runtime::WorkerPool workers;
  Exchanges exchanges;
  /// The segments of the executable's tensors.
  std::vector<PlaceRun> segments;
  std::vector<PlacedData> data;
  std::vector<TileDraft> tiles;
  std::vector<PointerFixup> pointers;
  /// States of the executable's vertices.
  std::vector<Place> statePlaces;
  /// Destinations of the executable's vertex regions.
  std::vector<Place> regionPlaces;
  /// Edges of the vertices that programs use.
  std::uint64_t numEdges = 0;
  std::vector<VertexAccess> vertexAccesses;
  /// First entry of vertexAccesses of each compute set of the executable.
  std::vector<std::size_t> firstAccess = {0};
  /// By compute set of the executable: the blocks for its operands.
  std::vector<std::vector<std::uint32_t>> operandBlocks;
  /// By vertex of the executable; for a check only.
  std::vector<VertexOrigin> origins;
  bool recordsOrigins = false;
  /// By exchange: the compute set whose operand blocks it fills.
  std::unordered_map<std::uint32_t, std::uint32_t> operandExchanges;
  /// By step: what a WriteUndef makes undefined.
  std::map<std::uint32_t, std::vector<PlaceRun>> undefined;

  bool isNative() const {
    return exe.device != populus::runtime::DeviceKind::Ipu;
  }
  VectorForm vectorForm(populus::archive::Layout layout,
                        std::uint32_t elementBytes) const {
    return core::vectorForm(layout, *target.info, isNative(), elementBytes);
  }
  /// Keeps a block where a pointer of this layout reaches it.
  void confine(Block &block, populus::archive::Layout layout) const;
  /// The name of the target that the code is compiled for.
  std::string codeTarget() const { return isNative() ? "cpu" : exe.target; }

  std::span<const VertexAccess> accessesOf(std::uint32_t computeSet) const {
    return std::span(vertexAccesses)
        .subspan(firstAccess[computeSet],
                 firstAccess[computeSet + 1] - firstAccess[computeSet]);
  }
  std::span<const PlaceRun> undefinedBy(std::uint32_t step) const {
    const auto found = undefined.find(step);
    return found == undefined.end() ? std::span<const PlaceRun>()
                                    : found->second;
  }

  bool isOperand(std::uint32_t block) const {
    return storage.blocks()[block].operandsOf != None;
  }
  /// The operand blocks that an exchange fills.
  std::span<const std::uint32_t> filledBy(std::uint32_t exchange) const {
    const auto found = operandExchanges.find(exchange);
    return found == operandExchanges.end()
               ? std::span<const std::uint32_t>()
               : std::span(operandBlocks[found->second]);
  }

  /// The block of a tile for buffers of one step, made where there is none.
  Block &buffers(std::uint32_t tile, bool interleaved);
  Place bufferPlace(std::uint32_t tile, bool interleaved, std::uint32_t offset);

  /// Removes the pieces to blocks whose entry is true. An exchange without
  /// pieces becomes an empty step, so that tiles do not wait for it.
  void dropCopiesTo(const std::vector<bool> &blocks);

  /// Records the target of a field of the last vertex.
  void addRegion(std::uint32_t fieldAndFlag, Place place, std::uint64_t bytes);

  /// Number of replicas of a tensor's variables. Throws if they differ.
  std::uint32_t replicasOf(const TensorView &view) const;

  /// Adds a tensor to the executable. Replicas, or those of the tensor's user,
  /// add a dimension.
  std::uint32_t addTensor(const TensorView &view, std::uint32_t replicas = 1);
  /// The same for one replica alone.
  std::uint32_t addTensorOf(const TensorView &view, std::uint32_t replica);

  /// The executable's number of a vertex type of the graph.
  std::uint32_t vertexType(std::uint32_t graphType);
  /// The graph's number of a vertex type of the executable.
  std::uint32_t graphTypeOf(std::uint32_t type) const {
    return graphTypes[type];
  }

  /// The place of the graph's target in a vertex type's lists.
  std::size_t targetIndex(const populus::archive::VertexType &type) const;

  /// Converts places to addresses, once all blocks have one.
  void resolve();

private:
  std::uint32_t addLayout(const TensorView &view,
                          std::span<const std::uint32_t> replicas);
  void writePointers();

  std::vector<std::uint32_t> typeIds;    // by type of the graph
  std::vector<std::uint32_t> graphTypes; // by type of the executable
};

constexpr std::uint64_t alignUp(std::uint64_t value, std::uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

} // namespace poplar::core

#endif
