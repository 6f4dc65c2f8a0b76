// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles of each IPU for a purpose of their own, such as input and output beside
// computation: for Graph::createVirtualGraph.

#ifndef POPULUS_GCL_TILEALLOCATION_HPP
#define POPULUS_GCL_TILEALLOCATION_HPP

#include <poplar/Graph.hpp>

#include <vector>

namespace gcl {

/// The least number of tiles that should do input and output.
unsigned getMinIoTiles(const poplar::Graph &graph);

/// \p count tiles from the \p offset-th on, as numbers within an IPU. Tiles are
/// allocated in the order of their numbers, so the list is always sorted; with
/// \p tilePairs, offset and count are to be even, so that no two neighbours
/// which share an exchange bus are separated.
std::vector<unsigned> perIPUTiles(const poplar::Graph &graph, unsigned offset,
                                  unsigned count, bool sorted = true,
                                  bool tilePairs = true);

} // namespace gcl

#endif
