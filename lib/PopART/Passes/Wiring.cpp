// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value is the same in two stretches if it is the same result of the same
// operator of each, or if each reads it first at the same operand. Two numbers
// for each operand say that: the place of its producer, and the last operand
// before it that has the same value.

#include "lib/PopART/Passes/Wiring.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace populus::popir {

Wiring::Wiring(std::span<Op *const> text) {
  Places placeOf;
  for (std::size_t i = 0; i != text.size(); ++i)
    placeOf[text[i]] = static_cast<std::int64_t>(i);
  std::unordered_map<const Value *, std::int64_t> last;
  for (const Op *op : text) {
    firstOperand.push_back(operands.size());
    lastUses.emplace_back();
    if (!op)
      continue;
    lastUses.back() = lastUsesOf(*op, placeOf);
    addOperands(*op, placeOf, last);
  }
  firstOperand.push_back(operands.size());
}

void Wiring::addOperands(
    const Op &op, const Places &placeOf,
    std::unordered_map<const Value *, std::int64_t> &last) {
  for (Value *value : op.inputs()) {
    Operand operand{value};
    if (value && value->producer()) {
      operand.producer = placeOf.at(value->producer());
      operand.result = value->resultNumber();
    }
    const auto number = static_cast<std::int64_t>(operands.size());
    auto [before, isFirst] = last.try_emplace(value, number);
    operand.previous = isFirst ? -1 : std::exchange(before->second, number);
    operands.push_back(operand);
  }
}

std::vector<std::int64_t> Wiring::lastUsesOf(const Op &op,
                                             const Places &placeOf) {
  std::vector<std::int64_t> last;
  for (const Value *result : op.outputs()) {
    last.push_back(-1);
    if (!result)
      continue;
    if (result->isGraphResult())
      last.back() = std::numeric_limits<std::int64_t>::max();
    else
      for (const Use &use : result->uses())
        last.back() = std::max(last.back(), placeOf.at(use.user));
  }
  return last;
}

Wiring::Source Wiring::sourceOf(std::size_t i, std::size_t begin) const {
  const Operand &operand = operands[i];
  if (!operand.value)
    return {Source::Missing};
  const auto first = static_cast<std::int64_t>(begin);
  if (operand.producer >= first)
    return {Source::Inside, operand.producer - first, operand.result};
  const auto base = static_cast<std::int64_t>(firstOperand[begin]);
  if (operand.previous >= base)
    return {Source::Again, operand.previous - base};
  return {Source::New};
}

std::size_t Wiring::agreement(std::size_t a, std::size_t b,
                              std::size_t length) const {
  for (std::size_t k = 0; k != length; ++k) {
    const std::size_t count = firstOperand[a + k + 1] - firstOperand[a + k];
    for (std::size_t i = 0; i != count; ++i)
      if (sourceOf(firstOperand[a + k] + i, a) !=
          sourceOf(firstOperand[b + k] + i, b))
        return k;
  }
  return length;
}

std::vector<ResultPlace> Wiring::resultsOf(std::span<const std::size_t> begins,
                                           std::size_t length) const {
  std::vector<ResultPlace> results;
  for (std::size_t k = 0; k != length; ++k)
    for (std::size_t i = 0; i != lastUses[begins.front() + k].size(); ++i)
      if (std::ranges::any_of(begins, [&](std::size_t begin) {
            return lastUses[begin + k][i] >=
                   static_cast<std::int64_t>(begin + length);
          }))
        results.push_back({k, i});
  return results;
}

} // namespace populus::popir
