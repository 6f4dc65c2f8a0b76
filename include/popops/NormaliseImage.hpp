// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Images of three channels as the input of a network: normalised, with a fourth
// channel of zeros.

#ifndef POPULUS_POPOPS_NORMALISEIMAGE_HPP
#define POPULUS_POPOPS_NORMALISEIMAGE_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#include <vector>

namespace popops {

/// [..., 3], of type UNSIGNED_CHAR, HALF or FLOAT.
poplar::Tensor
createNormaliseImageInput(poplar::Graph &graph, const poplar::Type &type,
                          const std::vector<std::size_t> &shape,
                          const poplar::DebugContext &debugContext = {});

/// (tIn * inScale - inOffsets) * inScales for each of the three channels, and
/// zeros: [..., 4]. Offsets and scales are [3] of the result's type, which is
/// the input's, but HALF for UNSIGNED_CHAR.
poplar::Tensor normaliseImage(poplar::Graph &graph,
                              poplar::program::Sequence &prog,
                              const poplar::Tensor &tIn, float inScale,
                              const poplar::Tensor &inOffsets,
                              const poplar::Tensor &inScales,
                              const poplar::DebugContext &debugContext = {});

} // namespace popops

#endif
