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
  /// Elements that are equal keep their order. They always do, when the order
  /// is that in which elements are chosen (largest first, or smallest first).
  bool stableSort;
};

std::ostream &operator<<(std::ostream &os, const TopKParams &params);

/// A tensor laid out for topK.
poplar::Tensor createTopKInput(poplar::Graph &graph, const poplar::Type &type,
                               const std::vector<std::size_t> &shape,
                               const TopKParams &params,
                               const poplar::DebugContext &debugContext = {});

/// [..., n] to [..., k].
poplar::Tensor topK(poplar::Graph &graph, poplar::program::Sequence &prog,
                    const poplar::Tensor &t, const TopKParams &params,
                    const poplar::DebugContext &debugContext = {});
/// Keys and the values, of the same shape, that belong to them.
std::pair<poplar::Tensor, poplar::Tensor>
topKKeyValue(poplar::Graph &graph, poplar::program::Sequence &prog,
             const poplar::Tensor &keys, const poplar::Tensor &values,
             const TopKParams &params,
             const poplar::DebugContext &debugContext = {});
/// The elements and their places in the rows, of type UNSIGNED_INT.
std::pair<poplar::Tensor, poplar::Tensor>
topKWithPermutation(poplar::Graph &graph, poplar::program::Sequence &prog,
                    const poplar::Tensor &t, const TopKParams &params,
                    const poplar::DebugContext &debugContext = {});

} // namespace popops

#endif
