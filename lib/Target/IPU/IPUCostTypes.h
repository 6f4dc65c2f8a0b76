// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Questions about types and pointers that the files on costs share.

#ifndef POPULUS_LIB_TARGET_IPU_IPUCOSTTYPES_H
#define POPULUS_LIB_TARGET_IPU_IPUCOSTTYPES_H

#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DerivedTypes.h"

namespace llvm::ipu {

inline unsigned lanesOf(const Type *Ty) {
  auto *Vector = dyn_cast<FixedVectorType>(Ty);
  return Vector ? Vector->getNumElements() : 1;
}

/// Returns whether the type is a vector of integers, whose lanes are in a
/// register each.
inline bool isNarrowed(const Type *Ty) {
  return isa<FixedVectorType>(Ty) && Ty->isIntOrIntVectorTy() &&
         Ty->getScalarSizeInBits() <= 32;
}

/// Returns the stated alignment of the array that a pointer points into.
Align statedAlign(const Value *Pointer, const DataLayout &DL);

} // namespace llvm::ipu

#endif
