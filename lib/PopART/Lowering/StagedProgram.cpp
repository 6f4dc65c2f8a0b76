// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stages, slots, and the cycles that call them.

#include "lib/PopART/Lowering/StagedProgram.h"

#include "lib/PopART/IR/Stage.h"

#include <popops/ElementWise.hpp>

#include <algorithm>

namespace populus::popir {

using poplar::program::Call;
using poplar::program::Copy;
using poplar::program::Repeat;
using poplar::program::Sequence;
using poplar::program::Switch;

namespace pe = popops::expr;

// ---- Stashes ----------------------------------------------------------------

/// A stash of one slot needs no counter: its tensor is invalid.
const poplar::Tensor &Stashes::counter(Key key, poplar::Graph &graph) {
  Counter &counter = counters[key];
  counter.graph = &graph;
  if (!counter.slot.valid() && key.second != 1) {
    counter.slot = graph.addVariable(poplar::INT, {1}, "pipeline/slot");
    graph.setTileMapping(counter.slot, 0);
    graph.setInitialValue(counter.slot, 0);
  }
  return counter.slot;
}

void Stashes::addAtSlot(
    Key key, poplar::Graph &graph, Sequence &program,
    const std::function<poplar::program::Program(std::size_t)> &at) {
  if (key.second == 1)
    return program.add(at(0));
  // The last slot is the default: an empty default would involve IPU 0.
  const std::int64_t last = key.second - 1;
  Switch choice(counter(key, graph)[0], at(static_cast<std::size_t>(last)),
                "pipeline/slot");
  for (std::int64_t slot = 0; slot != last; ++slot)
    choice.add(static_cast<std::int32_t>(slot),
               at(static_cast<std::size_t>(slot)));
  program.add(choice);
}

void Stashes::restore(const Op &op, poplar::Graph &graph,
                      const poplar::Tensor &value, const poplar::Tensor &copy,
                      Sequence &program) {
  const std::int64_t depth = op.attributes().getInt("depth", 1);
  const std::int64_t stage = *op.placement().stage;
  if (value.numElements() == 0)
    return;
  Stash stash{value, {}};
  for (std::int64_t slot = 0; slot != depth; ++slot)
    stash.slots.push_back(graph.clone(copy, op.output().name + "/stash"));
  addAtSlot({stage, depth}, graph, program, [&](std::size_t slot) {
    return Copy(stash.slots[slot], copy, false, op.name());
  });
  const Key key{stage - depth, depth};
  counter(key, graph);
  stashes[key].push_back(std::move(stash));
}

void Stashes::finish(std::int64_t stage, Sequence &program) {
  for (const auto &[key, list] : stashes)
    if (key.first == stage)
      addAtSlot(key, *counters[key].graph, program, [&](std::size_t slot) {
        Sequence stores;
        for (const Stash &stash : list)
          stores.add(
              Copy(stash.value, stash.slots[slot], false, "pipeline/stash"));
        return stores;
      });
  for (const auto &[key, counter] : counters)
    if (key.first == stage && counter.slot.valid())
      popops::mapInPlace(
          *counter.graph,
          pe::Rem(pe::_1 + pe::Const(1),
                  pe::Const(static_cast<std::int32_t>(key.second))),
          {counter.slot}, program, "pipeline/slot");
}

// ---- Stages -----------------------------------------------------------------

StagedProgram::StagedProgram(const Graph &ir, Lowering &lowering,
                             SharedLowering &shared)
    : ir(ir), lowering(lowering), shared(shared), seed(shared.seed) {
  std::int64_t last = 0;
  for (const Op *op : ir.ops())
    last = std::max(last, op->placement().stage.value_or(0));
  stages.resize(static_cast<std::size_t>(last) + 1);
}

void StagedProgram::addLoad(const Value &argument,
                            const poplar::program::Program &load) {
  stages[static_cast<std::size_t>(stageOf(argument))].loads.add(load);
}

Sequence &StagedProgram::endOf(const Value &result) {
  return stages[static_cast<std::size_t>(stageOf(result))].body;
}

/// True for a copy between IPUs that reads what an earlier stage has computed,
/// and for the restoration of what such a copy reads.
bool StagedProgram::isCopyOfLastCycle(const Op &op) {
  if (op.id().type == "Restore")
    return std::ranges::all_of(op.output().users(), [](const Op *user) {
      return user->id().type == "IpuCopy";
    });
  if (op.id().type != "IpuCopy")
    return false;
  const Op *producer = op.input(0).producer();
  return producer && (producer->placement().stage != op.placement().stage ||
                      producer->id().type == "Restore");
}

void StagedProgram::beginStage(std::int64_t stage) {
  poplar::Graph &graph = shared.root;
  Stage &begun = stages[static_cast<std::size_t>(stage)];
  begun.seed = graph.addVariable(poplar::UNSIGNED_INT, {2}, SeedHandle);
  graph.setTileMapping(begun.seed, 0);
  shared.seed = begun.seed;
  randomOpsBefore = shared.randomOps;
}

void StagedProgram::lowerOps(const std::function<void(const Op &)> &lower) {
  shared.stashes = &stashes;
  std::optional<std::int64_t> current;
  for (const Op *op : ir.ops()) {
    const std::int64_t number = *op->placement().stage;
    Stage &stage = stages[static_cast<std::size_t>(number)];
    if (current != number)
      beginStage(number);
    current = number;
    const Sequence code = lowering.nested([&] { lower(*op); });
    if (!isCopyOfLastCycle(*op))
      stage.body.add(code);
    else if (op->id().type == "Restore")
      stage.restores.add(code);
    else
      stage.copies.emplace_back(lowering.input(*op, 0),
                                lowering.get(op->output()));
    stage.isRandom |= shared.randomOps != randomOpsBefore;
  }
  shared.stashes = nullptr;
  shared.seed = seed;
  if (std::ranges::any_of(stages, &Stage::isRandom))
    seed = shared.useSeed();
}

void StagedProgram::makeFunctions() {
  for (std::size_t i = 0; i != stages.size(); ++i) {
    Stage &stage = stages[i];
    stashes.finish(static_cast<std::int64_t>(i), stage.body);
    if (stage.isRandom)
      popops::mapInPlace(shared.root, pe::_1 + pe::Const(1U),
                         {stage.seed.slice(1, 2)}, stage.body, {SeedHandle});
    stage.copy = shared.root.addFunction(copiesOf(i, i));
    Sequence compute = stage.loads;
    compute.add(stage.body);
    stage.compute = shared.root.addFunction(compute);
  }
}

/// The copies of values that stages computed in the last cycle: one exchange
/// for each type.
Sequence StagedProgram::copiesOf(std::size_t first, std::size_t last) const {
  Sequence program;
  std::map<std::string,
           std::pair<std::vector<poplar::Tensor>, std::vector<poplar::Tensor>>>
      byType;
  for (std::size_t i = last + 1; i-- != first;) {
    program.add(stages[i].restores);
    for (const auto &[from, to] : stages[i].copies) {
      auto &[sources, targets] = byType[from.elementType().toString()];
      sources.push_back(from.flatten());
      targets.push_back(to.flatten());
    }
  }
  for (const auto &[type, tensors] : byType)
    program.add(Copy(poplar::concat(tensors.first),
                     poplar::concat(tensors.second), false, "pipeline/copies"));
  return program;
}

/// A cycle of all stages has its own code for the copies, which is one
/// exchange with one sync.
Sequence StagedProgram::cycle(std::size_t first, std::size_t last) const {
  Sequence program;
  if (last + 1 - first == stages.size()) {
    program.add(copiesOf(first, last));
  } else {
    for (std::size_t i = last + 1; i-- != first;)
      program.add(Call(stages[i].copy, {"pipeline/copies"}));
  }
  for (std::size_t i = last + 1; i-- != first;)
    program.add(Call(stages[i].compute, {"pipeline/stage"}));
  return program;
}

void StagedProgram::seedStages(Sequence &program) const {
  for (const Stage &stage : stages)
    if (stage.isRandom)
      program.add(Copy(seed, stage.seed, false, SeedHandle));
}

void StagedProgram::countMicroBatches(unsigned count, Sequence &program) {
  if (seed.valid())
    popops::mapInPlace(shared.root, pe::_1 + pe::Const(count),
                       {seed.slice(1, 2)}, program, {SeedHandle});
}

Sequence StagedProgram::run(unsigned microBatches) {
  if (!std::exchange(hasFunctions, true))
    makeFunctions();
  Sequence program;
  seedStages(program);
  const std::size_t count = stages.size();
  const std::size_t cycles = microBatches + count - 1;
  for (std::size_t i = 0; i != cycles; ++i) {
    const std::size_t first = i < microBatches ? 0 : i + 1 - microBatches;
    const std::size_t last = std::min(i, count - 1);
    if (i + 1 == count && microBatches > count) {
      program.add(Repeat(static_cast<unsigned>(microBatches + 1 - count),
                         cycle(first, last)));
      i = microBatches - 1;
    } else {
      program.add(cycle(first, last));
    }
  }
  countMicroBatches(microBatches, program);
  return program;
}

} // namespace populus::popir
