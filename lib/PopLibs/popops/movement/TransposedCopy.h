// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies between tensors that lie in memory along different dimensions, such as
// a matrix and its transpose. As a plain copy that is an exchange of single
// elements, which costs cycles for each of them and makes programs of hundreds
// of millions of pieces.

#ifndef POPULUS_LIB_POPLIBS_POPOPS_MOVEMENT_TRANSPOSEDCOPY_H
#define POPULUS_LIB_POPLIBS_POPOPS_MOVEMENT_TRANSPOSEDCOPY_H

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

namespace popops {

/// Copies \p from to \p to, of the same shape and type: with vertices that
/// transpose matrices where that takes fewer cycles, else as a plain copy. What
/// arrives waits in a buffer, for which there are \p spareMemory bytes of a
/// tile; it takes no more than 1/16 of a tile, and small ones (1/64) take
/// memory that compute sets share.
void addTransposedCopy(poplar::Graph &graph, const poplar::Tensor &from,
                       const poplar::Tensor &to, double spareMemory,
                       poplar::program::Sequence &prog,
                       const poplar::DebugContext &debugContext);

} // namespace popops

#endif
