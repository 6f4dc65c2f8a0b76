// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading and writing control registers. Translated code does that for workers
// by itself; a register that does not exist is a fault there, too.

#ifndef POPULUS_RUNTIME_EMULATOR_SEMANTICS_CONTROLREGISTERS_H
#define POPULUS_RUNTIME_EMULATOR_SEMANTICS_CONTROLREGISTERS_H

#include "runtime/Emulator/Machine/ControlNumbers.h"
#include "runtime/Emulator/Machine/Instruction.h"
#include "runtime/Emulator/Semantics/FloatEnvironment.h"
#include "runtime/Emulator/Tile/Tile.h"

#include <bit>
#include <cstring>

namespace populus::runtime::emulator {

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
  case csr::WorkerTileId:
    value = c.tile->number;
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
  case csr::WorkerTileId: // what code for both contexts reads
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
    if (value & ClearWeights) {
      tile.weightRegisters = {};
      tile.weights = {};
      tile.staleWeights = NoWeights;
    }
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

} // namespace populus::runtime::emulator

#endif
