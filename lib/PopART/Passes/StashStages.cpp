// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// StashStages: a stage that reads what an earlier one has computed works on an
// older micro-batch, so it restores the value from a stash (Restore, with the
// number of stages between as its depth). Not restored are
//
// - what a copy from the next IPU reads one stage later: the copy runs before
//   the earlier stage overwrites the value;
// - what depends on constants and variables only, such as a cast weight: it is
//   the same in all micro-batches.

#include "lib/PopART/IR/Aliases.h"
#include "lib/PopART/IR/Module.h"
#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/IR/Stage.h"
#include "lib/PopART/Passes/Passes.h"
#include "lib/PopART/Support/Error.h"

#include <fmt/format.h>

#include <map>
#include <unordered_set>

namespace populus::popir {

namespace {

class StageStashes {
public:
  explicit StageStashes(Graph &graph) : graph(graph), writers(graph) {}

  std::size_t run() {
    checkOrder();
    findFixed();
    std::vector<Value *> values;
    for (Value &value : graph.values())
      if (!isFixed(value) && !value.uses().empty())
        values.push_back(&value);
    for (Value *value : values)
      restore(*value);
    return count;
  }

private:
  void checkOrder() const {
    std::int64_t last = 0;
    for (const Op *op : graph.ops()) {
      if (!op->placement().stage)
        op->failInput("it has no pipeline stage; run OrderStages before");
      const std::int64_t stage = *op->placement().stage;
      if (stage < last)
        op->failInput(fmt::format("it is in pipeline stage {} behind operators "
                                  "of stage {}; run OrderStages before",
                                  stage, last));
      last = stage;
    }
  }

  bool isFixed(const Value &value) const {
    return value.isConstant() || value.variable() || fixed.contains(&value);
  }

  void findFixed() {
    for (const Op *op : graph.ops())
      if (!op->isStateful() && !op->hasEffect() && !op->inputs().empty() &&
          std::ranges::all_of(op->inputs(), [&](const Value *input) {
            return !input || (isFixed(*input) && writers.of(*input).empty());
          }))
        for (const Value *output : op->outputs())
          if (output)
            fixed.insert(output);
  }

  /// Restores a value in each later stage that reads it.
  void restore(Value &value) {
    const std::int64_t home = stageOf(value);
    const Placement place = value.producer()
                                ? value.producer()->placement()
                                : value.users().front()->placement();
    std::map<std::int64_t, Value *> restored;
    for (Op *user : value.users()) {
      const std::int64_t stage = *user->placement().stage;
      if (stage == home || (user->id().type == "IpuCopy" && stage == home + 1))
        continue;
      Value *&copy = restored[stage];
      if (!copy)
        copy = &addRestore(value, place, stage, stage - home, *user);
      for (std::size_t i = 0; i != user->inputs().size(); ++i)
        if (user->inputs()[i] == &value)
          graph.setInput(*user, i, copy);
    }
  }

  Value &addRestore(Value &value, Placement place, std::int64_t stage,
                    std::int64_t depth, Op &before) {
    ++count;
    place.stage = stage;
    Value &copy = graph.addValue(
        graph.uniqueName(fmt::format("Restored___{}", value.name)), value.info);
    OpSpec spec{
        newestOf("ai.graphcore", "Restore"), copy.name, {}, 1, 1, place};
    spec.attributes.set("depth", depth);
    graph.addOp(createOp(std::move(spec)), {&value}, {&copy}, &before);
    return copy;
  }

  Graph &graph;
  const Writers writers;
  /// Values that are the same in all micro-batches.
  std::unordered_set<const Value *> fixed;
  std::size_t count = 0;
};

} // namespace

std::size_t stashStages(Module &module, const PassOptions &) {
  return StageStashes(module.main()).run();
}

} // namespace populus::popir
