// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Masks of comparisons in the auxiliary file, and choices that are made with
// them: what the lowering of halves and vectors shares.

#ifndef POPULUS_LIB_TARGET_IPU_IPUMASKS_H
#define POPULUS_LIB_TARGET_IPU_IPUMASKS_H

#include "llvm/CodeGen/SelectionDAG.h"

namespace llvm::ipu {

/// Returns whether the auxiliary file holds values of this type.
inline bool isAuxType(EVT VT) {
  return VT == MVT::f32 || VT == MVT::f16 || VT == MVT::v2f16 ||
         VT == MVT::v2f32 || VT == MVT::v4f16;
}

/// Lanes of a vector as a value of type VT, from a lane on; scalars as they
/// are.
SDValue lanesOf(SDValue V, EVT VT, unsigned From, const SDLoc &DL,
                SelectionDAG &DAG);

/// The mask of type VT that a condition on floats stands for, if it is one; of
/// a wider vector the mask of the lanes from `From` on.
SDValue conditionMask(SDValue Condition, EVT VT, unsigned From, const SDLoc &DL,
                      SelectionDAG &DAG, unsigned Depth = 0);

/// A choice between floats or vectors as a minimum, a maximum or a choice by
/// masks; null if a branch or LLVM's own expansion has to make it.
SDValue combineSelect(SDNode *N, SelectionDAG &DAG);

/// A minimum or maximum that would lose the sign of zero, as a choice.
SDValue combineMinMax(SDNode *N, SelectionDAG &DAG);

} // namespace llvm::ipu

#endif
