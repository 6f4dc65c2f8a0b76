// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts of executed code, if a session was asked for them (WatchOptions): the
// executions of each instruction, and the cycles of the contexts for it.

#ifndef POPULUS_RUNTIME_SESSION_INSTRUCTIONCOUNTS_H
#define POPULUS_RUNTIME_SESSION_INSTRUCTIONCOUNTS_H

#include <cstdint>
#include <vector>

namespace populus::runtime {

struct InstructionCount {
  std::uint64_t times = 0;
  /// Cycles of all contexts, added up: a worker takes six for each issue slot.
  /// A supervisor that waits for workers is said to execute the instruction
  /// again and again.
  std::uint64_t cycles = 0;
};

/// The counts of all tiles together, by image of the executable and word of its
/// text; empty if nothing is counted.
using InstructionCounts = std::vector<std::vector<InstructionCount>>;

} // namespace populus::runtime

#endif
