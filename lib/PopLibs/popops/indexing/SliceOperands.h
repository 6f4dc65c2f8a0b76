// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Common argument processing of all slicing functions: options, indices and
// sliced dimensions.

#ifndef POPULUS_LIB_POPLIBS_POPOPS_INDEXING_SLICEOPERANDS_H
#define POPULUS_LIB_POPLIBS_POPOPS_INDEXING_SLICEOPERANDS_H

#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>

#include <vector>

namespace popops {

struct SliceOptions {
  /// An out-of-range index stands for 0.
  bool remapOutOfBoundIndices = false;
};

SliceOptions parseSliceOptions(const poplar::OptionFlags &options);

/// Converts indices of type INT or UNSIGNED_INT to UNSIGNED_INT.
poplar::Tensor asIndices(const poplar::Tensor &indices);

/// Fails, naming the \p function, unless the sizes fit the shape.
void checkSlice(const std::vector<std::size_t> &shape,
                const std::vector<std::size_t> &dims,
                const std::vector<std::size_t> &sizes, const char *function);
/// Fails unless one dimension is sliced.
void checkOneDim(const std::vector<std::size_t> &dims,
                 const std::vector<std::size_t> &sizes, const char *function);

/// Flattens multi-dimensional indices into a table with the extents \p extents:
/// \p indices [..., extents.size()] becomes [...]. An out-of-range index
/// becomes a row that no table has.
poplar::Tensor flattenIndices(poplar::Graph &graph,
                              const poplar::Tensor &indices,
                              const std::vector<std::size_t> &extents,
                              poplar::program::Sequence &prog,
                              const poplar::DebugContext &debugContext);

} // namespace popops

#endif
