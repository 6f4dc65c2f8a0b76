// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transpositions by vertices of a compute set, one for each matrix.

#include "lib/PopLibs/poputil/Partition.h"

#include <popops/Rearrange.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>

using namespace poplar;
using poputil::poplibs_error;

namespace popops {
namespace rearrange {
namespace {

/// The type whose elements are moved as bits.
Type bitsOf(const Graph &graph, const Type &type) {
  switch (graph.getTarget().getTypeSize(type)) {
  case 2:
    return UNSIGNED_SHORT;
  case 4:
    return UNSIGNED_INT;
  default:
    throw poplibs_error("popops::rearrange: matrices of type " +
                        type.toString() +
                        " are not transposed by vertices, only those of "
                        "elements of 2 or 4 bytes");
  }
}

void addVertex(Graph &graph, ComputeSet cs, const Tensor &in, const Tensor &out,
               std::size_t rows, std::size_t columns, unsigned tile) {
  if (in.numElements() != rows * columns || out.numElements() != rows * columns)
    throw poplibs_error("popops::rearrange: a transposition of " +
                        std::to_string(rows) + "x" + std::to_string(columns) +
                        " elements from " + in.shapeToString() + " to " +
                        out.shapeToString());
  const Type bits = bitsOf(graph, in.elementType());
  const std::string name = poputil::templateVertex("popops::Transpose", bits);
  if (!graph.hasCodelet(name))
    throw poplibs_error("popops::rearrange: there is no " + name +
                        "; popops::addCodelets(graph) has not been called");
  const VertexRef v =
      graph.addVertex(cs, name,
                      {{"in", in.flatten().reinterpret(bits)},
                       {"out", out.flatten().reinterpret(bits)}});
  graph.setInitialValue(v["rows"], rows);
  graph.setInitialValue(v["columns"], columns);
  graph.setPerfEstimate(v, 20 + columns * (5 + 4 * rows));
  graph.setTileMapping(v, tile);
}

} // namespace

void addTransposeVertices(
    Graph &graph, const ComputeSet &cs, const Type &, unsigned rows,
    unsigned cols, const Graph::TileToTensorMapping &mapping,
    std::function<std::pair<const Tensor, const Tensor>(std::size_t)> getInOut,
    const DebugContext &) {
  for (unsigned tile = 0; tile != mapping.size(); ++tile)
    for (const Interval &matrices : mapping[tile])
      for (std::size_t i = matrices.begin(); i != matrices.end(); ++i) {
        const auto both = getInOut(i);
        addVertex(graph, cs, both.first, both.second, rows, cols, tile);
      }
}

Tensor partialTranspose(Graph &graph, const Tensor &in, const ComputeSet &cs,
                        const DebugContext &debugContext) {
  const std::size_t rank = in.rank();
  if (rank < 2)
    throw poplibs_error("popops::rearrange::partialTranspose: a tensor of "
                        "shape " +
                        in.shapeToString() + "; it must have two dimensions");
  const std::size_t rows = in.dim(rank - 2), columns = in.dim(rank - 1);
  std::vector<std::size_t> shape = in.shape();
  std::swap(shape[rank - 2], shape[rank - 1]);
  const Tensor out =
      graph.addVariable(in.elementType(), shape, {debugContext, "transposed"});
  if (in.numElements() == 0)
    return out;
  const std::size_t matrices = in.numElements() / (rows * columns);
  const unsigned numTiles = graph.getTarget().getNumTiles();
  const poplibs::TileGrid tiles{matrices, numTiles,
                                poputil::chooseMappingOffset(numTiles, shape)};
  const Tensor from = in.reshape({matrices, rows * columns});
  const Tensor to = out.reshape({matrices, rows * columns});
  for (std::size_t i = 0; i != matrices; ++i) {
    const unsigned tile = tiles.tile(i);
    addVertex(graph, cs, from[i], to[i], rows, columns, tile);
    graph.setTileMapping(to[i], tile);
  }
  return out;
}

} // namespace rearrange
} // namespace popops
