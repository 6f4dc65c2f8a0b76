// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Softmax of block sparse matrices. A matrix is stored as [blocks, block size],
// with the blocks in row-major order and the elements of a block in row-major
// order. Elements outside of all blocks do not exist.

#ifndef POPULUS_POPSPARSE_EXPERIMENTAL_BLOCKSPARSE_HPP
#define POPULUS_POPSPARSE_EXPERIMENTAL_BLOCKSPARSE_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

#include <array>
#include <vector>

namespace popsparse {
namespace experimental {

/// Selects the elements on one side of the matrix's diagonal that are masked.
enum class SubBlockMask { None, ZeroUpperTriangle, ZeroLowerTriangle };

/// Returns the softmax of each row. \p dim has the rows and columns of the
/// matrix in elements, and \p blockSize those of a block. \p sparsity has a 1
/// for each block, in row-major order. Masked elements are 0. The rows are
/// divided into \p numGroups matrices, each with its own diagonal.
poplar::Tensor bsSoftmax(poplar::Graph &graph, poplar::Tensor sparseTensor,
                         const std::array<int, 2> &dim,
                         const std::array<int, 2> &blockSize,
                         const std::vector<unsigned char> &sparsity,
                         SubBlockMask subBlockMaskType, unsigned numGroups,
                         poplar::program::Sequence &prog,
                         const poplar::DebugContext &debugContext = {});
void bsSoftmaxInPlace(poplar::Graph &graph, poplar::Tensor sparseTensor,
                      const std::array<int, 2> &dim,
                      const std::array<int, 2> &blockSize,
                      const std::vector<unsigned char> &sparsity,
                      SubBlockMask subBlockMaskType, unsigned numGroups,
                      poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext = {});

/// Returns the gradient of the softmax's input from its result and the gradient
/// of the result.
poplar::Tensor bsSoftmaxGrad(poplar::Graph &graph, poplar::Tensor sparseOut,
                             poplar::Tensor sparseOutGrad,
                             const std::array<int, 2> &dim,
                             const std::array<int, 2> &blockSize,
                             const std::vector<unsigned char> &sparsity,
                             poplar::program::Sequence &prog,
                             const poplar::DebugContext &debugContext = {});

} // namespace experimental
} // namespace popsparse

#endif
