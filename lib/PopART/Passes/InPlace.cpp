// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// InPlace: an operator computes its result in the memory of an operand that
// nobody reads any more. That is so where an operator alone reads a value, and
// the value has memory of its own: it is no argument, no variable and no view.

#include "lib/PopART/IR/Op.h"
#include "lib/PopART/Passes/Passes.h"

#include <algorithm>

namespace populus::popir {

static bool isDeadAfter(const Value &value, const Op &op) {
  return !value.isGraphResult() && value.producer() &&
         value.resultNumber() == 0 && value.producer()->ownsResult() &&
         std::ranges::all_of(value.uses(),
                             [&](const Use &use) { return use.user == &op; });
}

std::size_t computeInPlace(Graph &graph) {
  std::size_t changes = 0;
  for (Op *op : graph.ops())
    for (std::size_t i = 0; i != op->inputs().size() && !op->inPlace(); ++i)
      if (op->hasInput(i) && op->canComputeInPlace(i) &&
          isDeadAfter(op->input(i), *op)) {
        op->setInPlace(i);
        ++changes;
      }
  return changes;
}

} // namespace populus::popir
