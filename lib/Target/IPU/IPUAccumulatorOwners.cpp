// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builtins and inline assembly may leave sums in the accumulators while other
// functions are called, or while their callers go on. So one use takes them
// from every function that calls connect with it, in either direction. An
// unknown function counts as a use; those of the library have none.

#include "lib/Target/IPU/IPUAccumulatorOwners.h"
#include "lib/Target/IPU/IPUBuiltinCalls.h"
#include "lib/Target/IPU/IPUTargetIntrinsicInfo.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace {

/// Functions that calls connect, and those of them that use accumulators.
class Collector {
  const MCInstrInfo &Table;
  const TargetLibraryInfoImpl LibraryImpl;
  const TargetLibraryInfo Library;
  const IPUTargetIntrinsicInfo Intrinsics;
  // A null pointer stands for all functions that are called by address, and for
  // all calls by address.
  EquivalenceClasses<const Function *> Connected;
  SmallVector<const Function *, 8> Users;

public:
  Collector(const Module &M, const MCInstrInfo &Table)
      : Table(Table), LibraryImpl(Triple(M.getTargetTriple())),
        Library(LibraryImpl) {
    for (const Function &F : M)
      addFunction(F);
  }

  DenseSet<const Function *> owners() const;

private:
  void addFunction(const Function &F);
  bool isUse(const CallBase &Call) const;
};

} // namespace

bool Collector::isUse(const CallBase &Call) const {
  if (Call.isInlineAsm())
    return true;
  const Function *Callee = Call.getCalledFunction();
  if (!Callee || !Callee->isDeclaration() || Callee->isIntrinsic())
    return false;
  if (unsigned ID = Intrinsics.getIntrinsicID(Callee))
    return usesAccumulators(ID, Table);
  LibFunc Known;
  return !Library.getLibFunc(*Callee, Known);
}

void Collector::addFunction(const Function &F) {
  Connected.insert(&F);
  if (F.hasAddressTaken())
    Connected.unionSets(&F, nullptr);
  for (const Instruction &I : instructions(F)) {
    const auto *Call = dyn_cast<CallBase>(&I);
    if (!Call)
      continue;
    if (!F.hasFnAttribute(CompilerAccumulators) && isUse(*Call))
      Users.push_back(&F);
    else if (const Function *Callee = Call->getCalledFunction();
             !Callee || !Callee->isDeclaration())
      Connected.unionSets(&F, Callee);
  }
}

DenseSet<const Function *> Collector::owners() const {
  DenseSet<const Function *> Result;
  for (const Function *User : Users)
    for (const Function *F :
         make_range(Connected.findLeader(User), Connected.member_end()))
      Result.insert(F);
  return Result;
}

AccumulatorOwners::AccumulatorOwners(const Module &M, const MCInstrInfo &Table)
    : Owners(Collector(M, Table).owners()) {}
