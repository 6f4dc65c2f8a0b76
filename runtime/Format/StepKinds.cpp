// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table.

#include "runtime/Format/StepKinds.h"

#include <iterator>

namespace populus::runtime {

namespace {

using enum TensorUse;
using enum StepFacts::IndexOf;
using enum StepFacts::Children;
using enum StepFacts::Cost;

/// The facts of each StepKind.
constexpr StepFacts Facts[] = {
#define STEP(NUMBER, KIND, INDEX, CHILDREN, TENSOR, TENSORS, COST, ...)        \
  {.kind = StepKind::KIND,                                                     \
   .index = INDEX,                                                             \
   .children = CHILDREN,                                                       \
   .tensor = TENSOR,                                                           \
   .tensors = TENSORS,                                                         \
   .cost = COST},
#include "runtime/Format/StepKinds.def"
};

constexpr bool areInOrder() {
  for (std::size_t i = 0; i != std::size(Facts); ++i)
    if (static_cast<std::size_t>(Facts[i].kind) != i)
      return false;
  return true;
}
static_assert(areInOrder());

} // namespace

const StepFacts *factsOf(StepKind kind) {
  const auto number = static_cast<std::size_t>(kind);
  return number < std::size(Facts) ? &Facts[number] : nullptr;
}

const char *shortName(StepKind kind) {
  constexpr const char *Names[] = {
#define STEP(NUMBER, KIND, INDEX, CHILDREN, TENSOR, TENSORS, COST, ACTIVITY,   \
             TYPE, LABEL, SHORT)                                               \
  SHORT,
#include "runtime/Format/StepKinds.def"
  };
  return Names[static_cast<std::size_t>(kind)];
}

const std::string &targetOf(const Executable &executable, const Step &step) {
  switch (factsOf(step.kind)->index) {
  case OfComputeSets:
    return executable.computeSets[step.computeSet()].name;
  case OfExchanges:
    return executable.exchanges[step.exchange()].name;
  case OfStreams:
    return executable.streams[step.stream()].handle;
  case OfRemoteBuffers:
    return executable.remoteBuffers[step.remoteBuffer()].handle;
  case OfHostFunctions:
    return executable.hostFunctions[step.hostFunction()].handle;
  case OfSteps:
  case Other:
    break;
  }
  return step.name;
}

} // namespace populus::runtime
