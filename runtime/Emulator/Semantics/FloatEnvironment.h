// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The common part of all floating point instructions: status flags and
// exceptions, canonical NaNs, the rules of binary16, random bits. The decisions
// are listed in docs/machine.md. Finite results take the fast path: one test of
// the exponent.

#ifndef POPULUS_RUNTIME_EMULATOR_SEMANTICS_FLOATENVIRONMENT_H
#define POPULUS_RUNTIME_EMULATOR_SEMANTICS_FLOATENVIRONMENT_H

#include "runtime/Emulator/Machine/Context.h"
#include "runtime/Emulator/Semantics/Permutes.h"
#include "runtime/Target/Half.h"

#include <cmath>
#ifdef __F16C__
#include <immintrin.h>
#endif

namespace populus::runtime::emulator {

// Bits of $FP_STS, $FP_CLR and, as enables, of $FP_CTL.
inline constexpr std::uint32_t FpInvalid = 1 << 0;
inline constexpr std::uint32_t FpDivideByZero = 1 << 1;
inline constexpr std::uint32_t FpOverflow = 1 << 2;
inline constexpr std::uint32_t FpClearAccumulators = 1 << 3;
inline constexpr std::uint32_t FpStochasticRounding = 1 << 19;
inline constexpr std::uint32_t FpNanOnOverflow = 1 << 20;

inline constexpr std::uint32_t CanonicalNan32 = 0x7fc00000;
inline constexpr std::uint16_t CanonicalNan16 = 0x7e00;

/// Sets sticky flags; false if one of them is enabled as an exception.
inline bool raise(Context &c, std::uint32_t flags) {
  c.fpStatus |= flags;
  const std::uint32_t enabled = flags & c.fpControl;
  if (enabled == 0) [[likely]]
    return true;
  if (enabled & FpInvalid)
    return c.fault(FaultKind::FloatInvalid);
  if (enabled & FpDivideByZero)
    return c.fault(FaultKind::FloatDivideByZero);
  return c.fault(FaultKind::FloatOverflow);
}

inline bool isFinite32(std::uint32_t bits) {
  return (bits & 0x7f800000) != 0x7f800000;
}
inline bool isNan32(std::uint32_t bits) {
  return (bits & 0x7fffffff) > 0x7f800000;
}

// ---- Lanes ------------------------------------------------------------------
// Instructions on several lanes do them at once where nothing special happens.

typedef float Pair __attribute__((vector_size(8)));
typedef float Four __attribute__((vector_size(16)));

inline Pair readFloats(const Context &c, Register r) {
  return std::bit_cast<Pair>(readPair(c, r));
}
inline void writeFloats(Context &c, Register r, Pair value) {
  writePair(c, r, std::bit_cast<std::uint64_t>(value));
}

inline float magnitude(float x) { return std::fabs(x); }
inline Pair magnitude(Pair x) {
  return std::bit_cast<Pair>(std::bit_cast<std::uint64_t>(x) &
                             0x7fffffff7fffffff);
}
inline Four magnitude(Four x) {
  typedef std::uint32_t Words __attribute__((vector_size(16)));
  return std::bit_cast<Four>(std::bit_cast<Words>(x) & 0x7fffffff);
}

// An exponent of all ones carries into the sign's place.
inline bool areFinite32(Pair x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  return (((bits & 0x7f8000007f800000) + 0x0080000000800000) &
          0x8000000080000000) == 0;
}
inline bool areFinite16(std::uint64_t halves) {
  return (((halves & 0x7c007c007c007c00) + 0x0400040004000400) &
          0x8000800080008000) == 0;
}

// ---- The usual case ---------------------------------------------------------
// The tests for the fast paths of instructions: nothing about the values is
// special. Translated code may take these paths in all rounds of a loop, and
// find out at its end whether that was right.

#ifdef POPULUS_TRANSLATE
extern "C" {
bool populus_usual_float(float x);
bool populus_usual_pair(Pair x);
bool populus_usual_halves(std::uint64_t halves);
bool populus_usual_rounding(std::uint32_t fpControl);
}
inline bool isUsual(float x) { return populus_usual_float(x); }
inline bool areUsual(Pair x) { return populus_usual_pair(x); }
inline bool areUsual16(std::uint64_t halves) {
  return populus_usual_halves(halves);
}
inline bool roundsToNearest(const Context &c) {
  return populus_usual_rounding(c.fpControl);
}
#else
inline bool isUsual(float x) { return isFinite32(asBits(x)); }
inline bool areUsual(Pair x) { return areFinite32(x); }
inline bool areUsual16(std::uint64_t halves) { return areFinite16(halves); }
inline bool roundsToNearest(const Context &c) {
  return (c.fpControl & FpStochasticRounding) == 0;
}
#endif

/// x * y + a in each lane, rounded once.
inline Pair multiplyAdd(Pair x, Pair y, Pair a) {
#if defined(__clang__)
  return __builtin_elementwise_fma(x, y, a);
#else
  return Pair{std::fma(x[0], y[0], a[0]), std::fma(x[1], y[1], a[1])};
#endif
}

/// The bits of an arithmetic result, with flags gathered in `events`. `exact`
/// says that an infinite result is not an overflow (an operand was infinite).
inline std::uint32_t finish32(float result, bool exact, std::uint32_t &events) {
  const std::uint32_t bits = asBits(result);
  if (isFinite32(bits)) [[likely]]
    return bits;
  if (isNan32(bits)) {
    events |= FpInvalid;
    return CanonicalNan32;
  }
  if (!exact)
    events |= FpOverflow;
  return bits;
}

/// Returns the value in a way that hides its bits from the compiler. A rare
/// path gives its result through this, so that the usual path keeps its
/// arithmetic result in a floating point register.
inline Four arithmetically(Four value) {
#ifdef __x86_64__
  asm("" : "+x"(value));
#endif
  return value;
}

/// The random number generator of a context (xoroshiro128aox).
inline std::uint64_t nextRandom(Context &c) {
  const std::uint64_t mixed = c.prng[0] ^ c.prng[1];
  const std::uint64_t common = c.prng[0] & c.prng[1];
  const std::uint64_t result =
      mixed ^ (std::rotl(common, 1) | std::rotl(common, 2));
  c.prng[0] = std::rotl(c.prng[0], 55) ^ mixed ^ (mixed << 14);
  c.prng[1] = std::rotl(mixed, 36);
  return result;
}

// The conversions, in hardware where the host has them.
inline float wide(std::uint16_t half) {
#ifdef __F16C__
  return _cvtsh_ss(half);
#else
  return halfToFloat(half);
#endif
}
inline std::uint16_t narrow(float value) {
#ifdef __F16C__
  return _cvtss_sh(value, _MM_FROUND_TO_NEAREST_INT);
#else
  return floatToHalf(value);
#endif
}

/// Operand of f16 arithmetic: infinities are not numbers there.
inline float operand16(std::uint16_t half) {
  if ((half & 0x7fff) == 0x7c00)
    return asFloat(CanonicalNan32);
  return wide(half);
}

/// Rounds to binary16. With stochastic rounding, `random` holds the lane's 16
/// random bits.
inline std::uint16_t roundStochastic(float value, std::uint16_t random) {
  const std::uint32_t bits = asBits(value);
  const std::uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude >= 0x7f800000)
    return floatToHalf(value);
  // In units of the last place of the half that value rounds down to.
  const int exponent = static_cast<int>(magnitude >> 23) - 127;
  const int ulp = (exponent < -14 ? -14 : exponent) - 10;
  const double scaled = std::ldexp(std::fabs(double(value)), -ulp);
  const double down = std::floor(scaled + random * 0x1p-16);
  const float rounded = static_cast<float>(std::ldexp(down, ulp));
  return floatToHalf(bits >> 31 ? -rounded : rounded);
}

