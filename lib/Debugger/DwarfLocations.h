// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Location expressions of DWARF. They are evaluated here, because LLVM only
// prints them: registers, frame offsets, constants and sums cover what the
// backend writes, and anything else counts as not known.

#ifndef POPULUS_LIB_DEBUGGER_DWARFLOCATIONS_H
#define POPULUS_LIB_DEBUGGER_DWARFLOCATIONS_H

#include "lib/Debugger/Registers.h"
#include "lib/Debugger/Value.h"

#include <llvm/DebugInfo/DWARF/DWARFUnit.h>

namespace populus::debugger {

/// The result of a location expression.
struct Location {
  enum class Kind { Memory, Register, Constant };
  Kind kind = Kind::Memory;
  std::uint64_t value = 0; // an address, a register's number, or the value
};

/// Returns nothing where the expression needs something that is not there.
std::optional<Location> evaluate(llvm::ArrayRef<std::uint8_t> expression,
                                 llvm::DWARFUnit &unit,
                                 const Registers &registers,
                                 const Memory &memory,
                                 std::optional<std::uint64_t> frameBase);

/// The value at a location.
std::optional<Value> valueAt(const Location &location, const TypePtr &type,
                             const Registers &registers);

} // namespace populus::debugger

#endif
