// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NumPy-style broadcasting of tensor views: shapes are aligned at the last
// dimension, and a dimension of size one is repeated. Nothing is copied.

#ifndef POPULUS_POPUTIL_BROADCAST_HPP
#define POPULUS_POPUTIL_BROADCAST_HPP

#include <poplar/Tensor.hpp>

#include <cstddef>
#include <vector>

namespace poputil {

/// Gives the tensor of lower rank leading dimensions of extent one.
void expandToMatchRanks(poplar::Tensor &a, poplar::Tensor &b);

/// Broadcasts \p a to \p shape. Throws poplibs_error if that is impossible.
void broadcastToMatch(poplar::Tensor &a, const std::vector<std::size_t> &shape);

/// Broadcasts the tensors to their common shape.
void broadcastToMatch(poplar::Tensor &a, poplar::Tensor &b);
void broadcastToMatch(poplar::Tensor &a, poplar::Tensor &b, poplar::Tensor &c);

bool canBroadcastToMatch(const poplar::Tensor &a, const poplar::Tensor &b);

} // namespace poputil

#endif
