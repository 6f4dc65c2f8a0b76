// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The choice of a layout for the result of an elementwise operation.

#ifndef POPULUS_POPOPS_ELEMENTWISEUTIL_HPP
#define POPULUS_POPOPS_ELEMENTWISEUTIL_HPP

#include <poplar/Graph.hpp>

#include <vector>

namespace popops {

/// Creates a tensor of the common shape of \p inputs, laid out like the input
/// that is best spread over tiles, or linearly if no input has that shape.
poplar::Tensor
createOutputForElementWiseOp(poplar::Graph &graph,
                             const std::vector<poplar::Tensor> &inputs,
                             const poplar::Type &outputType,
                             const poplar::DebugContext &debugContext = {});

} // namespace popops

#endif
