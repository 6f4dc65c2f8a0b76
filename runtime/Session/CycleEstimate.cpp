// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks over the control program as a session would and advances the same
// clocks. A loop is walked until two rounds have taken each IPU the same time;
// the rest of its rounds take that, too. Such a state comes soon: with one IPU
// the second round takes as long as the first, with a pipeline of n stages the
// n-th or so.

#include "runtime/Session/CycleEstimate.h"

#include "runtime/Session/CycleAccount.h"
#include "runtime/Session/StepCost.h"
#include "runtime/Target/Timing.h"

#include <algorithm>
#include <string>

namespace populus::runtime {

namespace {

/// Rounds after which a loop counts as steady in any case.
constexpr std::uint32_t MostRounds = 64;

class Estimator {
public:
  explicit Estimator(const Executable &program)
      : program(program), costs(program), workParts(program.steps.size()),
        clocks(costs.ioTiles().clocks(), {}) {}

  Cycles run(std::uint32_t step) {
    walk(step);
    clocks.addDecision(costs.ioTiles().meetings());
    return clocks.stats().cycles;
  }

private:
  void walk(std::uint32_t index) {
    const Step &step = program.steps[index];
    switch (step.kind) {
    case StepKind::Sequence:
      for (std::uint32_t child : step.children)
        walk(child);
      return;
    case StepKind::Execute:
      return clocks.addStep(index, work(index));
    case StepKind::Repeat:
      return repeat(index, step);
    case StepKind::RepeatWhile:
      for (std::uint32_t child : {0, 1, 0}) {
        walk(step.children[child]);
        if (child == 0)
          decide(index);
      }
      return;
    case StepKind::If:
    case StepKind::Switch:
      decide(index);
      return walkLongest(step.children);
    case StepKind::Call:
      return walk(step.function());
    case StepKind::Print:
    case StepKind::Abort:
      return;
    default:
      return clocks.addStep(index, costs.of(index));
    }
  }

  void decide(std::uint32_t index) { clocks.addDecision(costs.of(index)); }

  void repeat(std::uint32_t index, const Step &step) {
    std::vector<Cycles> before = clocks.cycles();
    std::vector<Cycles> lastRound;
    for (std::uint32_t i = 0; i != step.repeatCount(); ++i) {
      decide(index);
      walk(step.children[0]);
      std::vector<Cycles> after = clocks.cycles();
      std::vector<Cycles> round = after;
      for (std::size_t ipu = 0; ipu != round.size(); ++ipu)
        round[ipu] -= before[ipu];
      if (round == lastRound || i == MostRounds)
        return clocks.skip(round, step.repeatCount() - i - 1);
      lastRound = std::move(round);
      before = std::move(after);
    }
  }

  void walkLongest(const std::vector<std::uint32_t> &branches) {
    const CycleAccount begin = clocks;
    CycleAccount longest = begin;
    for (std::uint32_t branch : branches) {
      clocks = begin;
      walk(branch);
      if (clocks.now() > longest.now())
        longest = clocks;
    }
    clocks = std::move(longest);
  }

  /// The parts of a compute set, each as long as the IPU's slowest tile.
  std::span<const StepPart> work(std::uint32_t step) {
    std::vector<StepPart> &parts = workParts[step];
    if (!parts.empty())
      return parts;
    const ComputeSet &set =
        program.computeSets[program.steps[step].computeSet()];
    for (const TileVertices &tile :
         std::span(program.tileVertices)
             .subspan(set.tiles.first, set.tiles.count)) {
      const std::uint32_t ipu = tile.tile / program.tilesPerIpu;
      if (parts.empty() || parts.back().ipus.front() != ipu)
        parts.push_back({{ipu}});
      Cycles &spent = parts.back().spent;
      spent.compute = std::max(spent.compute, cyclesOf(tile));
      spent.addUp();
    }
    if (parts.empty())
      parts.push_back({{0}});
    return parts;
  }

  std::uint64_t cyclesOf(const TileVertices &tile) const {
    timing::TileSchedule schedule;
    for (std::uint32_t i = 0; i != tile.vertices.count; ++i) {
      const Vertex &vertex = program.vertices[tile.vertices.first + i];
      if (program.vertexTypes[vertex.type].kind == VertexKind::Worker)
        schedule.add(vertex.estimate);
      else
        schedule.addAlone(vertex.estimate);
    }
    return schedule.finish();
  }

  const Executable &program;
  StepCost costs;
  std::vector<std::vector<StepPart>> workParts; // by step, when first needed
  CycleAccount clocks;
};

} // namespace

Cycles estimateCycles(const Executable &executable, std::uint32_t index) {
  if (index >= executable.programs.size())
    throw RunError("program " + std::to_string(index) +
                   " does not exist; the executable has " +
                   std::to_string(executable.programs.size()));
  if (executable.device == DeviceKind::Cpu)
    return {};
  return Estimator(executable).run(executable.programs[index]);
}

} // namespace populus::runtime
