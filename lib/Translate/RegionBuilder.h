// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The base of all emitters of a region's host code: calls of the semantics with
// constant operands, the issue slots so far, the exits. The emitters of loops
// and lines (LoopEmitter.h, LineEmitter.h) and of the whole region
// (Emitter.cpp) derive from it.

#ifndef POPULUS_LIB_TRANSLATE_REGIONBUILDER_H
#define POPULUS_LIB_TRANSLATE_REGIONBUILDER_H

#include "lib/Translate/Region.h"
#include "lib/Translate/SemanticsModule.h"

#include <llvm/IR/IRBuilder.h>

#include <map>
#include <vector>

namespace populus::translate {

class RegionBuilder {
public:
  RegionBuilder(SemanticsModule &semantics, const Region &region,
                llvm::StringRef name);

protected:
  // ---- Pieces of IR ---------------------------------------------------------

  llvm::BasicBlock *newBlock(const llvm::Twine &name);
  llvm::AllocaInst *allocate(std::size_t bytes);
  llvm::MDNode *unlikely();
  llvm::Value *call(llvm::StringRef helper,
                    llvm::ArrayRef<llvm::Value *> arguments);
  llvm::Value *word(std::uint32_t value);
  /// The turns up to here, with those of the block so far.
  llvm::Value *issuedNow();
  void addPending();
  /// Goes on only if a condition holds that nearly always does; else through a
  /// block that the caller fills, and ends, in `otherwise`.
  void require(llvm::Value *condition, llvm::function_ref<void()> otherwise);
  void end(llvm::BasicBlock *how, llvm::Value *slot);
  llvm::Value *relative(std::uint32_t slot);
  void stopAt(std::uint32_t slot);
  void leaveTo(std::uint32_t slot);
  llvm::Value *nearLimit();

  // ---- Instructions ---------------------------------------------------------

  llvm::Value *perform(llvm::Function *operation,
                       const runtime::emulator::Operands &operands,
                       Assumptions assumptions = {});
  llvm::Value *slotPointer(std::uint32_t slot);
  /// An instruction or both halves of a bundle; `fault` is called for the ways
  /// to fail.
  void emitOrdinary(std::uint32_t at,
                    const runtime::emulator::DecodedSlot &slot,
                    Assumptions assumptions, llvm::function_ref<void()> fault);
  /// Emits the recording of a slot's influence on control flow, beside its
  /// accesses; `isNoted`: the accesses have been noted.
  void noteInfluence(const runtime::emulator::DecodedSlot &slot, bool isNoted);
  /// Emits code that runs only with a listener, for recording code.
  void ifListening(llvm::function_ref<void()> emit);
  /// Emits the recording of a slot that looks at the bits of addresses.
  void noteBits(const runtime::emulator::DecodedSlot &slot);
  /// The other half of a bundle with a control instruction.
  void emitOtherHalf(std::uint32_t at,
                     const runtime::emulator::DecodedSlot &slot);
  llvm::Value *performControl(const RegionSlot &slot);

  SemanticsModule &semantics;
  const Region &region;
  llvm::IRBuilder<> builder;
  llvm::Function *function;
  llvm::Value *context;
  llvm::Value *slots;
  llvm::Value *place;                 // where the region is
  llvm::Value *state;                 // the context, or its copy
  std::vector<llvm::Value *> places;  // of a bundle's accesses
  llvm::AllocaInst *doubts = nullptr; // of what is assumed to be usual
  llvm::BasicBlock *leaveBlock = nullptr;
  llvm::BasicBlock *stopBlock = nullptr;
  llvm::AllocaInst *issued = nullptr;   // turns at the beginning of the block
  llvm::AllocaInst *lastSlot = nullptr; // where the region is left
  std::int64_t pending = 0;             // turns since then
  std::map<std::uint32_t, llvm::BasicBlock *> blocks;

private:
  llvm::Function *declare(llvm::StringRef name);
};

} // namespace populus::translate

#endif
