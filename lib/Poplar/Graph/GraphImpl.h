// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// State of a graph. poplar::Graph fills it through its public interface, and
// lowering reads it. A graph may have a million vertices, so vertices, field
// slots, regions and runs are kept in flat arrays.

#ifndef POPULUS_LIB_POPLAR_GRAPH_GRAPHIMPL_H
#define POPULUS_LIB_POPLAR_GRAPH_GRAPHIMPL_H

#include "lib/Poplar/Graph/ArchiveCache.h"
#include "lib/Poplar/Graph/RunStore.h"
#include "lib/Poplar/Graph/TensorView.h"
#include "lib/Poplar/Graph/TileMap.h"

#include <poplar/Graph.hpp>
#include <poplar/PerfEstimateFunc.hpp>
#include <poplar/Program.hpp>
#include <poplar/Target.hpp>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace poplar::core {

inline constexpr std::uint32_t None = ~std::uint32_t(0);

/// Replicas of variables and vertices of a replicated graph. Those of tile t
/// are also on t + stride, t + 2 * stride, ...
struct Replication {
  std::uint32_t factor = 1;
  std::uint32_t stride = 0;

  friend bool operator==(Replication a, Replication b) = default;
};

struct Variable {
  std::string name;
  Type type;
  std::vector<std::size_t> shape;
  std::uint64_t numElements = 0;
  bool isConstant = false;
  /// Initial value, packed as on the device, of one replica or of all. Empty if
  /// the variable has none.
  std::vector<std::uint8_t> data;
  TileMap tiles;
  Replication replication;
  /// Metadata of quarters; null for other types.
  std::shared_ptr<const TensorView> metadata;
  /// The variable stands for all replicas of another variable, one after
  /// another. It has no data or tiles of its own.
  std::uint32_t allReplicasOf = None;
  /// Variable that stands for all replicas of this one, or None.
  std::uint32_t allReplicas = None;
};

/// The elements that one region of an edge refers to.
struct Region {
  std::uint64_t runs = 0; // a list of GraphImpl::regionRuns
  std::uint64_t numElements = 0;
};

/// Connection or value of one field of a vertex.
struct FieldSlot {
  enum Kind : std::uint8_t {
    Unset,
    Regions, // regions[first .. first + count)
    Indexed, // indexedRegions[first], connected one by one
    Values,  // fieldValues from byte `first`, `count` values of the field type
  };
  Kind kind = Unset;
  std::uint32_t count = 0;
  std::uint64_t first = 0;
};

struct Vertex {
  std::uint32_t type = None; // of vertexTypes
  std::uint32_t computeSet = None;
  std::uint32_t tile = None;
  bool hasPerfEstimate = false;
  std::uint64_t firstSlot = 0; // one slot for each field of the type
  std::uint64_t perfEstimate = 0;
  Replication replication;
};

struct ComputeSetData {
  std::string name;
  std::vector<std::uint32_t> vertices;
};

/// A vertex type, and the location of its code.
struct VertexType {
  const populus::archive::VertexType *description = nullptr;
  std::uint32_t archive = 0; // of archives
  PerfEstimateFunc estimator;
};

struct StreamData {
  std::string handle;
  Type type;
  std::size_t numElements = 0;
  DataStreamType kind = DataStreamType::HostToDeviceFIFO;
  std::uint32_t id = 0;
  std::uint32_t replicas = 1;
  bool broadcast = false;
};

struct RemoteBufferData {
  std::string handle;
  Type type;
  std::size_t numElements = 0;
  std::size_t repeats = 1;
  bool rearrangeOnHost = false;
  bool optimiseMemory = false;
  std::uint32_t id = 0;
  std::uint32_t replicas = 1;
};

struct HostFunctionData {
  std::string handle;
  std::vector<HostFunctionArgument> inputs, outputs;
  std::uint32_t id = 0;
  std::uint32_t replicas = 1;
};

struct HostHandle {
  std::string handle;
  TensorView tensor;
  bool readable = false;
  bool writable = false;
};

class GraphImpl {
public:
  explicit GraphImpl(const Target &target);
  GraphImpl(const GraphImpl &) = delete;
  GraphImpl &operator=(const GraphImpl &) = delete;
  ~GraphImpl() { life->graph = nullptr; }

  GraphLife *const life;
  Target target;
  std::deque<Variable> variables;

  std::vector<SharedArchive> archives;
  std::vector<VertexType> vertexTypes;
  std::unordered_map<std::string, std::uint32_t> vertexTypeIds;

  std::vector<ComputeSetData> computeSets;
  std::vector<Vertex> vertices;
  std::vector<FieldSlot> slots;
  std::vector<Region> regions;
  std::vector<std::vector<std::optional<Region>>> indexedRegions;
  RunStore regionRuns;
  std::vector<std::uint8_t> fieldValues;
  /// Constants made for inputs of a vertex; they are mapped with it.
  std::unordered_multimap<std::uint32_t, std::uint32_t> inputConstants;

  std::vector<std::shared_ptr<const StreamData>> streams;
  std::vector<std::shared_ptr<const RemoteBufferData>> remoteBuffers;
  std::vector<std::shared_ptr<const HostFunctionData>> hostFunctions;
  std::vector<HostHandle> hostHandles;
  /// Constant metadata of the host's tensors, by metadata key (Quarters.h).
  std::map<std::string, std::uint8_t> fixedMetadata;
  std::vector<program::Program> functions;
  /// Replicas of a graph that is replicated as a whole.
  Replication whole;
  /// True if anything is replicated.
  bool hasReplicas = false;

  bool isCpu() const { return target.getTargetType() == TargetType::CPU; }
  const populus::archive::Field &fieldOf(const Vertex &vertex,
                                         unsigned index) const {
    return vertexTypes[vertex.type].description->fields[index];
  }
  /// Calls emit(begin, end, tile) for the mapped parts of elements [begin, end)
  /// of a variable.
  template <typename Emit>
  void forEachTile(std::uint32_t variable, std::uint64_t begin,
                   std::uint64_t end, Emit &&emit) const {
    const Variable &v = variables[variable];
    if (v.allReplicasOf == None)
      return v.tiles.forEach(begin, end, emit);
    const Variable &one = variables[v.allReplicasOf];
    for (std::uint32_t r = 0; r != one.replication.factor; ++r) {
      const std::uint64_t first = r * one.numElements;
      if (begin < first + one.numElements && end > first)
        one.tiles.forEach(
            std::max(begin, first) - first,
            std::min(end - first, one.numElements),
            [&](std::uint64_t from, std::uint64_t to, std::uint32_t tile) {
              emit(first + from, first + to, tile + r * one.replication.stride);
            });
    }
  }

  /// "vertex 7 of type 'A' in compute set 'cs'", for messages.
  std::string describe(std::uint32_t vertex) const;
  /// "'name' (float{2,3})", for messages.
  std::string describeVariable(std::uint32_t variable) const;
};

} // namespace poplar::core

#endif
