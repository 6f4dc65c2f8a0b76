// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a check of a lowered program has to be told, because an executable does
// not say it: which vertex of the graph each of its vertices is, where the
// elements of variables are at home, and which empty steps stand for a
// WriteUndef. Nothing else that lowering found out is believed.

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

/// Elements [begin, end) of a variable, those of replicas numbered one replica
/// after another, lie at an address of a tile.
struct ElementHome {
  std::uint64_t begin = 0, end = 0;
  std::uint32_t tile = 0, address = 0;
  /// The memory is the variable's own: what it holds stays there from one run
  /// to the next.
  bool isOwn = false;
};

struct LoweringRecord {
  std::vector<VertexOrigin> vertices; // by vertex of the executable
  /// By variable, in the order of elements; empty for what is not used.
  std::vector<std::vector<ElementHome>> homes;
  std::unordered_set<std::uint32_t> undefSteps;
};

} // namespace poplar::core

#endif
