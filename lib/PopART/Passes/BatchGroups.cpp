// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See BatchGroups.h. Memory counts like operands: what is written has to be
// read before, and the other way round.

#include "lib/PopART/Passes/BatchGroups.h"

#include <algorithm>

namespace populus::popir {

namespace {

bool hasState(const Op &op) { return op.isStateful() || op.hasEffect(); }

/// The next turn of whole operators, or of groups.
int nextTurn(int turn, bool sliced) {
  const bool isGroup = turn % 2 != 0;
  return isGroup == sliced ? turn + 2 : turn + 1;
}

} // namespace

BatchGroups::BatchGroups(Graph &graph, const BatchSlices &slices,
                         std::int64_t batch)
    : slices(slices), batch(batch), aliases(graph) {
  for (const Value *input : graph.arguments())
    if (input->info.rank() > 0 && input->info.shape[0] == batch)
      axes[input] = {0, 1};
  for (Op *op : graph.ops())
    visit(*op);
}

std::optional<BatchAxis> BatchGroups::axisOf(const Value &value) const {
  const auto found = axes.find(&value);
  return found == axes.end() ? std::nullopt : std::optional(found->second);
}

BatchGroups::Place BatchGroups::placeOf(const Op &op) const {
  const auto of = [](bool counts, const std::optional<std::int64_t> &number) {
    return counts && number ? *number : -1;
  };
  const Placement &place = op.placement();
  return {of(slices.joinsAtIpus, place.ipu),
          of(slices.joinsAtPhases, place.phase),
          of(slices.joinsAtStages, place.stage)};
}

bool BatchGroups::takesSlice(const Op &op, std::size_t i) const {
  const Value &value = op.input(i);
  const Op *producer = value.producer();
  if (!producer || !isSliced(*producer) || placeOf(*producer) != placeOf(op))
    return false;
  const auto &given = ruleOf(*producer).outputs[value.resultNumber()];
  return given && ruleOf(op).inputs[i] == given;
}

/// The first turn in which an operator can read one of its operands.
int BatchGroups::turnAfter(const Op &op, bool sliced,
                           std::size_t operand) const {
  const Op *producer = op.input(operand).producer();
  if (!producer)
    return sliced ? 1 : 0;
  const int turn = turnOfOp.at(producer);
  const bool isSame = sliced ? isSliced(*producer) && takesSlice(op, operand)
                             : !isSliced(*producer);
  return isSame ? turn : nextTurn(turn, sliced);
}

int BatchGroups::turnByMemory(const Op &op, bool sliced) const {
  int turn = 0;
  const auto after = [&](const std::unordered_map<const Value *, int> &turns,
                         const Value &value) {
    const auto found = turns.find(aliases.groupOf(value));
    if (found == turns.end())
      return;
    const bool isWhole = found->second % 2 == 0;
    turn = std::max(turn, isWhole && !sliced ? found->second
                                             : nextTurn(found->second, sliced));
  };
  for (std::size_t i = 0; i != op.inputs().size(); ++i)
    if (op.hasInput(i)) {
      after(writes, op.input(i));
      if (op.effect(i).modifies)
        after(reads, op.input(i));
    }
  return turn;
}

int BatchGroups::turnOf(const Op &op, bool sliced) const {
  int turn = std::max(sliced ? 1 : 0, turnByMemory(op, sliced));
  for (std::size_t i = 0; i != op.inputs().size(); ++i)
    if (op.hasInput(i))
      turn = std::max(turn, turnAfter(op, sliced, i));
  for (const Op *before : op.runsAfter()) {
    const int known = turnOfOp.at(before);
    turn = std::max(turn, isSliced(*before) ? nextTurn(known, sliced) : known);
  }
  return hasState(op) ? std::max(turn, lastEffect) : turn;
}

void BatchGroups::remember(const Op &op, int turn) {
  turnOfOp[&op] = turn;
  if (hasState(op))
    lastEffect = std::max(lastEffect, turn);
  for (std::size_t i = 0; i != op.inputs().size(); ++i)
    if (op.hasInput(i)) {
      const Value *memory = aliases.groupOf(op.input(i));
      int &last = op.effect(i).modifies ? writes[memory] : reads[memory];
      last = std::max(last, turn);
    }
}

void BatchGroups::visit(Op &op) {
  BatchAxes operands(op.inputs().size());
  for (std::size_t i = 0; i != operands.size(); ++i)
    if (op.hasInput(i))
      operands[i] = axisOf(op.input(i));
  const bool reads = std::ranges::any_of(
      operands, [](const auto &axis) { return axis.has_value(); });
  const std::optional<SlicedOp> rule =
      reads ? slicesOf(op, batch, operands) : std::nullopt;
  if (rule)
    rules.emplace(&op, *rule);
  for (std::size_t i = 0; reads && i != op.outputs().size(); ++i)
    if (op.hasOutput(i)) {
      const Value &value = op.output(i);
      if (rule && rule->outputs[i])
        axes[&value] = *rule->outputs[i];
      else if (!rule && value.info.rank() > 0 && value.info.shape[0] == batch)
        axes[&value] = {0, 1}; // of an operator that needs the whole batch
    }
  const int turn = turnOf(op, rule.has_value());
  remember(op, turn);
  std::vector<Ops> &groups = opsOfTurns[turn];
  const auto [known, isNew] = groupOfPlace.try_emplace(
      {turn, rule ? placeOf(op) : Place()}, groups.size());
  if (isNew)
    groups.emplace_back();
  groups[known->second].push_back(&op);
}

} // namespace populus::popir
