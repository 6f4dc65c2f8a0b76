// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stopped context as a fault report.

#ifndef POPULUS_RUNTIME_EMULATOR_WATCHING_FAULT_H
#define POPULUS_RUNTIME_EMULATOR_WATCHING_FAULT_H

#include "runtime/Emulator/Machine/Context.h"
#include "runtime/Session/FaultReport.h"

namespace populus::runtime::emulator {

class Code;

ContextState stateOf(const Context &c);

CodePlace placeOf(const Code &code, Address pc);

/// Describes the fault of a stopped context, except for the names of tile and
/// compute set and the memory near the address.
FaultReport describeFault(const Context &c);

/// The vertex's region that an address is in or near, in words: "in field 'x'
/// at byte 2", "at 0x50110, 4 bytes behind the end of field 'x'".
std::string describeAddress(const Executable &executable, std::uint32_t vertex,
                            Address address);

} // namespace populus::runtime::emulator

#endif
