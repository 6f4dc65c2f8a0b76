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

/// Lets `variable`, the value of a variable in the graph, be written with a
/// value at the end of the graph. The result is the variable after that.
Value &addVarUpdate(Graph &graph, Value &variable, Value &value,
                    const Placement &placement = {});

/// A variable's value, and what is written into the variable.
struct VarUpdate {
  Value *variable = nullptr;
  Value *value = nullptr;
};

/// Lets variables be written at the end of the graph, all at once: values that
/// are other variables, or views of them, are those from before.
void addVarUpdates(Graph &graph, const std::vector<VarUpdate> &updates);

/// Throws where a model writes what is no variable, or reads a variable behind
/// its update: which value that is, nothing says.
void checkVarUpdates(const Graph &graph);

bool isVarUpdate(const Op &op);

} // namespace populus::popir

#endif
