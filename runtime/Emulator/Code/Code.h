// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A code image as the interpreter runs it: for every word of the image a slot
// that holds what an instruction or bundle that begins there does. Tiles share
// the decoded image as they share the image.

#ifndef POPULUS_RUNTIME_EMULATOR_CODE_CODE_H
#define POPULUS_RUNTIME_EMULATOR_CODE_CODE_H

#include "runtime/Emulator/Code/Decode.h"
#include "runtime/Target/Timing.h"

#include <memory>
#include <string>
#include <vector>

namespace populus::runtime::emulator {

/// Executes a slot and goes on with the next one, and the next, until the
/// context exits or faults. `issued` counts the turns taken so far.
using RunHandler = void (*)(const Slot *slot, Context *c, std::int64_t issued);
/// Executes one slot; false: fault. Control instructions set Context::resume.
using StepHandler = bool (*)(const Slot *slot, Context *c);
/// Executes one half of a bundle; false: fault.
using HalfHandler = bool (*)(Context *c, const Operands &operands);

struct Slot {
  RunHandler run;
  StepHandler step;
  HalfHandler main; // of a bundle
  HalfHandler aux;
  union {
    const Slot *target;     // branches
    std::int64_t bodyTurns; // rpt: turns of one round of the body
    /// ld64putcs and ld128putcs: how many of the same come one after the other
    /// from here on, the registers that each of them loads, the number behind
    /// the last of all these, and their sets, as bits.
    struct {
      std::uint8_t number, registers;
      std::uint16_t end;
      std::uint8_t sets;
    } weightLoads;
    /// Others::InLine: how many of such come one after the other from here on,
    /// and the cycles that they take.
    struct {
      std::uint16_t length, cycles;
    } line;
  };
  Operands mainOperands; // of a bundle, or of the lone instruction
  Operands auxOperands;

  unsigned length() const { return mainOperands.lengthOrTurns; }
  unsigned turns() const { return auxOperands.lengthOrTurns; }
  /// The cycles of a supervisor up to the slot behind this one, which may have
  /// to wait for results. Supervisors have lone instructions, which leave the
  /// second operands free.
  unsigned supervisorCycles() const {
    return timing::SupervisorCycles + auxOperands.r[0];
  }
  void setWaitBehind(unsigned cycles) {
    auxOperands.r[0] = static_cast<std::uint8_t>(cycles);
  }
  unsigned contexts() const { return mainOperands.contextsOrOthers; }
  Others others() const {
    return static_cast<Others>(auxOperands.contextsOrOthers);
  }
};

/// The functions that execute a row of the instruction table.
struct Handlers {
  RunHandler runLone;
  StepHandler stepLone;
  HalfHandler half;
  /// Instructions that need to know where they are (control, system) handle the
  /// whole bundle themselves; null for others.
  RunHandler runBundle;
  StepHandler stepBundle;
};

/// Returns the handlers of a row, in the order of the decode table.
const Handlers &handlersOf(std::size_t row);
/// Returns whether the row has semantics.
bool isSupported(std::size_t row);

RunHandler runPair(PairOrder order);
StepHandler stepPair(PairOrder order);

/// Handlers of slots that cannot be executed.
enum class BadSlot { Illegal, BadTarget, BadRepeat };
RunHandler runBad(BadSlot kind);
StepHandler stepBad(BadSlot kind);

class Code {
public:
  explicit Code(const CodeImage &image);

  /// The slot at an address, or null if no instruction can be there.
  const Slot *find(Address address) const {
    const Address offset = address - base;
    if (offset % 4 != 0 || offset >= image->textBytes)
      return nullptr;
    return &slots[offset / 4];
  }

  const Slot *firstSlot() const { return slots.data(); }

  /// The registers that weight loads from this slot on load, side by side where
  /// the loads follow each other (the first one of two).
  const std::uint8_t *weightRegisters(const Slot *slot) const {
    return &weightRegister[static_cast<std::size_t>(slot - slots.data())];
  }

  /// Returns the address of a slot.
  Address addressOf(const Slot *slot) const {
    return base + 4 * static_cast<Address>(slot - slots.data());
  }

  /// Returns whether the slot stands for a word of the image.
  bool contains(const Slot *slot) const {
    return slot >= slots.data() && slot < slots.data() + image->textBytes / 4;
  }

  std::uint32_t wordAt(Address address) const;
  /// The last symbol at or before an address, or null.
  const Symbol *symbolAt(Address address) const;
  /// "name+0x10", or nothing if no symbol covers the address.
  std::string describe(Address address) const;
  /// "file.cpp:12", or nothing if it is not known.
  std::string sourceLine(Address address) const;
  const CodeImage &codeImage() const { return *image; }

private:
  friend class Decoder;

  const CodeImage *image;
  Address base;
  std::vector<Slot> slots;
  std::vector<std::uint8_t> weightRegister; // by slot
  /// Stand-ins for targets outside the image.
  std::vector<std::unique_ptr<Slot>> badTargets;
};

} // namespace populus::runtime::emulator

#endif
