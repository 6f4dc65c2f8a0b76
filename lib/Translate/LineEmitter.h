// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Straight lines of code, and those around a hardware loop, as host code.

#ifndef POPULUS_LIB_TRANSLATE_LINEEMITTER_H
#define POPULUS_LIB_TRANSLATE_LINEEMITTER_H

#include "lib/Translate/LoopEmitter.h"

namespace populus::translate {

class LineEmitter : public LoopEmitter {
public:
  using LoopEmitter::LoopEmitter;

protected:
  /// Slots from `at` on that come one after the other, as far as the addresses
  /// of their accesses are known in front of them all; fewer than two accesses
  /// are not worth it.
  std::vector<runtime::emulator::DecodedSlot>
  straightFrom(std::uint32_t at) const;
  /// Emits a straight line. If all accesses are found to be good in front of
  /// it, none is tested at its place; else nothing of the line is executed
  /// here.
  void emitStraight(std::uint32_t at,
                    const std::vector<runtime::emulator::DecodedSlot> &slots);
  static std::uint32_t
  lengthOf(const std::vector<runtime::emulator::DecodedSlot> &slots);

  /// The shape of a kernel that uses the units: a straight line that fills
  /// them, a hardware loop, often of a few rounds, and a straight line that
  /// empties them. All three are tested, noted and assumed to be usual
  /// together.
  struct Pass {
    std::uint32_t first, repeat, last; // slots
    std::uint32_t end;                 // the slot behind it
    std::vector<CodePiece> pieces;
    StateCopy copy;
    Rounded unitsTell;
  };
  /// The pass that begins with a straight line.
  std::optional<Pass>
  passFrom(std::uint32_t at,
           const std::vector<runtime::emulator::DecodedSlot> &first) const;
  void emitPass(Pass pass);

private:
  struct Line {
    std::uint32_t at; // the first slot
    std::vector<runtime::emulator::DecodedSlot> slots;
    RepeatGuards guards;
  };
  using LoopEmitter::copyStores;
  using LoopEmitter::noteAccesses;
  using LoopEmitter::turnsOf;

  /// Slots from `at` on that come one after the other.
  std::vector<runtime::emulator::DecodedSlot> slotsFrom(std::uint32_t at) const;
  void noteAccesses(const Line &line);
  void emitSlots(const Line &line, Assumptions assumptions,
                 llvm::function_ref<void(std::uint32_t)> fault);
  void emitExactly(const Line &line);
  static std::int64_t turnsOf(const Line &line);
  /// Does the work of emitUsualRounds, once; goes on at the exact form if
  /// something unusual happened.
  void emitUsualLine(const Line &line, const StateCopy &copy,
                     std::optional<Rounded> unitsTell, llvm::Value *mark,
                     llvm::BasicBlock *after);
  void addTurns(llvm::Value *turns);
  /// Copies what a straight line stores to. `offset`: of the place that it is
  /// kept at; gives the one behind it.
  unsigned copyRanges(llvm::StringRef how, const RepeatGuards &guards,
                      unsigned offset);
  /// Continues at the exact form if something unusual happened.
  void emitUsualPass(const Pass &pass, const Line &first, const Loop &loop,
                     const Line &last, llvm::Value *mark,
                     llvm::BasicBlock *after);
  void copyStores(llvm::StringRef how, const Line &first, const Loop &loop,
                  const Line &last);
};

} // namespace populus::translate

#endif
