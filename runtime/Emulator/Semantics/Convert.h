// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Classification and conversions between halves, floats and integers.

#ifndef POPULUS_RUNTIME_EMULATOR_SEMANTICS_CONVERT_H
#define POPULUS_RUNTIME_EMULATOR_SEMANTICS_CONVERT_H

#include "runtime/Emulator/Semantics/Arithmetic.h"

namespace populus::runtime::emulator {

// ---- Classes ----------------------------------------------------------------

/// Class codes: 1 signalling, 2 quiet NaN, 3 and 4 infinities, 5 and 6 zeros, 7
/// and 8 denormals, 9 and 10 normal numbers, the negative one first.
inline std::uint32_t classify(std::uint32_t magnitude, std::uint32_t infinity,
                              std::uint32_t quietBit, std::uint32_t smallest,
                              bool negative) {
  if (magnitude > infinity)
    return magnitude & quietBit ? 2 : 1;
  std::uint32_t code = 9;
  if (magnitude == infinity)
    code = 3;
  else if (magnitude == 0)
    code = 5;
  else if (magnitude < smallest)
    code = 7;
  return code + !negative;
}
inline std::uint32_t classOf32(std::uint32_t bits) {
  return classify(bits & 0x7fffffff, 0x7f800000, 0x00400000, 0x00800000,
                  bits >> 31);
}
inline std::uint32_t classOf16(std::uint16_t bits) {
  return classify(bits & 0x7fff, 0x7c00, 0x0200, 0x0400, bits >> 15);
}

INSTRUCTION(F32CLASS, Register d, Register s) { c.a[d] = classOf32(c.a[s]); }
INSTRUCTION(F32V2CLASS, Register d, Register s) {
  c.a[d] = bytes(classOf32(c.a[s]), classOf32(c.a[s + 1]), 0, 0);
}
INSTRUCTION(F16V2CLASS, Register d, Register s) {
  c.a[d] = bytes(classOf16(half(c, s, 0)), classOf16(half(c, s, 1)), 0, 0);
}
INSTRUCTION(F16V4CLASS, Register d, Register s) {
  c.a[d] = bytes(classOf16(half(c, s, 0)), classOf16(half(c, s, 1)),
                 classOf16(half(c, s, 2)), classOf16(half(c, s, 3)));
}

// ---- Halves and floats ------------------------------------------------------

/// Exact; infinities stay; a NaN becomes the canonical one and is invalid.
inline std::uint32_t widen(std::uint16_t value, std::uint32_t &events) {
  return finish32(wide(value), true, events);
}

INSTRUCTION(F16TOF32, Register d, Register s) {
  std::uint32_t events = 0;
  const std::uint32_t result = widen(half(c, s, 0), events);
  if (events != 0 && !raise(c, events))
    return false;
  c.a[d] = result;
  return true;
}
INSTRUCTION(F16V2TOF32, Register d, Register s) {
  std::uint32_t events = 0;
  const std::uint32_t first = widen(half(c, s, 0), events);
  const std::uint32_t second = widen(half(c, s, 1), events);
  if (events != 0 && !raise(c, events))
    return false;
  c.a[d] = first;
  c.a[d + 1] = second;
  return true;
}
INSTRUCTION(F32TOF16, Register d, Register s) {
  HalfRounder rounder(c);
  const std::uint16_t result = rounder.round(asFloat(c.a[s]));
  if (!rounder.finish())
    return false;
  c.a[d] = halves(result, result);
  return true;
}

template <unsigned Lanes> bool narrowLanes(Context &c, Register d, Register s) {
  std::uint16_t result[Lanes];
  HalfRounder rounder(c);
  for (unsigned i = 0; i != Lanes; ++i)
    result[i] = rounder.round(asFloat(c.a[s + i]));
  if (!rounder.finish())
    return false;
  setHalves<Lanes>(c, d, result);
  return true;
}
INSTRUCTION(F32V2TOF16, Register d, Register s) {
  return narrowLanes<2>(c, d, s);
}
INSTRUCTION(F32V4TOF16, Register d, Register s) {
  return narrowLanes<4>(c, d, s);
}

// ---- Integers ---------------------------------------------------------------

/// Rounds to an integral value; modes as in f32int.
inline double roundIntegral(double value, unsigned mode) {
  switch (mode) {
  case 0:
    return std::nearbyint(value); // the host rounds to nearest even
  case 1:
    return std::ceil(value);
  case 2:
    return std::floor(value);
  case 3:
    return std::trunc(value);
  default:
    return std::round(value);
  }
}

INSTRUCTION(F32INT, Register d, Register s, std::int32_t mode) {
  std::uint32_t events = 0;
  const float value = asFloat(c.a[s]);
  const std::uint32_t result = finish32(
      static_cast<float>(roundIntegral(value, unsigned(mode))), true, events);
  if (events != 0 && !raise(c, events))
    return false;
  c.a[d] = result;
  return true;
}

/// Rounds to nearest even; too large values saturate, NaN gives 0, both are
/// invalid.
inline bool toInteger(Context &c, Register d, float value, double least,
                      double most) {
  const double rounded = roundIntegral(value, 0);
  std::int64_t result = 0;
  bool invalid = true;
  if (rounded < least)
    result = static_cast<std::int64_t>(least);
  else if (rounded > most)
    result = static_cast<std::int64_t>(most);
  else if (!std::isnan(rounded)) {
    result = static_cast<std::int64_t>(rounded);
    invalid = false;
  }
  if (invalid && !raise(c, FpInvalid))
    return false;
  c.a[d] = static_cast<std::uint32_t>(result);
  return true;
}
INSTRUCTION(F32TOI32, Register d, Register s) {
  return toInteger(c, d, asFloat(c.a[s]), -2147483648.0, 2147483647.0);
}
INSTRUCTION(F32TOUI32, Register d, Register s) {
  return toInteger(c, d, asFloat(c.a[s]), 0.0, 4294967295.0);
}
INSTRUCTION(F32FROMI32, Register d, Register s) {
  c.a[d] = asBits(static_cast<float>(static_cast<std::int32_t>(c.a[s])));
}
INSTRUCTION(F32FROMUI32, Register d, Register s) {
  c.a[d] = asBits(static_cast<float>(c.a[s]));
}

// Unsigned integers as fractions around zero: (2u + 1 - 2^n) / 2^(n + 1).
inline std::uint32_t fraction32(std::uint32_t u) {
  return asBits(static_cast<float>((2.0 * u + 1 - 0x1p32) * 0x1p-33));
}
inline std::uint16_t fraction16(std::uint16_t u) {
  return floatToHalf((2.0f * u + 1 - 0x1p16f) * 0x1p-17f);
}
INSTRUCTION(F32SUFROMUI, Register d, Register s) {
  c.a[d] = fraction32(c.a[s]);
}
INSTRUCTION(F32V2SUFROMUI, Register d, Register s) {
  const std::uint64_t pair = readPair(c, s);
  c.a[d] = fraction32(static_cast<std::uint32_t>(pair));
  c.a[d + 1] = fraction32(static_cast<std::uint32_t>(pair >> 32));
}
INSTRUCTION(F16V2SUFROMUI, Register d, Register s) {
  c.a[d] = halves(fraction16(half(c, s, 0)), fraction16(half(c, s, 1)));
}
INSTRUCTION(F16V4SUFROMUI, Register d, Register s) {
  const std::uint64_t pair = readPair(c, s);
  for (unsigned i = 0; i != 2; ++i) {
    const auto word = static_cast<std::uint32_t>(pair >> (32 * i));
    c.a[d + i] = halves(fraction16(lower(word)), fraction16(upper(word)));
  }
}

} // namespace populus::runtime::emulator

#endif
