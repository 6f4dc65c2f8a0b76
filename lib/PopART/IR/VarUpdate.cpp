// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Updates that are made together read what variables held before: a value that
// is another written variable, or a view of one, is copied first.

#include "lib/PopART/IR/VarUpdate.h"

#include "lib/PopART/IR/Aliases.h"
#include "lib/PopART/IR/GradientNames.h"
#include "lib/PopART/IR/OpBuilder.h"
#include "lib/PopART/IR/OpTable.h"

#include <fmt/format.h>

#include <unordered_set>

namespace populus::popir {

Value &addVarUpdate(Graph &graph, Value &variable, Value &value,
                    const Placement &placement) {
  OpSpec spec;
  spec.id = newestOf("ai.graphcore", VarUpdateType);
  spec.name = UpdatePrefix + variable.name;
  spec.numInputs = 2;
  spec.placement = placement;
  Value &result = graph.addValue(
      graph.uniqueName("UpdatedVar___" + variable.name), variable.info);
  graph.addOp(createOp(std::move(spec)), {&variable, &value}, {&result});
  return result;
}

void addVarUpdates(Graph &graph, const std::vector<VarUpdate> &updates) {
  const Aliases aliases(graph);
  std::unordered_set<const Value *> written;
  for (const VarUpdate &update : updates)
    written.insert(aliases.groupOf(*update.variable));
  GraphBuilder b(graph, "Update_copy");
  std::vector<VarUpdate> writes = updates;
  for (VarUpdate &write : writes)
    if (written.contains(aliases.groupOf(*write.value)))
      write.value = &b.op("TensorRemap", {write.value}, {}, "ai.graphcore");
  for (const VarUpdate &write : writes)
    addVarUpdate(graph, *write.variable, *write.value);
}

void checkVarUpdates(const Graph &graph) {
  for (const Op *op : graph.ops()) {
    if (!isVarUpdate(*op))
      continue;
    const Value &variable = op->input(0);
    if (!variable.variable())
      op->failInput(
          fmt::format("it writes '{}', which is no variable; an initializer of "
                      "the model is "
                      "one where the session option constantWeights is off",
                      variable.name));
    for (const Op *user : variable.users())
      if (user != op && !user->isBefore(*op))
        op->failInput(
            fmt::format("'{}' is read behind it, by {}, and has to be "
                        "read before, or by way of its result",
                        variable.name, user->describe()));
  }
}

bool isVarUpdate(const Op &op) { return op.id().type == VarUpdateType; }

} // namespace populus::popir
