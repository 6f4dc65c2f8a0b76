// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The facts about each kind of step, from the rows of StepKinds.def: the
// meaning of its index, the number of its bodies, its use of tensors, and its
// cost.

#ifndef POPULUS_RUNTIME_FORMAT_STEPKINDS_H
#define POPULUS_RUNTIME_FORMAT_STEPKINDS_H

#include "runtime/Format/Executable.h"

#include <string>

namespace populus::runtime {

enum class TensorUse : std::uint8_t {
  Nothing,
  Read,
  Written,  // all of it
  Modified, // read and written
};

inline constexpr bool isWritten(TensorUse use) {
  return use == TensorUse::Written || use == TensorUse::Modified;
}

struct StepFacts {
  enum IndexOf : std::uint8_t {
    Other, // a count, or nothing
    OfComputeSets,
    OfExchanges,
    OfSteps,
    OfStreams,
    OfRemoteBuffers,
    OfHostFunctions,
  };
  enum Children : std::int8_t { AnyNumber = -1, PerValueAndOne = -2 };

  /// Who pays for a step. The times are in Session/StepCost.cpp.
  enum Cost : std::uint8_t {
    Free,
    OnItsIpus,
    OnAllIpus,
    Decision, // control code, and the IPUs wait for each other
    Own,      // a formula of its own
  };

  StepKind kind;
  IndexOf index = Other;
  std::int8_t children = 0; // how many, or one of the numbers above
  TensorUse tensor = TensorUse::Nothing;
  /// The use of the tensors in `tensors`; for a host function, its inputs.
  TensorUse tensors = TensorUse::Nothing;
  Cost cost = Free;
};

/// Returns the facts of a kind; null if the kind does not exist.
const StepFacts *factsOf(StepKind kind);

/// A kind as ipu-run prints it: "stream in".
const char *shortName(StepKind kind);

/// The name of what a step works on, such as a compute set or a stream; else
/// its own name, which may be empty.
const std::string &targetOf(const Executable &executable, const Step &step);

/// Calls visit(tensor, use) for what a step names in `tensor` and `tensors`.
/// Its index and tensors have to be valid.
template <typename Function>
void forEachTensor(const Executable &exe, const Step &step, Function visit) {
  const StepFacts &facts = *factsOf(step.kind);
  if (facts.tensor != TensorUse::Nothing) {
    // The first stamp writes the count, the second what has passed since.
    const bool isFirstStamp =
        step.kind == StepKind::CycleStamp && !step.stampsDifference();
    visit(step.tensor, isFirstStamp ? TensorUse::Written : facts.tensor);
  }
  const std::size_t inputs =
      facts.index == StepFacts::OfHostFunctions
          ? exe.hostFunctions[step.hostFunction()].inputs.size()
          : step.tensors.size();
  for (std::size_t i = 0; i != step.tensors.size(); ++i)
    if (const TensorUse use = i < inputs ? facts.tensors : TensorUse::Written;
        use != TensorUse::Nothing)
      visit(step.tensors[i], use);
}

} // namespace populus::runtime

#endif
