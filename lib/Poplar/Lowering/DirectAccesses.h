// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements that the vertices of a compute set read and write in place. Two
// vertices that write the same elements at the same time are an error.

#ifndef POPULUS_LIB_POPLAR_LOWERING_DIRECTACCESSES_H
#define POPULUS_LIB_POPLAR_LOWERING_DIRECTACCESSES_H

#include "lib/Archive/Archive.h"
#include "lib/Poplar/Lowering/Exchanges.h"
#include "lib/Poplar/Lowering/Storage.h"

#include <cstdint>
#include <string>
#include <vector>

namespace poplar::core {

/// Bytes that the vertices of a compute set read or write where they are.
struct VertexAccess {
  Place place;
  std::uint32_t bytes = 0;
  bool reads = false;
};

class DirectAccesses {
public:
  DirectAccesses(const GraphImpl &graph, const Storage &storage)
      : graph(graph), storage(storage) {}

  /// Records an access of a vertex on the current tile.
  void note(const populus::archive::Field &field, const PlaceRun &run,
            std::uint32_t vertex);

  /// Adds the accesses of the current tile to \p all and joins neighbours.
  /// \throws graph_connection_error if two vertices write the same elements.
  void finishTile(std::vector<VertexAccess> &all);

  /// \throws graph_connection_error if one vertex of the compute set \p name
  /// writes elements in place that a piece of the exchange \p after also
  /// writes.
  void checkWrites(const std::string &name,
                   const std::vector<Piece> &after) const;

private:
  struct Access {
    std::uint32_t block, begin, end, vertex;
    bool writes;
  };
  void add(std::vector<Access> &list, std::vector<VertexAccess> &all);

  const GraphImpl &graph;
  const Storage &storage;
  std::vector<Access> reads, writes; // of the tile in work
  std::vector<PlaceRun> written;     // by all tiles
};

} // namespace poplar::core

#endif
