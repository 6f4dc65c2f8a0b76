// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements of a tensor: constants, repeated elements, and their runs in
// variables.

#include "lib/Poplar/Graph/Access.h"
#include "lib/Poplar/Graph/Quarters.h"
#include "lib/Poplar/Support/Types.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace poplar {

using core::Access;
using core::Run;

namespace {

/// Marks the elements of a tensor, by variable; returns false at the first that
/// is marked already.
class ElementSet {
public:
  bool insert(const Run &run) {
    std::vector<bool> &marks = marksOf(run);
    for (std::uint64_t i = 0; i != run.count; ++i) {
      auto mark = marks[index(run, i)];
      if (mark)
        return false;
      mark = true;
    }
    return true;
  }
  bool containsAny(const Run &run) const {
    auto it = variables.find(run.variable);
    if (it == variables.end())
      return false;
    for (std::uint64_t i = 0; i != run.count; ++i)
      if (index(run, i) < it->second.size() && it->second[index(run, i)])
        return true;
    return false;
  }
  void mark(const Run &run) {
    std::vector<bool> &marks = marksOf(run);
    for (std::uint64_t i = 0; i != run.count; ++i)
      marks[index(run, i)] = true;
  }

private:
  static std::size_t index(const Run &run, std::uint64_t i) {
    return run.offset + static_cast<std::int64_t>(i) * run.stride;
  }
  std::vector<bool> &marksOf(const Run &run) {
    std::vector<bool> &marks = variables[run.variable];
    const std::size_t last = std::max(index(run, 0), index(run, run.count - 1));
    if (marks.size() <= last)
      marks.resize(last + 1);
    return marks;
  }

  std::map<std::uint32_t, std::vector<bool>> variables;
};

} // namespace

bool Tensor::isParallelWriteable() const {
  return !containsConstant() && !containsAliases();
}

bool Tensor::containsAliases() const {
  // Range of elements that a run spans. Usually the ranges are disjoint and
  // need no closer check.
  struct Span {
    std::uint32_t variable;
    std::int64_t first, last;
  };
  const std::vector<Run> runs = Access::view(*this).runs();
  std::vector<Span> spans;
  bool allDense = true;
  for (const Run &run : runs) {
    if (run.stride == 0 && run.count > 1)
      return true;
    const std::int64_t end =
        run.offset + static_cast<std::int64_t>(run.count - 1) * run.stride;
    spans.push_back(
        {run.variable, std::min(run.offset, end), std::max(run.offset, end)});
    allDense &= run.count == 1 || run.stride == 1 || run.stride == -1;
  }
  std::sort(spans.begin(), spans.end(), [](const Span &a, const Span &b) {
    return std::tie(a.variable, a.first) < std::tie(b.variable, b.first);
  });
  const auto meet = [](const Span &a, const Span &b) {
    return a.variable == b.variable && a.last >= b.first;
  };
  if (std::adjacent_find(spans.begin(), spans.end(), meet) == spans.end())
    return false;
  if (allDense)
    return true;
  ElementSet seen;
  for (const Run &run : runs)
    if (!seen.insert(run))
      return true;
  return false;
}

bool Tensor::containsConstant() const {
  const core::TensorView &v = Access::view(*this);
  const auto isConstant = [&](std::uint32_t variable) {
    return v.graph->variables[variable].isConstant;
  };
  if (!v.base->containsConstant(isConstant))
    return false;
  bool constant = false;
  v.forEachRun(
      [&](const Run &run) { constant = constant || isConstant(run.variable); });
  return constant;
}

bool Tensor::isContiguous() const {
  std::size_t intervals = 0;
  Access::view(*this).forEachInterval([&](auto...) { ++intervals; });
  return intervals <= 1;
}

std::vector<Interval> Tensor::getContiguousRegions() const {
  std::vector<Interval> result;
  std::size_t position = 0;
  Access::view(*this).forEachInterval(
      [&](std::uint32_t, std::uint64_t, std::uint64_t count) {
        result.emplace_back(position, position + count);
        position += count;
      });
  return result;
}

std::vector<VariableInterval> Tensor::getVarRegions() const {
  std::vector<VariableInterval> result;
  Access::view(*this).forEachInterval(
      [&](std::uint32_t variable, std::uint64_t begin, std::uint64_t count) {
        result.push_back({{variable}, Interval(begin, begin + count)});
      });
  return result;
}

bool Tensor::intersectsWith(const Tensor &other) const {
  ElementSet mine;
  Access::view(*this).forEachRun([&](const Run &run) { mine.mark(run); });
  bool intersects = false;
  Access::view(other).forEachRun([&](const Run &run) {
    intersects = intersects || mine.containsAny(run);
  });
  return intersects;
}

bool Tensor::getConstantNumber(double &number) const {
  if (numElements() != 1 || !containsConstant())
    return false;
  bool isKnown = false;
  view->forEachRun([&](const Run &run) {
    const core::Variable &variable = view->graph->variables[run.variable];
    // Replicas may have values of their own.
    isKnown =
        variable.data.size() == variable.numElements * core::sizeOf(view->type);
    if (!isKnown)
      return;
    const std::uint8_t *element =
        variable.data.data() + run.offset * core::sizeOf(view->type);
    if (view->type != QUARTER) {
      number = static_cast<double>(core::deviceNumber(view->type, element));
      return;
    }
    const auto metadata = core::fixedMetadata(*view);
    isKnown = metadata.has_value();
    if (isKnown)
      number = core::quarterNumber(*element, *metadata);
  });
  return isKnown;
}

} // namespace poplar
