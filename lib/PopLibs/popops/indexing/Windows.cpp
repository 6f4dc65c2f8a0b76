// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Views and index arithmetic of general gathers and scatters.

#include "lib/PopLibs/popops/indexing/Windows.h"

#include "lib/PopLibs/popops/indexing/SliceOperands.h"

#include <popops/ElementWise.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/Util.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>

using namespace poplar;
using namespace poplar::program;

namespace popops {
namespace {

using Sizes = std::vector<std::size_t>;

std::size_t product(const Sizes &sizes) {
  std::size_t result = 1;
  for (std::size_t size : sizes)
    result *= size;
  return result;
}

} // namespace

Windows::Windows(const Tensor &operandIn, Sizes sizesIn,
                 std::vector<unsigned> indexedIn)
    : operand(operandIn), sizes(std::move(sizesIn)),
      indexed(std::move(indexedIn)), order(indexed) {
  for (unsigned i = 0; i != operand.rank(); ++i) {
    if (std::find(indexed.begin(), indexed.end(), i) != indexed.end())
      continue;
    order.push_back(i);
    operand = operand.slice(0, sizes[i], i);
  }
}

Sizes Windows::rowExtents() const {
  Sizes extents;
  for (unsigned dim : indexed)
    extents.push_back(operand.dim(dim));
  return extents;
}

std::size_t Windows::rowsOfWindow() const {
  std::size_t rows = 1;
  for (unsigned dim : indexed)
    rows *= sizes[dim];
  return rows;
}

std::size_t Windows::columns() const {
  return product(sizes) / std::max<std::size_t>(1, rowsOfWindow());
}

Tensor Windows::table() const {
  return operand.dimShuffle(order).reshape(
      {1, product(rowExtents()), columns()});
}

Tensor Windows::rowNumbers(Graph &graph, const Tensor &indices, Sequence &prog,
                           const DebugContext &debugContext) const {
  const std::size_t count = indices.dim(0), rows = rowsOfWindow();
  if (rows == 1)
    return flattenIndices(graph, indices, rowExtents(), prog, debugContext)
        .reshape({1, count});
  Sizes window;
  for (unsigned dim : indexed)
    window.push_back(sizes[dim]);
  std::vector<unsigned> offsets;
  for (std::size_t i = 0; i != rows; ++i)
    for (std::size_t at : poputil::unflattenIndex(window, i))
      offsets.push_back(static_cast<unsigned>(at));
  const Tensor places = graph.addConstant<unsigned>(
      UNSIGNED_INT, {1, rows, indexed.size()}, offsets, debugContext);
  poputil::mapTensorLinearly(graph, places);
  const Tensor all = add(graph, asIndices(indices).expand({1}), places, prog,
                         {debugContext, "Window"});
  return flattenIndices(graph, all, rowExtents(), prog, debugContext)
      .reshape({1, count * rows});
}

Sizes Windows::orderedSizes() const {
  Sizes ordered;
  for (unsigned dim : order)
    ordered.push_back(sizes[dim]);
  return ordered;
}

Tensor Windows::toWindows(const Tensor &rows) const {
  Sizes shape = orderedSizes();
  const std::size_t count =
      rows.dim(1) / std::max<std::size_t>(1, rowsOfWindow());
  shape.insert(shape.begin(), count);
  std::vector<unsigned> permutation(order.size() + 1, 0);
  for (unsigned i = 0; i != order.size(); ++i)
    permutation[order[i] + 1] = i + 1;
  return rows.reshape(shape).dimShuffle(permutation);
}

Tensor Windows::toRows(const Tensor &windows) const {
  std::vector<unsigned> permutation{0};
  for (unsigned dim : order)
    permutation.push_back(dim + 1);
  return windows.dimShuffle(permutation)
      .reshape({1, windows.dim(0) * rowsOfWindow(), 1, columns()});
}

Tensor asIndexVectors(const Tensor &indices, std::size_t indexVectorDim) {
  if (indexVectorDim > indices.rank())
    throw poputil::poplibs_error(
        "popops: the index vectors are said to lie along dimension " +
        std::to_string(indexVectorDim) + " of indices of shape " +
        indices.shapeToString());
  const Tensor vectors =
      indexVectorDim == indices.rank()
          ? indices.expand({indexVectorDim})
          : indices.dimRoll(indexVectorDim, indices.rank() - 1);
  return vectors.flatten(0, vectors.rank() - 1);
}

Sizes batchShape(const Tensor &indices, std::size_t indexVectorDim) {
  Sizes shape = indices.shape();
  if (indexVectorDim < shape.size())
    shape.erase(shape.begin() + indexVectorDim);
  return shape;
}

} // namespace popops
