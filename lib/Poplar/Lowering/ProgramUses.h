// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts the uses of program nodes. A node with one use can be lowered together
// with its surroundings; any other is lowered separately, once.

#ifndef POPULUS_LIB_POPLAR_LOWERING_PROGRAMUSES_H
#define POPULUS_LIB_POPLAR_LOWERING_PROGRAMUSES_H

#include "lib/Poplar/Graph/GraphImpl.h"
#include "lib/Poplar/Graph/ProgramNode.h"

#include <poplar/ArrayRef.hpp>

#include <cstdint>
#include <unordered_map>

namespace poplar::core {

class ProgramUses {
public:
  /// Counts the uses in \p programs and in the functions of the graph.
  ProgramUses(const GraphImpl &graph, ArrayRef<program::Program> programs);

  /// Returns true if the node and the compute set that it executes are used
  /// once.
  bool isUsedOnce(const ProgramNode &node) const;

private:
  std::unordered_map<const ProgramNode *, std::uint32_t> ofNode;
  std::unordered_map<std::uint32_t, std::uint32_t> ofComputeSet;
};

} // namespace poplar::core

#endif
