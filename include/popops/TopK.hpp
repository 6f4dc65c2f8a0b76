// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The largest or smallest elements of the rows (the innermost dimension) of a
// tensor of type FLOAT, HALF, INT or UNSIGNED_INT.

#ifndef POPULUS_POPOPS_TOPK_HPP
#define POPULUS_POPOPS_TOPK_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <popops/SortOrder.hpp>

#include <cstddef>
#include <iosfwd>
#include <utility>
#include <vector>

namespace popops {

struct TopKParams {
  TopKParams(unsigned k, bool largest, SortOrder sortOrder,
             bool stableSort = false) noexcept
      : k(k), largest(largest), sortOrder(sortOrder), stableSort(stableSort) {}

  /// The number of elements of each row.
  unsigned k;
  /// The largest elements, or the smallest.
  bool largest;
  /// The order of the result; with NONE it may be any.
  SortOrder sortOrder;
  /// Keep the order of equal elements. It is always kept if the result is
  /// sorted in the order of selection (largest first, or smallest first).
  bool stableSort;
};

std::ostream &operator<<(std::ostream &os, const TopKParams &params);

/// Creates a tensor laid out for topK.
poplar::Tensor createTopKInput(poplar::Graph &graph, const poplar::Type &type,
                               const std::vector<std::size_t> &shape,
                               const TopKParams &params,
                               const poplar::DebugContext &debugContext = {});

/// Returns [..., k] for an input of [..., n].
poplar::Tensor topK(poplar::Graph &graph, poplar::program::Sequence &prog,
                    const poplar::Tensor &t, const TopKParams &params,
                    const poplar::DebugContext &debugContext = {});
/// Returns the keys and the corresponding values, which have the same shape.
std::pair<poplar::Tensor, poplar::Tensor>
topKKeyValue(poplar::Graph &graph, poplar::program::Sequence &prog,
             const poplar::Tensor &keys, const poplar::Tensor &values,
             const TopKParams &params,
             const poplar::DebugContext &debugContext = {});
/// Returns the elements and their indices in the rows, of type UNSIGNED_INT.
std::pair<poplar::Tensor, poplar::Tensor>
topKWithPermutation(poplar::Graph &graph, poplar::program::Sequence &prog,
                    const poplar::Tensor &t, const TopKParams &params,
                    const poplar::DebugContext &debugContext = {});

} // namespace popops

#endif
