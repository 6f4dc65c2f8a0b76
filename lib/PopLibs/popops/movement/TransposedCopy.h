// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies between tensors with different innermost dimensions in memory, such as
// a matrix and its transpose. A plain copy would exchange single elements,
// which costs cycles for each and makes programs of hundreds of millions of
// pieces.

#ifndef POPULUS_LIB_POPLIBS_POPOPS_MOVEMENT_TRANSPOSEDCOPY_H
#define POPULUS_LIB_POPLIBS_POPOPS_MOVEMENT_TRANSPOSEDCOPY_H

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

namespace popops {

/// Copies \p from to \p to, of the same shape and type. Vertices transpose
/// matrices if that takes fewer cycles; otherwise it is a plain copy. Received
/// data waits in a buffer of at most \p spareMemory bytes and 1/16 of a tile.
/// Small buffers (1/64) use memory that compute sets share.
void addTransposedCopy(poplar::Graph &graph, const poplar::Tensor &from,
                       const poplar::Tensor &to, double spareMemory,
                       poplar::program::Sequence &prog,
                       const poplar::DebugContext &debugContext);

} // namespace popops

#endif
