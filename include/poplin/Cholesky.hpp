// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The Cholesky factors of symmetric positive definite matrices, [..., N, N].
//
// Options: those of matMul (MatMul.hpp), and "blockSize" (integer), which is
// checked and makes no difference here.

#ifndef POPULUS_POPLIN_CHOLESKY_HPP
#define POPULUS_POPLIN_CHOLESKY_HPP

#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplin/MatMul.hpp>
#include <poplin/PlanningCache.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace poplin {

poplar::Tensor createCholeskyInput(poplar::Graph &graph,
                                   const poplar::Type &type,
                                   const std::vector<std::size_t> &shape,
                                   bool lower,
                                   const poplar::DebugContext &debugContext,
                                   const poplar::OptionFlags &options = {},
                                   PlanningCache *cache = nullptr);

/// Returns L with A = L L^T (\p lower) or U with A = U^T U. Only that triangle
/// of \p a is read; the other triangle of the result is zero.
poplar::Tensor cholesky(poplar::Graph &graph, const poplar::Tensor &a,
                        bool lower, poplar::program::Sequence &prog,
                        const poplar::DebugContext &debugContext = {},
                        const poplar::OptionFlags &options = {},
                        PlanningCache *cache = nullptr);
void choleskyInPlace(poplar::Graph &graph, const poplar::Tensor &a, bool lower,
                     poplar::program::Sequence &prog,
                     const poplar::DebugContext &debugContext = {},
                     const poplar::OptionFlags &options = {},
                     PlanningCache *cache = nullptr);

/// The matrix products of cholesky for a matrix of that shape, for
/// preplanMatMuls.
std::vector<std::pair<MatMulParams, poplar::OptionFlags>>
getCholeskyMatMulPrePlanParameters(const poplar::Type &type,
                                   const std::vector<std::size_t> &shape,
                                   bool lower, poplar::OptionFlags options);

} // namespace poplin

#endif
