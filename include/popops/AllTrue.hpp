// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Logical conjunction of a tensor.

#ifndef POPULUS_POPOPS_ALLTRUE_HPP
#define POPULUS_POPOPS_ALLTRUE_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

namespace popops {

/// Returns a scalar that is true if all elements of \p A, of type BOOL, are
/// true. It can be used as a program's predicate.
poplar::Tensor allTrue(poplar::Graph &graph, poplar::Tensor A,
                       poplar::program::Sequence &prog,
                       const poplar::DebugContext &debugContext = {});

} // namespace popops

#endif
