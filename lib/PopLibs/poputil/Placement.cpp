// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies of tensors on other IPUs and graphs, on the same tiles of them, and
// operands that are broadcast.

#include "lib/PopLibs/poputil/Aliases.h"

#include <poputil/TileMapping.hpp>
#include <poputil/Util.hpp>
#include <poputil/exceptions.hpp>

#include <iterator>
#include <map>

using namespace poplar;
using namespace poplar::program;

namespace poputil {

unsigned transformTileIndex(unsigned tile, unsigned numTiles, unsigned offset,
                            bool ascending) {
  const unsigned fromOffset = (tile + numTiles - offset % numTiles) % numTiles;
  return ascending ? fromOffset : numTiles - 1 - fromOffset;
}

unsigned invTransformTileIndex(unsigned tile, unsigned numTiles,
                               unsigned offset, bool ascending) {
  const unsigned place = ascending ? tile : numTiles - 1 - tile;
  return (place + offset) % numTiles;
}

Tensor cloneToIpu(Graph &graph, const Tensor &t, unsigned dstIPU,
                  const DebugContext &debugContext, TensorCloneMethod method) {
  const Target &target = graph.getTarget();
  if (dstIPU >= target.getNumIPUs())
    throw poplibs_error("poputil: IPU " + std::to_string(dstIPU) +
                        " of a target with " +
                        std::to_string(target.getNumIPUs()));
  const unsigned tiles = target.getTilesPerIPU();
  const Tensor clone = graph.clone(t, debugContext, method);
  const auto mapping = graph.getTileMapping(t);
  Graph::TileToTensorMapping moved(target.getNumTiles());
  for (unsigned tile = 0; tile != mapping.size(); ++tile) {
    auto &regions = moved[tile % tiles + dstIPU * tiles];
    regions.insert(regions.end(), mapping[tile].begin(), mapping[tile].end());
  }
  graph.setTileMapping(clone, moved);
  return clone;
}

namespace {

/// A new variable of another graph with the elements of \p t, which lies in \p
/// graph, in the order that they have in memory. With \p keepAliases an element
/// that is in \p t twice is there once.
Tensor addAlike(Graph &other, const Tensor &t, bool keepAliases,
                const DebugContext &debugContext) {
  if (t.numElements() == 0 || (t.containsAliases() && !keepAliases))
    return other.addVariable(t.elementType(), t.shape(), debugContext);
  const std::vector<VariableInterval> parts = t.flatten().getVarRegions();
  std::map<unsigned, std::vector<Interval>> held; // by variable
  for (const VariableInterval &part : parts)
    held[part.var.id].push_back(part.interval);
  std::map<unsigned, std::map<std::size_t, std::size_t>> places;
  std::size_t elements = 0;
  for (auto &[variable, intervals] : held) {
    mergeAdjacentRegions(intervals);
    for (const Interval &interval : intervals) {
      places[variable][interval.begin()] = elements;
      elements += interval.size();
    }
  }
  const Tensor variable =
      other.addVariable(t.elementType(), {elements}, debugContext);
  std::vector<Tensor> inOrder;
  for (const VariableInterval &part : parts) {
    const auto run =
        std::prev(places[part.var.id].upper_bound(part.interval.begin()));
    const std::size_t at = run->second + (part.interval.begin() - run->first);
    inOrder.push_back(variable.slice(at, at + part.interval.size()));
  }
  return concat(inOrder).reshape(t.shape());
}

} // namespace

// A graph cannot clone the tensors of another one.
Tensor cloneToGraph(Graph &srcGraph, Graph &dstGraph, const Tensor &t,
                    const DebugContext &debugContext,
                    TensorCloneMethod method) {
  const bool keepAliases =
      method == TensorCloneMethod::PRESERVE_ORDER_AND_ALIASES ||
      method == TensorCloneMethod::GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES;
  const Tensor clone = addAlike(dstGraph, t, keepAliases, debugContext);
  dstGraph.setTileMapping(clone, srcGraph.getTileMapping(t));
  return clone;
}

std::pair<Tensor, unsigned>
cloneAndExpandAliasing(Graph &graph, const Tensor &t, unsigned offset,
                       const DebugContext &debugContext) {
  if (!t.containsAliases())
    return {graph.clone(t, debugContext), offset};
  const Tensor expanded =
      graph.addVariable(t.elementType(), t.shape(), debugContext);
  const auto mapping =
      calcLinearTileMappingAndNewOffset(graph, expanded, offset);
  graph.setTileMapping(expanded, mapping.first);
  return {expanded, mapping.second};
}

Tensor copyToIpu(Graph &graph, const Tensor &t, Sequence &prog, unsigned dstIPU,
                 const DebugContext &debugContext, TensorCloneMethod method) {
  const Tensor clone = cloneToIpu(graph, t, dstIPU, debugContext, method);
  Tensor from = t, to = clone;
  removeCommonAliases(graph, from, to);
  prog.add(Copy(from, to, false, debugContext));
  return clone;
}

Tensor createIpuCopy(Graph &graph, const Tensor &t, unsigned dstIpu,
                     Tensor &copySrc, Tensor &copyDst,
                     const DebugContext &debugContext,
                     TensorCloneMethod method) {
  const Tensor clone = cloneToIpu(graph, t, dstIpu, debugContext, method);
  copySrc = t.flatten();
  copyDst = clone.flatten();
  removeCommonAliases(graph, copySrc, copyDst);
  return clone;
}

bool dimIsSplitOverIPUs(const Graph &graph, const Tensor &t, unsigned dim) {
  if (dim >= t.rank())
    throw poplibs_error("poputil: dimension " + std::to_string(dim) +
                        " of a tensor of shape " + t.shapeToString());
  const unsigned tilesPerIPU = graph.getTarget().getTilesPerIPU();
  const Tensor rows = t.dimRoll(dim, t.rank() - 1);
  const std::size_t extent = t.dim(dim);
  // The IPU that a slice along the dimension was seen on.
  std::vector<unsigned> ipuOf(extent == 0 ? 0 : t.numElements() / extent, ~0u);
  const auto mapping = graph.getTileMapping(rows);
  for (unsigned tile = 0; tile != mapping.size(); ++tile)
    for (const Interval &region : mapping[tile])
      for (std::size_t row = region.begin() / extent;
           row * extent < region.end(); ++row) {
        unsigned &ipu = ipuOf[row];
        if (ipu != ~0u && ipu != tile / tilesPerIPU)
          return true;
        ipu = tile / tilesPerIPU;
      }
  return false;
}

Tensor createBroadcastOperand(Graph &graph, const Tensor &fullTensor,
                              const Type &type, unsigned dim,
                              bool ditherMapping,
                              const DebugContext &debugContext) {
  if (dim >= fullTensor.rank())
    throw poplibs_error("poputil::createBroadcastOperand: dimension " +
                        std::to_string(dim) + " of a tensor of shape " +
                        fullTensor.shapeToString());
  const Tensor operand =
      graph.addVariable(type, {fullTensor.dim(dim)}, debugContext);
  const std::size_t offset =
      ditherMapping ? chooseMappingOffset(graph.getTarget().getNumTiles(),
                                          fullTensor.shape())
                    : 0;
  mapTensorLinearlyWithOffset(graph, operand, static_cast<unsigned>(offset));
  return operand;
}

} // namespace poputil
