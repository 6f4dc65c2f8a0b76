// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accumulating instructions. Even accumulators add up; the sum of an
// instruction's products and the accumulator is rounded once for one product
// (fused), and from a double-precision sum for several. Accumulators may hold
// NaNs as they come; they become canonical, and events are raised, when they
// are read out.

#ifndef POPULUS_RUNTIME_EMULATOR_SEMANTICS_ACCUMULATORS_H
#define POPULUS_RUNTIME_EMULATOR_SEMANTICS_ACCUMULATORS_H

#include "runtime/Emulator/Semantics/Arithmetic.h"

namespace populus::runtime::emulator {

INSTRUCTION(F32MAC, Register s0, Register s1) {
  c.acc[0] = std::fma(asFloat(c.a[s0]), asFloat(c.a[s1]), c.acc[0]);
}
INSTRUCTION(F32V2MAC, Register s0, Register s1) {
  for (unsigned i = 0; i != 2; ++i)
    c.acc[2 * i] =
        std::fma(asFloat(c.a[s0 + i]), asFloat(c.a[s1 + i]), c.acc[2 * i]);
}

/// a + x0 * y0 + x1 * y1 of halves.
inline float addProducts16(const Context &c, float accumulator, Register s0,
                           Register s1, unsigned lane) {
  const double first =
      double(operand16(half(c, s0, lane))) * operand16(half(c, s1, lane));
  const double second = double(operand16(half(c, s0, lane + 1))) *
                        operand16(half(c, s1, lane + 1));
  return static_cast<float>(accumulator + (first + second));
}
INSTRUCTION(F16V2CMAC, Register s0, Register s1) {
  c.acc[0] = addProducts16(c, c.acc[0], s0, s1, 0);
}
INSTRUCTION(F16V4CMAC, Register s0, Register s1) {
  c.acc[0] = addProducts16(c, c.acc[0], s0, s1, 0);
  c.acc[2] = addProducts16(c, c.acc[2], s0, s1, 2);
}

#define ACCUMULATE(NAME, LANES, READ, TERM)                                    \
  INSTRUCTION(NAME, Register s) {                                              \
    for (unsigned i = 0; i != LANES; ++i) {                                    \
      const float x = READ;                                                    \
      float &sum = c.acc[2 * i];                                               \
      sum = TERM;                                                              \
    }                                                                          \
  }
ACCUMULATE(F32V4ACC, 4, asFloat(c.a[s + i]), sum + x)
ACCUMULATE(F32V4ABSACC, 4, asFloat(c.a[s + i]), sum + std::fabs(x))
ACCUMULATE(F32V4SQACC, 4, asFloat(c.a[s + i]), std::fma(x, x, sum))
ACCUMULATE(F16V4ACC, 4, operand16(half(c, s, i)), sum + x)
ACCUMULATE(F16V4ABSACC, 4, operand16(half(c, s, i)), sum + std::fabs(x))
ACCUMULATE(F16V8ACC, 8, operand16(half(c, s, i)), sum + x)
ACCUMULATE(F16V8ABSACC, 8, operand16(half(c, s, i)), sum + std::fabs(x))
ACCUMULATE(F16V8SQACC, 8, operand16(half(c, s, i)), std::fma(x, x, sum))
#undef ACCUMULATE

/// The bits of accumulators that become visible.
inline std::uint32_t visible(float accumulator, std::uint32_t &events) {
  return finish32(accumulator, false, events);
}

INSTRUCTION(F32V2AXPY, Register d, Register s0, Register s1) {
  std::uint32_t events = 0;
  const std::uint32_t first = visible(c.acc[0], events);
  const std::uint32_t second = visible(c.acc[2], events);
  if (events != 0 && !raise(c, events))
    return false;
  for (unsigned i = 0; i != 2; ++i)
    c.acc[2 * i] =
        std::fma(asFloat(c.tas), asFloat(c.a[s0 + i]), asFloat(c.a[s1 + i]));
  c.a[d] = first;
  c.a[d + 1] = second;
  return true;
}

/// Rounds the first four even accumulators to halves.
inline bool readHalves(Context &c, std::uint16_t *result) {
  HalfRounder rounder(c);
  for (unsigned i = 0; i != 4; ++i)
    result[i] = rounder.round(c.acc[2 * i]);
  return rounder.finish();
}

INSTRUCTION(F16V4MIX, Register d, Register s0, Register s1) {
  std::uint16_t result[4];
  if (!readHalves(c, result))
    return false;
  const double forFirst = operand16(lower(c.tas));
  const double forSecond = operand16(upper(c.tas));
  for (unsigned i = 0; i != 4; ++i)
    c.acc[2 * i] = static_cast<float>(forFirst * operand16(half(c, s0, i)) +
                                      forSecond * operand16(half(c, s1, i)));
  setHalves<4>(c, d, result);
  return true;
}
INSTRUCTION(F16V4GACC, Register d) {
  std::uint16_t result[4];
  if (!readHalves(c, result))
    return false;
  setHalves<4>(c, d, result);
  return true;
}

/// The chain of accumulators that gina shifts: even or odd ones of a set.
inline float *chainOf(Context &c, std::int32_t imm) {
  return &c.acc[(imm & 1) + 16 * (imm >> 1 & 1)];
}
inline void shiftIn(float *chain, float first, float second) {
  for (unsigned i = 0; i != 12; i += 2)
    chain[i] = chain[i + 4];
  chain[12] = first;
  chain[14] = second;
}

INSTRUCTION(F32V2GINA, Register d, Register s, std::int32_t imm) {
  float *chain = chainOf(c, imm);
  std::uint32_t events = 0;
  const std::uint32_t first = visible(chain[0], events);
  const std::uint32_t second = visible(chain[2], events);
  if (events != 0 && !raise(c, events))
    return false;
  shiftIn(chain, asFloat(c.a[s]), asFloat(c.a[s + 1]));
  c.a[d] = first;
  c.a[d + 1] = second;
  return true;
}
INSTRUCTION(F16V2GINA, Register d, Register s, std::int32_t imm) {
  float *chain = chainOf(c, imm);
  HalfRounder rounder(c);
  const std::uint16_t first = rounder.round(chain[0]);
  const std::uint16_t second = rounder.round(chain[2]);
  if (!rounder.finish())
    return false;
  shiftIn(chain, wide(half(c, s, 0)), halfToFloat(half(c, s, 1)));
  c.a[d] = halves(first, second);
  return true;
}

} // namespace populus::runtime::emulator

#endif
