// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stages of a graph that is pipelined: complete, and able to overlap. The
// order of execution and the stashes follow from them
// (Lowering/StagedProgram.h).

#ifndef POPULUS_LIB_POPART_PASSES_STAGES_H
#define POPULUS_LIB_POPART_PASSES_STAGES_H

#include "lib/PopART/IR/Graph.h"

#include <string>

namespace populus::popir {

/// Gives each operator a stage, no earlier than those of its operands, and
/// the IPU of that stage if it has none.
void fillStages(Graph &graph);

/// The reason why the stages of a graph cannot work on different micro-batches
/// at a time; empty if they can. Example: a micro-batch updates weights that
/// the next one reads in an earlier stage.
std::string whyNotOverlapped(const Graph &graph);

} // namespace populus::popir

#endif
