// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vertices of a compute set run at the same time, so on both sides all of them
// read before any of them writes. On a tile, a written region must not overlap
// another region, of the same or another vertex, unless they are the same
// elements in the graph.

#include "lib/Poplar/Verify/ComputeSetCheck.h"

#include "lib/Poplar/Device/TargetData.h"
#include "lib/Poplar/Support/Types.h"
#include "lib/Poplar/Verify/VerifyLowering.h"

#include <algorithm>

namespace poplar::core {

namespace rt = populus::runtime;

void appendRun(std::vector<TagRun> &runs, const TagRun &run) {
  if (!runs.empty() && runs.back().cls == run.cls &&
      runs.back().index + runs.back().bytes == run.index)
    runs.back().bytes += run.bytes;
  else
    runs.push_back(run);
}

ComputeSetCheck::ComputeSetCheck(const GraphImpl &graph,
                                 const rt::Executable &exe,
                                 const LoweringRecord &record,
                                 const GraphPlaces &places, TagTable &tags,
                                 TagState &state)
    : graph(graph), exe(exe), record(record), places(places), tags(tags),
      state(state), reader(graph, exe, record),
      areApart(exe.computeSets.size()) {
  std::size_t count = 0;
  for (const Vertex &vertex : graph.vertices) {
    firstReplica.push_back(count);
    count += vertex.replication.factor;
  }
  waiting.resize(count);
}

// ---- In the graph -----------------------------------------------------------

void ComputeSetCheck::readInGraph(std::uint32_t id, std::uint32_t replica,
                                  std::vector<TagRun> &wanted) const {
  const Vertex &vertex = graph.vertices[id];
  const auto &fields = graph.vertexTypes[vertex.type].description->fields;
  for (std::size_t f = 0; f != fields.size(); ++f) {
    if (fields[f].direction == populus::archive::Direction::Output)
      continue;
    forEachRegionOf(
        graph, graph.slots[vertex.firstSlot + f], [&](const Region &region) {
          const std::size_t first = wanted.size();
          for (const VariableBytes &part :
               places.of(graph.regionRuns.get(region.runs), replica))
            state.variable(part.variable)
                .forEach(part.begin, part.begin + part.bytes,
                         [&](std::uint64_t begin, std::uint64_t end, Tag tag) {
                           const TagRun run = {
                               tag.cls,
                               begin + static_cast<std::uint64_t>(tag.delta),
                               end - begin};
                           // Runs do not cross regions.
                           if (wanted.size() == first)
                             wanted.push_back(run);
                           else
                             appendRun(wanted, run);
                         });
        });
  }
}

void ComputeSetCheck::writeInGraph(std::uint32_t id, std::uint32_t replica,
                                   std::uint32_t cls,
                                   std::uint64_t firstOutput) {
  const Vertex &vertex = graph.vertices[id];
  const auto &fields = graph.vertexTypes[vertex.type].description->fields;
  for (std::size_t f = 0; f != fields.size(); ++f) {
    if (fields[f].direction == populus::archive::Direction::Input)
      continue;
    forEachRegionOf(
        graph, graph.slots[vertex.firstSlot + f], [&](const Region &region) {
          for (const VariableBytes &part :
               places.of(graph.regionRuns.get(region.runs), replica)) {
            state.setVariable(part.variable, part.begin,
                              part.begin + part.bytes,
                              tagAt(part.begin, cls, firstOutput));
            firstOutput += part.bytes;
          }
        });
  }
}

void ComputeSetCheck::executeInGraph(std::uint32_t id) {
  const auto execution = std::make_shared<Execution>();
  execution->computeSet = id;
  execution->cls = tags.executed(id);
  execution->waiting = 0;
  const auto forEachVertex = [&](auto visit) {
    for (std::uint32_t vertex : graph.computeSets[id].vertices)
      for (std::uint32_t r = 0; r != graph.vertices[vertex].replication.factor;
           ++r)
        visit(vertex, r);
  };
  std::uint64_t output = 0;
  forEachVertex([&](std::uint32_t vertex, std::uint32_t replica) {
    waiting[firstReplica[vertex] + replica].push_back(
        {execution, execution->wanted.size(), output});
    ++execution->waiting;
    readInGraph(vertex, replica, execution->wanted);
    output += outputBytesOf(graph, vertex);
  });
  numWaiting += execution->waiting;
  output = 0;
  forEachVertex([&](std::uint32_t vertex, std::uint32_t replica) {
    writeInGraph(vertex, replica, execution->cls, output);
    output += outputBytesOf(graph, vertex);
  });
}

// ---- On tiles ---------------------------------------------------------------

ComputeSetCheck::Waiting
ComputeSetCheck::takeWaiting(std::uint32_t id, const std::string &step,
                             const std::function<bool()> &advance) {
  const VertexOrigin origin = record.vertices[id];
  auto &list = waiting[firstReplica[origin.vertex] + origin.replica];
  while (list.empty())
    if (!advance())
      throw VerifyError("step '" + step + "' executes " +
                        graph.describe(origin.vertex) +
                        " where the program does not");
  Waiting first = std::move(list.front());
  list.erase(list.begin());
  --numWaiting;
  return first;
}

void ComputeSetCheck::requireNoneWaiting() const {
  if (numWaiting == 0)
    return;
  for (std::uint32_t id = 0; id != graph.vertices.size(); ++id)
    for (std::uint32_t r = 0; r != graph.vertices[id].replication.factor; ++r)
      if (!waiting[firstReplica[id] + r].empty())
        throw VerifyError(graph.describe(id) + " is not executed");
}

void ComputeSetCheck::executeOnTiles(std::uint32_t id,
                                     const std::function<bool()> &advance) {
  const rt::ComputeSet &set = exe.computeSets[id];
  std::vector<Write> writes;
  for (std::uint32_t t = 0; t != set.tiles.count; ++t) {
    const rt::TileVertices &list = exe.tileVertices[set.tiles.first + t];
    for (std::uint32_t i = 0; i != list.vertices.count; ++i) {
      const std::uint32_t vertex = list.vertices.first + i;
      checkFixed(list.tile, vertex);
      checkVertex(list.tile, vertex, takeWaiting(vertex, set.name, advance),
                  writes);
    }
    if (!areApart[id])
      checkApart(list.tile, list.vertices);
  }
  for (const Write &write : writes)
    state.setTile(write.tile, write.begin, write.end, write.tag);
  // A concurrent vertex must not have overwritten the state, either.
  if (!areApart[id])
    for (std::uint32_t t = 0; t != set.tiles.count; ++t) {
      const rt::TileVertices &list = exe.tileVertices[set.tiles.first + t];
      for (std::uint32_t i = 0; i != list.vertices.count; ++i)
        checkFixed(list.tile, list.vertices.first + i);
    }
  areApart[id] = true;
}

/// Checks that the vertex's own data (state, pointer arrays) is intact.
void ComputeSetCheck::checkFixed(std::uint32_t tile, std::uint32_t id) const {
  for (const FixedBytes &fixed : reader.fixedOf(id))
    state.tile(tile).forEach(
        fixed.address, std::uint64_t(fixed.address) + fixed.bytes,
        [&](std::uint64_t begin, std::uint64_t, Tag tag) {
          const std::uint64_t index =
              begin + static_cast<std::uint64_t>(tag.delta);
          if (tags.kindOf(tag.cls) != TagTable::Kind::Data ||
              index != fixed.offset + (begin - fixed.address))
            throw VerifyError(
                "tile " + std::to_string(tile) + ": the state of " +
                graph.describe(record.vertices[id].vertex) +
                " was overwritten at address " + std::to_string(begin) +
                " by " + tags.describe(tag.cls, index));
        });
}

void ComputeSetCheck::checkVertex(std::uint32_t tile, std::uint32_t id,
                                  const Waiting &waiting,
                                  std::vector<Write> &writes) const {
  const TagRun *wanted = waiting.execution->wanted.data() + waiting.firstWanted;
  std::uint64_t output = waiting.firstOutput;
  forEachEdge(id, [&](const Edge &edge) {
    if (edge.bytes == 0)
      return;
    if (edge.reads) {
      compare(tile, edge, wanted, 0);
      for (std::uint64_t bytes = 0; bytes != edge.bytes; ++wanted)
        bytes += wanted->bytes;
    }
    if (edge.writes) {
      writes.push_back({tile, edge.address,
                        std::uint64_t(edge.address) + edge.bytes,
                        tagAt(edge.address, waiting.execution->cls, output)});
      output += edge.bytes;
    }
  });
}

void ComputeSetCheck::compare(std::uint32_t tile, const Edge &edge,
                              const TagRun *wanted, std::uint64_t done) const {
  std::uint64_t used = 0; // of *wanted
  state.tile(tile).forEach(
      edge.address, std::uint64_t(edge.address) + edge.bytes,
      [&](std::uint64_t begin, std::uint64_t end, Tag tag) {
        for (std::uint64_t at = begin; at != end;) {
          const std::uint64_t bytes = std::min(end - at, wanted->bytes - used);
          const TagRun found = {
              tag.cls, at + static_cast<std::uint64_t>(tag.delta), bytes};
          const TagRun own = {wanted->cls, wanted->index + used, bytes};
          if (!tags.satisfies(own, found))
            throw VerifyError("tile " + std::to_string(tile) + ": " +
                              describe(edge) + " should read " +
                              describeElement(edge, at - edge.address + done) +
                              ", " + tags.describe(own.cls, own.index) +
                              "; at its address " + std::to_string(at) +
                              " is " + tags.describe(found.cls, found.index));
          at += bytes;
          used += bytes;
          if (used == wanted->bytes) {
            ++wanted;
            used = 0;
          }
        }
      });
}

std::string ComputeSetCheck::describe(const Edge &edge) const {
  const std::uint32_t id = record.vertices[edge.vertex].vertex;
  return "field '" +
         graph.vertexTypes[graph.vertices[id].type]
             .description->fields[edge.field]
             .name +
         "' (region " + std::to_string(edge.index) + ") of " +
         graph.describe(id);
}

VariableBytes ComputeSetCheck::placeOf(const Edge &edge,
                                       std::uint64_t byte) const {
  for (const VariableBytes &part :
       places.of(graph.regionRuns.get(edge.region->runs),
                 record.vertices[edge.vertex].replica)) {
    if (byte < part.bytes)
      return {part.variable, part.begin + byte, part.bytes - byte};
    byte -= part.bytes;
  }
  return {None, 0, 0};
}

std::string ComputeSetCheck::describeElement(const Edge &edge,
                                             std::uint64_t byte) const {
  const VariableBytes place = placeOf(edge, byte);
  return places.describe(place);
}

// ---- Vertices that run at the same time -------------------------------------

/// Two regions agree if they have the same elements wherever they overlap.
bool ComputeSetCheck::areSameElements(const Edge &a, const Edge &b) const {
  const std::uint64_t end = std::min(std::uint64_t(a.address) + a.bytes,
                                     std::uint64_t(b.address) + b.bytes);
  std::uint64_t at = std::max(a.address, b.address);
  if (at >= end) // they only have a word in common
    return false;
  while (at < end) {
    const VariableBytes one = placeOf(a, at - a.address);
    const VariableBytes other = placeOf(b, at - b.address);
    if (one.variable != other.variable || one.begin != other.begin)
      return false;
    at += std::min(one.bytes, other.bytes);
  }
  return true;
}

/// Rejects regions of two vertices that share a unit of memory, and regions of
/// one vertex that share bytes: a vertex may read one element after it has
/// written another.
void ComputeSetCheck::checkOverlaps(std::uint32_t tile, std::vector<Edge> edges,
                                    std::uint32_t unit) const {
  const auto beginOf = [&](const Edge &edge) {
    return edge.address / unit * unit;
  };
  const auto endOf = [&](const Edge &edge) {
    return (std::uint64_t(edge.address) + edge.bytes + unit - 1) / unit * unit;
  };
  std::sort(edges.begin(), edges.end(), [&](const Edge &a, const Edge &b) {
    return beginOf(a) < beginOf(b);
  });
  // Earlier edges that overlap the current one: readers, and writers.
  std::vector<const Edge *> reaching[2];
  const auto check = [&](const Edge &edge, std::vector<const Edge *> &others) {
    std::erase_if(others, [&](const Edge *other) {
      return endOf(*other) <= beginOf(edge);
    });
    for (const Edge *other : others)
      if ((unit == 1 || other->vertex != edge.vertex) &&
          !areSameElements(*other, edge))
        throw VerifyError("tile " + std::to_string(tile) + ": " +
                          describe(*other) + " and " + describe(edge) +
                          " share memory at address " +
                          std::to_string(edge.address));
  };
  for (const Edge &edge : edges) {
    check(edge, reaching[true]);
    if (edge.writes)
      check(edge, reaching[false]);
    reaching[edge.writes].push_back(&edge);
  }
}

void ComputeSetCheck::checkApart(std::uint32_t tile,
                                 const rt::Range &vertices) const {
  std::vector<Edge> all, writing;
  const bool hasStacks = exe.device == rt::DeviceKind::Ipu;
  for (std::uint32_t i = 0; i != vertices.count; ++i)
    forEachEdge(vertices.first + i, [&](const Edge &edge) {
      if (edge.bytes == 0)
        return;
      all.push_back(edge);
      if (!edge.writes)
        return;
      writing.push_back(edge);
      // Memory layout: code, then stacks, then everything else.
      if (hasStacks &&
          edge.address < exe.tileSetups[exe.tileSetup[tile]].supervisorStack)
        throw VerifyError("tile " + std::to_string(tile) + ": " +
                          describe(edge) +
                          " is in the memory of code or "
                          "stacks, at address " +
                          std::to_string(edge.address));
    });
  if (writing.empty())
    return;
  checkOverlaps(tile, std::move(all), 1);
  // A tile stores whole words.
  checkOverlaps(tile, std::move(writing), WordBytes);
}

} // namespace poplar::core
