// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How long a supervisor's instructions wait for results. A result can be used
// SupervisorResultCycles after the instruction that gives it. What an
// instruction waits is found once, when code is decoded: along the code, from a
// place that branches lead to (a taken branch takes so long that all results
// are there) up to where control never goes on to the next instruction.

#ifndef POPULUS_RUNTIME_EMULATOR_CODE_SUPERVISORWAITS_H
#define POPULUS_RUNTIME_EMULATOR_CODE_SUPERVISORWAITS_H

#include "runtime/Emulator/Code/Decode.h"

#include <cstdint>
#include <vector>

namespace populus::runtime::emulator {

/// The cycles that the supervisor waits behind an instruction at each word of
/// an image, before the next one; 0 where it does not go on there.
std::vector<std::uint8_t> supervisorWaits(const CodeImage &image);

} // namespace populus::runtime::emulator

#endif
