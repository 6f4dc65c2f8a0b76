// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the operands of operators come from, and how long their results are
// needed, in a text of operators: those of several graphs, one after the other,
// null behind each graph. Stretches of the text are compared by it, and what
// their calls would copy is counted, without a look at values.

#ifndef POPULUS_LIB_POPART_PASSES_WIRING_H
#define POPULUS_LIB_POPART_PASSES_WIRING_H

#include "lib/PopART/IR/Op.h"

#include <span>
#include <unordered_map>
#include <vector>

namespace populus::popir {

/// A result of an operator of a stretch.
struct ResultPlace {
  std::size_t op, number;
};

class Wiring {
public:
  explicit Wiring(std::span<Op *const> text);

  /// How many operators from two places on, `length` at most, read the same in
  /// their stretches.
  std::size_t agreement(std::size_t a, std::size_t b, std::size_t length) const;

  /// Calls `visit` with each value that a stretch reads from outside, and its
  /// place among the operands of the stretch.
  template <class Visit>
  void forEachArgument(std::size_t begin, std::size_t length,
                       Visit visit) const {
    const std::size_t base = firstOperand[begin];
    for (std::size_t i = base; i != firstOperand[begin + length]; ++i)
      if (sourceOf(i, begin).kind == Source::New)
        visit(*operands[i].value, i - base);
  }
  const Value &operandOf(std::size_t begin, std::size_t operand) const {
    return *operands[firstOperand[begin] + operand].value;
  }

  /// The results that one of the stretches at least gives to operators outside
  /// of it or to the host.
  std::vector<ResultPlace> resultsOf(std::span<const std::size_t> begins,
                                     std::size_t length) const;

private:
  using Places = std::unordered_map<const Op *, std::int64_t>;

  struct Operand {
    Value *value;
    std::int64_t producer = -1; // its place in the text
    std::size_t result = 0;     // of the producer
    std::int64_t previous = -1; // the operand before that has the same value
  };

  struct Source {
    enum Kind { Missing, Inside, Again, New } kind;
    std::int64_t number = 0;
    std::size_t result = 0;
    bool operator==(const Source &) const = default;
  };

  void addOperands(const Op &op, const Places &placeOf,
                   std::unordered_map<const Value *, std::int64_t> &last);
  static std::vector<std::int64_t> lastUsesOf(const Op &op,
                                              const Places &placeOf);
  /// Where operand `i` of the text comes from in the stretch from `begin` on.
  Source sourceOf(std::size_t i, std::size_t begin) const;

  std::vector<Operand> operands;         // of all operators in order
  std::vector<std::size_t> firstOperand; // by place
  /// By place and result, the place of the last operator that reads it.
  std::vector<std::vector<std::int64_t>> lastUses;
};

} // namespace populus::popir

#endif
