// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks over the steps of the control program, each of which is looked at once,
// however often it runs.

#include "runtime/Session/CycleEstimate.h"

#include "runtime/Session/StepCost.h"
#include "runtime/Target/Timing.h"

#include <algorithm>
#include <optional>
#include <string>

namespace populus::runtime {

namespace {

class Estimator {
public:
  explicit Estimator(const Executable &program)
      : program(program), costs(program), known(program.steps.size()) {}

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
      return compute(program.computeSets[step.index]);
    case StepKind::Exchange:
      return costs.exchange(program.exchanges[step.index]);
    case StepKind::StreamToDevice:
    case StepKind::DeviceToStream:
      return costs.transfer({&step.tensor, 1});
    case StepKind::Repeat: {
      Cycles body = of(step.children[0]);
      body += costs.control();
      return body * step.index;
    }
    case StepKind::RepeatWhile: {
      Cycles test = of(step.children[0]);
      test += costs.control();
      Cycles cycles = test * 2;
      cycles += of(step.children[1]);
      return cycles;
    }
    case StepKind::If:
    case StepKind::Switch: {
      Cycles cycles = longest(step.children);
      cycles += costs.control();
      return cycles;
    }
    case StepKind::Call:
      return of(step.index);
    case StepKind::Sync:
      return costs.sync(step.index);
    case StepKind::RemoteToDevice:
    case StepKind::DeviceToRemote: {
      std::vector<std::uint32_t> tensors = step.tensors;
      tensors.push_back(step.tensor);
      return costs.transfer(tensors);
    }
    case StepKind::HostCall:
      return costs.transfer(step.tensors);
    case StepKind::AbortIf:
    case StepKind::CycleStamp:
    case StepKind::FloatControl:
    case StepKind::FloatRestore:
    case StepKind::ReadSeeds:
    case StepKind::WriteSeeds:
      return costs.control();
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

  /// Of the slowest tile.
  Cycles compute(const ComputeSet &computeSet) const {
    Cycles cycles;
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
      cycles.compute = std::max(cycles.compute, schedule.finish());
    }
    return cycles.addUp();
  }

  const Executable &program;
  const StepCost costs;
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
