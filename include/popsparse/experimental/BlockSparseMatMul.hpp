// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix products with a block sparse right operand or result, in a pattern
// known at compile time. BlockSparse.hpp describes the storage. They are
// computed as dense products.

#ifndef POPULUS_POPSPARSE_EXPERIMENTAL_BLOCKSPARSEMATMUL_HPP
#define POPULUS_POPSPARSE_EXPERIMENTAL_BLOCKSPARSEMATMUL_HPP

#include <popsparse/experimental/BlockSparse.hpp>

#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>

#include <array>
#include <vector>

namespace popsparse {
namespace experimental {

class BSMatMulParams {
public:
  /// A dense matrix [dim[0], dim[1]] by a sparse one [dim[1], dim[2]], or, with
  /// \p rhsNeedTranspose, by the transpose of a sparse one [dim[2], dim[1]].
  /// Blocks have \p blockSize elements along the same dimensions; the mask has
  /// those of the sparse matrix as it is stored. The masks of several groups
  /// follow each other.
  BSMatMulParams(const std::array<int, 3> &dim,
                 const std::array<int, 3> &blockSize,
                 const std::vector<unsigned char> &rhsSparsity,
                 bool rhsNeedTranspose, poplar::Type inDataType,
                 poplar::Type outDataType, poplar::Type partialDataType,
                 unsigned numGroupsIn = 1);
  /// Product of dense matrices [dim[0], dim[1]] and [dim[1], dim[2]]. Only the
  /// blocks of the mask are computed.
  BSMatMulParams(const std::array<int, 3> &dim,
                 const std::array<int, 3> &blockSize,
                 const std::vector<unsigned char> &resSparsity,
                 poplar::Type inDataType, poplar::Type outDataType,
                 poplar::Type partialDataType,
                 SubBlockMask subBlockMask = SubBlockMask::None,
                 unsigned numGroupsIn = 1);

  std::array<int, 3> dim, blockSize;
  std::vector<unsigned char> sparsity;
  bool isResSparse;
  bool rhsNeedTranspose;
  poplar::Type inDataType, outDataType, partialDataType;
  SubBlockMask subBlockMask;
  unsigned numGroups;
};

/// The operands: dense [groups * rows, columns], sparse [blocks of all groups,
/// block size].
poplar::Tensor createBSMatMulInputLHS(poplar::Graph &graph,
                                      const BSMatMulParams &bsMatMul,
                                      const poplar::DebugContext &debugContext,
                                      const poplar::OptionFlags &options = {});
poplar::Tensor createBSMatMulInputRHS(poplar::Graph &graph,
                                      const BSMatMulParams &bsMatMul,
                                      const poplar::DebugContext &debugContext,
                                      const poplar::OptionFlags &options = {});

/// Options: "memoryCycleRatio", "numberOfPass" and "partitionMethod" are
/// checked and make no difference here.
poplar::Tensor bsMatMul(poplar::Graph &graph,
                        const BSMatMulParams &bsMatMulParams,
                        poplar::program::Sequence &prog,
                        const poplar::Tensor &lhsMatrix,
                        const poplar::Tensor &rhsMatrix,
                        const poplar::OptionFlags &options = {},
                        const poplar::DebugContext &debugContext = {});

} // namespace experimental
} // namespace popsparse

#endif
