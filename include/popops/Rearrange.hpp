// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Changes of a tensor's order in memory. They never change what it holds, and
// here layouts are changed by the graph compiler where an operation needs it:
// the functions give the tensor as it is, but for transpositions that a program
// asks for.

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
/// No: the graph compiler moves elements, no vertex does.
inline bool canUseFastTranspose(const poplar::Target &, const poplar::Type &,
                                unsigned, unsigned, unsigned) {
  return false;
}
/// The groups that are worth a rearrangement.
inline unsigned getMinimumRegroupGrainSize(const poplar::Type &type) {
  return type == poplar::HALF ? 4 : 2;
}

/// Transposes the two innermost dimensions by vertices of \p cs, into a new
/// tensor: for a program that wants the elements in that order in memory. For
/// types of 2 or 4 bytes.
poplar::Tensor partialTranspose(poplar::Graph &graph, const poplar::Tensor &in,
                                const poplar::ComputeSet &cs,
                                const poplar::DebugContext &debugContext = {});
/// Transposes matrices [rows, cols] of \p dType: those of the intervals that
/// \p mapping has for a tile there, from and to what \p getInOut gives for
/// their numbers.
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
