// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers a graph and its programs to an executable. Lowering works with
// *places*, which are relocatable addresses: a block of memory on some tile,
// and an offset. Each variable has a block on every tile that holds part of it;
// vertex state and message buffers are blocks too. Programs, exchanges, tensors
// and pointers are first expressed in places. At the end the blocks are
// allocated, code is linked, and a last pass converts places to addresses.
//
//   Storage       blocks, and where the elements of variables are
//   VertexLowering  compute sets: vertex state, message buffers, exchanges
//   Gathering       what vertices read from other tiles
//   CopyLowering    copies to exchanges
//   StraightLine    copies and compute sets that follow each other
//   ProgramLowering the control program
//   CodeLowering    host code or linked tile images
//   Memory          allocation of blocks on tiles

#ifndef POPULUS_LIB_POPLAR_LOWERING_LOWERING_H
#define POPULUS_LIB_POPLAR_LOWERING_LOWERING_H

#include "lib/Poplar/Graph/GraphImpl.h"
#include "lib/Poplar/Graph/VariablePlaces.h"
#include "lib/Poplar/Lowering/VariableLiveness.h"
#include "lib/Poplar/Verify/LoweringRecord.h"
#include "runtime/Format/Executable.h"

#include <poplar/ArrayRef.hpp>
#include <poplar/Program.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace poplar::core {

class Draft;

/// Minimum sizes of stacks.
struct StackBytes {
  std::uint64_t worker = 0;
  std::uint64_t supervisor = 0;
};

struct TargetData;

struct LoweringOptions {
  /// The target, if it is not the graph's.
  const TargetData *target = nullptr;
  /// Compile programs that do not fit; they cannot be loaded on an IPU.
  bool allowOutOfMemory = false;
  /// Number of host threads; 0: all. The result does not depend on it.
  unsigned threads = 0;
  StackBytes stacks;
  /// Facts to return beside the executable.
  bool recordLiveness = false;
  bool listVariables = false;
  /// Check the result as Verify/VerifyLowering.h describes.
  bool verify = false;
  /// Return the facts that such a check needs.
  bool keepRecord = false;
  /// For tests of that check: may change the draft before its places become
  /// addresses.
  std::function<void(Draft &)> tamper;
  /// Receives the number of the current step and the number of all steps.
  std::function<void(int, int)> progress;
};

/// The result of lowering.
struct Lowered {
  std::shared_ptr<populus::runtime::Executable> executable;
  /// If the options ask for it.
  VariableLiveness liveness;
  /// The addresses of variables, if the options ask for them.
  std::vector<VariablePlace> variables;
  std::optional<LoweringRecord> record;
};

/// Throws the exceptions of poplar::compileGraph.
Lowered lower(const GraphImpl &graph, ArrayRef<program::Program> programs,
              const LoweringOptions &options);

/// The metadata key of an executable that does not fit; its value is the
/// message.
inline constexpr const char *OutOfMemoryKey = "out of memory";

/// Metadata for profiles: the number of variables that programs use, and the
/// number of edges of their vertices.
inline constexpr const char *NumVariablesKey = "variables";
inline constexpr const char *NumEdgesKey = "edges";

} // namespace poplar::core

#endif
