// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the gradients of Call, Loop and If share: which results of a graph have
// gradients, the gradient graph, and where the forward values that it reads are
// found outside of the graph.

#ifndef POPULUS_LIB_POPART_OPS_CONTROL_CALLGRADIENTS_H
#define POPULUS_LIB_POPART_OPS_CONTROL_CALLGRADIENTS_H

#include "lib/PopART/IR/Gradients.h"
#include "lib/PopART/IR/Module.h"

#include <optional>

namespace populus::popir {

/// The gradient graph of a graph, and what it is called with.
struct CalledGradients {
  GradientGraph back;
  /// By value of `back.provided`, the gradient that is known.
  std::vector<Value *> given;
};

/// A copy of a graph that nobody else calls.
Graph &privateCopy(Graph &graph);

/// `given` are the gradients of the graph's results, by result; null where one
/// does not matter. Sums are made by `b`. `required` are arguments.
CalledGradients gradientsOf(GradientGraphs &graphs, OpBuilder &b, Graph &graph,
                            const std::vector<Value *> &given,
                            const std::vector<Value *> &required);

std::optional<std::size_t> argumentNumber(const Graph &graph,
                                          const Value &value);
std::optional<std::size_t> resultNumber(const Graph &graph, const Value &value);
/// The number of the value as a result, which it becomes if need be.
std::size_t makeResult(Graph &graph, Value &value);
/// Lets a graph return a value besides, under a name of its own.
void addNewResult(Graph &graph, Value &value);
/// The same for zeros.
void addZeroResult(Graph &graph, const TensorInfo &info);

} // namespace populus::popir

#endif
