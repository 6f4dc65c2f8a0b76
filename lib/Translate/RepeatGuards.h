// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the memory that a hardware loop walks over, or that bundles in a
// straight line access, in advance. If the registers of an access only move on
// by the same step in every round, its first and its last address decide
// whether all rounds are good: one test in front of the loop instead of one in
// each round. Accesses that move together, at known distances, share the test.
// Recording code also notes them together.

#ifndef POPULUS_LIB_TRANSLATE_REPEATGUARDS_H
#define POPULUS_LIB_TRANSLATE_REPEATGUARDS_H

#include "lib/Translate/SemanticsModule.h"

#include "runtime/Emulator/Code/Decode.h"

#include <llvm/IR/IRBuilder.h>

#include <array>
#include <vector>

namespace populus::translate {

/// The addresses of a loop bundle's memory access, as 64-bit values.
struct RepeatedAccess {
  llvm::Value *base; // address in the first round is base + offset
  std::int64_t offset;
  llvm::Value *stride; // between rounds
  unsigned which;      // of the instruction's accesses
  unsigned bytes;
  bool store;
};

/// A range without gaps that each round accesses, `stride` further on.
struct RepeatedRange {
  llvm::Value *first; // address in the first round, 64 bits
  llvm::Value *stride;
  unsigned bytes;
  bool store;
  bool control; // loaded into $m
};

/// A triple of addresses that only moves on.
struct RepeatedTriple {
  unsigned pair;
  std::array<llvm::Value *, 3> strides; // in bytes, between rounds
};

struct RepeatGuards {
  /// Negative if an access that is known is bad in some round; 64 bits.
  llvm::Value *defects;
  /// The accesses of each bundle; none if they are not known, or there are
  /// none.
  std::vector<std::vector<RepeatedAccess>> accesses;
  /// All accesses, merged.
  std::vector<RepeatedRange> ranges;
  /// True if no other bundle stores, and nothing else sees the triples.
  bool complete;
  std::vector<RepeatedTriple> triples;

  /// The ranges that are stored to.
  std::vector<RepeatedRange> stores() const;
};

/// Bundles and instructions that are executed one after the other: once, or, as
/// a hardware loop, for the count of the instruction.
struct CodePiece {
  std::vector<runtime::emulator::DecodedSlot> slots;
  const runtime::emulator::DecodedSlot *repeat = nullptr;
  llvm::Value *count = nullptr; // of a hardware loop
};

/// The inputs that may decide a context's control-flow path behind a slot,
/// beside the registers $m in front of it.
enum class Influence {
  None,
  Loaded, // the word that the slot loads
  Other,  // the time, the state of the floating point unit, registers $a
};
Influence influenceOf(const runtime::emulator::DecodedSlot &slot);

/// Returns whether the main half of a slot accesses memory.
bool isMemoryAccess(const runtime::emulator::DecodedSlot &slot);

/// Emits the tests of pieces that follow each other, to be executed before all
/// of them.
std::vector<RepeatGuards> emitGuards(llvm::IRBuilder<> &builder,
                                     SemanticsModule &semantics,
                                     llvm::Value *context,
                                     const std::vector<CodePiece> &pieces);

/// The longest prefix of slots whose addresses are known in front of them and
/// of the pieces before them: its slots and its accesses.
struct StraightLine {
  std::size_t slots;
  std::size_t accesses;
};
StraightLine
straightLine(const std::vector<runtime::emulator::DecodedSlot> &slots,
             const std::vector<CodePiece> &before = {});

/// Returns whether all accesses of the pieces, and the numbers of their rounds,
/// are known in front of them.
bool isKnownInAdvance(const std::vector<CodePiece> &pieces);

} // namespace populus::translate

#endif
