// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Edges of a text of operators, as indices: the producer of each operand, and
// the last reader of each result. The text is the operators of several graphs,
// one graph after the other, with null behind each. It allows to compare the
// edges of two stretches, and to count the copies of their calls, quickly.

#ifndef POPULUS_LIB_POPART_PASSES_WIRING_H
#define POPULUS_LIB_POPART_PASSES_WIRING_H

#include "lib/PopART/IR/Op.h"

#include <span>
#include <unordered_map>
#include <vector>

namespace populus::popir {

/// A result of a stretch: operator and result number.
struct ResultPlace {
  std::size_t op, number;
};

class Wiring {
public:
  explicit Wiring(std::span<Op *const> text);

  /// The length, at most `length`, of the common prefix of two stretches whose
  /// edges agree.
  std::size_t agreement(std::size_t a, std::size_t b, std::size_t length) const;

  /// Calls `visit` with each distinct value that a stretch reads from outside,
  /// and its index among the operands of the stretch.
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

  /// Results that are read outside of their stretch or by the host, in at least
  /// one of the stretches.
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
  /// The source of operand `i`, seen from the stretch that starts at `begin`.
  Source sourceOf(std::size_t i, std::size_t begin) const;

  std::vector<Operand> operands;         // of all operators in order
  std::vector<std::size_t> firstOperand; // by place
  /// By place and result, the place of its last reader.
  std::vector<std::vector<std::int64_t>> lastUses;
};

} // namespace populus::popir

#endif
