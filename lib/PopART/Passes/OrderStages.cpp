// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OrderStages: sorts the main graph by pipeline stages, so that the first
// reader of a value is in the earliest stage that reads it. Operators that
// training or other passes have added without a stage get the first stage in
// which their results are read, or else that of their operands.

#include "lib/PopART/IR/Aliases.h"
#include "lib/PopART/IR/Module.h"
#include "lib/PopART/IR/Stage.h"
#include "lib/PopART/Passes/Passes.h"
#include "lib/PopART/Passes/Stages.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

namespace populus::popir {

namespace {

/// The latest stage of the operands, if one has a producer with a stage.
std::optional<std::int64_t> stageOfOperands(const Op &op) {
  std::optional<std::int64_t> latest;
  for (const Value *input : op.inputs())
    if (input && input->producer())
      latest = std::max(latest, input->producer()->placement().stage);
  return latest;
}

std::optional<std::int64_t> stageOfReaders(const Op &op) {
  std::optional<std::int64_t> first;
  for (const Value *output : op.outputs())
    if (output)
      for (const Op *user : output->users())
        if (const auto stage = user->placement().stage)
          first = std::min(first.value_or(*stage), *stage);
  return first;
}

/// By stage, the IPU of its operators.
std::map<std::int64_t, std::int64_t> ipusOfStages(const Graph &graph) {
  std::map<std::int64_t, std::int64_t> ipus;
  for (const Op *op : graph.ops())
    if (op->placement().stage && op->placement().ipu)
      ipus.emplace(*op->placement().stage, *op->placement().ipu);
  return ipus;
}

/// By group of aliases, the stages of its users.
class UsersByMemory {
public:
  explicit UsersByMemory(const Graph &graph) : aliases(graph) {
    for (const Op *op : graph.ops())
      for (std::size_t i = 0; i != op->inputs().size(); ++i)
        if (op->hasInput(i))
          users[aliases.groupOf(op->input(i))].push_back(op);
  }

  /// A user of the memory of a value in another stage; null if there is none.
  const Op *inOtherStage(const Value &value, std::int64_t stage) const {
    const std::vector<const Op *> &all = users.at(aliases.groupOf(value));
    const auto found = std::ranges::find_if(
        all, [&](const Op *op) { return stageOf(*op) != stage; });
    return found == all.end() ? nullptr : *found;
  }

private:
  Aliases aliases;
  std::unordered_map<const Value *, std::vector<const Op *>> users;
};

} // namespace

void fillStages(Graph &graph) {
  const std::map<std::int64_t, std::int64_t> ipus = ipusOfStages(graph);
  std::vector<Op *> ops(graph.ops().begin(), graph.ops().end());
  for (auto op = ops.rbegin(); op != ops.rend(); ++op)
    if (auto &stage = (*op)->placement().stage; !stage)
      stage = stageOfReaders(**op);
  for (Op *op : ops) {
    Placement &place = op->placement();
    place.stage =
        std::max(place.stage.value_or(0), stageOfOperands(*op).value_or(0));
    if (const auto ipu = ipus.find(*place.stage);
        ipu != ipus.end() && !place.ipu)
      place.ipu = ipu->second;
  }
}

std::string whyNotOverlapped(const Graph &graph) {
  const UsersByMemory users(graph);
  for (const Op *op : graph.ops()) {
    for (std::size_t i = 0; i != op->inputs().size(); ++i)
      if (op->hasInput(i) && op->effect(i).modifies)
        if (const Op *other = users.inOtherStage(op->input(i), stageOf(*op)))
          return fmt::format("'{}' is changed in stage {}, by {}, and used in "
                             "stage {}, by {}",
                             op->input(i).name, stageOf(*op), op->describe(),
                             stageOf(*other), other->describe());
    for (const Op *before : op->runsAfter())
      if (stageOf(*before) > stageOf(*op))
        return fmt::format("{} has to run after {}, which is in a later stage",
                           op->describe(), before->describe());
  }
  return {};
}

std::size_t orderStages(Module &module, const PassOptions &) {
  Graph &main = module.main();
  fillStages(main);
  std::vector<Op *> ops(main.ops().begin(), main.ops().end());
  std::ranges::stable_sort(ops, {}, [](const Op *op) { return stageOf(*op); });
  for (Op *op : ops)
    main.moveBefore(*op, nullptr);
  return ops.size();
}

} // namespace populus::popir
