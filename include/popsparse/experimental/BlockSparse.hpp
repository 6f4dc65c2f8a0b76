// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Softmax of block sparse matrices. Such a matrix is [blocks, block size]: its
// blocks in the order of rows, each in the order of its rows. Where there is no
// block a matrix has no elements.

#ifndef POPULUS_POPSPARSE_EXPERIMENTAL_BLOCKSPARSE_HPP
#define POPULUS_POPSPARSE_EXPERIMENTAL_BLOCKSPARSE_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

#include <array>
#include <vector>

namespace popsparse {
namespace experimental {

/// Which elements on one side of the whole matrix's diagonal are left out.
enum class SubBlockMask { None, ZeroUpperTriangle, ZeroLowerTriangle };

/// The softmax of each row. \p dim are rows and columns of the matrix in
/// elements, \p blockSize those of a block; \p sparsity has a 1 for each block,
/// in the order of rows. Elements that the mask leaves out are 0; the rows are
/// divided into \p numGroups matrices, each with a diagonal of its own.
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

/// The gradient of the softmax's argument from its result and the gradient of
/// that.
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
