// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expressions in the style of C over what a stopped program has: registers
// ($m0, $a3, $pc), local variables, fields of the vertex, tensors, memory
// ({float}0x50100). Names of tensors that are no identifiers stand in quotes.
//
//     sum > 4 && in[i] != 'layer/weights'[2][0]

#ifndef POPULUS_LIB_DEBUGGER_EXPRESSION_H
#define POPULUS_LIB_DEBUGGER_EXPRESSION_H

#include "lib/Debugger/Value.h"

#include <optional>
#include <string>

namespace populus::debugger {

/// The names that an expression may use.
class Scope {
public:
  virtual ~Scope() = default;
  /// The value of $NAME, or nothing.
  virtual std::optional<Value> registerNamed(const std::string &name) const = 0;
  /// A local variable, field or tensor; throws DebugError if there is none.
  virtual Value named(const std::string &name) const = 0;
  /// The tile whose memory addresses mean.
  virtual std::uint32_t tile() const = 0;
  virtual const Memory &memory() const = 0;
};

/// Throws DebugError.
Value evaluate(const std::string &expression, const Scope &scope);
bool isTrue(const std::string &expression, const Scope &scope);

} // namespace populus::debugger

#endif
