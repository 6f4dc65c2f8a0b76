// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors for copies from and to remote buffers and the host.

#ifndef POPULUS_POPOPS_HOSTSLICETENSOR_HPP
#define POPULUS_POPOPS_HOSTSLICETENSOR_HPP

#include <poplar/Graph.hpp>

#include <vector>

namespace popops {

/// Rows of a remote buffer, and their indices.
struct IndicesAndTensor {
  poplar::Tensor indices; // UNSIGNED_INT [rows]
  poplar::Tensor tensor;  // [rows, elements of a row]
};

/// Tensors for a copy of shape[0] rows of shape[1] elements from a remote
/// buffer
/// (\p isRead) or to one.
IndicesAndTensor
createHostSliceableTensor(poplar::Graph &graph, const poplar::Type &type,
                          const std::vector<std::size_t> &shape, bool isRead,
                          const poplar::DebugContext &debugContext = {});
/// The same, mapped from tile \p offset.
IndicesAndTensor
createHostSliceableTensor(poplar::Graph &graph, const poplar::Type &type,
                          const std::vector<std::size_t> &shape, bool isRead,
                          unsigned offset,
                          const poplar::DebugContext &debugContext = {});

/// A tensor of any shape for a copy from the host (\p isRead) or to it.
poplar::Tensor
createHostTransferableTensor(poplar::Graph &graph, const poplar::Type &type,
                             const std::vector<std::size_t> &shape, bool isRead,
                             const poplar::DebugContext &debugContext = {});
poplar::Tensor
createHostTransferableTensor(poplar::Graph &graph, const poplar::Type &type,
                             const std::vector<std::size_t> &shape, bool isRead,
                             unsigned offset,
                             const poplar::DebugContext &debugContext = {});

} // namespace popops

#endif
