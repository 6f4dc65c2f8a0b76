// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names.

#include "lib/Profile/Names.h"

#include <iterator>

namespace populus::profile {

using namespace runtime;

const char *programType(StepKind kind) {
  switch (kind) {
  case StepKind::Sequence:
    return "Sequence";
  case StepKind::Execute:
    return "OnTileExecute";
  case StepKind::Exchange:
    return "DoExchange";
  case StepKind::StreamToDevice:
  case StepKind::DeviceToStream:
  case StepKind::Print:
    return "StreamCopy";
  case StepKind::Repeat:
    return "Repeat";
  case StepKind::RepeatWhile:
    return "RepeatWhile";
  case StepKind::If:
    return "IfElse";
  case StepKind::Switch:
    return "Switch";
  case StepKind::Call:
    return "Call";
  case StepKind::Sync:
    return "Sync";
  case StepKind::Abort:
    return "Abort";
  case StepKind::AbortIf:
    return "AbortIf";
  case StepKind::CycleStamp:
    return "CycleStamp";
  case StepKind::RemoteToDevice:
  case StepKind::DeviceToRemote:
    return "RemoteCopy";
  case StepKind::HostCall:
    return "HostFunction";
  case StepKind::FloatControl:
  case StepKind::FloatRestore:
    return "SetFloatingPointBehaviour";
  case StepKind::ReadSeeds:
    return "GetHwSeeds";
  case StepKind::WriteSeeds:
    return "SetHwSeeds";
  }
  return "Unknown";
}

namespace {

/// By MemoryCategory.
constexpr const char *CategoryNames[] = {
    "variable",          "constant",
    "message",           "outputEdge",
    "rearrangement",     "vertexInstanceState",
    "vertexFieldData",   "vertexCode",
    "controlCode",       "internalExchangeCode",
    "hostExchangeCode",  "stack",
    "sharedDataStorage",
};
static_assert(std::size(CategoryNames) ==
              static_cast<std::size_t>(MemoryCategory::Count));

constexpr const char *CategoryLabels[] = {
    "Variables",
    "Constants",
    "Internal Exchange Message Buffers",
    "Output Edge Buffers",
    "Data Rearrangement Buffers",
    "Vertex Instances",
    "Vertex Field Data",
    "Vertex Code",
    "Control Code",
    "Internal Exchange Code",
    "Host Exchange Code",
    "Stack",
    "Shared Data",
};
static_assert(std::size(CategoryLabels) == std::size(CategoryNames));

} // namespace

const char *categoryName(MemoryCategory category) {
  return CategoryNames[static_cast<std::size_t>(category)];
}

const char *categoryLabel(MemoryCategory category) {
  return CategoryLabels[static_cast<std::size_t>(category)];
}

} // namespace populus::profile
