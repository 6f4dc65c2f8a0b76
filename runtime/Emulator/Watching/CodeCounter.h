// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts what a tile executes, for InstructionCounts. Tiles that share an image
// share its counts, and threads add to them at the same time; sums do not
// depend on their order.

#ifndef POPULUS_RUNTIME_EMULATOR_WATCHING_CODECOUNTER_H
#define POPULUS_RUNTIME_EMULATOR_WATCHING_CODECOUNTER_H

#include "runtime/Emulator/Tile/Tile.h"
#include "runtime/Session/InstructionCounts.h"

#include <vector>

namespace populus::runtime::emulator {

class CodeCounter {
public:
  /// `counts`: of the code's image, by word.
  CodeCounter(const Code &code, std::vector<InstructionCount> &counts)
      : code(code), counts(counts) {}

  /// Before a slot is executed.
  void before(const Context &c, const Slot *at);
  /// After a vertex.
  void endVertex();

private:
  void add(const Slot *at, std::uint64_t times, std::uint64_t cycles);

  const Code &code;
  std::vector<InstructionCount> &counts;
  /// The supervisor's last slot: the slot where the supervisor goes on shows
  /// how long the last one took.
  const Slot *last = nullptr;
};

} // namespace populus::runtime::emulator

#endif
