// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shape arithmetic of operators.

#include "lib/PopART/Ops/Shape/Shapes.h"

#include <fmt/format.h>

#include <algorithm>

namespace populus::popir {

void checkFloat(const Op &op) {
  DataType type = op.input(0).info.type;
  if (!isFloatingPoint(type))
    op.failUnsupported(fmt::format("it computes with {}; only floating point "
                                   "is supported",
                                   name(type)));
}

void checkSameTypes(const Op &op, std::size_t begin, std::size_t end) {
  const DataType type = op.input(begin).info.type;
  for (std::size_t i = begin; i != end; ++i)
    if (op.hasInput(i) && op.input(i).info.type != type)
      op.failInput(fmt::format("its operands have types {} and {}; cast one of "
                               "them",
                               name(type), name(op.input(i).info.type)));
}

std::int64_t normalAxis(const Op &op, std::int64_t axis, std::int64_t rank,
                        std::int64_t extra) {
  if (axis < -rank || axis >= rank + extra)
    op.failInput(
        fmt::format("axis {} is out of range for {} dimensions", axis, rank));
  return axis < 0 ? axis + rank : axis;
}

std::vector<std::int64_t> normalAxes(const Op &op,
                                     const std::vector<std::int64_t> &axes,
                                     std::int64_t rank) {
  std::vector<std::int64_t> result;
  for (std::int64_t axis : axes)
    result.push_back(normalAxis(op, axis, rank));
  std::sort(result.begin(), result.end());
  if (std::adjacent_find(result.begin(), result.end()) != result.end())
    op.failInput("its axes name a dimension twice");
  return result;
}

std::optional<std::vector<std::int64_t>> axesOf(const Op &op) {
  if (op.version() >= 13)
    return op.hasInput(1)
               ? std::optional(op.constantInput(1, "list of axes").toInts())
               : std::nullopt;
  return op.attributes().has("axes")
             ? std::optional(op.attributes().getInts("axes"))
             : std::nullopt;
}

Shape broadcastShape(const Op &op, const Shape &a, const Shape &b) {
  Shape result(std::max(a.size(), b.size()));
  for (std::size_t i = 0; i != result.size(); ++i) { // from the last dimension
    std::int64_t left = i < a.size() ? a[a.size() - 1 - i] : 1;
    std::int64_t right = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (left != right && left != 1 && right != 1)
      op.failInput(fmt::format("shapes {} and {} do not go together",
                               toString(a), toString(b)));
    result[result.size() - 1 - i] = left == 1 ? right : left;
  }
  return result;
}

std::int64_t product(const Shape &shape, std::size_t begin, std::size_t end) {
  std::int64_t result = 1;
  for (std::size_t i = begin; i < end; ++i)
    result *= shape[i];
  return result;
}

std::vector<std::int64_t> strides(const Shape &shape) {
  std::vector<std::int64_t> result(shape.size(), 1);
  for (std::size_t i = shape.size(); i-- > 1;)
    result[i - 1] = result[i] * shape[i];
  return result;
}

} // namespace populus::popir
