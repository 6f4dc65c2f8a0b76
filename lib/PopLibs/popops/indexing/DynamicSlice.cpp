// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One slice at a run-time offset: dimension by dimension, each as rows of a
// table. Also the creation of tensors for slicing.

#include "lib/PopLibs/popops/indexing/SliceGrid.h"
#include "lib/PopLibs/popops/indexing/SliceOperands.h"
#include "lib/PopLibs/popops/indexing/TableAccess.h"

#include <popops/DynamicSlice.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

#include <ostream>

using namespace poplar;
using namespace poplar::program;
using poputil::poplibs_error;

namespace popops {
namespace {

using Sizes = std::vector<std::size_t>;

/// Dimension \p dim of \p t as the rows of a single table.
Tensor asTable(const Tensor &t, unsigned dim) {
  const std::size_t rows = t.dim(dim);
  return t.dimRoll(dim, 0).reshape(
      {1, rows, rows == 0 ? 0 : t.numElements() / rows});
}

Sizes slicedShape(Sizes shape, const Sizes &dims, const Sizes &sizes) {
  for (std::size_t i = 0; i != dims.size(); ++i)
    shape[dims[i]] = sizes[i];
  return shape;
}

void checkOffset(const Tensor &offset, const Sizes &dims,
                 const char *function) {
  if (offset.numElements() != dims.size())
    throw poplibs_error(std::string(function) + ": " +
                        std::to_string(offset.numElements()) + " offsets for " +
                        std::to_string(dims.size()) + " dimensions");
}

Tensor sliceDim(Graph &graph, const Tensor &t, const Tensor &offset,
                unsigned dim, std::size_t size, Sequence &prog,
                const DebugContext &debugContext) {
  Sizes shape = t.dimRoll(dim, 0).shape();
  shape[0] = size;
  return readRows(graph, asTable(t, dim), offset.reshape({1, 1}), size, prog,
                  debugContext)
      .reshape(shape)
      .dimRoll(0, dim);
}

void updateDims(Graph &graph, const Tensor &t, const Tensor &s,
                const Tensor &offset, const Sizes &dims, const Sizes &sizes,
                std::size_t from, Sequence &prog,
                const DebugContext &debugContext) {
  const unsigned dim = dims[from];
  const Tensor at = offset.slice(from, from + 1);
  Tensor rows = s;
  if (from + 1 != dims.size()) {
    rows = sliceDim(graph, t, at, dim, sizes[from], prog, debugContext);
    updateDims(graph, rows, s, offset, dims, sizes, from + 1, prog,
               debugContext);
  }
  const std::size_t width = t.dim(dim) == 0 ? 0 : t.numElements() / t.dim(dim);
  writeRows(graph, asTable(t, dim),
            rows.dimRoll(dim, 0).reshape({1, 1, sizes[from], width}),
            at.reshape({1, 1}), prog, debugContext);
}

/// A tensor [groups, shape...] whose dimension \p dim, of shape, is sliced.
Tensor addSliceable(Graph &graph, const Type &type, std::size_t groups,
                    const Sizes &shape, unsigned dim,
                    const DebugContext &debugContext) {
  Sizes rolled{groups, shape[dim]};
  std::size_t width = 1;
  for (unsigned i = 0; i != shape.size(); ++i)
    if (i != dim) {
      rolled.push_back(shape[i]);
      width *= shape[i];
    }
  return addTable(graph, type, {groups, shape[dim], width}, debugContext)
      .reshape(rolled)
      .dimRoll(1, dim + 1);
}

Tensor addLinear(Graph &graph, const Type &type, const Sizes &shape,
                 const DebugContext &debugContext) {
  return graph.addVariable(type, shape, VariableMappingMethod::LINEAR,
                           debugContext);
}

} // namespace

std::ostream &operator<<(std::ostream &os, const SlicePlan &) {
  return os << "slice plan";
}

namespace embedding {

SlicePlan plan(const Graph &, const Type &, std::size_t, std::size_t,
               const Sizes &, const OptionFlags &options) {
  parseSliceOptions(options);
  return {};
}
SlicePlan plan(const Graph &, const Type &, std::size_t, std::size_t,
               std::size_t, const Sizes &, const OptionFlags &options) {
  parseSliceOptions(options);
  return {};
}

std::vector<SlicePlan>
planMultiple(const std::vector<SlicePlanningParameters> &parameters) {
  std::vector<SlicePlan> plans;
  for (const SlicePlanningParameters &p : parameters)
    plans.push_back(plan(*p.graph, p.dataType, p.groupSize, p.numEntries,
                         p.outputSize, p.numLookups, p.options));
  return plans;
}

} // namespace embedding

Tensor createSliceableTensor(Graph &graph, const Type &type, const Sizes &shape,
                             const Sizes &dims, const Sizes &sizes, std::size_t,
                             const DebugContext &debugContext) {
  checkSlice(shape, dims, sizes, "popops::createSliceableTensor");
  if (dims.empty())
    return addLinear(graph, type, shape, debugContext);
  return addSliceable(graph, type, 1, shape, dims[0], debugContext)
      .squeeze({0});
}

Tensor createSliceableTensor(Graph &graph, const Type &type, const Sizes &shape,
                             const Sizes &dims, const Sizes &sizes,
                             const SlicePlan &, const OptionFlags &options,
                             const DebugContext &debugContext) {
  parseSliceOptions(options);
  return createSliceableTensor(graph, type, shape, dims, sizes, 0,
                               debugContext);
}

Tensor createGroupedSliceableTensor(Graph &graph, const Type &type,
                                    std::size_t groupSize, const Sizes &shape,
                                    const Sizes &dims, const Sizes &sizes,
                                    const SlicePlan &,
                                    const OptionFlags &options,
                                    const DebugContext &debugContext) {
  parseSliceOptions(options);
  checkSlice(shape, dims, sizes, "popops::createGroupedSliceableTensor");
  checkOneDim(dims, sizes, "popops::createGroupedSliceableTensor");
  return addSliceable(graph, type, groupSize, shape, dims[0], debugContext);
}

Tensor createSliceableTensorFromSlice(Graph &graph, const Tensor &s,
                                      const Sizes &dims, const Sizes &numSlices,
                                      const DebugContext &debugContext) {
  if (dims.size() != numSlices.size())
    throw poplibs_error("popops::createSliceableTensorFromSlice: " +
                        std::to_string(dims.size()) + " dimensions, " +
                        std::to_string(numSlices.size()) +
                        " numbers of slices");
  Sizes shape = s.shape(), sizes;
  for (std::size_t i = 0; i != dims.size(); ++i) {
    sizes.push_back(s.dim(dims[i]));
    shape[dims[i]] *= numSlices[i];
  }
  return createSliceableTensor(graph, s.elementType(), shape, dims, sizes, 0,
                               debugContext);
}

Tensor createSliceTensor(Graph &graph, const Tensor &t, const Sizes &dims,
                         const Sizes &sizes, std::size_t numIndices,
                         const DebugContext &debugContext) {
  return createSliceTensor(graph, t.elementType(), t.shape(), dims, sizes,
                           numIndices, SlicePlan(), {}, debugContext);
}

Tensor createSliceTensor(Graph &graph, const Type &type, const Sizes &shape,
                         const Sizes &dims, const Sizes &sizes,
                         std::size_t numIndices, const SlicePlan &,
                         const OptionFlags &options,
                         const DebugContext &debugContext) {
  parseSliceOptions(options);
  checkSlice(shape, dims, sizes, "popops::createSliceTensor");
  Sizes slices = slicedShape(shape, dims, sizes);
  slices.insert(slices.begin(), numIndices);
  return addLinear(graph, type, slices, debugContext);
}

Tensor createGroupedSliceTensor(Graph &graph, const Type &type,
                                std::size_t groupSize, const Sizes &shape,
                                const Sizes &dims, const Sizes &sizes,
                                std::size_t numIndices, const SlicePlan &,
                                const OptionFlags &options,
                                const DebugContext &debugContext) {
  parseSliceOptions(options);
  checkSlice(shape, dims, sizes, "popops::createGroupedSliceTensor");
  Sizes slices = slicedShape(shape, dims, sizes);
  slices.insert(slices.begin(), {groupSize, numIndices});
  return addLinear(graph, type, slices, debugContext);
}

Tensor createIndicesTensor(Graph &graph, const Sizes &dims,
                           std::size_t numIndices, const SlicePlan &,
                           const OptionFlags &options,
                           const DebugContext &debugContext) {
  parseSliceOptions(options);
  return addLinear(graph, UNSIGNED_INT, {numIndices, dims.size()},
                   debugContext);
}

Tensor createGroupedIndicesTensor(Graph &graph, std::size_t groupSize,
                                  const Sizes &dims, std::size_t numIndices,
                                  const SlicePlan &, const OptionFlags &options,
                                  const DebugContext &debugContext) {
  parseSliceOptions(options);
  return addLinear(graph, UNSIGNED_INT, {groupSize, numIndices, dims.size()},
                   debugContext);
}

Tensor dynamicSlice(Graph &graph, const Tensor &t, const Tensor &offset,
                    const Sizes &dims, const Sizes &sizes, Sequence &prog,
                    const DebugContext &debugContext,
                    const OptionFlags &options) {
  parseSliceOptions(options);
  checkSlice(t.shape(), dims, sizes, "popops::dynamicSlice");
  checkOffset(offset, dims, "popops::dynamicSlice");
  const DebugContext dc(debugContext, "DynamicSlice");
  const Tensor offsets = asIndices(offset).flatten();
  Tensor result = t;
  for (std::size_t i = 0; i != dims.size(); ++i)
    result = sliceDim(graph, result, offsets.slice(i, i + 1), dims[i], sizes[i],
                      prog, dc);
  if (!dims.empty())
    return result;
  const Tensor copy = graph.clone(t, dc);
  prog.add(Copy(t, copy, false, dc));
  return copy;
}

Tensor createDynamicSliceOutput(Graph &graph, const Tensor &t,
                                const Sizes &dims, const Sizes &sizes,
                                const DebugContext &debugContext) {
  checkSlice(t.shape(), dims, sizes, "popops::createDynamicSliceOutput");
  return addLinear(graph, t.elementType(), slicedShape(t.shape(), dims, sizes),
                   debugContext);
}

Graph::TileToTensorMapping getSliceMapping(Graph &graph, const Tensor &t,
                                           const Sizes &dims,
                                           const Sizes &sizes) {
  checkSlice(t.shape(), dims, sizes, "popops::getSliceMapping");
  Tensor slice = t;
  for (std::size_t i = 0; i != dims.size(); ++i)
    slice = slice.slice(0, sizes[i], dims[i]);
  return graph.getTileMapping(slice);
}

void dynamicSliceWithOutput(Graph &graph, const Tensor &output, const Tensor &t,
                            const Tensor &offset, const Sizes &dims,
                            const Sizes &sizes, Sequence &prog,
                            const DebugContext &debugContext,
                            const OptionFlags &options) {
  const Tensor result =
      dynamicSlice(graph, t, offset, dims, sizes, prog, debugContext, options);
  if (result.shape() != output.shape())
    throw poplibs_error(
        "popops::dynamicSliceWithOutput: the output has shape " +
        output.shapeToString() + ", the slice " + result.shapeToString());
  prog.add(Copy(result, output, false, debugContext));
}

void dynamicUpdate(Graph &graph, const Tensor &t, const Tensor &s,
                   const Tensor &offset, const Sizes &dims, const Sizes &sizes,
                   Sequence &prog, const DebugContext &debugContext,
                   const OptionFlags &options) {
  parseSliceOptions(options);
  checkSlice(t.shape(), dims, sizes, "popops::dynamicUpdate");
  checkOffset(offset, dims, "popops::dynamicUpdate");
  if (s.shape() != slicedShape(t.shape(), dims, sizes) ||
      s.elementType() != t.elementType())
    throw poplibs_error("popops::dynamicUpdate: the update has shape " +
                        s.shapeToString() + " and type " +
                        s.elementType().toString() +
                        ", which is no such slice of " + t.shapeToString() +
                        " of " + t.elementType().toString());
  const DebugContext dc(debugContext, "DynamicUpdate");
  if (dims.empty())
    prog.add(Copy(s, t, false, dc));
  else
    updateDims(graph, t, s, asIndices(offset).flatten(), dims, sizes, 0, prog,
               dc);
}

} // namespace popops
