// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A run inside of a row reads a part of the columns, any other one whole rows.

#include "lib/PopLibs/poplin/planning/ConvRun.h"

namespace poplin {

std::size_t positionsOf(const ConvShape &conv) {
  return conv.batch * conv.y.output * conv.x.output;
}

std::size_t RunShape::inputRows() const {
  std::size_t sum = 0;
  for (const ConvDim &y : rows)
    sum += y.input;
  return sum;
}

ConvRun::ConvRun(const ConvShape &conv, std::size_t begin, std::size_t end) {
  const std::size_t rowSize = conv.x.output, imageRows = conv.y.output;
  const std::size_t first = begin / rowSize, last = (end - 1) / rowSize;
  shape.columns = conv.x;
  shape.skipped = begin - first * rowSize;
  shape.count = end - begin;
  columns = {0, conv.x.input};
  if (first == last) {
    const std::size_t column = shape.skipped;
    columns = inputRows(conv.x, column, column + shape.count);
    shape.columns = blockDim(conv.x, column, column + shape.count, columns);
    shape.skipped = 0;
  }
  for (std::size_t i = first / imageRows; i <= last / imageRows; ++i) {
    const std::size_t from = std::max(first, i * imageRows) - i * imageRows;
    const std::size_t to =
        std::min(last + 1, (i + 1) * imageRows) - i * imageRows;
    const PartRange read = inputRows(conv.y, from, to);
    shape.rows.push_back(blockDim(conv.y, from, to, read));
    images.push_back({i, read});
  }
}

} // namespace poplin
