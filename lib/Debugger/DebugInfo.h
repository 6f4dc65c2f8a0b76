// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The DWARF of a code image: local variables and their types, inlined
// functions, and the registers of a caller. Images keep the debug information
// of objects compiled with -g; without it there are symbols only.

#ifndef POPULUS_LIB_DEBUGGER_DEBUGINFO_H
#define POPULUS_LIB_DEBUGGER_DEBUGINFO_H

#include "lib/Debugger/Value.h"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace populus::debugger {

/// The registers of a frame. DWARF numbers $m0 to $m15 as 0 to 15, and $a0 to
/// $a15 as 32 to 47.
struct Registers {
  std::uint32_t tile = 0;
  Address pc = 0;
  std::array<std::uint32_t, 16> m = {};
  std::array<std::uint32_t, 16> a = {};

  std::optional<std::uint32_t> byNumber(unsigned number) const {
    if (number < 16)
      return m[number];
    if (number >= 32 && number < 48)
      return a[number - 32];
    return std::nullopt;
  }
};

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
