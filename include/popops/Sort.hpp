// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sorts a tensor along one dimension in ascending order. The sort is not
// stable.

#ifndef POPULUS_POPOPS_SORT_HPP
#define POPULUS_POPOPS_SORT_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

namespace popops {

poplar::Tensor sort(poplar::Graph &graph, const poplar::Tensor &t, unsigned dim,
                    poplar::program::Sequence &prog,
                    const poplar::DebugContext &debugContext = {});
void sortInPlace(poplar::Graph &graph, const poplar::Tensor &t, unsigned dim,
                 poplar::program::Sequence &prog,
                 const poplar::DebugContext &debugContext = {});

/// Returns the values \p v in the order of the keys \p k, which have the same
/// shape.
poplar::Tensor sortKeyValue(poplar::Graph &graph, const poplar::Tensor &k,
                            const poplar::Tensor &v, unsigned dim,
                            poplar::program::Sequence &prog,
                            const poplar::DebugContext &debugContext = {});
/// Sorts both the keys and the values.
void sortKeyValueInPlace(poplar::Graph &graph, const poplar::Tensor &k,
                         const poplar::Tensor &v, unsigned dim,
                         poplar::program::Sequence &prog,
                         const poplar::DebugContext &debugContext = {});

} // namespace popops

#endif