/// Turns float results into the half lanes of an instruction.
class HalfRounder {
public:
  explicit HalfRounder(Context &c)
      : c(c), stochastic(c.fpControl & FpStochasticRounding),
        random(stochastic ? nextRandom(c) : 0) {}

  /// Rounds the next lane.
  std::uint16_t round(float value) {
    std::uint16_t half;
    if (stochastic) [[unlikely]] {
      half = roundStochastic(value, static_cast<std::uint16_t>(random));
      random >>= 16;
    } else {
      half = narrow(value);
    }
    if ((half & 0x7c00) != 0x7c00) [[likely]]
      return half;
    return special(value);
  }

  /// Ends the rounding of all lanes. Returns false on an exception.
  bool finish() { return events == 0 || raise(c, events); }

private:
  std::uint16_t special(float value) {
    if (std::isnan(value)) {
      events |= FpInvalid;
      return CanonicalNan16;
    }
    events |= FpOverflow;
    if (c.fpControl & FpNanOnOverflow) {
      events |= FpInvalid;
      return CanonicalNan16;
    }
    return value < 0 ? 0xfbff : 0x7bff; // the largest half
  }

  Context &c;
  bool stochastic;
  std::uint64_t random;
  std::uint32_t events = 0;
};

} // namespace populus::runtime::emulator

#endif
