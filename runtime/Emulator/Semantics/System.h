// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Traps, and the supervisor's instructions that start and await workers and
// load weights.

#ifndef POPULUS_RUNTIME_EMULATOR_SEMANTICS_SYSTEM_H
#define POPULUS_RUNTIME_EMULATOR_SEMANTICS_SYSTEM_H

#include "runtime/Emulator/Machine/Instruction.h"
#include "runtime/Emulator/Semantics/FloatEnvironment.h"
#include "runtime/Emulator/Tile/Tile.h"

namespace populus::runtime::emulator {

// ---- Workers ----------------------------------------------------------------

INSTRUCTION(TRAP, std::int32_t number) {
  if (number == HostCallTrap && c.tile->hostCalls)
    return callHost(c);
  return c.fault(FaultKind::Trap, std::uint32_t(number));
}

INSTRUCTION(RUN, Register entry, Register vertex, std::int32_t imm) {
  return c.tile->run(c, c.m[entry],
                     c.m[vertex] + std::uint32_t(imm) * 4 + c.tile->region0);
}
INSTRUCTION(RUNALL, Register entry, Register vertex, std::int32_t imm) {
  return c.tile->runAll(c, c.m[entry], c.m[vertex], std::uint32_t(imm) * 4);
}
// Zones other than the tile itself are the graph program's.
INSTRUCTION(SYNC, std::int32_t) { return Wait{!c.tile->workersActive()}; }

/// The next weight registers from memory.
inline bool loadWeights(Context &c, std::int32_t index, unsigned count) {
  Tile &tile = *c.tile;
  if (std::uint32_t(index) + count >
      WeightRegisters::PerSet * tile.accumulatorSets)
    return c.fault(FaultKind::InvalidControlRegister, index);
  if (count == 2 && tile.weightLoad % 16 != 0)
    return c.fault(FaultKind::Misaligned, tile.weightLoad);
  if (count == 2 && tile.weightLoad < c.interleavedBegin)
    return c.fault(FaultKind::NotInterleaved, tile.weightLoad);
  for (unsigned i = 0; i != count; ++i) {
    std::uint64_t bits;
    if (!load(c, tile.weightLoad + 8 * i, bits))
      return false;
    tile.weightRegisters.bits[index + i] = bits;
    tile.setStaleWeights(1u << (index + i) / WeightRegisters::PerSet);
  }
  tile.weightLoad += 8 * count;
  return true;
}
INSTRUCTION(LD64PUTCS, std::int32_t index) { return loadWeights(c, index, 1); }
INSTRUCTION(LD128PUTCS, std::int32_t index) { return loadWeights(c, index, 2); }

} // namespace populus::runtime::emulator

#endif
