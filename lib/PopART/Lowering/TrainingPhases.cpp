// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Differentiation names its operators, and so do updates of weights
// (IR/GradientNames.h). Operators with other names, such as casts that passes
// insert and optimizers that users write, follow from the graph: between two
// operators of the backward pass they belong to it, and behind all of them they
// prepare an update.
//
//     MatMul -> MatMul/grad/dx -> Cast -> Relu/grad -> Mul -> CopyVarUpdate
//     forward   backward          backward backward    update update

#include "lib/PopART/Lowering/TrainingPhases.h"

#include "lib/PopART/IR/GradientNames.h"
#include "lib/PopART/IR/VarUpdate.h"

#include <algorithm>
#include <string>
#include <unordered_set>
#include <vector>

namespace populus::popir {

namespace {

bool isGradient(const Op &op) {
  const std::string scope = std::string(GradientScope) + '/';
  return (op.name() + '/').find(scope) != std::string::npos;
}

bool isUpdate(const Op &op) {
  return op.name().starts_with(UpdatePrefix) || isVarUpdate(op);
}

using OpSet = std::unordered_set<const Op *>;

bool readsFrom(const Op &op, const OpSet &producers) {
  const auto &inputs = op.inputs();
  return std::any_of(inputs.begin(), inputs.end(), [&](const Value *input) {
    return input && producers.contains(input->producer());
  });
}

bool isReadBy(const Op &op, const OpSet &users) {
  for (const Value *output : op.outputs())
    if (output)
      for (const Op *user : output->users())
        if (users.contains(user))
          return true;
  return false;
}

} // namespace

TrainingPhases::TrainingPhases(const Module &module) {
  for (const Graph &graph : module.graphs())
    addGraph(graph);
}

const char *TrainingPhases::of(const Op &op) const {
  return isTraining ? phases.at(&op) : "";
}

void TrainingPhases::addGraph(const Graph &graph) {
  std::vector<const Op *> ops;
  // Gradients with all that reads them, and with all that they read.
  OpSet after, before;
  for (const Op *op : graph.ops()) {
    ops.push_back(op);
    if (isGradient(*op) || readsFrom(*op, after))
      after.insert(op);
  }
  for (auto op = ops.rbegin(); op != ops.rend(); ++op)
    if (isGradient(**op) || isReadBy(**op, before))
      before.insert(*op);
  for (const Op *op : ops) {
    const bool isAfter = after.contains(op);
    isTraining |= isGradient(*op);
    if (isUpdate(*op))
      phases[op] = "update";
    else if (op->placement().recomputed || (isAfter && before.contains(op)))
      phases[op] = "backward";
    else
      phases[op] = isAfter ? "update" : "forward";
  }
}

} // namespace populus::popir
