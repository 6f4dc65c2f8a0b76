// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies of tensors on other IPUs and graphs, on the same tiles of them, and
// operands that are broadcast.

#include <poputil/TileMapping.hpp>

#include <poputil/exceptions.hpp>

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
/// graph, in the same order in memory.
Tensor addAlike(const Graph &graph, Graph &other, const Tensor &t,
                const DebugContext &debugContext) {
  const Tensor variable =
      other.addVariable(t.elementType(), {t.numElements()}, debugContext);
  if (t.containsAliases() || t.numElements() == 0)
    return variable.reshape(t.shape());
  std::map<std::size_t, Tensor> pieces; // by their places in t
  std::size_t at = 0;
  for (const auto &contiguous : graph.getSortedContiguousRegions(
           t.flatten(), {Interval(0, t.numElements())}))
    for (const Interval &region : contiguous) {
      pieces[region.begin()] = variable.slice(at, at + region.size());
      at += region.size();
    }
  std::vector<Tensor> inOrder;
  for (const auto &piece : pieces)
    inOrder.push_back(piece.second);
  return concat(inOrder).reshape(t.shape());
}

} // namespace

// A graph cannot clone the tensors of another one.
Tensor cloneToGraph(Graph &srcGraph, Graph &dstGraph, const Tensor &t,
                    const DebugContext &debugContext, TensorCloneMethod) {
  const Tensor clone = addAlike(srcGraph, dstGraph, t, debugContext);
  dstGraph.setTileMapping(clone, srcGraph.getTileMapping(t));
  return clone;
}

Tensor copyToIpu(Graph &graph, const Tensor &t, Sequence &prog, unsigned dstIPU,
                 const DebugContext &debugContext, TensorCloneMethod method) {
  const Tensor clone = cloneToIpu(graph, t, dstIPU, debugContext, method);
  prog.add(Copy(t, clone, false, debugContext));
  return clone;
}

Tensor createIpuCopy(Graph &graph, const Tensor &t, unsigned dstIpu,
                     Tensor &copySrc, Tensor &copyDst,
                     const DebugContext &debugContext, TensorCloneMethod) {
  // Elements that appear twice are copied twice: a copy must not write any of
  // them more than once.
  const Tensor clone =
      cloneToIpu(graph, t, dstIpu, debugContext,
                 TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
  copySrc = t.flatten();
  copyDst = clone.flatten();
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
