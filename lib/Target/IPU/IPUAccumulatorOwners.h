// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the functions that the code generator may use accumulators in: no code
// that runs before and after them keeps values there.

#ifndef POPULUS_LIB_TARGET_IPU_IPUACCUMULATOROWNERS_H
#define POPULUS_LIB_TARGET_IPU_IPUACCUMULATOROWNERS_H

#include "llvm/ADT/DenseSet.h"

namespace llvm {

class Function;
class MCInstrInfo;
class Module;

class AccumulatorOwners {
  DenseSet<const Function *> Owners;

public:
  /// Finds the owners in a module as its author wrote it.
  AccumulatorOwners(const Module &M, const MCInstrInfo &Table);

  /// Returns whether a function uses the accumulators itself, or one that may
  /// be on the stack with it or be called between two of its instructions.
  bool mayOwn(const Function &F) const { return Owners.contains(&F); }
};

/// Returns whether an intrinsic of the IPU reads or writes accumulators.
bool usesAccumulators(unsigned Intrinsic, const MCInstrInfo &Table);

} // namespace llvm

#endif
