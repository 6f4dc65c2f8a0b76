// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Defines and finds the semantics of instructions. Every row of the instruction
// table (lib/Target/IPU/*.td) is a type row::NAME. Its semantics are, for
// example,
//
//   INSTRUCTION(ADD_rr, Register d, Register s0, Register s1) {
//     c.m[d] = c.m[s0] + c.m[s1];
//   }
//
// in a header of Semantics/, with the operands in the table's order
// (destinations, then sources; a register that is read and written comes twice,
// the second time for the write). Semantics of a row that does not exist do not
// compile; a row without semantics faults with "not supported yet". The result
// type says what kind of instruction it is.

#ifndef POPULUS_RUNTIME_EMULATOR_MACHINE_INSTRUCTION_H
#define POPULUS_RUNTIME_EMULATOR_MACHINE_INSTRUCTION_H

#include "runtime/Emulator/Machine/Context.h"

namespace populus::runtime::emulator {

/// The operands of a decoded instruction: registers (and a second immediate) in
/// order of the semantics' parameters, and the immediate, extended.
struct Operands {
  std::uint8_t r[6] = {};
  /// In the first instruction of a slot: the number of words of the slot, and
  /// the contexts that may execute it. In the second one: the number of issue
  /// slots, and the effect on other contexts (Others).
  std::uint8_t lengthOrTurns = 0;
  std::uint8_t contextsOrOthers = 0;
  std::int32_t imm = 0;
};

/// The effect of a supervisor's slot on the workers.
enum class Others : std::uint8_t {
  Nothing,
  InLine,       // the same, and it takes one turn and goes on behind it
  MayMatter,    // a change of what they read, or of the time
  LoadsWeights, // the same, of ld64putcs and ld128putcs
  Starts,
  Awaits,
};

// Result types of semantics, beside void (cannot fail) and bool (false: fault).

/// A branch to the instruction's target operand.
struct Branch {
  bool taken;
};
/// A branch to a computed address.
struct Jump {
  Address target;
};
struct Exit {
  bool status;
};
/// The next `bundles` bundles are executed `count` times.
struct Repeat {
  std::uint32_t count;
  std::uint32_t bundles;
};
/// Done, or to be tried again in the next turn; only in the supervisor.
struct Wait {
  bool done;
};

/// The semantics of a row, if there are any.
template <typename Row> struct Semantics;

template <typename Row>
concept HasSemantics = requires { sizeof(Semantics<Row>); };

#define INSTRUCTION(NAME, ...)                                                 \
  template <> struct Semantics<row::NAME> {                                    \
    static auto run(Context &c __VA_OPT__(, ) __VA_ARGS__);                    \
  };                                                                           \
  inline auto Semantics<row::NAME>::run(                                       \
      [[maybe_unused]] Context &c __VA_OPT__(, ) __VA_ARGS__)

#include "runtime/Emulator/InstructionRows.inc"

} // namespace populus::runtime::emulator

#endif
