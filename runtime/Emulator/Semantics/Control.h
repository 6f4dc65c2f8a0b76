// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Branches, calls, hardware loops and the ends of workers. Conditions look at
// the raw 32 bits.

#ifndef POPULUS_RUNTIME_EMULATOR_SEMANTICS_CONTROL_H
#define POPULUS_RUNTIME_EMULATOR_SEMANTICS_CONTROL_H

#include "runtime/Emulator/Machine/Instruction.h"

namespace populus::runtime::emulator {

inline bool isNegative(std::uint32_t x) { return x >> 31 != 0; }

INSTRUCTION(BR, Register s) { return Jump{c.m[s]}; }
INSTRUCTION(BRI, std::int32_t) { return Branch{true}; }
INSTRUCTION(BRZ, Register s, std::int32_t) { return Branch{c.m[s] == 0}; }
INSTRUCTION(BRNZ, Register s, std::int32_t) { return Branch{c.m[s] != 0}; }
INSTRUCTION(BRPOS, Register s, std::int32_t) {
  return Branch{!isNegative(c.m[s])};
}
INSTRUCTION(BRNEG, Register s, std::int32_t) {
  return Branch{isNegative(c.m[s])};
}
// A register that is 0 stays 0.
INSTRUCTION(BRNZDEC, Register s, Register sOut, std::int32_t) {
  const std::uint32_t value = c.m[s];
  c.m[sOut] = value - (value != 0);
  return Branch{value != 0};
}
INSTRUCTION(CALL, Register d, std::int32_t) {
  c.m[d] = c.nextPc;
  return Branch{true};
}

INSTRUCTION(RPT_r, Register s, std::int32_t last) {
  return Repeat{c.m[s] & c.tile->repeatMask, std::uint32_t(last) + 1};
}
INSTRUCTION(RPT_i, std::int32_t count, Register last) {
  return Repeat{std::uint32_t(count), last + 1};
}

INSTRUCTION(EXITZ, Register s) { return Exit{c.m[s] == 0}; }
INSTRUCTION(EXITNZ, Register s) { return Exit{c.m[s] != 0}; }
INSTRUCTION(EXITPOS, Register s) { return Exit{!isNegative(c.m[s])}; }
INSTRUCTION(EXITNEG, Register s) { return Exit{isNegative(c.m[s])}; }

} // namespace populus::runtime::emulator

#endif
