// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Common parts of the gradients of Call, Loop and If: the gradient graph of a
// callee, the operands to call it with, and additional results by which the
// forward graph exposes values that the gradient graph reads.

#ifndef POPULUS_LIB_POPART_OPS_CONTROL_CALLGRADIENTS_H
#define POPULUS_LIB_POPART_OPS_CONTROL_CALLGRADIENTS_H

#include "lib/PopART/IR/Gradients.h"
#include "lib/PopART/IR/Module.h"

#include <optional>

namespace populus::popir {

/// The gradient graph of a callee, and the gradients to call it with.
struct CalledGradients {
  GradientGraph back;
  /// The gradient of each value of `back.provided`.
  std::vector<Value *> given;
};

/// A copy of a graph that nobody else calls.
Graph &privateCopy(Graph &graph);

/// `given` are the gradients of the graph's results; null for results without
/// one. `b` adds operators for sums. `required` are arguments of the graph.
CalledGradients gradientsOf(GradientGraphs &graphs, OpBuilder &b, Graph &graph,
                            const std::vector<Value *> &given,
                            const std::vector<Value *> &required);

std::optional<std::size_t> argumentNumber(const Graph &graph,
                                          const Value &value);
std::optional<std::size_t> resultNumber(const Graph &graph, const Value &value);
/// The result number of a value; adds the value to the results if needed.
std::size_t makeResult(Graph &graph, Value &value);
/// Adds a value to the results of a graph, under a new name.
void addNewResult(Graph &graph, Value &value);
/// Adds a tensor of zeros to the results of a graph.
void addZeroResult(Graph &graph, const TensorInfo &info);

} // namespace populus::popir

#endif
