// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integer arithmetic, logic, shifts, compares, bit counting and permutes of the
// main pipe. All arithmetic wraps. x and y are the sources' values.

#ifndef POPULUS_RUNTIME_EMULATOR_SEMANTICS_INTEGER_H
#define POPULUS_RUNTIME_EMULATOR_SEMANTICS_INTEGER_H

#include "runtime/Emulator/Machine/Instruction.h"
#include "runtime/Emulator/Semantics/Permutes.h"

#include <algorithm>

namespace populus::runtime::emulator {

using u32 = std::uint32_t;
using s32 = std::int32_t;

// Shift amounts above 31 shift everything out.
inline u32 shiftLeft(u32 x, u32 n) { return n > 31 ? 0 : x << n; }
inline u32 shiftRight(u32 x, u32 n) { return n > 31 ? 0 : x >> n; }
inline u32 shiftSigned(u32 x, u32 n) { return s32(x) >> (n > 31 ? 31 : n); }

#define M_RR(NAME, RESULT)                                                     \
  INSTRUCTION(NAME, Register d, Register s0, Register s1) {                    \
    const u32 x = c.m[s0], y = c.m[s1];                                        \
    c.m[d] = (RESULT);                                                         \
  }
#define M_RI(NAME, RESULT)                                                     \
  INSTRUCTION(NAME, Register d, Register s0, s32 imm) {                        \
    const u32 x = c.m[s0], y = u32(imm);                                       \
    c.m[d] = (RESULT);                                                         \
  }
#define M_IR(NAME, RESULT)                                                     \
  INSTRUCTION(NAME, Register d, s32 imm, Register s1) {                        \
    const u32 x = u32(imm), y = c.m[s1];                                       \
    c.m[d] = (RESULT);                                                         \
  }
#define M_R(NAME, RESULT)                                                      \
  INSTRUCTION(NAME, Register d, Register s) {                                  \
    const u32 x = c.m[s];                                                      \
    c.m[d] = (RESULT);                                                         \
  }

INSTRUCTION(SETZI_m, Register d, s32 imm) { c.m[d] = u32(imm); }
INSTRUCTION(ATOM, Register d, Register s) { c.m[d] = c.a[s]; }

M_RR(ADD_rr, x + y)
M_RI(ADD_rz, x + y)
M_RI(ADD_rs, x + y)
M_RR(SUB_rr, x - y)
M_IR(SUB_zr, x - y)
M_IR(SUB_sr, x - y)
M_RR(MUL_rr, x *y)
M_RI(MUL_rs, x *y)
M_RR(MAX_rr, u32(std::max(s32(x), s32(y))))
M_RI(MAX_rz, u32(std::max(s32(x), s32(y))))
M_RI(MAX_rs, u32(std::max(s32(x), s32(y))))
M_RR(MIN_rr, u32(std::min(s32(x), s32(y))))
M_RI(MIN_rz, u32(std::min(s32(x), s32(y))))
M_RI(MIN_rs, u32(std::min(s32(x), s32(y))))
// The most negative number has no absolute value; it becomes 0.
M_R(ABS, x == 0x80000000 ? 0 : s32(x) < 0 ? 0 - x : x)

M_RR(AND_m_rr, x &y)
M_RI(AND_m_rz, x &y)
M_RR(ANDC_m_rr, x & ~y)
M_RI(ANDC_m_rz, x & ~y)
M_RR(OR_m_rr, x | y)
M_RI(OR_m_rz, x | y)
M_RI(OR_m_rh, x | y)
M_RR(XOR_rr, x ^ y)
M_RR(XNOR_rr, ~(x ^ y))

M_RR(SHL_rr, shiftLeft(x, y))
M_RI(SHL_rz, shiftLeft(x, y))
M_RR(SHR_rr, shiftRight(x, y))
M_RI(SHR_rz, shiftRight(x, y))
M_RR(SHRS_rr, shiftSigned(x, y))
M_RI(SHRS_rz, shiftSigned(x, y))

M_RR(CMPEQ_rr, x == y)
M_RI(CMPEQ_rz, x == y)
M_RI(CMPEQ_rs, x == y)
M_RR(CMPNE_rr, x != y)
M_RR(CMPSLT_rr, s32(x) < s32(y))
M_RI(CMPSLT_rs, s32(x) < s32(y))
M_RR(CMPULT_rr, x < y)
M_RI(CMPULT_rz, x < y)

INSTRUCTION(MOVZ, Register d, Register dOut, Register condition, Register s) {
  c.m[dOut] = c.m[condition] == 0 ? c.m[s] : c.m[d];
}
INSTRUCTION(MOVNZ, Register d, Register dOut, Register condition, Register s) {
  c.m[dOut] = c.m[condition] != 0 ? c.m[s] : c.m[d];
}

M_R(CLZ, u32(std::countl_zero(x)))
// Bits equal to the sign bit, below it.
M_R(CMS, u32(std::countl_zero(s32(x) < 0 ? ~x : x)) - 1)
M_R(POPC, u32(std::popcount(x)))
M_R(BITREV8, reverseBitsInBytes(x))
M_R(SWAP8, (x & 0x00ff00ff) << 8 | ((x >> 8) & 0x00ff00ff))
M_R(SORT8, bytes(byte(x, 0), byte(x, 2), byte(x, 1), byte(x, 3)))

M_RR(ROLL8L, bytes(byte(x, 3), byte(y, 0), byte(y, 1), byte(y, 2)))
M_RR(ROLL8R, bytes(byte(x, 1), byte(x, 2), byte(x, 3), byte(y, 0)))
M_RR(ROLL16_m, halves(upper(x), lower(y)))
M_RR(SHUF8X8LO, bytes(byte(x, 0), byte(y, 0), byte(x, 1), byte(y, 1)))
M_RR(SHUF8X8HI, bytes(byte(x, 2), byte(y, 2), byte(x, 3), byte(y, 3)))
M_RR(SORT8X8LO, bytes(byte(x, 0), byte(x, 2), byte(y, 0), byte(y, 2)))
M_RR(SORT8X8HI, bytes(byte(x, 1), byte(x, 3), byte(y, 1), byte(y, 3)))
M_RR(SORT4X16LO_m, halves(lower(x), lower(y)))
M_RR(SORT4X16HI_m, halves(upper(x), upper(y)))

#undef M_RR
#undef M_RI
#undef M_IR
#undef M_R

} // namespace populus::runtime::emulator

#endif
