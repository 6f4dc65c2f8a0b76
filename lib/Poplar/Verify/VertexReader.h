// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the edges of an executable's vertices from the bytes of their state, as
// the vertices themselves do. No notes of lowering are used.

#ifndef POPULUS_LIB_POPLAR_VERIFY_VERTEXREADER_H
#define POPULUS_LIB_POPLAR_VERIFY_VERTEXREADER_H

#include "lib/Poplar/Device/VectorForm.h"
#include "lib/Poplar/Graph/GraphImpl.h"
#include "lib/Poplar/Verify/LoweringRecord.h"
#include "lib/Poplar/Verify/VertexCode.h"
#include "runtime/Format/Executable.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace poplar::core {

/// Bytes of a tile that hold a vertex's own data, and their source in the
/// payloads.
struct FixedBytes {
  std::uint32_t address = 0, bytes = 0;
  std::uint32_t payload = 0;
  std::uint64_t offset = 0;
};

class VertexReader {
public:
  VertexReader(const GraphImpl &graph, const populus::runtime::Executable &exe,
               const LoweringRecord &record);

  /// The address of each region of a vertex's edges, in the order of fields.
  std::span<const std::uint32_t> regionsOf(std::uint32_t vertex) const {
    return std::span(regions).subspan(
        firstRegion[vertex], firstRegion[vertex + 1] - firstRegion[vertex]);
  }
  /// The vertex's state, and the arrays that it points to.
  std::span<const FixedBytes> fixedOf(std::uint32_t vertex) const {
    return std::span(fixed).subspan(firstFixed[vertex], firstFixed[vertex + 1] -
                                                            firstFixed[vertex]);
  }

private:
  struct Bytes {
    std::uint32_t payload = 0;
    std::uint64_t offset = 0;
  };
  struct Vector {
    std::uint32_t address = 0;
    std::uint64_t count = 0;
    bool hasCount = false;
  };
  void sortData();
  void readVertex(std::uint32_t tile, std::uint32_t id);
  void readState(const populus::archive::Field &field,
                 const populus::archive::FieldPlace &place,
                 const FieldSlot &slot);
  void readEdges(const populus::archive::Field &field,
                 const populus::archive::FieldPlace &place,
                 const FieldSlot &slot);
  const std::uint8_t *load(std::uint32_t address, std::uint64_t bytes);
  Vector readVector(const std::uint8_t *from, VectorForm form) const;
  void requireCount(const populus::archive::Field &field, const Vector &vector,
                    std::uint64_t count) const;
  [[noreturn]] void fail(const std::string &problem) const;
  VectorForm formOf(populus::archive::Layout layout,
                    std::uint32_t elementBytes) const;

  const GraphImpl &graph;
  const populus::runtime::Executable &exe;
  const LoweringRecord &record;
  const VertexCode code;
  const populus::runtime::TargetInfo target;
  bool isNative;
  std::vector<std::uint32_t> data;      // indices into exe.data, by address
  std::vector<std::uint32_t> firstData; // by tile
  std::vector<std::uint32_t> regions;
  std::vector<FixedBytes> fixed;
  std::vector<std::uint32_t> firstRegion, firstFixed; // by vertex, and the end

  // The current vertex.
  std::uint32_t tile = 0, state = 0, origin = 0;
};

} // namespace poplar::core

#endif
