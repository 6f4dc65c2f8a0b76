// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Control registers, traps, and the supervisor's instructions that start and
// await workers.

#ifndef POPULUS_RUNTIME_EMULATOR_SEMANTICS_SYSTEM_H
#define POPULUS_RUNTIME_EMULATOR_SEMANTICS_SYSTEM_H

#include "runtime/Emulator/Instruction.h"
#include "runtime/Emulator/Semantics/FloatEnvironment.h"
#include "runtime/Emulator/Tile.h"

namespace populus::runtime::emulator {

// ---- Control registers ------------------------------------------------------

namespace csr {
// Lower space, all contexts.
inline constexpr std::int32_t Pc = 0;
inline constexpr std::int32_t Status = 1; // $WSR, $SSR
inline constexpr std::int32_t CountLow = 96;
inline constexpr std::int32_t CountHigh = 97;
inline constexpr std::int32_t DebugData = 112;
// Workers.
inline constexpr std::int32_t VertexBase = 2;
inline constexpr std::int32_t WorkerBase = 3;
inline constexpr std::int32_t RepeatCount = 4;
// Supervisor.
inline constexpr std::int32_t Command = 2; // $CR
inline constexpr std::int32_t TileId = 3;
inline constexpr std::int32_t FpInitialControl = 32; // $FP_ICTL
inline constexpr std::int32_t WorkerBases = 33;      // to 38
inline constexpr std::int32_t WeightLoad = 80;       // $CCCSLOAD
// Upper space.
inline constexpr std::int32_t FpStatus = 0;
inline constexpr std::int32_t FpClear = 1;
inline constexpr std::int32_t FpControl = 2;
inline constexpr std::int32_t Prng = 3; // to 6
inline constexpr std::int32_t PrngSeed = 7;
inline constexpr std::int32_t Tas = 8;
} // namespace csr

/// Command register bit that zeroes the weights.
inline constexpr std::uint32_t ClearWeights = 1 << 2;

inline bool readWorkerCsr(Context &c, std::int32_t index,
                          std::uint32_t &value) {
  switch (index) {
  case csr::Status:
    value = c.number;
    return true;
  case csr::VertexBase:
    value = c.m[VertexBase];
    return true;
  case csr::WorkerBase:
    value = c.m[WorkerBase];
    return true;
  case csr::RepeatCount:
    value = c.repeatCount;
    return true;
  default:
    return c.fault(FaultKind::InvalidControlRegister, index);
  }
}

inline bool readSupervisorCsr(Context &c, std::int32_t index,
                              std::uint32_t &value) {
  const Tile &tile = *c.tile;
  if (index >= csr::WorkerBases && index < csr::WorkerBases + 6) {
    value = tile.contexts[index - csr::WorkerBases].m[WorkerBase];
    return true;
  }
  switch (index) {
  case csr::Status:
    value = tile.consensus;
    return true;
  case csr::TileId:
    value = tile.number;
    return true;
  case csr::FpInitialControl:
    value = tile.fpInitialControl;
    return true;
  case csr::WeightLoad:
    value = tile.weightLoad;
    return true;
  default:
    return c.fault(FaultKind::InvalidControlRegister, index);
  }
}

INSTRUCTION(GET, Register d, std::int32_t index) {
  std::uint32_t value = 0;
  if (index == csr::Pc)
    value = c.nextPc - 4;
  else if (index == csr::CountLow || index == csr::CountHigh)
    value = static_cast<std::uint32_t>(c.tile->cycleCount(c) >>
                                       (index == csr::CountHigh ? 32 : 0));
  else if (index == csr::DebugData)
    value = c.debugData;
  else if (!(c.isSupervisor() ? readSupervisorCsr(c, index, value)
                              : readWorkerCsr(c, index, value)))
    return false;
  c.m[d] = value;
  return true;
}

INSTRUCTION(PUT, std::int32_t index, Register s) {
  const std::uint32_t value = c.m[s];
  if (index == csr::DebugData) {
    c.debugData = value;
    return true;
  }
  if (!c.isSupervisor()) {
    if (index != csr::RepeatCount)
      return c.fault(FaultKind::InvalidControlRegister, index);
    c.repeatCount = value & 0xffff;
    return true;
  }
  Tile &tile = *c.tile;
  if (index == csr::Command) {
    if (value & ClearWeights)
      tile.weights = {};
    tile.consensus = (tile.consensus & ~(value & 1)) | (value >> 1 & 1);
  } else if (index == csr::FpInitialControl) {
    tile.fpInitialControl = value;
  } else if (index == csr::WeightLoad) {
    tile.weightLoad = value;
  } else {
    return c.fault(FaultKind::InvalidControlRegister, index);
  }
  return true;
}

INSTRUCTION(UGET, Register d, std::int32_t index) {
  std::uint32_t value = 0;
  if (index >= csr::Prng && index < csr::Prng + 4)
    value = static_cast<std::uint32_t>(c.prng[(index - csr::Prng) / 2] >>
                                       ((index - csr::Prng) % 2 * 32));
  else if (index == csr::FpStatus)
    value = c.fpStatus;
  else if (index == csr::FpControl)
    value = c.fpControl;
  else if (index == csr::Tas)
    value = c.tas;
  else if (index != csr::FpClear && index != csr::PrngSeed)
    return c.fault(FaultKind::InvalidControlRegister, 256 + index);
  c.a[d] = value;
  return true;
}

inline void seed(Context &c, std::uint32_t value) {
  c.prng[0] = words(value, ~value);
  c.prng[1] = std::rotl(c.prng[0], 13);
}

INSTRUCTION(UPUT, std::int32_t index, Register s) {
  const std::uint32_t value = c.a[s];
  if (index >= csr::Prng && index < csr::Prng + 4) {
    std::uint64_t &word = c.prng[(index - csr::Prng) / 2];
    word = (index - csr::Prng) % 2
               ? words(static_cast<std::uint32_t>(word), value)
               : words(value, static_cast<std::uint32_t>(word >> 32));
  } else if (index == csr::FpClear) {
    c.fpStatus &= ~(value & (FpInvalid | FpDivideByZero | FpOverflow));
    if (value & FpClearAccumulators) {
      std::memset(c.working, 0, sizeof(c.working));
      std::memset(c.staging, 0, sizeof(c.staging));
    }
  } else if (index == csr::FpControl) {
    c.fpControl = value;
  } else if (index == csr::PrngSeed) {
    seed(c, value);
  } else if (index == csr::Tas) {
    c.tas = value;
  } else {
    return c.fault(FaultKind::InvalidControlRegister, 256 + index);
  }
  return true;
}

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

inline void setWeight(Weights &weights, unsigned index, std::uint64_t bits) {
  const unsigned set = index / 32, unit = index / 4 % 8, column = index % 4;
  for (unsigned i = 0; i != 4; ++i)
    weights.half[column][i][set][unit] =
        operand16(static_cast<std::uint16_t>(bits >> (16 * i)));
  for (unsigned i = 0; i != 2; ++i)
    weights.single[2 * column + i][set][unit] =
        asFloat(static_cast<std::uint32_t>(bits >> (32 * i)));
}

/// The next weight registers from memory.
inline bool loadWeights(Context &c, std::int32_t index, unsigned count) {
  Tile &tile = *c.tile;
  if (std::uint32_t(index) + count > Weights::PerSet * tile.accumulatorSets)
    return c.fault(FaultKind::InvalidControlRegister, index);
  if (count == 2 && tile.weightLoad % 16 != 0)
    return c.fault(FaultKind::Misaligned, tile.weightLoad);
  if (count == 2 && tile.weightLoad < c.interleavedBegin)
    return c.fault(FaultKind::NotInterleaved, tile.weightLoad);
  for (unsigned i = 0; i != count; ++i) {
    std::uint64_t bits;
    if (!load(c, tile.weightLoad + 8 * i, bits))
      return false;
    setWeight(tile.weights, index + i, bits);
  }
  tile.weightLoad += 8 * count;
  return true;
}
INSTRUCTION(LD64PUTCS, std::int32_t index) { return loadWeights(c, index, 1); }
INSTRUCTION(LD128PUTCS, std::int32_t index) { return loadWeights(c, index, 2); }

} // namespace populus::runtime::emulator

#endif
