// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lane-wise arithmetic, comparison, minimum, maximum and clamping on f32,
// f32v2, f16v2 and f16v4. An operation is written once, on floats; the lane
// forms read and write the registers. Sums and products of halves are computed
// in f32 and rounded once more, which gives the correctly rounded half (24 >= 2
// * 11 + 2).

#ifndef POPULUS_RUNTIME_EMULATOR_SEMANTICS_ARITHMETIC_H
#define POPULUS_RUNTIME_EMULATOR_SEMANTICS_ARITHMETIC_H

#include "runtime/Emulator/Machine/Instruction.h"
#include "runtime/Emulator/Semantics/FloatEnvironment.h"

#include <algorithm>

namespace populus::runtime::emulator {

// ---- Operations on one lane
// --------------------------------------------------

// The arithmetic operations are for vectors of lanes, too.
struct Add {
  template <typename T> static T run(T x, T y) { return x + y; }
};
struct Sub {
  template <typename T> static T run(T x, T y) { return x - y; }
};
struct Mul {
  template <typename T> static T run(T x, T y) { return x * y; }
};
struct AbsAdd {
  template <typename T> static T run(T x, T y) {
    return magnitude(x) + magnitude(y);
  }
};

/// -0 is less than +0; a number is preferred to a NaN.
inline float minimum(float x, float y) {
  if (std::isnan(x) || std::isnan(y))
    return std::isnan(x) ? (std::isnan(y) ? asFloat(CanonicalNan32) : y) : x;
  if (x == y)
    return std::signbit(x) ? x : y;
  return x < y ? x : y;
}
inline float maximum(float x, float y) {
  if (std::isnan(x) || std::isnan(y))
    return std::isnan(x) ? (std::isnan(y) ? asFloat(CanonicalNan32) : y) : x;
  if (x == y)
    return std::signbit(x) ? y : x;
  return x > y ? x : y;
}
struct Min {
  static float run(float x, float y) { return minimum(x, y); }
};
struct Max {
  static float run(float x, float y) { return maximum(x, y); }
};
struct AbsMax {
  static float run(float x, float y) {
    return maximum(std::fabs(x), std::fabs(y));
  }
};
/// A NaN becomes the lower bound.
inline float clamp(float x, float low, float high) {
  return minimum(maximum(x, low), high);
}

struct CmpEq {
  static bool run(float x, float y) { return x == y; }
};
struct CmpNe {
  static bool run(float x, float y) { return !(x == y); }
};
struct CmpLt {
  static bool run(float x, float y) { return x < y; }
};
struct CmpLe {
  static bool run(float x, float y) { return x <= y; }
};
struct CmpGt {
  static bool run(float x, float y) { return x > y; }
};
struct CmpGe {
  static bool run(float x, float y) { return x >= y; }
};

// ---- Forms: how many lanes of what ------------------------------------------

// Lane i of the first source is lane i, or always the same one.
enum class Broadcast { No, Lower, Upper };

constexpr unsigned laneOf(Broadcast broadcast, unsigned lane) {
  return broadcast == Broadcast::No ? lane
                                    : (broadcast == Broadcast::Lower ? 0 : 1);
}

inline std::uint16_t half(const Context &c, Register r, unsigned lane) {
  const std::uint32_t word = c.a[r + lane / 2];
  return lane % 2 ? upper(word) : lower(word);
}

/// Writes 2 or 4 half lanes; four at once, for they are read at once.
template <unsigned Lanes>
void setHalves(Context &c, Register d, const std::uint16_t *lanes) {
  if constexpr (Lanes == 4)
    writePair(c, d,
              words(halves(lanes[0], lanes[1]), halves(lanes[2], lanes[3])));
  else
    c.a[d] = halves(lanes[0], lanes[1]);
}

/// The common case of two lanes, both at once. False, and nothing done, if a
/// result is not finite (as it is if an operand is not).
template <typename Op, Broadcast B>
bool finiteArithmetic32(Context &c, Register d, Register s0, Register s1) {
  Pair x = readFloats(c, s0);
  if constexpr (B == Broadcast::Lower)
    x = Pair{x[0], x[0]};
  const Pair result = Op::run(x, readFloats(c, s1));
  if (!areUsual(result)) [[unlikely]]
    return false;
  writeFloats(c, d, result);
  return true;
}

template <typename Op, unsigned Lanes, Broadcast B = Broadcast::No>
bool arithmetic32(Context &c, Register d, Register s0, Register s1) {
  if constexpr (Lanes == 2) {
    if (finiteArithmetic32<Op, B>(c, d, s0, s1)) [[likely]]
      return true;
  } else {
    const float result = Op::run(asFloat(c.a[s0]), asFloat(c.a[s1]));
    if (isUsual(result)) [[likely]] {
      c.a[d] = asBits(result);
      return true;
    }
  }
  std::uint32_t result[Lanes];
  std::uint32_t events = 0;
  for (unsigned i = 0; i != Lanes; ++i) {
    const std::uint32_t x = c.a[s0 + laneOf(B, i)], y = c.a[s1 + i];
    const bool exact = !isFinite32(x) || !isFinite32(y);
    result[i] = finish32(Op::run(asFloat(x), asFloat(y)), exact, events);
  }
  if (events != 0 && !raise(c, events)) [[unlikely]]
    return false;
  const Four value =
      arithmetically(Four{asFloat(result[0]), asFloat(result[Lanes - 1])});
  if constexpr (Lanes == 2)
    writeFloats(c, d, Pair{value[0], value[1]});
  else
    c.a[d] = asBits(value[0]);
  return true;
}

#ifdef __F16C__
inline Four wideLanes(const Context &c, Register r, unsigned lanes) {
  std::uint64_t bits = c.a[r];
  if (lanes == 4)
    bits = readPair(c, r);
  return _mm_cvtph_ps(_mm_cvtsi64_si128(static_cast<long long>(bits)));
}

/// Rounds four lanes to halves, to nearest.
inline std::uint64_t narrowLanes(Four values) {
  return static_cast<std::uint64_t>(
      _mm_cvtsi128_si64(_mm_cvtps_ph(values, _MM_FROUND_TO_NEAREST_INT)));
}

/// The common case, all lanes at once. False, and nothing done, if a result is
/// not finite (as it is if an operand is not) or is to be rounded by chance.
template <typename Op, unsigned Lanes, Broadcast B>
bool finiteArithmetic16(Context &c, Register d, Register s0, Register s1) {
  if (!roundsToNearest(c)) [[unlikely]]
    return false;
  Four x = wideLanes(c, s0, B == Broadcast::No ? Lanes : 2);
  if constexpr (B != Broadcast::No) {
    const float lane = x[laneOf(B, 0)];
    x = Four{lane, lane, lane, lane};
  }
  const Four result = Op::run(x, wideLanes(c, s1, Lanes));
  const std::uint64_t bits = narrowLanes(result);
  constexpr std::uint64_t Used = Lanes == 4 ? ~std::uint64_t(0) : 0xffffffff;
  if (!areUsual16(bits & Used)) [[unlikely]]
    return false;
  if constexpr (Lanes == 4)
    writePair(c, d, bits);
  else
    c.a[d] = static_cast<std::uint32_t>(bits);
  return true;
}
#endif

template <typename Op, unsigned Lanes, Broadcast B = Broadcast::No>
bool arithmetic16(Context &c, Register d, Register s0, Register s1) {
#ifdef __F16C__
  if (finiteArithmetic16<Op, Lanes, B>(c, d, s0, s1)) [[likely]]
    return true;
#endif
  std::uint16_t result[Lanes];
  HalfRounder rounder(c);
  for (unsigned i = 0; i != Lanes; ++i)
    result[i] = rounder.round(Op::run(operand16(half(c, s0, laneOf(B, i))),
                                      operand16(half(c, s1, i))));
  if (!rounder.finish())
    return false;
  setHalves<Lanes>(c, d, result);
  return true;
}

// Selections give one of their operands: nothing is rounded, nothing happens.
template <typename Op, unsigned Lanes>
void select32(Context &c, Register d, Register s0, Register s1) {
  std::uint32_t result[Lanes];
  for (unsigned i = 0; i != Lanes; ++i)
    result[i] = asBits(Op::run(asFloat(c.a[s0 + i]), asFloat(c.a[s1 + i])));
  for (unsigned i = 0; i != Lanes; ++i)
    c.a[d + i] = result[i];
}
template <typename Op, unsigned Lanes>
void select16(Context &c, Register d, Register s0, Register s1) {
  std::uint16_t result[Lanes];
  for (unsigned i = 0; i != Lanes; ++i)
    result[i] = narrow(Op::run(wide(half(c, s0, i)), wide(half(c, s1, i))));
  setHalves<Lanes>(c, d, result);
}

// Comparisons give masks; a NaN is an invalid operand of all of them.
template <typename Op, unsigned Lanes, Broadcast B = Broadcast::No>
bool compare32(Context &c, Register d, Register s0, Register s1) {
  std::uint32_t result[Lanes];
  bool nan = false;
  for (unsigned i = 0; i != Lanes; ++i) {
    const float x = asFloat(c.a[s0 + laneOf(B, i)]), y = asFloat(c.a[s1 + i]);
    nan |= std::isunordered(x, y);
    result[i] = Op::run(x, y) ? 0xffffffff : 0;
  }
  if (nan && !raise(c, FpInvalid)) [[unlikely]]
    return false;
  for (unsigned i = 0; i != Lanes; ++i)
    c.a[d + i] = result[i];
  return true;
}
template <typename Op, unsigned Lanes, Broadcast B = Broadcast::No>
bool compare16(Context &c, Register d, Register s0, Register s1) {
  std::uint16_t result[Lanes];
  bool nan = false;
  for (unsigned i = 0; i != Lanes; ++i) {
    const float x = wide(half(c, s0, laneOf(B, i)));
    const float y = wide(half(c, s1, i));
    nan |= std::isunordered(x, y);
    result[i] = Op::run(x, y) ? 0xffff : 0;
  }
  if (nan && !raise(c, FpInvalid)) [[unlikely]]
    return false;
  setHalves<Lanes>(c, d, result);
  return true;
}

// ---- Instructions -----------------------------------------------------------

#define LANES(NAME, ...)                                                       \
  INSTRUCTION(NAME, Register d, Register s0, Register s1) {                    \
    return __VA_ARGS__(c, d, s0, s1);                                          \
  }
#define FOUR_FORMS(NAME, OP, FORM)                                             \
  LANES(F32##NAME, FORM##32 < OP, 1 >)                                         \
  LANES(F32V2##NAME, FORM##32 < OP, 2 >)                                       \
  LANES(F16V2##NAME, FORM##16 < OP, 2 >)                                       \
  LANES(F16V4##NAME, FORM##16 < OP, 4 >)
#define BROADCAST_FORMS(NAME, OP, FORM)                                        \
  FOUR_FORMS(NAME, OP, FORM)                                                   \
  LANES(F32V2##NAME##_b, FORM##32 < OP, 2, Broadcast::Lower >)                 \
  LANES(F16V2##NAME##_bl, FORM##16 < OP, 2, Broadcast::Lower >)                \
  LANES(F16V2##NAME##_bu, FORM##16 < OP, 2, Broadcast::Upper >)                \
  LANES(F16V4##NAME##_bl, FORM##16 < OP, 4, Broadcast::Lower >)                \
  LANES(F16V4##NAME##_bu, FORM##16 < OP, 4, Broadcast::Upper >)

BROADCAST_FORMS(ADD, Add, arithmetic)
BROADCAST_FORMS(SUB, Sub, arithmetic)
BROADCAST_FORMS(MUL, Mul, arithmetic)
FOUR_FORMS(ABSADD, AbsAdd, arithmetic)
FOUR_FORMS(ABSMAX, AbsMax, select)
FOUR_FORMS(MIN, Min, select)
FOUR_FORMS(MAX, Max, select)
BROADCAST_FORMS(CMPEQ, CmpEq, compare)
BROADCAST_FORMS(CMPNE, CmpNe, compare)
BROADCAST_FORMS(CMPLT, CmpLt, compare)
BROADCAST_FORMS(CMPLE, CmpLe, compare)
BROADCAST_FORMS(CMPGT, CmpGt, compare)
BROADCAST_FORMS(CMPGE, CmpGe, compare)

#undef LANES
#undef FOUR_FORMS
#undef BROADCAST_FORMS

INSTRUCTION(F32DIV, Register d, Register s0, Register s1) {
  const std::uint32_t x = c.a[s0], y = c.a[s1];
  std::uint32_t events = 0;
  const bool byZero = (y << 1) == 0;
  const std::uint32_t result =
      finish32(asFloat(x) / asFloat(y), byZero || !isFinite32(x), events);
  if (byZero && isFinite32(x) && (x << 1) != 0)
    events |= FpDivideByZero;
  if (events != 0 && !raise(c, events))
    return false;
  c.a[d] = result;
  return true;
}

// The bounds are the lanes of the second source, the same for all lanes.
INSTRUCTION(F32CLAMP, Register d, Register s0, Register s1) {
  const float low = asFloat(c.a[s1]), high = asFloat(c.a[s1 + 1]);
  c.a[d] = asBits(clamp(asFloat(c.a[s0]), low, high));
}
INSTRUCTION(F32V2CLAMP, Register d, Register s0, Register s1) {
  const float low = asFloat(c.a[s1]), high = asFloat(c.a[s1 + 1]);
  const float first = clamp(asFloat(c.a[s0]), low, high);
  c.a[d + 1] = asBits(clamp(asFloat(c.a[s0 + 1]), low, high));
  c.a[d] = asBits(first);
}

template <unsigned Lanes>
void clamp16(Context &c, Register d, Register s0, Register s1) {
  const float low = wide(half(c, s1, 0));
  const float high = wide(half(c, s1, 1));
  std::uint16_t result[Lanes];
  for (unsigned i = 0; i != Lanes; ++i)
    result[i] = narrow(clamp(wide(half(c, s0, i)), low, high));
  setHalves<Lanes>(c, d, result);
}
INSTRUCTION(F16V2CLAMP, Register d, Register s0, Register s1) {
  clamp16<2>(c, d, s0, s1);
}
INSTRUCTION(F16V4CLAMP, Register d, Register s0, Register s1) {
  clamp16<4>(c, d, s0, s1);
}

// Sums of neighbouring halves, as floats.
INSTRUCTION(F16V2SUM, Register d, Register s) {
  std::uint32_t events = 0;
  const float sum = operand16(half(c, s, 0)) + operand16(half(c, s, 1));
  const std::uint32_t result = finish32(sum, false, events);
  if (events != 0 && !raise(c, events))
    return false;
  c.a[d] = result;
  return true;
}
INSTRUCTION(F16V4SUM, Register d, Register s) {
  std::uint32_t events = 0;
  const float low = operand16(half(c, s, 0)) + operand16(half(c, s, 1));
  const float high = operand16(half(c, s, 2)) + operand16(half(c, s, 3));
  const std::uint32_t first = finish32(low, false, events);
  const std::uint32_t second = finish32(high, false, events);
  if (events != 0 && !raise(c, events))
    return false;
  c.a[d] = first;
  c.a[d + 1] = second;
  return true;
}

inline std::uint16_t maximum16(std::uint16_t x, std::uint16_t y) {
  return narrow(maximum(wide(x), wide(y)));
}
INSTRUCTION(F16V2MAXC, Register d, Register s) {
  const std::uint16_t most = maximum16(half(c, s, 0), half(c, s, 1));
  c.a[d] = halves(most, most);
}
INSTRUCTION(F16V4MAXC, Register d, Register s) {
  c.a[d] = halves(maximum16(half(c, s, 0), half(c, s, 1)),
                  maximum16(half(c, s, 2), half(c, s, 3)));
}

} // namespace populus::runtime::emulator

#endif
