// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The intrinsics that our TableGen files add to LLVM's, and how their functions
// are recognised by name. This LLVM interface is gone in later releases:
// whatever depends on it is in these two files.

#ifndef POPULUS_LIB_TARGET_IPU_IPUTARGETINTRINSICINFO_H
#define POPULUS_LIB_TARGET_IPU_IPUTARGETINTRINSICINFO_H

#include "llvm/IR/Intrinsics.h"
#include "llvm/Target/TargetIntrinsicInfo.h"

#define GET_INTRINSIC_ENUM_VALUES
#include "lib/Target/IPU/IPUGenIntrinsicEnums.inc"

namespace llvm {

class IPUTargetIntrinsicInfo : public TargetIntrinsicInfo {
public:
  std::string getName(unsigned IID, Type **, unsigned) const override;
  unsigned lookupName(const char *Name, unsigned Len) const override;
  unsigned getIntrinsicID(const Function *F) const override;
  bool isOverloaded(unsigned) const override { return false; }
  Function *getDeclaration(Module *, unsigned, Type **,
                           unsigned) const override;
};

} // namespace llvm

#endif
