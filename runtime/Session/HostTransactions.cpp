// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/Session/HostTransactions.h"

#include "runtime/Session/TensorIo.h"
#include "runtime/Target/Timing.h"

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

// A step with several parents has no single predecessor, so it begins a
// transaction.
HostTransactions::HostTransactions(const Executable &program)
    : program(program), previous(program.steps.size(), None) {
  const std::vector<std::uint32_t> parents = countParents(program);
  for (const Step &step : program.steps) {
    if (step.kind != StepKind::Sequence)
      continue;
    for (std::size_t i = 1; i < step.children.size(); ++i) {
      const std::uint32_t before = step.children[i - 1];
      const std::uint32_t copy = step.children[i];
      if (isStreamCopy(program.steps[copy]) &&
          program.steps[before].kind == program.steps[copy].kind &&
          parents[copy] == 1)
        previous[copy] = before;
    }
  }
}

bool HostTransactions::continues(std::uint32_t step, std::uint32_t ipu) const {
  std::vector<std::uint32_t> copies; // from this one back to the first
  for (std::uint32_t at = step; at != None; at = previous[at])
    copies.push_back(at);
  std::uint64_t bytes = 0; // of the transaction so far
  bool continues = false;
  for (auto copy = copies.rbegin(); copy != copies.rend(); ++copy) {
    const std::uint64_t more =
        hostTrafficOf(program, program.steps[*copy].tensor, ipu).bytes;
    continues = bytes != 0 && bytes + more <= timing::MostTransactionBytes;
    bytes = continues ? bytes + more : more;
  }
  return continues;
}

} // namespace populus::runtime
