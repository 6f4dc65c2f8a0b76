// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Slices at offsets known only at run time: one slice (dynamicSlice,
// dynamicUpdate), or many rows at once (multiSlice, multiUpdate), as in
// embedding layers.
//
// Offsets have type UNSIGNED_INT or INT. An out-of-range row reads as zeros,
// and a write to it has no effect.
//
// Options of the functions that take a plan: "usedForSlice", "usedForUpdate"
// ("true", "false"), "operationForUpdate" ("none", "add", "max", "mul"),
// "partialType" ("half", "float"), "availableMemoryProportion",
// "indicesDistribution" ("uniform", "onePoint"), "indicesAreSorted",
// "validateIndices", "paddingIndexUsed", "planConstraints": these are checked
// and do not change results. "remapOutOfBoundIndices" ("false"): with "true",
// an out-of-range index stands for index 0.

#ifndef POPULUS_POPOPS_DYNAMICSLICE_HPP
#define POPULUS_POPOPS_DYNAMICSLICE_HPP

#include <poplar/ArrayRef.hpp>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>

#include <cstddef>
#include <iosfwd>
#include <vector>

namespace popops {

/// Plan of a slice of rows. The division of work is chosen from the operands,
/// so a default plan is as good as any.
class SlicePlan {
public:
  friend bool operator<(const SlicePlan &, const SlicePlan &) { return false; }
  friend bool operator==(const SlicePlan &, const SlicePlan &) { return true; }
  friend bool operator!=(const SlicePlan &, const SlicePlan &) { return false; }
};
std::ostream &operator<<(std::ostream &os, const SlicePlan &plan);

namespace embedding {

/// Returns a plan for \p numLookups lists of rows of \p outputSize elements
/// from \p numEntries rows.
SlicePlan plan(const poplar::Graph &graph, const poplar::Type &dataType,
               std::size_t numEntries, std::size_t outputSize,
               const std::vector<std::size_t> &numLookups,
               const poplar::OptionFlags &options = {});
SlicePlan plan(const poplar::Graph &graph, const poplar::Type &dataType,
               std::size_t groupSize, std::size_t numEntries,
               std::size_t outputSize,
               const std::vector<std::size_t> &numLookups,
               const poplar::OptionFlags &options = {});

/// Tables for which a plan is made; several are planned at once.
struct SlicePlanningParameters {
  SlicePlanningParameters(const poplar::Graph &graph,
                          const poplar::Type &dataType, std::size_t groupSize,
                          std::size_t numEntries, std::size_t outputSize,
                          const std::vector<std::size_t> &numLookups,
                          const poplar::OptionFlags &options = {})
      : graph(&graph), dataType(dataType), groupSize(groupSize),
        numEntries(numEntries), outputSize(outputSize), numLookups(numLookups),
        options(options) {}

