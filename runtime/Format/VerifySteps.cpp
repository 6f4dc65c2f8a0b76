// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kind of a step tells what its index, tensors and children refer to
// (StepKinds.h); what only one kind has is checked by a function of its own.
// Steps call each other without a cycle and not too deep.

#include "runtime/Format/SequenceKinds.h"
#include "runtime/Format/StepKinds.h"
#include "runtime/Format/VerifyChecks.h"

#include <algorithm>

namespace populus::runtime {

namespace {

/// Deeper nesting than a program needs; the runtime walks steps recursively.
constexpr std::uint32_t DeepestStep = 4096;

class StepVerifier : VerifyChecks {
public:
  explicit StepVerifier(const Executable &executable)
      : VerifyChecks(executable) {}

  void verifyAll() {
    for (std::size_t i = 0; i != exe.steps.size(); ++i)
      verifyStep(i);
    for (std::size_t i = 0; i != exe.programs.size(); ++i)
      checkIndex(exe.programs[i], exe.steps.size(), "program", i);
    std::vector<std::uint32_t> depth(exe.steps.size(), NotVisited);
    for (std::uint32_t root : exe.programs)
      stepDepth(root, depth, 0);
  }

private:
  /// Returns the number of children that a step must have.
  static std::size_t numChildren(const StepFacts &facts, const Step &step) {
    switch (facts.children) {
    case StepFacts::AnyNumber:
      return step.children.size();
    case StepFacts::PerValueAndOne:
      return step.values.size() + 1;
    default:
      return static_cast<std::size_t>(facts.children);
    }
  }

  /// Returns the size of the array that an index refers to; the largest number
  /// if it refers to none.
  std::size_t numIndices(StepFacts::IndexOf index) const {
    switch (index) {
    case StepFacts::OfComputeSets:
      return exe.computeSets.size();
    case StepFacts::OfExchanges:
      return exe.exchanges.size();
    case StepFacts::OfSteps:
      return exe.steps.size();
    case StepFacts::OfStreams:
      return exe.streams.size();
    case StepFacts::OfRemoteBuffers:
      return exe.remoteBuffers.size();
    case StepFacts::OfHostFunctions:
      return exe.hostFunctions.size();
    case StepFacts::Other:
      break;
    }
    return ~std::size_t(0);
  }

  void verifyStep(std::size_t i) {
    const Step &step = exe.steps[i];
    const StepFacts *facts = factsOf(step.kind);
    if (!facts)
      fail("a step of an unknown kind");
    const std::size_t children = numChildren(*facts, step);
    if (step.children.size() != children)
      fail("step " + number(i) + " has " + number(step.children.size()) +
           " children instead of " + number(children));
    for (std::uint32_t child : step.children)
      checkIndex(child, exe.steps.size(), "step", i);
    if (facts->tensor != TensorUse::Nothing)
      checkIndex(step.tensor, exe.tensors.size(), "step", i);
    for (std::uint32_t tensor : step.tensors)
      checkIndex(tensor, exe.tensors.size(), "step", i);
    checkIndex(step.index, numIndices(facts->index), "step", i);
    verifyOperands(i);
  }

  /// Checks the operands that only one kind has.
  void verifyOperands(std::size_t i) {
    const Step &step = exe.steps[i];
    constexpr auto Kinds = static_cast<std::uint32_t>(SequenceKind::Count);
    if (step.kind == StepKind::Sequence && step.index >= Kinds)
      fail("sequence " + number(i) + " is of an unknown kind");
    else if (step.kind == StepKind::StreamToDevice)
      verifyTransfer(i, StreamDirection::HostToDevice);
    else if (step.kind == StepKind::DeviceToStream)
      verifyTransfer(i, StreamDirection::DeviceToHost);
    else if (step.kind == StepKind::RemoteToDevice ||
             step.kind == StepKind::DeviceToRemote)
      verifyRemoteCopy(i);
    else if (step.kind == StepKind::HostCall)
      verifyHostCall(i);
    else if (step.kind == StepKind::Print)
      verifyPrint(i);
    else if (step.kind == StepKind::FloatControl)
      verifyFloatControl(i);
    else if (step.kind == StepKind::ReadSeeds ||
             step.kind == StepKind::WriteSeeds)
      verifySeeds(i);
    else if (step.kind == StepKind::Switch ||
             step.kind == StepKind::FloatRestore)
      requireWords(step.tensor, i);
    else if (step.kind == StepKind::CycleStamp)
      verifyStamp(i);
  }

  void requireBytes(std::uint32_t tensor, std::uint64_t bytes,
                    std::size_t step) const {
    if (bytesOf(tensor) != bytes)
      fail("the tensor of step " + number(step) + " has " +
           number(bytesOf(tensor)) + " bytes instead of " + number(bytes));
  }

