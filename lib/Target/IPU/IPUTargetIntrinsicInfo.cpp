// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function called ipu_NAME is the intrinsic of that name if it is only
// declared.

#include "lib/Target/IPU/IPUTargetIntrinsicInfo.h"
#include "llvm/IR/Function.h"
#include "llvm/Support/ErrorHandling.h"

using namespace llvm;

namespace {
struct Row {
  StringRef Name;
  unsigned ID;
};
} // namespace

static const Row Rows[] = {
#define BUILTIN(NAME, TYPES, ATTRIBUTES) {#NAME, Intrinsic::NAME},
#include "lib/Target/IPU/IPUBuiltins.def"
};

std::string IPUTargetIntrinsicInfo::getName(unsigned IID, Type **,
                                            unsigned) const {
  for (const Row &R : Rows)
    if (R.ID == IID)
      return R.Name.str();
  return "";
}

unsigned IPUTargetIntrinsicInfo::lookupName(const char *Name,
                                            unsigned Len) const {
  StringRef Wanted(Name, Len);
  if (!Wanted.starts_with("ipu_"))
    return 0;
  for (const Row &R : Rows)
    if (R.Name == Wanted)
      return R.ID;
  return 0;
}

unsigned IPUTargetIntrinsicInfo::getIntrinsicID(const Function *F) const {
  return F->isDeclaration()
             ? lookupName(F->getName().data(), F->getName().size())
             : 0;
}

Function *IPUTargetIntrinsicInfo::getDeclaration(Module *, unsigned, Type **,
                                                 unsigned) const {
  report_fatal_error("IPU intrinsics are declared by the front end");
}
