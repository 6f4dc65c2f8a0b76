// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replicated graphs. A replicated graph is a view of a graph through the tiles
// of the first replica. Variables and vertices added through it record the
// number of replicas and the distance of their tiles, and lowering makes a copy
// for each replica. The rest of the library need not know about replicas.

#include "lib/Poplar/Graph/Access.h"

namespace poplar {

using core::Access;
using core::GraphImpl;
using core::None;
using core::Run;
using core::Variable;

/// Makes `target` the part of each replica.
void Graph::shareOutTiles(const char *what) {
  impl->hasReplicas = true;
  if (impl->isCpu())
    return; // everything is on the one tile
  const unsigned ipus = target.getNumIPUs();
  const unsigned count = target.getNumTiles();
  if (replicas == 0 || count % replicas != 0)
    throw graph_replication_error(std::string(what) + " " +
                                  std::to_string(replicas) +
                                  " times needs as many equal parts of the "
                                  "target, which has " +
                                  std::to_string(count) + " tiles");
  target =
      ipus % replicas == 0
          ? target.createVirtualTarget(ipus / replicas, target.getTilesPerIPU())
          : target.createVirtualTarget(1, count / replicas);
  replicaStride = target.getNumTiles();
}

Graph Graph::createReplicatedGraph(unsigned count) {
  if (replicas != 1 && count != 1)
    throw graph_replication_error(
        "createReplicatedGraph: the graph has " + std::to_string(replicas) +
        " replicas already, which cannot be replicated again");
  for (std::size_t i = 1; i < tiles.size() && count != 1; ++i)
    if (tiles[i] != tiles[i - 1] + 1)
      throw graph_replication_error(
          "createReplicatedGraph: the tiles of the virtual graph do not follow "
          "each other");
  Graph result(*this, tiles);
  if (count == 1)
    return result;
  result.replicas = count;
  result.shareOutTiles("a graph that is split");
  if (!tiles.empty())
    result.tiles.resize(result.target.getNumTiles());
  return result;
}

namespace {

/// Variable that stands for all replicas of a variable, made on demand.
std::uint32_t allReplicas(GraphImpl &graph, std::uint32_t id) {
  if (graph.variables[id].allReplicas != None)
    return graph.variables[id].allReplicas;
  const Variable &one = graph.variables[id];
  Variable all;
  all.name = one.name;
  all.type = one.type;
  all.shape.push_back(one.replication.factor);
  all.shape.insert(all.shape.end(), one.shape.begin(), one.shape.end());
  all.numElements = one.replication.factor * one.numElements;
  all.isConstant = one.isConstant;
  all.allReplicasOf = id;
  graph.variables.push_back(std::move(all));
  const auto result = static_cast<std::uint32_t>(graph.variables.size() - 1);
  graph.variables[id].allReplicas = result;
  return result;
}

} // namespace

Tensor Graph::getNonReplicatedTensor(const Tensor &tensor) const {
  if (impl->whole.factor != 1)
    throw graph_replication_error(
        "getNonReplicatedTensor: the graph is replicated as a whole, so there "
        "is no parent that all replicas of a tensor could be in; use "
        "createReplicatedGraph");
  const core::TensorView &view = Access::view(*impl, tensor);
  if (view.metadata)
    throw not_supported_error(
        "getNonReplicatedTensor: " + tensor.getDebugStr() +
        " has metadata, of which there would be one for each replica; use "
        "Tensor::reinterpret(UNSIGNED_CHAR) first");
  const std::vector<Run> source = view.runs();
  std::uint32_t factor = 1;
  for (const Run &run : source)
    factor = std::max(factor, impl->variables[run.variable].replication.factor);
  std::vector<Run> runs;
  for (std::uint32_t r = 0; r != factor; ++r)
    for (Run run : source) {
      const std::uint32_t id = run.variable;
      if (impl->variables[id].replication.factor != 1) {
        run.variable = allReplicas(*impl, id);
        run.offset +=
            static_cast<std::int64_t>(r * impl->variables[id].numElements);
      }
      runs.push_back(run);
    }
  std::vector<std::size_t> shape = view.shape();
  shape.insert(shape.begin(), factor);
  return Access::tensor(
      core::TensorView(impl.get(), view.type, std::move(runs), shape));
}

} // namespace poplar
