// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Changes of a tensor's order in memory. They never change what it holds, and
// here layouts are changed by the graph compiler where an operation needs it:
// the functions check their arguments and give the tensor as it is.

#ifndef POPULUS_POPOPS_REARRANGE_HPP
#define POPULUS_POPOPS_REARRANGE_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poputil/VarStructure.hpp>

#include <cstddef>
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

} // namespace rearrange
} // namespace popops

#endif
