// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The facts that the checker needs about a slot before the slot is executed:
// the registers that it reads and writes, and their use. They follow from the
// instruction table, so they are found once for an image. Registers are
// numbered $m0 to $m15, then $a0 to $a15.

#ifndef POPULUS_RUNTIME_EMULATOR_CODE_SLOTFACTS_H
#define POPULUS_RUNTIME_EMULATOR_CODE_SLOTFACTS_H

#include "runtime/Emulator/Code/DecodeTable.h"
#include "runtime/Emulator/Machine/Instruction.h"
#include "runtime/Format/Executable.h"

#include <cstdint>
#include <vector>

namespace populus::runtime::emulator {

struct SlotFacts {
  static constexpr std::uint8_t NoRegister = 0xff;

  /// The relation of the slot to the alignment of addresses.
  enum class Bits : std::uint8_t {
    None,
    TakesLowest, // `and $mN, $mM, 7`, or `… 4`: odd words from even ones
    Joins,       // one value of two registers, the lowest bits of both in it
  };
  Bits bits = Bits::None;
  /// The effect of a supervisor's slot on workers.
  enum class Workers : std::uint8_t { None, StartsOne, StartsAll, Awaits };
  Workers workers = Workers::None;
  /// The first registers of the slot's loads; none for a load that does not
  /// exist or does not copy memory unchanged.
  std::uint8_t loaded[2] = {NoRegister, NoRegister};
  std::uint8_t stored = NoRegister; // the first register of what it stores
  // A copy of some registers in others.
  std::uint8_t movedFrom = NoRegister;
  std::uint8_t movedTo = NoRegister;
  std::uint8_t movedWords = 0;

  // A bit for each register.
  std::uint32_t used = 0; // its value decides what happens, or is computed with
  std::uint32_t mixed = 0; // bits of it go to bits of `mixedInto`
  std::uint32_t mixedInto = 0;
  std::uint32_t written = 0;

  /// Returns whether the slot matters to the checker for all values of
  /// registers.
  bool isSpecial() const {
    return bits != Bits::None || workers != Workers::None;
  }
};

/// The registers of a slot that pointers may pass through (Provenance.h).
struct PointerFacts {
  static constexpr std::uint8_t None = SlotFacts::NoRegister;

  // The address of an access is the sum of these; none if it is packed.
  std::uint8_t address[3] = {None, None, None};
  std::uint8_t stepped = None; // moves on behind the access
  std::uint8_t steppedBy = None;
  std::uint8_t loaded[2] = {None, None};
  std::uint8_t stored = None;
  bool isPacked = false;
  // A computation in the main half: up to three sources and one result.
  std::uint8_t result = None;
  std::uint8_t sources[3] = {None, None, None};
  std::uint32_t immediate = 0;
  // A copy that is no such computation.
  std::uint8_t movedFrom = None;
  std::uint8_t movedTo = None;
  std::uint8_t movedWords = 0;
  // A bit for each register.
  std::uint32_t read = 0;
  std::uint32_t written = 0;
};

/// Returns the relation of an instruction to the alignment of addresses.
SlotFacts::Bits bitsOf(const RowInfo &row, const Operands &operands);

/// The facts of an image's slots, by word of its text.
struct ImageFacts {
  explicit ImageFacts(const CodeImage &image);

  std::vector<SlotFacts> slots;
  std::vector<PointerFacts> pointers; // by slot
  /// By slot: non-zero if it is special. Smaller than the facts, because every
  /// step reads it.
  std::vector<std::uint8_t> special;
};

} // namespace populus::runtime::emulator

#endif
