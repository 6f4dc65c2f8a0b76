// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NumPy-style broadcasting of tensor views: shapes are aligned on the right,
// an extent of one stretches. Nothing is copied.

#ifndef POPULUS_POPUTIL_BROADCAST_HPP
#define POPULUS_POPUTIL_BROADCAST_HPP

#include <poplar/Tensor.hpp>

#include <cstddef>
#include <vector>

namespace poputil {

/// Gives the tensor of lower rank leading dimensions of extent one.
void expandToMatchRanks(poplar::Tensor &a, poplar::Tensor &b);

/// Stretches \p a to \p shape. Throws poplibs_error where that is impossible.
void broadcastToMatch(poplar::Tensor &a, const std::vector<std::size_t> &shape);

/// Stretches the tensors to the shape that they have in common.
void broadcastToMatch(poplar::Tensor &a, poplar::Tensor &b);
void broadcastToMatch(poplar::Tensor &a, poplar::Tensor &b, poplar::Tensor &c);

bool canBroadcastToMatch(const poplar::Tensor &a, const poplar::Tensor &b);

} // namespace poputil

#endif
