// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Divides the elements of a tensor into the work of vertices: each tile's part,
// in the order of its memory, between the tile's workers. Elementwise
// operations, casts and fills all add one vertex for each piece.

#ifndef POPULUS_LIB_POPLIBS_POPOPS_VERTICES_VERTEXWORK_H
#define POPULUS_LIB_POPLIBS_POPOPS_VERTICES_VERTEXWORK_H

#include <poplar/Graph.hpp>

#include <vector>

namespace popops {

/// Elements for one vertex, as intervals of the flattened tensor.
struct VertexWork {
  unsigned tile;
  std::vector<poplar::Interval> elements;
};

/// The work on all of \p t, which must be mapped.
std::vector<VertexWork> divideWork(const poplar::Graph &graph,
                                   const poplar::Tensor &t);

/// The work on given intervals of the flattened tensor on each tile.
std::vector<VertexWork>
divideWork(const poplar::Graph &graph, const poplar::Tensor &t,
           const std::vector<std::vector<poplar::Interval>> &mapping);

/// The elements of \p t, of the same shape as the divided tensor, for each
/// piece of work.
std::vector<poplar::Tensor> selectWork(const poplar::Tensor &t,
                                       const std::vector<VertexWork> &work);

} // namespace popops

#endif
