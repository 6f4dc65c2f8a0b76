// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Table of node kinds: the user's name for the kind, and the kind of step that
// stands for it in an executable.

#ifndef POPULUS_LIB_POPLAR_GRAPH_NODEKINDS_H
#define POPULUS_LIB_POPLAR_GRAPH_NODEKINDS_H

#include "lib/Poplar/Graph/ProgramNode.h"

#include "runtime/Format/Executable.h"

#include <optional>

namespace poplar::core {

struct NodeFacts {
  const char *name;
  /// Empty for nodes that become several steps, parts of steps, or none.
  std::optional<populus::runtime::StepKind> step;
};

const NodeFacts &factsOf(ProgramNode::Kind kind);

} // namespace poplar::core

#endif
