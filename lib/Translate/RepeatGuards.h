// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory that a hardware loop walks over, or that bundles in a straight line
// access. Where the registers of an access only move on by the same step in
// every round, its first and its last address say whether all of them are good:
// one test in front of the loop instead of one in each round. Accesses that
// move together, and are known to lie a number of bytes apart, share the test,
// and they are noted together by code that records what it accesses.

#ifndef POPULUS_LIB_TRANSLATE_REPEATGUARDS_H
#define POPULUS_LIB_TRANSLATE_REPEATGUARDS_H

#include "lib/Translate/SemanticsModule.h"

#include "runtime/Emulator/Decode.h"

#include <llvm/IR/IRBuilder.h>

#include <array>
#include <vector>

namespace populus::translate {

/// Where a bundle of a loop accesses memory, as 64-bit values.
struct RepeatedAccess {
  llvm::Value *first;  // address in the first round
  llvm::Value *stride; // between rounds
  unsigned bytes;
  bool store;
  unsigned which; // of the instruction's accesses
};

/// What is accessed without a gap, again and again.
struct RepeatedRange {
  llvm::Value *first; // address in the first round, 64 bits
  llvm::Value *stride;
  unsigned bytes;
  bool store;
};

/// A triple of addresses that only moves on.
struct RepeatedTriple {
  unsigned pair;
  std::array<llvm::Value *, 3> strides; // in bytes, between rounds
};

struct RepeatGuards {
  /// Whether all accesses that are known are good in all rounds.
  llvm::Value *good;
  /// By bundle; none if they are not known, or there are none.
  std::vector<std::vector<RepeatedAccess>> accesses;
  /// All of them, put together.
  std::vector<RepeatedRange> ranges;
  /// Whether no other bundle stores, and nothing else sees the triples.
  bool complete;
  std::vector<RepeatedTriple> triples;

  std::vector<RepeatedAccess> stores() const;
};

/// Emits the tests of a loop that runs `count` times, to be executed before it.
RepeatGuards
emitRepeatGuards(llvm::IRBuilder<> &builder, SemanticsModule &semantics,
                 llvm::Value *context, llvm::Value *count,
                 const std::vector<runtime::emulator::DecodedSlot> &bundles);

/// The same for bundles and instructions that are executed one after the other,
/// once.
RepeatGuards
emitStraightGuards(llvm::IRBuilder<> &builder, SemanticsModule &semantics,
                   llvm::Value *context,
                   const std::vector<runtime::emulator::DecodedSlot> &slots);
/// How many of them, from the first one on, have addresses that are known
/// before all of them, and how many accesses they have.
struct StraightLine {
  std::size_t slots;
  std::size_t accesses;
};
StraightLine
straightLine(const std::vector<runtime::emulator::DecodedSlot> &slots);

} // namespace populus::translate

#endif
