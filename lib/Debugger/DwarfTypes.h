// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The types of a program, from its DWARF. Each is made once.

#ifndef POPULUS_LIB_DEBUGGER_DWARFTYPES_H
#define POPULUS_LIB_DEBUGGER_DWARFTYPES_H

#include "lib/Debugger/Value.h"

#include <llvm/DebugInfo/DWARF/DWARFDie.h>

#include <cstdint>
#include <map>
#include <string>

namespace populus::debugger {

/// The name of a type, variable or member; empty if it has none.
std::string nameOf(const llvm::DWARFDie &die);

/// Returns true for a type that stands for another one.
bool isAlias(llvm::dwarf::Tag tag);

class DwarfTypes {
public:
  /// Returns null for a type that the debugger cannot show.
  TypePtr typeOf(llvm::DWARFDie die);
  /// The type that an entry, such as a variable, refers to.
  TypePtr typeOfAttribute(const llvm::DWARFDie &die) {
    return typeOf(
        die.getAttributeValueAsReferencedDie(llvm::dwarf::DW_AT_type));
  }

private:
  TypePtr makeType(const llvm::DWARFDie &die);
  TypePtr baseType(const llvm::DWARFDie &die);
  TypePtr structType(const llvm::DWARFDie &die);
  TypePtr arrayType(const llvm::DWARFDie &die);

  std::map<std::uint64_t, TypePtr> types; // by offset
};

} // namespace populus::debugger

#endif
