// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Updates of variables: operators that write a value into a variable.

#ifndef POPULUS_LIB_POPART_IR_VARUPDATE_H
#define POPULUS_LIB_POPART_IR_VARUPDATE_H

#include "lib/PopART/IR/Graph.h"
#include "lib/PopART/IR/Op.h"

#include <vector>

namespace populus::popir {

/// Type of the operator, of the domain ai.graphcore.
inline constexpr const char *VarUpdateType = "CopyVarUpdate";

/// Adds an update of `variable` at the end of the graph. Returns the updated
/// variable.
Value &addVarUpdate(Graph &graph, Value &variable, Value &value,
                    const Placement &placement = {});

/// A variable's value, and the value to write to it.
struct VarUpdate {
  Value *variable = nullptr;
  Value *value = nullptr;
};

/// Adds simultaneous updates at the end of the graph: a value that is a
/// variable, or a view of one, is read before any update.
void addVarUpdates(Graph &graph, const std::vector<VarUpdate> &updates);

/// Throws if a model updates a value that is no variable, or reads a variable
/// after its update, which is ambiguous.
void checkVarUpdates(const Graph &graph);

bool isVarUpdate(const Op &op);

} // namespace populus::popir

#endif
