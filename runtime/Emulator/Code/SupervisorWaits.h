// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stalls of a supervisor's instructions. The result of an instruction can
// be used SupervisorResultCycles after it; an earlier use stalls. The stalls
// are found once, when code is decoded. The search begins at a branch target (a
// taken branch takes so long that all results are there), and goes along the
// code until control never continues to the next instruction.

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
