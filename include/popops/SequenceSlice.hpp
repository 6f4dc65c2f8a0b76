// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies between positions of sequences known only at run time.

#ifndef POPULUS_POPOPS_SEQUENCESLICE_HPP
#define POPULUS_POPOPS_SEQUENCESLICE_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

namespace popops {

/// For each sequence s, tOut[tOutOffset[s] + i] = tIn[tInOffset[s] + i] for all
/// i below tN[s], along the first dimension. The other dimensions of \p tIn and
/// \p tOut are equal. Lengths and offsets are vectors of UNSIGNED_INT.
/// Sequences must not overlap in the output. Output elements outside all
/// sequences are set to zero with \p zeroUnused and unchanged without.
void sequenceSlice(poplar::Graph &graph, const poplar::Tensor &tIn,
                   const poplar::Tensor &tOut, const poplar::Tensor &tN,
                   const poplar::Tensor &tInOffset,
                   const poplar::Tensor &tOutOffset, bool zeroUnused,
                   poplar::program::Sequence &prog,
                   const poplar::DebugContext &debugContext = {});

} // namespace popops

#endif
