// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// InPlace: an operator computes its result in the memory of an operand that
// nobody reads any more. That is so where an operator alone reads a value, and
// the value has memory of its own: it is no argument and no view. The new value
// of a variable is computed in its memory where nobody else reads the old one
// later. Operators that a program excludes from the pattern stay as they are.

#include "lib/PopART/IR/Aliases.h"
#include "lib/PopART/IR/Op.h"
#include "lib/PopART/Ops/Memory/VarUpdate.h"
#include "lib/PopART/Passes/Passes.h"

#include <algorithm>
#include <unordered_map>

namespace populus::popir {

namespace {

class InPlace {
public:
  explicit InPlace(Graph &graph) : graph(graph), aliases(graph) {
    for (const Value &value : graph.values())
      sharing[aliases.groupOf(value)].push_back(&value);
  }

  std::size_t run() {
    std::size_t changes = 0;
    for (Op *op : graph.ops()) {
      if (isExcluded(*op))
        continue;
      for (std::size_t i = 0; i != op->inputs().size() && !op->inPlace(); ++i)
        if (op->hasInput(i) && op->canComputeInPlace(i) &&
            canOverwrite(op->input(i), *op)) {
          op->setInPlace(i);
          ++changes;
        }
    }
    return changes;
  }

private:
  static bool isExcluded(const Op &op) {
    const std::vector<std::string> excluded =
        op.attributes().getStrings("__exclude_patterns");
    return std::ranges::count(excluded, "InPlace") != 0;
  }

  bool canOverwrite(const Value &value, const Op &op) const {
    return value.variable() ? isUpdatedBy(value, op) : isDeadAfter(value, op);
  }

  static bool isDeadAfter(const Value &value, const Op &op) {
    return !value.isGraphResult() && value.producer() &&
           value.resultNumber() == 0 && value.producer()->ownsResult() &&
           std::ranges::all_of(value.uses(),
                               [&](const Use &use) { return use.user == &op; });
  }

  /// Whether the result of `op` is the new value of a variable, and what lies
  /// in the variable's memory is not read once `op` has begun.
  bool isUpdatedBy(const Value &variable, const Op &op) const {
    const auto update =
        std::ranges::find_if(op.output().uses(), [&](const Use &use) {
          return isVarUpdate(*use.user) && use.operand == 1 &&
                 &use.user->input(0) == &variable;
        });
    if (update == op.output().uses().end())
      return false;
    const Op &writer = *update->user;
    const Value *updated = writer.hasOutput(0) ? &writer.output() : nullptr;
    return std::ranges::all_of(
        sharing.at(aliases.groupOf(variable)), [&](const Value *value) {
          // Results go to the host behind the update.
          if (value->isGraphResult() && value != updated &&
              value != &op.output() && value != &variable)
            return false;
          return std::ranges::all_of(value->uses(), [&](const Use &use) {
            return use.user == &op || use.user == &writer ||
                   use.user->isBefore(op) ||
                   // What is read behind the update is the new value.
                   (value == updated && !writes(use));
          });
        });
  }

  static bool writes(const Use &use) {
    return use.user->effect(use.operand).modifies;
  }

  Graph &graph;
  /// As values shared memory before the pass.
  Aliases aliases;
  std::unordered_map<const Value *, std::vector<const Value *>> sharing;
};

} // namespace

std::size_t computeInPlace(Graph &graph) { return InPlace(graph).run(); }

} // namespace populus::popir
