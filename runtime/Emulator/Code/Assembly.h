// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instruction words as assembly, for faults and traces. The patterns come from
// the instruction table, so the text is what the assembler reads.

#ifndef POPULUS_RUNTIME_EMULATOR_CODE_ASSEMBLY_H
#define POPULUS_RUNTIME_EMULATOR_CODE_ASSEMBLY_H

#include <cstdint>
#include <string>

namespace populus::runtime::emulator {

/// "add $m0, $m1, 4", or ".word 0x0" for a word that is no instruction.
std::string assemblyOf(std::uint32_t word);

/// "{ add $m0, $m1, 4; setzi $a0, 0 }" if the first word begins a bundle.
std::string assemblyOf(std::uint32_t first, std::uint32_t second);

} // namespace populus::runtime::emulator

#endif
