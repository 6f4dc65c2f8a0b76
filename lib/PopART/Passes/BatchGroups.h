// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order in which SerializeBatch runs a graph: whole operators and groups of
// sliced ones by turns. Turn 0, 2, … are whole operators, turn 1, 3, … groups.
// An operator has the first turn in which its operands are there:
//
//   an operand from         of a sliced operator    of a whole one
//   a whole operator        the next turn           the same turn
//   a slice of the group    the same turn           the next turn
//   another slice           the next group's turn   the next turn

#ifndef POPULUS_LIB_POPART_PASSES_BATCHGROUPS_H
#define POPULUS_LIB_POPART_PASSES_BATCHGROUPS_H

#include "lib/PopART/IR/Aliases.h"
#include "lib/PopART/Passes/BatchRules.h"
#include "lib/PopART/Passes/SerializeBatch.h"

#include <map>
#include <tuple>
#include <unordered_map>

namespace populus::popir {

class BatchGroups {
public:
  /// `batch` is the extent of axis 0 of the inputs that are cut.
  BatchGroups(Graph &graph, const BatchSlices &slices, std::int64_t batch);

  using Ops = std::vector<Op *>;
  /// By turn: a list of operators for each group, or one of whole operators.
  const std::map<int, std::vector<Ops>> &turns() const { return opsOfTurns; }

  bool isSliced(const Op &op) const { return rules.contains(&op); }
  const SlicedOp &ruleOf(const Op &op) const { return rules.at(&op); }
  std::size_t numSliced() const { return rules.size(); }

  /// True if operand `i` of a sliced operator is the slice that its producer
  /// has computed, of this group or an earlier one.
  bool takesSlice(const Op &op, std::size_t i) const;
  /// The axis of a value that is a result of a sliced operator or an input.
  std::optional<BatchAxis> axisOf(const Value &value) const;

private:
  using Place = std::tuple<std::int64_t, std::int64_t, std::int64_t>;
  Place placeOf(const Op &op) const;
  void visit(Op &op);
  int turnOf(const Op &op, bool sliced) const;
  int turnAfter(const Op &op, bool sliced, std::size_t operand) const;
  int turnByMemory(const Op &op, bool sliced) const;
  void remember(const Op &op, int turn);

  const BatchSlices &slices;
  const std::int64_t batch;
  const Aliases aliases;
  std::unordered_map<const Op *, SlicedOp> rules;
  std::unordered_map<const Op *, int> turnOfOp;
  std::unordered_map<const Value *, BatchAxis> axes;
  /// By memory, the last turns that read and write it.
  std::unordered_map<const Value *, int> reads, writes;
  /// The last turn of an operator with an effect or a state of its own.
  int lastEffect = 0;
  std::map<int, std::vector<Ops>> opsOfTurns;
  std::map<std::pair<int, Place>, std::size_t> groupOfPlace;
};

} // namespace populus::popir

#endif
