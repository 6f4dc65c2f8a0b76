// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds repeated operator sequences of graphs, such as the layers of a network.
// Two sequences (`Stretch`) are equal if one function could run both: their
// operators agree one by one, and so do the edges between them. Values that
// they read from outside are the arguments of the function.

#ifndef POPULUS_LIB_POPART_PASSES_REPEATS_H
#define POPULUS_LIB_POPART_PASSES_REPEATS_H

#include "lib/PopART/Passes/Pass.h"
#include "lib/PopART/Passes/Wiring.h"

namespace populus::popir {

/// Consecutive operators of a graph, and their operands from outside.
struct Stretch {
  std::vector<Op *> ops;
  /// Values from outside, in the order of their first use.
  std::vector<Value *> arguments;

  Value *result(ResultPlace place) const {
    return ops[place.op]->outputs()[place.number];
  }
};

/// Equal stretches.
struct Repeat {
  std::vector<Stretch> stretches;
  /// By argument: true if it is the same constant in all of them.
  std::vector<bool> isShared;
  std::vector<ResultPlace> results;
};

/// The repeats that pay as functions, best first. No operator is in two of
/// them. Equal stretches may lie in different graphs.
std::vector<Repeat> findRepeats(std::span<Graph *const> graphs,
                                const PassOptions &options);

} // namespace populus::popir

#endif
