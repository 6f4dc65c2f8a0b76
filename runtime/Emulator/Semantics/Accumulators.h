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
#include "runtime/Emulator/Semantics/Units.h"
#include "runtime/Emulator/Tile/Tile.h"

namespace populus::runtime::emulator {

/// The first two even accumulators.
inline Pair firstTwo(const Context &c) { return loadLanes<Pair>(c.working[0]); }
inline void setFirstTwo(Context &c, Pair value) {
  storeLanes(c.working[0], value);
}

INSTRUCTION(F32MAC, Register s0, Register s1) {
  c.working[0][0] =
      std::fma(asFloat(c.a[s0]), asFloat(c.a[s1]), c.working[0][0]);
}
INSTRUCTION(F32V2MAC, Register s0, Register s1) {
  setFirstTwo(c,
              multiplyAdd(readFloats(c, s0), readFloats(c, s1), firstTwo(c)));
}

/// The outer product of two pairs. Other immediates are not defined.
INSTRUCTION(F32V2AOP, Register s0, Register s1, std::int32_t imm) {
  if (imm != 0)
    return c.fault(FaultKind::InvalidImmediate, std::uint32_t(imm));
  for (unsigned i = 0; i != 4; ++i)
    c.working[0][i] = std::fma(asFloat(c.a[s0 + i % 2]),
                               asFloat(c.a[s1 + i / 2]), c.working[0][i]);
  return true;
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
  c.working[0][0] = addProducts16(c, c.working[0][0], s0, s1, 0);
}
INSTRUCTION(F16V4CMAC, Register s0, Register s1) {
#ifdef __F16C__
  // Both accumulators at once. Products of halves are exact in f32.
  if (areUsual16(readPair(c, s0)) && areUsual16(readPair(c, s1))) [[likely]] {
    typedef double Doubles __attribute__((vector_size(16)));
    const auto wider = [](Pair x) {
      return __builtin_convertvector(x, Doubles);
    };
    const Four x = wideLanes(c, s0, 4) * wideLanes(c, s1, 4);
    const Doubles sums = wider(Pair{x[0], x[2]}) + wider(Pair{x[1], x[3]});
    setFirstTwo(c, __builtin_convertvector(wider(firstTwo(c)) + sums, Pair));
    return;
  }
#endif
  c.working[0][0] = addProducts16(c, c.working[0][0], s0, s1, 0);
  c.working[0][1] = addProducts16(c, c.working[0][1], s0, s1, 2);
}

// By pairs, as other instructions access what these work on.
#define ACCUMULATE(NAME, TERM)                                                 \
  INSTRUCTION(NAME, Register s) {                                              \
    for (unsigned i = 0; i != 4; i += 2) {                                     \
      const Pair x = readFloats(c, s + i);                                     \
      const Pair sum = loadLanes<Pair>(c.working[0] + i);                      \
      storeLanes(c.working[0] + i, TERM);                                      \
    }                                                                          \
  }
ACCUMULATE(F32V4ACC, sum + x)
ACCUMULATE(F32V4ABSACC, sum + magnitude(x))
ACCUMULATE(F32V4SQACC, multiplyAdd(x, x, sum))
#undef ACCUMULATE

/// Eight halves; infinities are not numbers.
inline Units wideEight(const Context &c, Register s) {
#ifdef __F16C__
  if (areUsual16(readPair(c, s)) && areUsual16(readPair(c, s + 2))) [[likely]] {
    const __m128i bits =
        _mm_set_epi64x(static_cast<long long>(readPair(c, s + 2)),
                       static_cast<long long>(readPair(c, s)));
    return _mm256_cvtph_ps(bits);
  }
#endif
  Units result;
  for (unsigned i = 0; i != 8; ++i)
    result[i] = operand16(half(c, s, i));
  return result;
}
/// Four halves, and zeros.
inline Units wideFour(const Context &c, Register s) {
#ifdef __F16C__
  if (areUsual16(readPair(c, s))) [[likely]] {
    const Four x = wideLanes(c, s, 4);
    return Units{x[0], x[1], x[2], x[3]};
  }
#endif
  Units result{};
  for (unsigned i = 0; i != 4; ++i)
    result[i] = operand16(half(c, s, i));
  return result;
}

/// x * x + sum in each lane, rounded once.
inline Units addSquares(Units x, Units sum) {
#ifdef __FMA__
  return _mm256_fmadd_ps(x, x, sum);
#else
  for (unsigned i = 0; i != 8; ++i)
    sum[i] = std::fma(x[i], x[i], sum[i]);
  return sum;
#endif
}
inline Units magnitude(Units x) {
  typedef std::uint32_t Words __attribute__((vector_size(32)));
  return std::bit_cast<Units>(std::bit_cast<Words>(x) & 0x7fffffff);
}
/// The four lower lanes of the first vector, the upper ones of the second.
inline Units lowerOf(Units lower, Units upper) {
  return __builtin_shufflevector(lower, upper, 0, 1, 2, 3, 12, 13, 14, 15);
}

#define ACCUMULATE4(NAME, TERM)                                                \
  INSTRUCTION(NAME, Register s) {                                              \
    const Units x = wideFour(c, s), sum = loadLanes<Units>(c.working[0]);      \
    storeLanes(c.working[0], lowerOf(TERM, sum));                              \
  }
#define ACCUMULATE8(NAME, TERM)                                                \
  INSTRUCTION(NAME, Register s) {                                              \
    const Units x = wideEight(c, s), sum = loadLanes<Units>(c.working[0]);     \
    storeLanes(c.working[0], TERM);                                            \
  }
ACCUMULATE4(F16V4ACC, sum + x)
ACCUMULATE4(F16V4ABSACC, sum + magnitude(x))
ACCUMULATE8(F16V8ACC, sum + x)
ACCUMULATE8(F16V8ABSACC, sum + magnitude(x))
ACCUMULATE8(F16V8SQACC, addSquares(x, sum))
#undef ACCUMULATE4
#undef ACCUMULATE8

/// Updates the visible state for accumulators that are not both finite. Returns
/// false on a fault.
inline bool makeVisible(Context &c, Pair &accumulators) {
  std::uint32_t events = 0;
  const std::uint32_t first = finish32(accumulators[0], false, events);
  const std::uint32_t second = finish32(accumulators[1], false, events);
  accumulators = Pair{asFloat(first), asFloat(second)};
  return raise(c, events);
}

INSTRUCTION(F32V2AXPY, Register d, Register s0, Register s1) {
  Pair result = firstTwo(c);
  if (!areUsual(result)) [[unlikely]]
    if (!makeVisible(c, result))
      return false;
  const float factor = asFloat(c.tas);
  setFirstTwo(c, multiplyAdd(Pair{factor, factor}, readFloats(c, s0),
                             readFloats(c, s1)));
  writeFloats(c, d, result);
  return true;
}

/// Rounds the first four even accumulators to halves.
inline bool readHalves(Context &c, std::uint16_t *result) {
  HalfRounder rounder(c);
  for (unsigned i = 0; i != 4; ++i)
    result[i] = rounder.round(c.working[0][i]);
  return rounder.finish();
}

INSTRUCTION(F16V4MIX, Register d, Register s0, Register s1) {
  std::uint16_t result[4];
  if (!readHalves(c, result))
    return false;
  const double forFirst = operand16(lower(c.tas));
  const double forSecond = operand16(upper(c.tas));
  for (unsigned i = 0; i != 4; ++i)
    c.working[0][i] = static_cast<float>(forFirst * operand16(half(c, s0, i)) +
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

/// The chain of accumulators that gina shifts: even or odd ones of a set. Null:
/// the target has no such set.
inline float *chainOf(Context &c, std::int32_t imm) {
  if ((imm & 2) && c.tile->accumulatorSets < 2) {
    c.fault(FaultKind::InvalidImmediate, std::uint32_t(imm));
    return nullptr;
  }
  const unsigned set = imm >> 1 & 1;
  return imm & 1 ? c.staging[set] : c.working[set];
}
/// Moves a chain on by two units.
inline void shiftIn(float *cells, Pair entering) {
  Chain chain = Chain::load(cells);
  chain.move<8>(entering);
  chain.store<8>(cells);
}

INSTRUCTION(F32V2GINA, Register d, Register s, std::int32_t imm) {
  float *chain = chainOf(c, imm);
  if (!chain)
    return false;
  Pair result = loadLanes<Pair>(chain);
  if (!areUsual(result)) [[unlikely]]
    if (!makeVisible(c, result))
      return false;
  shiftIn(chain, readFloats(c, s));
  writeFloats(c, d, result);
  return true;
}
INSTRUCTION(F16V2GINA, Register d, Register s, std::int32_t imm) {
  float *chain = chainOf(c, imm);
  if (!chain)
    return false;
  HalfRounder rounder(c);
  const std::uint16_t first = rounder.round(chain[0]);
  const std::uint16_t second = rounder.round(chain[1]);
  if (!rounder.finish())
    return false;
  shiftIn(chain, Pair{wide(half(c, s, 0)), halfToFloat(half(c, s, 1))});
  c.a[d] = halves(first, second);
  return true;
}

// ---- Transposition of halves ------------------------------------------------
// The cells carry pairs of halves, as bits.

/// Gives the first two cells of `chain`; the staging cells become the rest of
/// it.
inline void moveToStaging(Context &c, Register d, const float *cells) {
  Chain chain = Chain::load(cells);
  const Pair first = loadLanes<Pair>(cells);
  chain.move<8>(Pair{});
  chain.store<8>(c.staging[0]);
  writeFloats(c, d, first);
}

INSTRUCTION(F16V4STACC, Register d, std::int32_t imm) {
  if (imm > 1)
    return c.fault(FaultKind::InvalidImmediate, std::uint32_t(imm));
  moveToStaging(c, d, imm == 0 ? c.working[0] : c.staging[0]);
  return true;
}
INSTRUCTION(F16V4ISTACC, Register d, Register s0, Register s1,
            std::int32_t imm) {
  if (imm > 1)
    return c.fault(FaultKind::InvalidImmediate, std::uint32_t(imm));
  for (unsigned i = 0; i != 4; ++i)
    c.working[0][2 * i + unsigned(imm)] =
        asFloat(halves(half(c, s0, i), half(c, s1, i)));
  moveToStaging(c, d, c.staging[0]);
  return true;
}

} // namespace populus::runtime::emulator

#endif
