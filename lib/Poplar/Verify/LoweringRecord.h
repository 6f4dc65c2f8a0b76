// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Facts that a check of a lowered program takes from lowering, because the
// executable lacks them: the graph's vertex behind each of its vertices, the
// home addresses of variables, and the empty steps that stand for a WriteUndef.
// The check trusts no other result of lowering.

#ifndef POPULUS_LIB_POPLAR_VERIFY_LOWERINGRECORD_H
#define POPULUS_LIB_POPLAR_VERIFY_LOWERINGRECORD_H

#include <cstdint>
#include <unordered_set>
#include <vector>

namespace poplar::core {

/// A vertex of the graph in one of its replicas.
struct VertexOrigin {
  std::uint32_t vertex = 0, replica = 0;
};

/// Elements [begin, end) of a variable lie at an address of a tile. Elements
/// are numbered replica after replica.
struct ElementHome {
  std::uint64_t begin = 0, end = 0;
  std::uint32_t tile = 0, address = 0;
  /// The memory is not shared: its contents persist from one run to the next.
  bool isOwn = false;
};

struct LoweringRecord {
  std::vector<VertexOrigin> vertices; // by vertex of the executable
  /// By variable, in the order of elements; empty for an unused variable.
  std::vector<std::vector<ElementHome>> homes;
  std::unordered_set<std::uint32_t> undefSteps;
};

} // namespace poplar::core

#endif
