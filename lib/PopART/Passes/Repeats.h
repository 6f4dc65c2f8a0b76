// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stretches of operators that graphs have several times: layers and blocks of a
// network. Two stretches are the same if one piece of code could run both:
// their operators agree one by one, and so do the edges between them. What they
// read from outside are the arguments of that code.

#ifndef POPULUS_LIB_POPART_PASSES_REPEATS_H
#define POPULUS_LIB_POPART_PASSES_REPEATS_H

#include "lib/PopART/Passes/Pass.h"
#include "lib/PopART/Passes/Wiring.h"

namespace populus::popir {

/// What a stretch of operators, one after the other in the graph, reads.
struct Stretch {
  std::vector<Op *> ops;
  /// Values from outside, in the order of their first use.
  std::vector<Value *> arguments;

  Value *result(ResultPlace place) const {
    return ops[place.op]->outputs()[place.number];
  }
};

/// Stretches that are the same.
struct Repeat {
  std::vector<Stretch> stretches;
  /// The arguments that are the same constant in all of them.
  std::vector<bool> isShared;
  std::vector<ResultPlace> results;
};

/// The repeats that it pays to make functions of, the best first; no operator
/// is in two. A stretch lies in one graph, others that are the same may lie in
/// another.
std::vector<Repeat> findRepeats(std::span<Graph *const> graphs,
                                const OutlineOptions &options);

} // namespace populus::popir

#endif
