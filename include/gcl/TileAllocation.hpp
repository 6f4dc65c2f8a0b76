// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Selects tiles of each IPU for a separate purpose, such as input and output
// beside computation, for Graph::createVirtualGraph.

#ifndef POPULUS_GCL_TILEALLOCATION_HPP
#define POPULUS_GCL_TILEALLOCATION_HPP

#include <poplar/Graph.hpp>

#include <vector>

namespace gcl {

/// Minimum number of tiles for input and output.
unsigned getMinIoTiles(const poplar::Graph &graph);

/// Returns \p count tiles from the \p offset-th on, as indices within an IPU.
/// Tiles are allocated in ascending order, so the list is always sorted. With
/// \p tilePairs, offset and count must be even, so that two tiles which share
/// an exchange bus stay together.
std::vector<unsigned> perIPUTiles(const poplar::Graph &graph, unsigned offset,
                                  unsigned count, bool sorted = true,
                                  bool tilePairs = true);

} // namespace gcl

#endif
