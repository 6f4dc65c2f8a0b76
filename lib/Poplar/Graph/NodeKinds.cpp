// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table.

#include "lib/Poplar/Graph/NodeKinds.h"

#include <iterator>

namespace poplar::core {

namespace {

using populus::runtime::StepKind;

/// By kind.
constexpr NodeFacts Facts[] = {
    {ProgramNode::Sequence, "Sequence", {}},
    {ProgramNode::Execute, "Execute", {}},
    {ProgramNode::Copy, "Copy", {}},
    {ProgramNode::StreamToDevice, "StreamCopy", StepKind::StreamToDevice},
    {ProgramNode::DeviceToStream, "StreamCopy", StepKind::DeviceToStream},
    {ProgramNode::Repeat, "Repeat", StepKind::Repeat},
    {ProgramNode::RepeatWhile, "RepeatWhile", StepKind::RepeatWhile},
    {ProgramNode::If, "If", StepKind::If},
    {ProgramNode::Switch, "Switch", StepKind::Switch},
    {ProgramNode::Call, "Call", StepKind::Call},
    {ProgramNode::Print, "PrintTensor", StepKind::Print},
    {ProgramNode::WriteUndef, "WriteUndef", StepKind::Sequence}, // empty
    {ProgramNode::Sync, "Sync", StepKind::Sync},
    {ProgramNode::Abort, "Abort", StepKind::Abort},
    {ProgramNode::AbortIf, "AbortOnCondition", StepKind::AbortIf},
    {ProgramNode::CycleStamp, "CycleStamp", StepKind::CycleStamp},
    {ProgramNode::RemoteToDevice, "RemoteCopy", StepKind::RemoteToDevice},
    {ProgramNode::DeviceToRemote, "RemoteCopy", StepKind::DeviceToRemote},
    {ProgramNode::CrossReplica, "CrossReplicaCopy", {}},
    {ProgramNode::HostCall, "HostCall", StepKind::HostCall},
    {ProgramNode::AssumeEqual, "AssumeEqualAcrossReplicas", {}},
    {ProgramNode::FloatControl, "SetFloatingPointBehaviour",
     StepKind::FloatControl},
    {ProgramNode::FloatRestore, "SetFloatingPointBehaviour",
     StepKind::FloatRestore},
    {ProgramNode::ReadSeeds, "GetHwSeeds", StepKind::ReadSeeds},
    {ProgramNode::WriteSeeds, "SetHwSeeds", StepKind::WriteSeeds},
};

constexpr bool areInOrder() {
  for (std::size_t i = 0; i != std::size(Facts); ++i)
    if (static_cast<std::size_t>(Facts[i].kind) != i)
      return false;
  return true;
}
static_assert(areInOrder());
static_assert(std::size(Facts) == ProgramNode::WriteSeeds + 1);

} // namespace

const NodeFacts &factsOf(ProgramNode::Kind kind) { return Facts[kind]; }

const char *kindName(ProgramNode::Kind kind) { return factsOf(kind).name; }

} // namespace poplar::core