  const poplar::Graph *graph;
  poplar::Type dataType;
  std::size_t groupSize;
  std::size_t numEntries;
  std::size_t outputSize;
  std::vector<std::size_t> numLookups;
  poplar::OptionFlags options;
};
std::vector<SlicePlan>
planMultiple(const std::vector<SlicePlanningParameters> &parameters);

} // namespace embedding

// Tensors laid out for slicing.

/// Creates a tensor to be sliced along \p dims, \p sizes of each at a time.
poplar::Tensor createSliceableTensor(
    poplar::Graph &graph, const poplar::Type &type,
    const std::vector<std::size_t> &shape, const std::vector<std::size_t> &dims,
    const std::vector<std::size_t> &sizes, std::size_t minGrainSize = 0,
    const poplar::DebugContext &debugContext = {});
poplar::Tensor
createSliceableTensor(poplar::Graph &graph, const poplar::Type &type,
                      const std::vector<std::size_t> &shape,
                      const std::vector<std::size_t> &dims,
                      const std::vector<std::size_t> &sizes,
                      const SlicePlan &plan, const poplar::OptionFlags &options,
                      const poplar::DebugContext &debugContext = {});
/// Creates \p groupSize such tensors: [groupSize, shape...].
poplar::Tensor createGroupedSliceableTensor(
    poplar::Graph &graph, const poplar::Type &type, std::size_t groupSize,
    const std::vector<std::size_t> &shape, const std::vector<std::size_t> &dims,
    const std::vector<std::size_t> &sizes, const SlicePlan &plan,
    const poplar::OptionFlags &options,
    const poplar::DebugContext &debugContext = {});
/// Creates a tensor of numSlices[i] slices like \p s along dims[i].
poplar::Tensor
createSliceableTensorFromSlice(poplar::Graph &graph, const poplar::Tensor &s,
                               const std::vector<std::size_t> &dims,
                               const std::vector<std::size_t> &numSlices,
                               const poplar::DebugContext &debugContext = {});

/// Creates a tensor for slices of \p t: [numIndices, the shape of a slice...].
poplar::Tensor createSliceTensor(poplar::Graph &graph, const poplar::Tensor &t,
                                 const std::vector<std::size_t> &dims,
                                 const std::vector<std::size_t> &sizes,
                                 std::size_t numIndices,
                                 const poplar::DebugContext &debugContext = {});
poplar::Tensor createSliceTensor(poplar::Graph &graph, const poplar::Type &type,
                                 const std::vector<std::size_t> &shape,
                                 const std::vector<std::size_t> &dims,
                                 const std::vector<std::size_t> &sizes,
                                 std::size_t numIndices, const SlicePlan &plan,
                                 const poplar::OptionFlags &options,
                                 const poplar::DebugContext &debugContext = {});
poplar::Tensor createGroupedSliceTensor(
    poplar::Graph &graph, const poplar::Type &type, std::size_t groupSize,
    const std::vector<std::size_t> &shape, const std::vector<std::size_t> &dims,
    const std::vector<std::size_t> &sizes, std::size_t numIndices,
    const SlicePlan &plan, const poplar::OptionFlags &options,
    const poplar::DebugContext &debugContext = {});

/// Creates a tensor of indices of type UNSIGNED_INT: [numIndices, dims.size()].
poplar::Tensor
createIndicesTensor(poplar::Graph &graph, const std::vector<std::size_t> &dims,
                    std::size_t numIndices, const SlicePlan &plan,
                    const poplar::OptionFlags &options,
                    const poplar::DebugContext &debugContext = {});
poplar::Tensor
createGroupedIndicesTensor(poplar::Graph &graph, std::size_t groupSize,
                           const std::vector<std::size_t> &dims,
                           std::size_t numIndices, const SlicePlan &plan,
                           const poplar::OptionFlags &options,
                           const poplar::DebugContext &debugContext = {});

// One slice.

/// Returns sizes[i] indices of dimension dims[i] from offset[i] on, and all
/// indices of the other dimensions.
poplar::Tensor dynamicSlice(poplar::Graph &graph, const poplar::Tensor &t,
                            const poplar::Tensor &offset,
                            const std::vector<std::size_t> &dims,
                            const std::vector<std::size_t> &sizes,
                            poplar::program::Sequence &prog,
                            const poplar::DebugContext &debugContext = {},
                            const poplar::OptionFlags &options = {});
/// Creates the output tensor of dynamicSliceWithOutput.
poplar::Tensor
createDynamicSliceOutput(poplar::Graph &graph, const poplar::Tensor &t,
                         const std::vector<std::size_t> &dims,
                         const std::vector<std::size_t> &sizes,
                         const poplar::DebugContext &debugContext = {});
/// Tile mapping of the first slice of \p t.
poplar::Graph::TileToTensorMapping
getSliceMapping(poplar::Graph &graph, const poplar::Tensor &t,
                const std::vector<std::size_t> &dims,
                const std::vector<std::size_t> &sizes);
void dynamicSliceWithOutput(poplar::Graph &graph, const poplar::Tensor &output,
                            const poplar::Tensor &t,
                            const poplar::Tensor &offset,
                            const std::vector<std::size_t> &dims,
                            const std::vector<std::size_t> &sizes,
                            poplar::program::Sequence &prog,
                            const poplar::DebugContext &debugContext = {},
                            const poplar::OptionFlags &options = {});
/// Writes the slice \p s to \p t at the offset.
void dynamicUpdate(poplar::Graph &graph, const poplar::Tensor &t,
                   const poplar::Tensor &s, const poplar::Tensor &offset,
                   const std::vector<std::size_t> &dims,
                   const std::vector<std::size_t> &sizes,
                   poplar::program::Sequence &prog,
                   const poplar::DebugContext &debugContext = {},
                   const poplar::OptionFlags &options = {});

// Many slices along one dimension; dims and sizes have one element.

/// Returns the slices at offsets [n, 1], stacked: [n, the shape of a slice...].
poplar::Tensor multiSlice(poplar::Graph &graph, const poplar::Tensor &t,
                          const poplar::Tensor &offsets,
                          const std::vector<std::size_t> &dims,
                          const std::vector<std::size_t> &sizes,
                          poplar::program::Sequence &prog,
                          const SlicePlan &plan,
                          const poplar::OptionFlags &options,
                          const poplar::DebugContext &debugContext = {});
/// Returns slices of one index each, at offsets known at compile time.
poplar::Tensor multiSlice(poplar::Graph &graph, const poplar::Tensor &t,
                          poplar::ArrayRef<unsigned> offsets, std::size_t dim,
                          poplar::program::Sequence &prog,
                          const poplar::DebugContext &debugContext = {},
                          const poplar::OptionFlags &options = {});
/// Slices each group of operands with a leading dimension of groups. \p dims
/// does not count that dimension.
poplar::Tensor groupedMultiSlice(poplar::Graph &graph, const poplar::Tensor &t,
                                 const poplar::Tensor &offsets,
                                 const std::vector<std::size_t> &dims,
                                 const std::vector<std::size_t> &sizes,
                                 poplar::program::Sequence &prog,
                                 const SlicePlan &plan,
                                 const poplar::OptionFlags &options,
                                 const poplar::DebugContext &debugContext = {});

/// Writes the slices \p s, shaped as by multiSlice, to \p t. The last one wins
/// if an offset occurs several times.
void multiUpdate(poplar::Graph &graph, const poplar::Tensor &t,
                 const poplar::Tensor &s, const poplar::Tensor &offsets,
                 const std::vector<std::size_t> &dims,
                 const std::vector<std::size_t> &sizes,
                 poplar::program::Sequence &prog, const SlicePlan &plan,
                 const poplar::OptionFlags &options,
                 const poplar::DebugContext &debugContext = {});
/// Computes t[offset] += scale * s. \p scale has one element.
void multiUpdateAdd(poplar::Graph &graph, const poplar::Tensor &t,
                    const poplar::Tensor &s, const poplar::Tensor &offsets,
                    const poplar::Tensor &scale,
                    const std::vector<std::size_t> &dims,
                    const std::vector<std::size_t> &sizes,
                    poplar::program::Sequence &prog, const SlicePlan &plan,
                    const poplar::OptionFlags &options,
                    const poplar::DebugContext &debugContext = {});
/// The same for slices of one index each, at offsets known at compile time.
void multiUpdateAdd(poplar::Graph &graph, const poplar::Tensor &t,
                    const poplar::Tensor &s, poplar::ArrayRef<unsigned> offsets,
                    const poplar::Tensor &scale, std::size_t dim,
                    poplar::program::Sequence &prog,
                    const poplar::DebugContext &debugContext = {},
                    const poplar::OptionFlags &options = {});
/// t[offset] = max(t[offset], s).
void multiUpdateMax(poplar::Graph &graph, const poplar::Tensor &t,
                    const poplar::Tensor &s, const poplar::Tensor &offsets,
                    const std::vector<std::size_t> &dims,
                    const std::vector<std::size_t> &sizes,
                    poplar::program::Sequence &prog, const SlicePlan &plan,
                    const poplar::OptionFlags &options,
                    const poplar::DebugContext &debugContext = {});
/// t[offset] = min(t[offset], s).
void multiUpdateMin(poplar::Graph &graph, const poplar::Tensor &t,
                    const poplar::Tensor &s, const poplar::Tensor &offsets,
                    const std::vector<std::size_t> &dims,
                    const std::vector<std::size_t> &sizes,
                    poplar::program::Sequence &prog, const SlicePlan &plan,
                    const poplar::OptionFlags &options,
                    const poplar::DebugContext &debugContext = {});
/// t[offset] *= s.
void multiUpdateMul(poplar::Graph &graph, const poplar::Tensor &t,
                    const poplar::Tensor &s, const poplar::Tensor &offsets,
                    const std::vector<std::size_t> &dims,
                    const std::vector<std::size_t> &sizes,
                    poplar::program::Sequence &prog, const SlicePlan &plan,
                    const poplar::OptionFlags &options,
                    const poplar::DebugContext &debugContext = {});

void groupedMultiUpdate(poplar::Graph &graph, const poplar::Tensor &t,
                        const poplar::Tensor &s, const poplar::Tensor &offsets,
                        const std::vector<std::size_t> &dims,
                        const std::vector<std::size_t> &sizes,
                        poplar::program::Sequence &prog, const SlicePlan &plan,
                        const poplar::OptionFlags &options,
                        const poplar::DebugContext &debugContext = {});
void groupedMultiUpdateAdd(
    poplar::Graph &graph, const poplar::Tensor &t, const poplar::Tensor &s,
    const poplar::Tensor &offsets, const poplar::Tensor &scale,
    const std::vector<std::size_t> &dims, const std::vector<std::size_t> &sizes,
    poplar::program::Sequence &prog, const SlicePlan &plan,
    const poplar::OptionFlags &options,
    const poplar::DebugContext &debugContext = {});
void groupedMultiUpdateMax(
    poplar::Graph &graph, const poplar::Tensor &t, const poplar::Tensor &s,
    const poplar::Tensor &offsets, const std::vector<std::size_t> &dims,
    const std::vector<std::size_t> &sizes, poplar::program::Sequence &prog,
    const SlicePlan &plan, const poplar::OptionFlags &options,
    const poplar::DebugContext &debugContext = {});
void groupedMultiUpdateMin(
    poplar::Graph &graph, const poplar::Tensor &t, const poplar::Tensor &s,
    const poplar::Tensor &offsets, const std::vector<std::size_t> &dims,
    const std::vector<std::size_t> &sizes, poplar::program::Sequence &prog,
    const SlicePlan &plan, const poplar::OptionFlags &options,
    const poplar::DebugContext &debugContext = {});

void groupedMultiUpdateMul(
    poplar::Graph &graph, const poplar::Tensor &t, const poplar::Tensor &s,
    const poplar::Tensor &offsets, const std::vector<std::size_t> &dims,
    const std::vector<std::size_t> &sizes, poplar::program::Sequence &prog,
    const SlicePlan &plan, const poplar::OptionFlags &options,
    const poplar::DebugContext &debugContext = {});

} // namespace popops

#endif
