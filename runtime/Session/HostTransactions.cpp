// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/Session/HostTransactions.h"

#include "runtime/Session/TensorIo.h"
#include "runtime/Target/Timing.h"

#include <vector>

namespace populus::runtime {

namespace {

bool isStreamCopy(const Step &step) {
  return step.kind == StepKind::StreamToDevice ||
         step.kind == StepKind::DeviceToStream;
}

/// Counts the sequences and other steps that have each step as a child.
std::vector<std::uint32_t> countParents(const Executable &program) {
  std::vector<std::uint32_t> parents(program.steps.size());
  for (const Step &step : program.steps)
    for (std::uint32_t child : step.children)
      ++parents[child];
  return parents;
}

} // namespace

// A run ends where the kind of step changes. A step with several parents has no
// single predecessor, so it begins a run.
HostTransactions::HostTransactions(const Executable &program) {
  const std::vector<std::uint32_t> parents = countParents(program);
  for (const Step &step : program.steps) {
    if (step.kind != StepKind::Sequence)
      continue;
    const std::span<const std::uint32_t> children = step.children;
    for (std::size_t begin = 0, end; begin < children.size(); begin = end) {
      const StepKind kind = program.steps[children[begin]].kind;
      end = begin + 1;
      while (end != children.size() && parents[children[end]] == 1 &&
             program.steps[children[end]].kind == kind)
        ++end;
      if (end - begin != 1 && isStreamCopy(program.steps[children[begin]]))
        addRun(program, children.subspan(begin, end - begin));
    }
  }
}

void HostTransactions::addRun(const Executable &program,
                              std::span<const std::uint32_t> copies) {
  std::vector<std::uint64_t> bytes(program.numIpus); // of the transactions
  for (std::uint32_t copy : copies)
    for (std::uint32_t ipu = 0; ipu != program.numIpus; ++ipu) {
      const std::uint64_t more =
          hostTrafficOf(program, program.steps[copy].tensor, ipu).bytes;
      const bool continues =
          bytes[ipu] != 0 && bytes[ipu] + more <= timing::MostTransactionBytes;
      if (continues)
        continued[copy].insert(ipu);
      bytes[ipu] = continues ? bytes[ipu] + more : more;
    }
}

} // namespace populus::runtime
