// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table.

#include "lib/Poplar/Graph/NodeKinds.h"

namespace poplar::core {

namespace {

using populus::runtime::StepKind;

/// By kind.
constexpr NodeFacts Facts[] = {
#define NODE(KIND, NAME, STEP) {NAME, StepKind::STEP},
#define NODE_WITHOUT_STEP(KIND, NAME) {NAME, {}},
#include "lib/Poplar/Graph/ProgramNodes.def"
};

} // namespace

const NodeFacts &factsOf(ProgramNode::Kind kind) { return Facts[kind]; }

const char *kindName(ProgramNode::Kind kind) { return factsOf(kind).name; }

} // namespace poplar::core
