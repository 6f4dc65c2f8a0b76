// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads and stores through packed triples of 21-bit addresses in an $m pair,
// each stepped by one element or by one of three 10-bit strides.

#ifndef POPULUS_RUNTIME_EMULATOR_SEMANTICS_PACE_H
#define POPULUS_RUNTIME_EMULATOR_SEMANTICS_PACE_H

#include "runtime/Emulator/Machine/Instruction.h"
#include "runtime/Emulator/Semantics/Permutes.h"

namespace populus::runtime::emulator {

inline constexpr std::uint32_t AddressMask = 0x1fffff;

#ifdef POPULUS_TRANSLATE
extern "C" bool populus_moves_triples();
#endif

/// A0 and A1 are for loads, A2 is for stores.
struct Triple {
  std::uint32_t a0, a1, a2;
};

inline Triple unpackTriple(const Context &c, Register pair) {
  const std::uint32_t lo = c.m[pair], hi = c.m[pair + 1];
  return {lo & AddressMask, hi & AddressMask,
          (lo >> 21) | ((hi >> 21) & 0x3ff) << 11};
}

inline void packTriple(Context &c, Register pair, const Triple &triple) {
  c.m[pair] = (triple.a0 & AddressMask) | triple.a2 << 21;
  c.m[pair + 1] = (triple.a1 & AddressMask) | ((triple.a2 >> 11) & 0x3ff) << 21;
}

/// The triple after an access.
inline void moveTriple(Context &c, Register pair, const Triple &triple) {
#ifdef POPULUS_TRANSLATE
  // In a loop it may be enough to do that at the end.
  if (!populus_moves_triples())
    return;
#endif
  packTriple(c, pair, triple);
}

/// The address after an access of `bytes`; `selector` has two bits.
inline std::uint32_t paced(std::uint32_t address, unsigned selector,
                           std::uint32_t strides, std::uint32_t bytes) {
  std::int32_t elements = 1;
  if (selector != 0) {
    const unsigned shift = 10 * (selector - 1);
    elements = static_cast<std::int32_t>(strides >> shift << 22) >> 22;
  }
  return (address + static_cast<std::uint32_t>(elements) * bytes) & AddressMask;
}

INSTRUCTION(TAPACK, Register d, Register a0, Register a1, Register a2) {
  packTriple(c, d, {c.m[a0], c.m[a1], c.m[a2] & AddressMask});
}

/// Loads 64 bits from A0 and a `Second` from A1.
template <typename Second>
bool loadPace2(Context &c, Register d, Register d2, Register pair,
               Register pairOut, std::uint32_t strides, unsigned imm) {
  if (d == d2 || (sizeof(Second) < 8 && d2 == d + 1))
    return c.fault(FaultKind::SameDestination);
  Triple triple = unpackTriple(c, pair);
  std::uint64_t first;
  Second second;
  if (!load(c, triple.a0, first) || !load(c, triple.a1, second, 1))
    return false;
  writePair(c, d, first);
  if constexpr (sizeof(Second) == 8)
    writePair(c, d2, second);
  else if constexpr (sizeof(Second) == 4)
    c.a[d2] = second;
  else
    c.a[d2] = halves(second, second);
  triple.a0 = paced(triple.a0, imm & 3, strides, 8);
  triple.a1 = paced(triple.a1, imm >> 2 & 3, strides, sizeof(Second));
  moveTriple(c, pairOut, triple);
  return true;
}

#define PACE_LOAD2(NAME, SECOND)                                               \
  INSTRUCTION(NAME, Register d, Register d2, Register pair, Register pairOut,  \
              Register stride, std::int32_t imm) {                             \
    return loadPace2<SECOND>(c, d, d2, pair, pairOut, c.m[stride],             \
                             unsigned(imm));                                   \
  }
PACE_LOAD2(LD2X64PACE, std::uint64_t)
PACE_LOAD2(LD64A32PACE, std::uint32_t)
PACE_LOAD2(LD64B16PACE, std::uint16_t)
#undef PACE_LOAD2

// Loads come before the store; what is stored is the old value of s.
INSTRUCTION(LDST64PACE, Register d, Register s, Register pair, Register pairOut,
            Register stride, std::int32_t imm) {
  Triple triple = unpackTriple(c, pair);
  const std::uint32_t strides = c.m[stride];
  std::uint64_t loaded;
  if (!load(c, triple.a0, loaded) || !store(c, triple.a2, readPair(c, s), 2))
    return false;
  writePair(c, d, loaded);
  triple.a0 = paced(triple.a0, imm & 3, strides, 8);
  triple.a2 = paced(triple.a2, imm >> 2 & 3, strides, 8);
  moveTriple(c, pairOut, triple);
  return true;
}

INSTRUCTION(LD2XST64PACE, Register d, Register s, Register pair,
            Register pairOut, Register stride, std::int32_t imm) {
  Triple triple = unpackTriple(c, pair);
  const std::uint32_t strides = c.m[stride];
  std::uint64_t first, second;
  if (!load(c, triple.a0, first) || !load(c, triple.a1, second, 1) ||
      !store(c, triple.a2, readPair(c, s), 2))
    return false;
  writePair(c, d, first);
  writePair(c, d + 2, second);
  triple.a0 = paced(triple.a0, imm & 3, strides, 8);
  triple.a1 = paced(triple.a1, imm >> 2 & 3, strides, 8);
  triple.a2 = paced(triple.a2, imm >> 4 & 3, strides, 8);
  moveTriple(c, pairOut, triple);
  return true;
}

INSTRUCTION(ST64PACE, Register s, Register pair, Register pairOut,
            Register stride, std::int32_t imm) {
  Triple triple = unpackTriple(c, pair);
  if (!store(c, triple.a2, readPair(c, s), 2))
    return false;
  triple.a2 = paced(triple.a2, imm & 3, c.m[stride], 8);
  moveTriple(c, pairOut, triple);
  return true;
}

} // namespace populus::runtime::emulator

#endif
