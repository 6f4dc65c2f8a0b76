// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linear equations with a triangular matrix, [..., N, N].
//
// Options: those of matMul (MatMul.hpp), and "blockSize" (integer), which is
// checked and makes no difference here.

#ifndef POPULUS_POPLIN_TRIANGULARSOLVE_HPP
#define POPULUS_POPLIN_TRIANGULARSOLVE_HPP

#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplin/MatMul.hpp>
#include <poplin/PlanningCache.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace poplin {

/// The matrix, and the right-hand side, of an equation between tensors of these
/// shapes.
poplar::Tensor createTriangularSolveInputLHS(
    poplar::Graph &graph, const poplar::Type &inputType,
    const poplar::Type &outputType, const std::vector<std::size_t> &aShape,
    const std::vector<std::size_t> &bShape, bool leftSide,
    const poplar::DebugContext &debugContext,
    const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);
poplar::Tensor createTriangularSolveInputRHS(
    poplar::Graph &graph, const poplar::Type &inputType,
    const poplar::Type &outputType, const std::vector<std::size_t> &aShape,
    const std::vector<std::size_t> &bShape, bool leftSide,
    const poplar::DebugContext &debugContext,
    const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);

/// Returns \p a with zeros above (\p lower) or below the diagonal and, with \p
/// unitDiagonal, ones on it.
poplar::Tensor triangularMask(poplar::Graph &graph, const poplar::Tensor &a,
                              bool lower, bool unitDiagonal,
                              poplar::program::Sequence &prog,
                              const poplar::DebugContext &debugContext = {});

/// The solution X of A X = B (\p leftSide; B is [..., N, K]) or of X A = B (B
/// is
/// [..., K, N]). Only the lower or the upper triangle of \p a is read, and with
/// \p unitDiagonal its diagonal is taken for ones.
poplar::Tensor triangularSolve(poplar::Graph &graph, const poplar::Tensor &a,
                               const poplar::Tensor &b, bool leftSide,
                               bool lower, bool unitDiagonal,
                               poplar::program::Sequence &prog,
                               const poplar::DebugContext &debugContext = {},
                               const poplar::OptionFlags &options = {},
                               PlanningCache *cache = nullptr);

/// The matrix products of triangularSolve for operands of these shapes, for
/// preplanMatMuls.
std::vector<std::pair<MatMulParams, poplar::OptionFlags>>
getTriangularSolveMatMulPrePlanParameters(
    const poplar::Type &inputType, const poplar::Type &outputType,
    const std::vector<std::size_t> &aShape,
    const std::vector<std::size_t> &bShape, bool leftSide, bool lower,
    poplar::OptionFlags options);

} // namespace poplin

#endif
