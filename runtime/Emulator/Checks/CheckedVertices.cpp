// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vertices that were checked.

#include "runtime/Emulator/Checks/CheckedVertices.h"

#include <algorithm>

namespace populus::runtime::emulator {

bool CheckedVertices::areGood(Range vertices, const KnownBytes &known) const {
  const auto first = goodAt.begin() + vertices.first;
  return std::all_of(first, first + vertices.count, [&](std::uint64_t losses) {
    return losses == known.numLosses();
  });
}

bool CheckedVertices::wantRun(const Tile &tile, Range vertices) {
  bool any = false;
  for (std::uint32_t i = 0; i != vertices.count; ++i) {
    const std::uint32_t vertex = vertices.first + i;
    const VertexType &type =
        executable.vertexTypes[executable.vertices[vertex].type];
    if (type.kind == VertexKind::Worker) // which nobody remembers
      return false;
    any |= memory.wantsRun(tile, vertex);
  }
  return any;
}

void CheckedVertices::add(Range vertices, const KnownBytes &known) {
  for (std::uint32_t i = 0; i != vertices.count; ++i)
    if (memory.isRemembered(vertices.first + i))
      goodAt[vertices.first + i] = known.numLosses();
}

} // namespace populus::runtime::emulator
