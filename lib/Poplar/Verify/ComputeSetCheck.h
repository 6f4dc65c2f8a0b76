// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executes compute sets on both sides of a check. The graph's compute sets run
// in order. The tags that their vertices read are kept until the executable
// runs them, perhaps merged with other compute sets, and are then compared.

#ifndef POPULUS_LIB_POPLAR_VERIFY_COMPUTESETCHECK_H
#define POPULUS_LIB_POPLAR_VERIFY_COMPUTESETCHECK_H

#include "lib/Poplar/Verify/GraphPlaces.h"
#include "lib/Poplar/Verify/TagState.h"
#include "lib/Poplar/Verify/VertexReader.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace poplar::core {

/// Appends a run; merges it with the last one if they are adjacent.
void appendRun(std::vector<TagRun> &runs, const TagRun &run);

class ComputeSetCheck {
public:
  ComputeSetCheck(const GraphImpl &graph,
                  const populus::runtime::Executable &exe,
                  const LoweringRecord &record, const GraphPlaces &places,
                  TagTable &tags, TagState &state);

  /// Executes a compute set of the graph.
  void executeInGraph(std::uint32_t computeSet);

  /// Executes a compute set of the executable, and compares. \p advance
  /// executes the next node of the graph; it returns false if there is none.
  void executeOnTiles(std::uint32_t computeSet,
                      const std::function<bool()> &advance);

  /// Throws if the tiles have not run all vertices that the graph has run.
  void requireNoneWaiting() const;

  const VertexReader &vertices() const { return reader; }

  /// Calls visit(tile, address, bytes) for each region that vertices write.
  template <typename Visit>
  void forEachWrite(std::uint32_t computeSet, Visit visit) const {
    const populus::runtime::Range lists = exe.computeSets[computeSet].tiles;
    for (std::uint32_t t = 0; t != lists.count; ++t) {
      const auto &list = exe.tileVertices[lists.first + t];
      for (std::uint32_t i = 0; i != list.vertices.count; ++i)
        forEachEdge(list.vertices.first + i, [&](const Edge &edge) {
          if (edge.writes && edge.bytes != 0)
            visit(list.tile, edge.address, edge.bytes);
        });
    }
  }

private:
  /// A region of a vertex on a tile.
  struct Edge {
    std::uint32_t vertex = 0; // of the executable
    std::uint32_t field = 0, index = 0;
    std::uint32_t address = 0;
    std::uint32_t bytes = 0;
    bool reads = false, writes = false;
    const Region *region = nullptr;
  };
  template <typename Visit>
  void forEachEdge(std::uint32_t id, Visit visit) const {
    const Vertex &vertex = graph.vertices[record.vertices[id].vertex];
    const auto &fields = graph.vertexTypes[vertex.type].description->fields;
    const std::uint32_t *address = reader.regionsOf(id).data();
    for (std::uint32_t f = 0; f != fields.size(); ++f) {
      std::uint32_t index = 0;
      forEachRegionOf(
          graph, graph.slots[vertex.firstSlot + f], [&](const Region &region) {
            using populus::archive::Direction;
            const Direction direction = fields[f].direction;
            visit(Edge{id, f, index++, *address++,
                       static_cast<std::uint32_t>(
                           region.numElements *
                           populus::runtime::sizeOf(fields[f].type)),
                       direction != Direction::Output,
                       direction != Direction::Input, &region});
          });
    }
  }

  /// One execution of a compute set: the tags that vertices read, and the class
  /// of the values that they write.
  struct Execution {
    std::uint32_t computeSet, cls;
    std::uint64_t waiting; // vertices that no tile executed so far
    std::vector<TagRun> wanted;
  };
  struct Waiting {
    std::shared_ptr<Execution> execution;
    std::size_t firstWanted;
    std::uint64_t firstOutput;
  };
  struct Write {
    std::uint32_t tile;
    std::uint64_t begin, end;
    Tag tag;
  };

  void readInGraph(std::uint32_t vertex, std::uint32_t replica,
                   std::vector<TagRun> &wanted) const;
  void writeInGraph(std::uint32_t vertex, std::uint32_t replica,
                    std::uint32_t cls, std::uint64_t firstOutput);
  Waiting takeWaiting(std::uint32_t id, const std::string &step,
                      const std::function<bool()> &advance);
  void checkFixed(std::uint32_t tile, std::uint32_t id) const;
  void checkVertex(std::uint32_t tile, std::uint32_t id, const Waiting &waiting,
                   std::vector<Write> &writes) const;
  void compare(std::uint32_t tile, const Edge &edge, const TagRun *wanted,
               std::uint64_t done) const;
  void checkApart(std::uint32_t tile,
                  const populus::runtime::Range &vertices) const;
  void checkOverlaps(std::uint32_t tile, std::vector<Edge> edges,
                     std::uint32_t unit) const;
  bool areSameElements(const Edge &a, const Edge &b) const;
  std::string describe(const Edge &edge) const;
  /// "element 3 of 'v' (float{8})" at a byte of a region.
  std::string describeElement(const Edge &edge, std::uint64_t byte) const;
  VariableBytes placeOf(const Edge &edge, std::uint64_t byte) const;

  const GraphImpl &graph;
  const populus::runtime::Executable &exe;
  const LoweringRecord &record;
  const GraphPlaces &places;
  TagTable &tags;
  TagState &state;
  const VertexReader reader;
  /// By vertex of the graph and replica, in the order of executions.
  std::vector<std::size_t> firstReplica;
  std::vector<std::vector<Waiting>> waiting;
  std::uint64_t numWaiting = 0;
  std::vector<bool> areApart; // compute sets of the executable
};

} // namespace poplar::core

#endif
