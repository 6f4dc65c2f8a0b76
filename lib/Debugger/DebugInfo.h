// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The DWARF of a code image: local variables and their types, inlined
// functions, and the registers of a caller. Images keep the debug information
// of objects compiled with -g; without it there are symbols only.

#ifndef POPULUS_LIB_DEBUGGER_DEBUGINFO_H
#define POPULUS_LIB_DEBUGGER_DEBUGINFO_H

#include "lib/Debugger/Registers.h"
#include "lib/Debugger/Value.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace populus::debugger {

/// A function whose code was inlined at an address, or, the last one, the
/// function that is there; innermost first.
struct FunctionAt {
  std::string name;
  std::string file;
  unsigned line = 0; // where it is, or where it called the one before
};

struct Variable {
  std::string name;
  TypePtr type;
  bool isParameter = false;
  /// The value; nothing: it is in no register and no memory at this address.
  std::optional<Value> value;
};

class DebugInfo {
public:
  explicit DebugInfo(const runtime::CodeImage &image);
  ~DebugInfo();

  /// Returns whether there is any.
  bool exists() const;
  std::vector<FunctionAt> functionsAt(Address pc) const;
  /// The variables that are visible in one of functionsAt(pc), inner blocks
  /// first.
  std::vector<Variable> variables(const Registers &registers, unsigned inlined,
                                  const Memory &memory) const;
  /// The registers of the caller; nothing: they are not known.
  std::optional<Registers> caller(const Registers &registers,
                                  const Memory &memory) const;
  /// The type of the elements of a field of a vertex class, or null.
  TypePtr fieldElement(const std::string &vertexClass,
                       const std::string &field) const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace populus::debugger

#endif
