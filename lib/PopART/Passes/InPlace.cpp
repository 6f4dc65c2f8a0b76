// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// InPlace: computes the result of an operator in the memory of a dead operand.
// Example: in y = Relu(x), y overwrites x if Relu is the last reader of x and x
// owns its memory, so it is no argument and no view. The new value of a
// variable is computed in the variable's memory if the old value is not read
// later; so are intermediate values on the way to it. Operators that a program
// excludes from the pattern stay as they are.

#include "lib/PopART/IR/Aliases.h"
#include "lib/PopART/IR/Annotations.h"
#include "lib/PopART/IR/Op.h"
#include "lib/PopART/IR/VarUpdate.h"
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
      if (!isExcluded(*op))
        changes += place(*op);
      if (op->inPlace() && op->hasOutput(0))
        if (const Value *variable = variableUnder(op->input(*op->inPlace())))
          variables[&op->output()] = variable;
    }
    return changes;
  }

private:
  /// Computes an operator in place, if that is legal.
  bool place(Op &op) {
    if (op.inPlace())
      return false;
    for (std::size_t i = 0; i != op.inputs().size(); ++i)
      if (op.hasInput(i) && op.canComputeInPlace(i) && isAlone(op, i) &&
          canOverwrite(op.input(i), op)) {
        op.setInPlace(i);
        return true;
      }
    return false;
  }

  static bool isExcluded(const Op &op) {
    const std::vector<std::string> excluded =
        op.attributes().getStrings(annotations::ExcludedPatterns);
    return std::ranges::count(excluded, "InPlace") != 0;
  }

  /// An operator that is not elementwise may read elements after others have
  /// changed, so no second operand may share the memory.
  bool isAlone(const Op &op, std::size_t operand) const {
    if (op.isElementwise())
      return true;
    const auto group = aliases.groupOf(op.input(operand));
    for (std::size_t i = 0; i != op.inputs().size(); ++i)
      if (i != operand && op.hasInput(i) &&
          aliases.groupOf(op.input(i)) == group)
        return false;
    return true;
  }

  bool canOverwrite(const Value &value, const Op &op) const {
    if (value.variable())
      return isUpdatedBy(value, op);
    const Value *variable = variableUnder(value);
    return isDeadAfter(value, op) && (!variable || isUpdatedBy(*variable, op));
  }

  /// The variable whose memory holds a value, if any.
  const Value *variableUnder(const Value &value) const {
    if (value.variable())
      return &value;
    const auto found = variables.find(&value);
    return found == variables.end() ? nullptr : found->second;
  }

  bool isDeadAfter(const Value &value, const Op &op) const {
    return value.producer() && value.resultNumber() == 0 &&
           value.producer()->ownsResult() && isReadUntil(value, op);
  }

  /// True if the memory of a value is not read after `last`, and `last` is its
  /// only writer.
  bool isReadUntil(const Value &value, const Op &last) const {
    return std::ranges::none_of(
        sharing.at(aliases.groupOf(value)), [&](const Value *shared) {
          return shared->isGraphResult() ||
                 std::ranges::any_of(shared->uses(), [&](const Use &use) {
                   return use.user != &last &&
                          (!use.user->isBefore(last) || writes(use) ||
                           use.user->inPlace() == use.operand);
                 });
        });
  }

  /// True if `op` computes the new value of a variable, or an intermediate of
  /// it that dies there, and the variable's memory is not read after `op`
  /// except by the update.
  bool isUpdatedBy(const Value &variable, const Op &op) const {
    const auto update =
        std::ranges::find_if(variable.uses(), [&](const Use &use) {
          return isVarUpdate(*use.user) && use.operand == 0;
        });
    if (update == variable.uses().end())
      return false;
    const Op &writer = *update->user;
    const bool isNewValue = &writer.input(1) == &op.output();
    if (!isNewValue && !(op.isBefore(writer) && op.ownsResult() &&
                         isReadUntil(op.output(), writer)))
      return false;
    const Value *updated = writer.hasOutput(0) ? &writer.output() : nullptr;
    return std::ranges::all_of(
        sharing.at(aliases.groupOf(variable)), [&](const Value *value) {
          // The host reads results after the update.
          if (value->isGraphResult() && value != updated &&
              value != &op.output() && value != &variable)
            return false;
          return std::ranges::all_of(value->uses(), [&](const Use &use) {
            return use.user == &op || use.user == &writer ||
                   use.user->isBefore(op) ||
                   // Readers after the update want the new value.
                   (value == updated && !writes(use));
          });
        });
  }

  static bool writes(const Use &use) {
    return use.user->effect(use.operand).modifies;
  }

  Graph &graph;
  /// Aliases before the pass.
  Aliases aliases;
  std::unordered_map<const Value *, std::vector<const Value *>> sharing;
  /// By value, the variable whose memory holds it so far.
  std::unordered_map<const Value *, const Value *> variables;
};

} // namespace

std::size_t computeInPlace(Graph &graph) { return InPlace(graph).run(); }

} // namespace populus::popir
