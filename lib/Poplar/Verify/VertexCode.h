// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the code of vertices. A vertex has the address of its entry point in
// the tile's image (emulator), or the number of a host function. The code of
// another vertex type could read the same state and compute something else.

#ifndef POPULUS_LIB_POPLAR_VERIFY_VERTEXCODE_H
#define POPULUS_LIB_POPLAR_VERIFY_VERTEXCODE_H

#include "lib/Poplar/Graph/GraphImpl.h"
#include "runtime/Format/Executable.h"

#include <cstdint>
#include <string>
#include <vector>

namespace poplar::core {

class VertexCode {
public:
  VertexCode(const GraphImpl &graph, const populus::runtime::Executable &exe);

  /// The reason why a vertex of a tile does not run the code of a vertex type;
  /// empty if it does.
  std::string problemOf(std::uint32_t tile,
                        const populus::runtime::Vertex &vertex,
                        const VertexType &type) const;

private:
  std::string problemOnTile(std::uint32_t tile, std::uint32_t address,
                            const std::string &entry) const;
  std::string problemOnHost(std::uint32_t entry, const VertexType &type) const;

  const populus::runtime::Executable &exe;
  /// By host object, the archives of the graph that contain it.
  std::vector<std::vector<std::uint32_t>> archives;
};

} // namespace poplar::core

#endif
