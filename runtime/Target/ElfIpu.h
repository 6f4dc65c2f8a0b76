// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Our ELF dialect: what the assembler writes and the tile linker reads. Objects
// are 32-bit little-endian ELF with RELA relocations. Every relocated immediate
// lies in the low bits of its instruction word, so a relocation is fully
// described by the number of bits, the scale of the value, and a bias.

#ifndef POPULUS_RUNTIME_TARGET_ELFIPU_H
#define POPULUS_RUNTIME_TARGET_ELFIPU_H

#include <cstdint>
#include <span>
#include <string_view>

namespace populus::runtime::elf {

/// e_machine of IPU objects (a number from the unassigned range).
inline constexpr std::uint16_t Machine = 0x1b70;

/// e_flags is TargetInfo::archVersion of the target that the instructions are
/// for; 0 where there are none. Later targets have all that earlier ones have,
/// but loops may rely on how many bits `rpt` counts (RepeatCounter.h).

/// Relocation types. The numbers are stored in files: append, never renumber.
enum Relocation : std::uint8_t {
  R_IPU_NONE = 0,
  R_IPU_32 = 1,       // 32-bit data
  R_IPU_16 = 2,       // 16-bit data
  R_IPU_8 = 3,        // 8-bit data
  R_IPU_IMM20 = 4,    // setzi: byte address in bits 19:0
  R_IPU_BRANCH19 = 5, // branches: word address in bits 18:0
  R_IPU_CALL20 = 6,   // call: word address in bits 19:0
  R_IPU_IMM16 = 7,    // zimm16 operand: value in bits 15:0
  R_IPU_RUN16 = 8,    // run/runall: (value - region 0 base) / 4 in bits 15:0
  R_IPU_IMM8 = 9,     // zimm8 operand (rpt body size): value in bits 7:0
};

struct RelocationInfo {
  std::string_view name;
  std::uint8_t bytes;     // of the patched field's container
  std::uint8_t bits;      // low bits of the container that are replaced
  std::uint8_t shift;     // the value is divided by 1 << shift, exactly
  bool relativeToRegion0; // the base of region 0 is subtracted first
};

inline constexpr RelocationInfo Relocations[] = {
    {"R_IPU_NONE", 0, 0, 0, false},    {"R_IPU_32", 4, 32, 0, false},
    {"R_IPU_16", 2, 16, 0, false},     {"R_IPU_8", 1, 8, 0, false},
    {"R_IPU_IMM20", 4, 20, 0, false},  {"R_IPU_BRANCH19", 4, 19, 2, false},
    {"R_IPU_CALL20", 4, 20, 2, false}, {"R_IPU_IMM16", 4, 16, 0, false},
    {"R_IPU_RUN16", 4, 16, 2, true},   {"R_IPU_IMM8", 4, 8, 0, false},
};

} // namespace populus::runtime::elf

#endif
