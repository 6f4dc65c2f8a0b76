// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gathers slices of a tensor at indices that are known at run time only.

#ifndef POPULUS_POPOPS_GATHER_HPP
#define POPULUS_POPOPS_GATHER_HPP

#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>

#include <cstddef>
#include <vector>

namespace popops {

struct GatherParams {
  /// Ignored; layouts depend on the tiles' memory.
  std::size_t maxElementsPerTile = 65535;

  GatherParams() = default;
  GatherParams(std::size_t maxElementsPerTile)
      : maxElementsPerTile(maxElementsPerTile) {}
};

/// Creates a tensor laid out for gathering along \p axis.
poplar::Tensor createGatherInput(poplar::Graph &graph, const poplar::Type &type,
                                 const std::vector<std::size_t> &operandShape,
                                 unsigned axis, GatherParams params = {},
                                 const poplar::DebugContext &debugContext = {});

/// Returns result[pre..., i..., post...] = input[pre..., indices[i...],
/// post...], where the index replaces dimension \p axis. An out-of-range index
/// gives zeros. Options: those of multiSlice (DynamicSlice.hpp).
poplar::Tensor gather(poplar::Graph &graph, const poplar::Tensor &input,
                      const poplar::Tensor &indices, unsigned axis,
                      poplar::program::Sequence &prog, GatherParams params,
                      const poplar::DebugContext &debugContext = {},
                      const poplar::OptionFlags &options = {});

/// The general form, as XLA defines it: \p indices holds, along
/// \p indexVectorDim (or, if that is its rank, as single elements), where
/// windows of \p sliceSizes begin in the dimensions \p startIndexMap of the
/// input. An index whose window would begin before the input, or reach over its
/// end, counts as 0. Dimensions
/// \p collapsedSliceDims of a window, of size 1, disappear; the others are the
/// dimensions \p offsetDims of the result, and its remaining dimensions are
/// those of the indices.
/// The input of a gather of slices of \p sliceSizes, which begin at indices
/// for the dimensions \p startIndexMap.
poplar::Tensor createGatherInput(poplar::Graph &graph, const poplar::Type &type,
                                 const std::vector<std::size_t> &inputShape,
                                 const std::vector<std::size_t> &sliceSizes,
                                 std::vector<unsigned> startIndexMap,
                                 const poplar::DebugContext &debugContext = {});

poplar::Tensor gather(poplar::Graph &graph, const poplar::Tensor &input,
                      const poplar::Tensor &indices, std::size_t indexVectorDim,
                      const std::vector<std::size_t> &offsetDims,
                      const std::vector<std::size_t> &sliceSizes,
                      const std::vector<std::size_t> &collapsedSliceDims,
                      const std::vector<unsigned> &startIndexMap,
                      poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext = {},
                      const poplar::OptionFlags &options = {});

} // namespace popops

#endif
