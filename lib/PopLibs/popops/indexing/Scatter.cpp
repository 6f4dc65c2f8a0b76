// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scatters by way of windows: all at once where updates replace, one index
// after the other where a function of the caller combines.

#include "lib/PopLibs/popops/indexing/SliceOperands.h"
#include "lib/PopLibs/popops/indexing/TableAccess.h"
#include "lib/PopLibs/popops/indexing/Windows.h"

#include <popops/Loop.hpp>
#include <popops/Scatter.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>

using namespace poplar;
using namespace poplar::program;
using poputil::poplibs_error;

namespace popops {
namespace {

using Sizes = std::vector<std::size_t>;

template <class List> bool contains(const List &list, std::size_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

/// The updates as [count][window...], a window having the operand's rank.
Tensor asWindows(const Tensor &operand, const Tensor &updates,
                 const std::vector<unsigned> &updateWindowDims,
                 const Sizes &insertWindowDims) {
  if (updateWindowDims.size() + insertWindowDims.size() != operand.rank())
    throw poplibs_error("popops::scatter: windows of " +
                        std::to_string(updateWindowDims.size()) +
                        " dimensions and " +
                        std::to_string(insertWindowDims.size()) +
                        " inserted ones do not go into an operand of shape " +
                        operand.shapeToString());
  std::vector<unsigned> permutation;
  for (unsigned i = 0; i != updates.rank(); ++i)
    if (!contains(updateWindowDims, i))
      permutation.push_back(i);
  const std::size_t batchDims = permutation.size();
  permutation.insert(permutation.end(), updateWindowDims.begin(),
                     updateWindowDims.end());
  if (permutation.size() != updates.rank())
    throw poplibs_error("popops::scatter: the window dimensions do not exist "
                        "in updates of shape " +
                        updates.shapeToString());
  Tensor windows = updates.dimShuffle(permutation);
  windows =
      batchDims == 0 ? windows.expand({0}) : windows.flatten(0, batchDims);
  Sizes inserted = insertWindowDims;
  std::sort(inserted.begin(), inserted.end());
  for (std::size_t dim : inserted)
    windows = windows.expand({dim + 1});
  return windows;
}

Sizes windowSizes(const Tensor &windows) {
  const Sizes shape = windows.shape();
  return Sizes(shape.begin() + 1, shape.end());
}

void checkOperands(const Tensor &operand, const Tensor &vectors,
                   const Tensor &windows,
                   const std::vector<unsigned> &indexed) {
  if (operand.elementType() != windows.elementType())
    throw poplibs_error(
        "popops::scatter: updates of type " + windows.elementType().toString() +
        " for an operand of type " + operand.elementType().toString());
  if (vectors.dim(0) != windows.dim(0) || vectors.dim(1) != indexed.size())
    throw poplibs_error("popops::scatter: " + std::to_string(vectors.dim(0)) +
                        " indices of " + std::to_string(vectors.dim(1)) +
                        " elements for " + std::to_string(windows.dim(0)) +
                        " updates in " + std::to_string(indexed.size()) +
                        " dimensions");
  for (unsigned dim : indexed)
    if (dim >= operand.rank())
      throw poplibs_error("popops::scatter: dimension " + std::to_string(dim) +
                          " of an operand of shape " + operand.shapeToString());
  for (unsigned i = 0; i != operand.rank(); ++i)
    if (windows.dim(i + 1) > operand.dim(i))
      throw poplibs_error("popops::scatter: the window is larger than the "
                          "operand in dimension " +
                          std::to_string(i));
}

} // namespace

void scatter(Graph &graph, const Tensor &operand, const Tensor &indices,
             const Tensor &updates, std::size_t indexVectorDim,
             const std::vector<unsigned> &updateWindowDims,
             const Sizes &insertWindowDims,
             const std::vector<unsigned> &scatterDimsToOperandDims,
             Sequence &prog, const DebugContext &debugContext,
             const OptionFlags &options) {
  parseSliceOptions(options);
  const DebugContext dc(debugContext, "Scatter");
  const Tensor vectors = asIndexVectors(indices, indexVectorDim);
  const Tensor windows =
      asWindows(operand, updates, updateWindowDims, insertWindowDims);
  checkOperands(operand, vectors, windows, scatterDimsToOperandDims);
  const Windows access(operand, windowSizes(windows), scatterDimsToOperandDims);
  writeRows(graph, access.table(), access.toRows(windows),
            access.rowNumbers(graph, vectors, prog, dc), prog, dc);
}

void scatter(Graph &graph, const Tensor &operand, const Tensor &indices,
             const Tensor &updates, std::size_t indexVectorDim,
             const std::vector<unsigned> &updateWindowDims,
             const Sizes &insertWindowDims,
             const std::vector<unsigned> &scatterDimsToOperandDims,
             UpdateComputationFunc &updateComputation, Sequence &prog,
             const DebugContext &debugContext, const OptionFlags &options) {
  parseSliceOptions(options);
  const DebugContext dc(debugContext, "Scatter");
  const Tensor vectors = asIndexVectors(indices, indexVectorDim);
  const Tensor windows =
      asWindows(operand, updates, updateWindowDims, insertWindowDims);
  checkOperands(operand, vectors, windows, scatterDimsToOperandDims);
  const Windows access(operand, windowSizes(windows), scatterDimsToOperandDims);
  const std::size_t rows = access.rowsOfWindow(), columns = access.columns();
  const std::size_t count = windows.dim(0);
  if (count == 0)
    return;
  const Tensor numbers = access.rowNumbers(graph, vectors, prog, dc);
  const Tensor changes =
      access.toRows(windows).reshape({1, count, rows * columns});
  const Tensor table = access.table();
  prog.add(countedLoop(
      graph, count,
      [&](const Tensor &i) {
        Sequence body;
        const Tensor at = readRows(graph, numbers.reshape({1, count, rows}),
                                   i.reshape({1, 1}), 1, body, dc)
                              .reshape({1, rows});
        Tensor update = readRows(graph, changes, i.reshape({1, 1}), 1, body, dc)
                            .reshape({rows, columns});
        Tensor held =
            readRows(graph, table, at, 1, body, dc).reshape({rows, columns});
        const Tensor result = updateComputation(graph, held, update, body);
        writeRows(graph, table, result.reshape({1, rows, 1, columns}), at, body,
                  dc);
        return body;
      },
      dc));
}

} // namespace popops
