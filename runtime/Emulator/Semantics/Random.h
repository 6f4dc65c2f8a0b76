// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random numbers and random masks. Each instruction takes one step of the
// context's generator, whether it needs its bits or not.

#ifndef POPULUS_RUNTIME_EMULATOR_SEMANTICS_RANDOM_H
#define POPULUS_RUNTIME_EMULATOR_SEMANTICS_RANDOM_H

#include "runtime/Emulator/Machine/Instruction.h"
#include "runtime/Emulator/Semantics/Arithmetic.h"

#include <numbers>

namespace populus::runtime::emulator {

INSTRUCTION(URAND32, Register d) {
  c.a[d] = static_cast<std::uint32_t>(nextRandom(c));
}
INSTRUCTION(URAND64, Register d) { writePair(c, d, nextRandom(c)); }

struct Normals {
  float first, second;
};
/// Two independent numbers of the standard normal distribution (Box and
/// Muller): the low word gives the radius, the high one the angle.
inline Normals nextNormals(Context &c) {
  const std::uint64_t random = nextRandom(c);
  const double forRadius = (static_cast<std::uint32_t>(random) + 1.0) * 0x1p-32;
  const double turn = static_cast<double>(random >> 32) * 0x1p-32;
  const double radius = std::sqrt(-2 * std::log(forRadius));
  const double angle = 2 * std::numbers::pi * turn;
  return {static_cast<float>(radius * std::cos(angle)),
          static_cast<float>(radius * std::sin(angle))};
}
INSTRUCTION(F32V2GRAND, Register d) {
  const Normals normals = nextNormals(c);
  c.a[d] = asBits(normals.first);
  c.a[d + 1] = asBits(normals.second);
}
// At most 6.7: no overflow, and always rounded to nearest.
INSTRUCTION(F16V2GRAND, Register d) {
  const Normals normals = nextNormals(c);
  c.a[d] = halves(narrow(normals.first), narrow(normals.second));
}

/// The lanes that are kept: compares 16 random bits per lane with a threshold;
/// with bit 16 of the control, all lanes are kept.
class LaneMask {
public:
  LaneMask(Context &c, Register s)
      : keepAll(c.a[s] >> 16 & 1), threshold(lower(c.a[s])),
        random(nextRandom(c)) {}

  bool keeps(unsigned lane) const {
    return keepAll || (random >> (16 * lane) & 0xffff) < threshold;
  }

private:
  bool keepAll;
  std::uint16_t threshold;
  std::uint64_t random;
};
INSTRUCTION(F32V2RMASK, Register d, Register s0, Register s1) {
  const LaneMask mask(c, s1);
  const std::uint32_t first = c.a[s0], second = c.a[s0 + 1];
  c.a[d] = mask.keeps(0) ? first : 0;
  c.a[d + 1] = mask.keeps(1) ? second : 0;
}
INSTRUCTION(F16V4RMASK, Register d, Register s0, Register s1) {
  const LaneMask mask(c, s1);
  std::uint16_t result[4];
  for (unsigned i = 0; i != 4; ++i)
    result[i] = mask.keeps(i) ? half(c, s0, i) : 0;
  setHalves<4>(c, d, result);
}

} // namespace populus::runtime::emulator

#endif
