// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The words for a fault.

#ifndef POPULUS_RUNTIME_EMULATOR_FAULT_H
#define POPULUS_RUNTIME_EMULATOR_FAULT_H

#include "runtime/Emulator/Context.h"

#include <string>

namespace populus::runtime::emulator {

std::string hexadecimal(std::uint32_t value);

/// "worker 2: misaligned access to 0x50001 at pc 0x4c010 (name+0x10), ld32".
std::string describeFault(const Context &c);

} // namespace populus::runtime::emulator

#endif