  void verifyPrint(std::size_t i) const {
    constexpr std::size_t FormatValues = 8;
    const std::vector<std::int32_t> &values = exe.steps[i].values;
    if (!values.empty() &&
        (values.size() != FormatValues || values[3] < 0 || values[3] > 100))
      fail("the format of print step " + number(i) + " is wrong");
  }

  void verifyFloatControl(std::size_t i) {
    const Step &step = exe.steps[i];
    if (step.values.size() != 2)
      fail("step " + number(i) + " has " + number(step.values.size()) +
           " values instead of 2");
    for (std::uint32_t tensor : step.tensors)
      requireWords(tensor, i);
  }

  /// Each segment is the row of one tile.
  void verifySeeds(std::size_t i) {
    const Range range = exe.tensors[exe.steps[i].tensor].segments;
    for (std::uint32_t k = 0; k != range.count; ++k)
      if (exe.segments[range.first + k].bytes % target->seedBytes() != 0)
        fail("the seeds of step " + number(i) +
             " are not those of whole tiles");
  }

  /// A word of each replica.
  void requireWords(std::uint32_t tensor, std::size_t step) const {
    if (bytesOf(tensor) == 0 || bytesOf(tensor) % 4 != 0)
      fail("the tensor of step " + number(step) + " has " +
           number(bytesOf(tensor)) + " bytes, which are not whole words");
  }

  void verifyStamp(std::size_t i) {
    requireBytes(exe.steps[i].tensor, 8, i);
    if (exe.steps[i].index > 1)
      fail("step " + number(i) + " is a cycle stamp of unknown kind " +
           number(exe.steps[i].index));
  }

  void verifyTransfer(std::size_t i, StreamDirection direction) {
    const Step &step = exe.steps[i];
    const Stream &stream = exe.streams[step.stream()];
    if (stream.direction != direction)
      fail("step " + number(i) + " uses stream '" + stream.handle +
           "' in the wrong direction");
    requireBytes(step.tensor,
                 stream.numElements * sizeOf(stream.type) * stream.replicas, i);
  }

  void verifyRemoteCopy(std::size_t i) {
    const Step &step = exe.steps[i];
    const RemoteBuffer &buffer = exe.remoteBuffers[step.remoteBuffer()];
    const std::uint64_t row = buffer.numElements * sizeOf(buffer.type);
    const std::uint64_t rows =
        row == 0 ? 0 : bytesOf(step.tensor) / row / buffer.replicas;
    requireBytes(step.tensor, rows * row * buffer.replicas, i);
    if (!step.tensors.empty())
      requireBytes(step.tensors[0], rows * 4 * buffer.replicas, i);
    else if (rows > buffer.numRows)
      fail("step " + number(i) + " copies " + number(rows) +
           " rows of remote buffer '" + buffer.handle + "', which has " +
           number(buffer.numRows));
  }

  void verifyHostCall(std::size_t i) {
    const Step &step = exe.steps[i];
    const HostFunction &function = exe.hostFunctions[step.hostFunction()];
    const std::size_t inputs = function.inputs.size();
    if (step.tensors.size() != inputs + function.outputs.size())
      fail("step " + number(i) + " calls host function '" + function.handle +
           "' with " + number(step.tensors.size()) + " tensors");
    for (std::size_t k = 0; k != step.tensors.size(); ++k) {
      const HostFunctionArgument &argument =
          k < inputs ? function.inputs[k] : function.outputs[k - inputs];
      requireBytes(
          step.tensors[k],
          argument.numElements * sizeOf(argument.type) * function.replicas, i);
    }
  }

  static constexpr std::uint32_t NotVisited = ~std::uint32_t(0);
  static constexpr std::uint32_t InProgress = NotVisited - 1;

  /// Steps below a step, counted along the longest path. Fails on a cycle.
  std::uint32_t stepDepth(std::uint32_t index,
                          std::vector<std::uint32_t> &depth,
                          std::uint32_t above) {
    if (depth[index] == InProgress)
      fail("step " + number(index) + " calls itself");
    if (above > DeepestStep)
      fail("the program is nested more than " + number(DeepestStep) +
           " steps deep");
    if (depth[index] != NotVisited) {
      if (above + depth[index] > DeepestStep)
        fail("the program is nested more than " + number(DeepestStep) +
             " steps deep");
      return depth[index];
    }
    depth[index] = InProgress;
    const Step &step = exe.steps[index];
    std::uint32_t deepest = 0;
    for (std::uint32_t child : step.children)
      deepest = std::max(deepest, stepDepth(child, depth, above + 1) + 1);
    if (step.kind == StepKind::Call)
      deepest =
          std::max(deepest, stepDepth(step.function(), depth, above + 1) + 1);
    return depth[index] = deepest;
  }
};

} // namespace

void verifySteps(const Executable &executable) {
  StepVerifier(executable).verifyAll();
}

} // namespace populus::runtime
