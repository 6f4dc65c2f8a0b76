// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rearrangements of a tensor in memory. They never change its value. The graph
// compiler rearranges operands itself where an operation needs it, so these
// functions return the tensor unchanged, except for requested transpositions.

#ifndef POPULUS_POPOPS_REARRANGE_HPP
#define POPULUS_POPOPS_REARRANGE_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poputil/VarStructure.hpp>

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace popops {
namespace rearrange {

inline poplar::Tensor regroupIfBeneficial(poplar::Graph &,
                                          const poplar::Tensor &in,
                                          const poplar::Tensor &,
                                          poplar::program::Sequence &,
                                          const poplar::DebugContext & = {}) {
  return in;
}
inline poplar::Tensor regroupIfBeneficial(poplar::Graph &,
                                          const poplar::Tensor &in, std::size_t,
                                          poplar::program::Sequence &,
                                          const poplar::DebugContext & = {}) {
  return in;
}
inline poplar::Tensor regroupIfPossible(poplar::Graph &,
                                        const poplar::Tensor &t,
                                        poplar::program::Sequence &,
                                        const poputil::GroupingInfo &,
                                        const poputil::GroupingInfo &,
                                        const poplar::DebugContext & = {}) {
  return t;
}

inline poplar::Tensor regroupTensor(poplar::Graph &, const poplar::Tensor &t,
                                    poplar::program::Sequence &,
                                    const poplar::ComputeSet &,
                                    const poputil::GroupingInfo &,
                                    const poputil::GroupingInfo &,
                                    const poplar::DebugContext & = {}) {
  return t;
}
inline poplar::Tensor regroupTensor(poplar::Graph &, const poplar::Tensor &t,
                                    std::vector<poplar::program::Copy> &,
                                    const poplar::ComputeSet &,
                                    const poputil::GroupingInfo &,
                                    const poputil::GroupingInfo &,
                                    const poplar::DebugContext & = {}) {
  return t;
}
/// Returns false: the graph compiler moves elements, not a vertex.
inline bool canUseFastTranspose(const poplar::Target &, const poplar::Type &,
                                unsigned, unsigned, unsigned) {
  return false;
}
/// Smallest group size for which a rearrangement pays.
inline unsigned getMinimumRegroupGrainSize(const poplar::Type &type) {
  return type == poplar::HALF ? 4 : 2;
}

/// Transposes the two innermost dimensions into a new tensor, with vertices in
/// \p cs, for a program that needs the elements in that order in memory. Types
/// of 2 or 4 bytes only.
poplar::Tensor partialTranspose(poplar::Graph &graph, const poplar::Tensor &in,
                                const poplar::ComputeSet &cs,
                                const poplar::DebugContext &debugContext = {});
/// Transposes matrices [rows, cols] of type \p dType. \p mapping has the
/// intervals of matrix indices for each tile, and \p getInOut returns the
/// source and destination of an index.
void addTransposeVertices(
    poplar::Graph &graph, const poplar::ComputeSet &cs,
    const poplar::Type &dType, unsigned rows, unsigned cols,
    const poplar::Graph::TileToTensorMapping &mapping,
    std::function<
        std::pair<const poplar::Tensor, const poplar::Tensor>(std::size_t)>
        getInOut,
    const poplar::DebugContext &debugContext = {});

} // namespace rearrange
} // namespace popops

#endif
