// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constants, logic and permutes of the auxiliary pipe: bits only, no floating
// point events.

#ifndef POPULUS_RUNTIME_EMULATOR_SEMANTICS_AUXBITS_H
#define POPULUS_RUNTIME_EMULATOR_SEMANTICS_AUXBITS_H

#include "runtime/Emulator/Machine/Instruction.h"
#include "runtime/Emulator/Semantics/Permutes.h"

namespace populus::runtime::emulator {

INSTRUCTION(SETZI_a, Register d, std::int32_t imm) { c.a[d] = imm; }

#define A_RR(NAME, RESULT)                                                     \
  INSTRUCTION(NAME, Register d, Register s0, Register s1) {                    \
    const std::uint32_t x = c.a[s0], y = c.a[s1];                              \
    c.a[d] = (RESULT);                                                         \
  }
#define A_RI(NAME, RESULT)                                                     \
  INSTRUCTION(NAME, Register d, Register s0, std::int32_t imm) {               \
    const std::uint32_t x = c.a[s0], y = static_cast<std::uint32_t>(imm);      \
    c.a[d] = (RESULT);                                                         \
  }
#define P_RR(NAME, RESULT)                                                     \
  INSTRUCTION(NAME, Register d, Register s0, Register s1) {                    \
    const std::uint64_t x = readPair(c, s0), y = readPair(c, s1);              \
    writePair(c, d, (RESULT));                                                 \
  }

A_RR(AND_a_rr, x &y)
A_RI(AND_a_rz, x &y)
A_RI(AND_a_rh, x &y)
A_RR(ANDC_a_rr, x & ~y)
A_RI(ANDC_a_rz, x & ~y)
A_RI(ANDC_a_rh, x & ~y)
A_RR(OR_a_rr, x | y)
A_RI(OR_a_rz, x | y)
A_RI(OR_a_rh, x | y)
P_RR(AND64, x &y)
P_RR(ANDC64, x & ~y)
P_RR(OR64, x | y)
INSTRUCTION(NOT, Register d, Register s) { c.a[d] = ~c.a[s]; }
INSTRUCTION(NOT64, Register d, Register s) { writePair(c, d, ~readPair(c, s)); }

A_RR(ROLL16_a, halves(upper(x), lower(y)))
A_RR(SORT4X16LO_a, halves(lower(x), lower(y)))
A_RR(SORT4X16HI_a, halves(upper(x), upper(y)))
A_RR(SORT4X16LO_a_bu, halves(upper(x), lower(y)))
A_RR(SORT4X16HI_a_bl, halves(lower(x), upper(y)))
P_RR(ROLL32, x >> 32 | y << 32)
P_RR(SORT4X32LO, (x & 0xffffffff) | y << 32)
P_RR(SORT4X32HI, x >> 32 | (y >> 32 << 32))

#undef A_RR
#undef A_RI
#undef P_RR

} // namespace populus::runtime::emulator

#endif
