// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table.

#include "runtime/Format/StepKinds.h"

#include <iterator>

namespace populus::runtime {

namespace {

using enum TensorUse;
using F = StepFacts;

/// The facts of each StepKind.
constexpr StepFacts Facts[] = {
    {StepKind::Sequence, F::Other, F::AnyNumber},
    {StepKind::Execute, F::OfComputeSets},
    {StepKind::Exchange, F::OfExchanges},
    {StepKind::StreamToDevice, F::OfStreams, 0, Written},
    {StepKind::DeviceToStream, F::OfStreams, 0, Read},
    {StepKind::Repeat, F::Other, 1},
    {StepKind::RepeatWhile, F::Other, 2, Read},
    {StepKind::If, F::Other, 2, Read},
    {StepKind::Switch, F::Other, F::PerValueAndOne, Read},
    {StepKind::Call, F::OfSteps},
    {StepKind::Print, F::Other, 0, Read},
    {StepKind::Sync},
    {StepKind::Abort},
    {StepKind::AbortIf, F::Other, 0, Read},
    {StepKind::CycleStamp, F::Other, 0, Modified},
    {StepKind::RemoteToDevice, F::OfRemoteBuffers, 0, Written, Read},
    {StepKind::DeviceToRemote, F::OfRemoteBuffers, 0, Read, Read},
    {StepKind::HostCall, F::OfHostFunctions, 0, Nothing, Read},
    {StepKind::FloatControl, F::Other, 0, Nothing, Written},
    {StepKind::FloatRestore, F::Other, 0, Read},
    {StepKind::ReadSeeds, F::Other, 0, Written},
    {StepKind::WriteSeeds, F::Other, 0, Read},
};
static_assert(std::size(Facts) == NumStepKinds);

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

} // namespace populus::runtime
