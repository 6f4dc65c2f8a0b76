// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks over the steps of the control program, each of which is looked at once,
// however often it runs.

#include "runtime/Session/CycleEstimate.h"

#include "runtime/Session/ExchangePlan.h"
#include "runtime/Session/TensorIo.h"
#include "runtime/Target/Timing.h"

#include <algorithm>
#include <optional>
#include <string>

namespace populus::runtime {

namespace {

Cycles &operator+=(Cycles &sum, const Cycles &more) {
  sum.total += more.total;
  sum.compute += more.compute;
  sum.exchange += more.exchange;
  sum.sync += more.sync;
  sum.host += more.host;
  return sum;
}

Cycles times(std::uint64_t count, Cycles cycles) {
  cycles.total *= count;
  cycles.compute *= count;
  cycles.exchange *= count;
  cycles.sync *= count;
  cycles.host *= count;
  return cycles;
}

Cycles computing(std::uint64_t cycles) {
  Cycles result;
  result.total = result.compute = cycles;
  return result;
}

class Estimator {
public:
  explicit Estimator(const Executable &program)
      : program(program), target(targetOf(program)),
        known(program.steps.size()) {}

  const Cycles &of(std::uint32_t step) {
    if (!known[step])
      known[step] = cost(program.steps[step]);
    return *known[step];
  }

private:
  Cycles cost(const Step &step) {
    switch (step.kind) {
    case StepKind::Sequence:
      return sum(step.children);
    case StepKind::Execute:
      return computing(compute(program.computeSets[step.index]));
    case StepKind::Exchange:
      return exchange(program.exchanges[step.index]);
    case StepKind::StreamToDevice:
    case StepKind::DeviceToStream:
      return transfer({step.tensor});
    case StepKind::Repeat: {
      Cycles body = of(step.children[0]);
      body += computing(timing::ControlCycles);
      return times(step.index, body);
    }
    case StepKind::RepeatWhile: {
      Cycles cycles = times(2, of(step.children[0]));
      cycles += of(step.children[1]);
      cycles += computing(2 * timing::ControlCycles);
      return cycles;
    }
    case StepKind::If:
    case StepKind::Switch: {
      Cycles cycles = longest(step.children);
      cycles += computing(timing::ControlCycles);
      return cycles;
    }
    case StepKind::Call:
      return of(step.index);
    case StepKind::Sync:
      return syncing(step.index == 0 ? timing::internalSyncCycles(target)
                                     : timing::globalSyncCycles(target));
    case StepKind::RemoteToDevice:
    case StepKind::DeviceToRemote: {
      std::vector<std::uint32_t> tensors = step.tensors;
      tensors.push_back(step.tensor);
      return transfer(tensors);
    }
    case StepKind::HostCall:
      return transfer(step.tensors);
    case StepKind::AbortIf:
    case StepKind::CycleStamp:
    case StepKind::FloatControl:
    case StepKind::FloatRestore:
    case StepKind::ReadSeeds:
    case StepKind::WriteSeeds:
      return computing(timing::ControlCycles);
    case StepKind::Print:
    case StepKind::Abort:
      break;
    }
    return {};
  }

  Cycles sum(const std::vector<std::uint32_t> &steps) {
    Cycles result;
    for (std::uint32_t step : steps)
      result += of(step);
    return result;
  }

  Cycles longest(const std::vector<std::uint32_t> &steps) {
    Cycles result;
    for (std::uint32_t step : steps)
      if (of(step).total > result.total)
        result = of(step);
    return result;
  }

  static Cycles syncing(std::uint64_t cycles) {
    Cycles result;
    result.total = result.sync = cycles;
    return result;
  }

  /// Of the slowest tile.
  std::uint64_t compute(const ComputeSet &computeSet) const {
    std::uint64_t slowest = 0;
    for (std::uint32_t i = 0; i != computeSet.tiles.count; ++i) {
      const Range range =
          program.tileVertices[computeSet.tiles.first + i].vertices;
      timing::TileSchedule schedule;
      for (std::uint32_t k = 0; k != range.count; ++k) {
        const Vertex &vertex = program.vertices[range.first + k];
        if (program.vertexTypes[vertex.type].kind == VertexKind::Worker)
          schedule.add(vertex.estimate);
        else
          schedule.addAlone(vertex.estimate);
      }
      slowest = std::max(slowest, schedule.finish());
    }
    return slowest;
  }

  Cycles exchange(const Exchange &exchange) const {
    const ExchangeCost cost =
        costOf(target, program.tilesPerIpu,
               {program.copyPieces.data() + exchange.pieces.first,
                exchange.pieces.count});
    Cycles result = syncing(cost.syncCycles);
    result.exchange = cost.cycles;
    result.total += cost.cycles;
    return result;
  }

  Cycles transfer(const std::vector<std::uint32_t> &tensors) const {
    Cycles result = syncing(timing::globalSyncCycles(target));
    for (std::uint32_t tensor : tensors)
      result.host += timing::hostTransferCycles(
          target, tensorBytes(program.tensors[tensor]),
          busiestTileBytes(program, tensor));
    result.total += result.host;
    return result;
  }

  const Executable &program;
  const TargetInfo target;
  std::vector<std::optional<Cycles>> known;
};

} // namespace

Cycles estimateCycles(const Executable &executable, std::uint32_t index) {
  if (index >= executable.programs.size())
    throw RunError("program " + std::to_string(index) +
                   " does not exist; the executable has " +
                   std::to_string(executable.programs.size()));
  if (executable.device == DeviceKind::Cpu)
    return {};
  return Estimator(executable).of(executable.programs[index]);
}

} // namespace populus::runtime
