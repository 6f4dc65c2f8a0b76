// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A copy of an innermost loop beside it, and a condition that chooses between
// the two: passes that may assume something in one of them share this.

#ifndef POPULUS_LIB_TARGET_IPU_IPULOOPTWINS_H
#define POPULUS_LIB_TARGET_IPU_IPULOOPTWINS_H

namespace llvm {

class DominatorTree;
class Loop;
class LoopInfo;
class Value;

namespace ipu {

/// Returns whether a loop is one block that makeTwins() can copy, on any path
/// of which calls only state facts.
bool canHaveTwin(const Loop &L, const DominatorTree &DT);

/// Copies a loop of one block. The loop itself runs if the condition, which is
/// computed in front of it, holds; else the copy runs, which is returned.
Loop *makeTwins(Loop &L, Value *Condition, LoopInfo &LI, DominatorTree &DT);

} // namespace ipu
} // namespace llvm

#endif
