// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests for special values in a tensor of type FLOAT or HALF. The result is a
// scalar of type BOOL.

#ifndef POPULUS_POPOPS_NAN_HPP
#define POPULUS_POPOPS_NAN_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

namespace popops {

poplar::Tensor hasNaN(poplar::Graph &graph, const poplar::Tensor &src,
                      poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext = {});
poplar::Tensor hasNaNOrInf(poplar::Graph &graph, const poplar::Tensor &src,
                           poplar::program::Sequence &prog,
                           const poplar::DebugContext &debugContext = {});

} // namespace popops

#endif
