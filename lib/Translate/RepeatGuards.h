// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory that a hardware loop walks over. Where the registers of an access only
// move on by the same step in every round, its first and its last address say
// whether all of them are good: one test in front of the loop instead of one in
// each round.

#ifndef POPULUS_LIB_TRANSLATE_REPEATGUARDS_H
#define POPULUS_LIB_TRANSLATE_REPEATGUARDS_H

#include "lib/Translate/SemanticsModule.h"

#include "runtime/Emulator/Decode.h"

#include <llvm/IR/IRBuilder.h>

#include <vector>

namespace populus::translate {

struct RepeatGuards {
  /// Whether the accesses of all `unchecked` bundles are good in all rounds.
  llvm::Value *good;
  std::vector<bool> unchecked; // by bundle
};

/// Emits the tests of a loop that runs `count` times, to be executed before it.
RepeatGuards
emitRepeatGuards(llvm::IRBuilder<> &builder, SemanticsModule &semantics,
                 llvm::Value *context, llvm::Value *count,
                 const std::vector<runtime::emulator::DecodedSlot> &bundles);

} // namespace populus::translate

#endif
