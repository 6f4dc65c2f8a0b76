// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gathers: along one axis as multiSlice, in general by way of windows.

#include "lib/PopLibs/popops/indexing/SliceOperands.h"
#include "lib/PopLibs/popops/indexing/TableAccess.h"
#include "lib/PopLibs/popops/indexing/Windows.h"

#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Gather.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>

using namespace poplar;
using namespace poplar::program;
using poputil::poplibs_error;

namespace popops {
namespace {

using Sizes = std::vector<std::size_t>;

void checkWindow(const Tensor &input, const Sizes &sliceSizes,
                 const Sizes &collapsed, const std::vector<unsigned> &indexed,
                 std::size_t vectorLength) {
  if (sliceSizes.size() != input.rank())
    throw poplibs_error("popops::gather: " + std::to_string(sliceSizes.size()) +
                        " sizes of a slice of an input of shape " +
                        input.shapeToString());
  if (indexed.size() != vectorLength)
    throw poplibs_error("popops::gather: index vectors of " +
                        std::to_string(vectorLength) + " elements for " +
                        std::to_string(indexed.size()) + " dimensions");
  Sizes dims(indexed.begin(), indexed.end()), sizes;
  for (std::size_t dim : dims)
    sizes.push_back(dim < sliceSizes.size() ? sliceSizes[dim] : 0);
  checkSlice(input.shape(), dims, sizes, "popops::gather");
  for (std::size_t dim : collapsed)
    if (dim >= input.rank() || sliceSizes[dim] != 1)
      throw poplibs_error("popops::gather: dimension " + std::to_string(dim) +
                          " cannot be left out: its slice size is not 1");
  for (std::size_t dim = 0; dim != input.rank(); ++dim)
    if (sliceSizes[dim] > input.dim(dim))
      throw poplibs_error("popops::gather: a slice of " +
                          std::to_string(sliceSizes[dim]) + " of dimension " +
                          std::to_string(dim) + ", which has size " +
                          std::to_string(input.dim(dim)));
}

/// Replaces an index by 0 where the window would begin before the input, or
/// reach over its end.
Tensor indicesInside(Graph &graph, const Tensor &indices, const Tensor &input,
                     const Sizes &sliceSizes,
                     const std::vector<unsigned> &indexed, Sequence &prog,
                     const DebugContext &debugContext) {
  std::vector<unsigned> last;
  for (unsigned dim : indexed)
    last.push_back(input.dim(dim) - sliceSizes[dim]);
  const Tensor limits = graph.addConstant<unsigned>(
      indices.elementType(), {last.size()}, last, debugContext);
  poputil::mapTensorLinearly(graph, limits);
  namespace pe = popops::expr;
  pe::Any isInside = pe::_1 <= pe::_2;
  if (indices.elementType() == INT)
    isInside = isInside && pe::_1 >= pe::Const(0);
  return map(graph, pe::Select(pe::_1, pe::Const(0), isInside),
             {indices, limits}, prog, debugContext);
}

/// windows[count][...] without the collapsed dimensions, those that are left at
/// \p offsetDims of the result and the batch in the other places.
Tensor arrangeResult(const Tensor &windows, const Sizes &batch,
                     const Sizes &offsetDims, const Sizes &collapsed) {
  Sizes squeezed;
  for (std::size_t dim : collapsed)
    squeezed.push_back(dim + 1);
  const Tensor kept = windows.squeeze(squeezed).reshapePartial(0, 1, batch);
  if (kept.rank() != batch.size() + offsetDims.size())
    throw poplibs_error("popops::gather: " + std::to_string(offsetDims.size()) +
                        " places for windows of shape " +
                        windows.shapeToString());
  std::vector<unsigned> permutation;
  unsigned window = batch.size(), other = 0;
  for (std::size_t i = 0; i != kept.rank(); ++i) {
    const bool offset =
        std::find(offsetDims.begin(), offsetDims.end(), i) != offsetDims.end();
    permutation.push_back(offset ? window++ : other++);
  }
  return kept.dimShuffle(permutation);
}

} // namespace

Tensor createGatherInput(Graph &graph, const Type &type,
                         const Sizes &operandShape, unsigned axis, GatherParams,
                         const DebugContext &debugContext) {
  return createSliceableTensor(graph, type, operandShape, {axis}, {1}, 0,
                               debugContext);
}

Tensor createGatherInput(Graph &graph, const Type &type,
                         const Sizes &inputShape, const Sizes &sliceSizes,
                         std::vector<unsigned> startIndexMap,
                         const DebugContext &debugContext) {
  Sizes dims, sizes;
  for (unsigned dim : startIndexMap) {
    if (dim >= inputShape.size() || dim >= sliceSizes.size())
      throw poplibs_error("popops::createGatherInput: indices for dimension " +
                          std::to_string(dim) + " of an input of rank " +
                          std::to_string(inputShape.size()) +
                          " and slices of " + "rank " +
                          std::to_string(sliceSizes.size()));
    dims.push_back(dim);
    sizes.push_back(sliceSizes[dim]);
  }
  return createSliceableTensor(graph, type, inputShape, dims, sizes, 0,
                               debugContext);
}

Tensor gather(Graph &graph, const Tensor &input, const Tensor &indices,
              unsigned axis, Sequence &prog, GatherParams,
              const DebugContext &debugContext, const OptionFlags &options) {
  if (axis >= input.rank())
    throw poplibs_error("popops::gather: axis " + std::to_string(axis) +
                        " of an input of shape " + input.shapeToString());
  // An empty axis has no slices of one index.
  const std::size_t size = std::min<std::size_t>(1, input.dim(axis));
  if (size == 0)
    throw poplibs_error("popops::gather: axis " + std::to_string(axis) +
                        " of the input is empty");
  const Tensor slices =
      multiSlice(graph, input, indices.flatten().expand({1}), {axis}, {1}, prog,
                 SlicePlan(), options, {debugContext, "Gather"});
  return slices.squeeze({axis + 1})
      .dimRoll(0, axis)
      .reshapePartial(axis, axis + 1, indices.shape());
}

Tensor gather(Graph &graph, const Tensor &input, const Tensor &indices,
              std::size_t indexVectorDim, const Sizes &offsetDims,
              const Sizes &sliceSizes, const Sizes &collapsedSliceDims,
              const std::vector<unsigned> &startIndexMap, Sequence &prog,
              const DebugContext &debugContext, const OptionFlags &options) {
  parseSliceOptions(options);
  const DebugContext dc(debugContext, "Gather");
  const Tensor vectors = asIndexVectors(indices, indexVectorDim);
  checkWindow(input, sliceSizes, collapsedSliceDims, startIndexMap,
              vectors.dim(1));
  const Windows windows(input, sliceSizes, startIndexMap);
  const Tensor inside =
      indicesInside(graph, vectors, input, sliceSizes, startIndexMap, prog, dc);
  const Tensor rows =
      readRows(graph, windows.table(),
               windows.rowNumbers(graph, inside, prog, dc), 1, prog, dc);
  return arrangeResult(windows.toWindows(rows),
                       batchShape(indices, indexVectorDim), offsetDims,
                       collapsedSliceDims);
}

} // namespace popops
