// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How often the parts of programs are used. What is used once can be lowered
// together with what stands around it; all else is lowered for itself, once.

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
  /// Of some programs and the functions of their graph.
  ProgramUses(const GraphImpl &graph, ArrayRef<program::Program> programs);

  /// Whether a part of a program stands in one place only, and the compute set
  /// that it executes, too.
  bool isUsedOnce(const ProgramNode &node) const;

private:
  std::unordered_map<const ProgramNode *, std::uint32_t> ofNode;
  std::unordered_map<std::uint32_t, std::uint32_t> ofComputeSet;
};

} // namespace poplar::core

#endif
