// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which code the vertices of an executable run. A vertex has the address of its
// entry point in the image of its tile (emulator), or the number of a host
// function; the code of another vertex type would read the same state and
// compute something else.

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

  /// Why a vertex of a tile does not run the code of a type of the graph; empty
  /// if it does.
  std::string problemOf(std::uint32_t tile,
                        const populus::runtime::Vertex &vertex,
                        const VertexType &type) const;

private:
  std::string problemOnTile(std::uint32_t tile, std::uint32_t address,
                            const std::string &entry) const;
  std::string problemOnHost(std::uint32_t entry, const VertexType &type) const;

  const populus::runtime::Executable &exe;
  /// By object of the host: the archives of the graph that have it.
  std::vector<std::vector<std::uint32_t>> archives;
};

} // namespace poplar::core

#endif
