// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of sparse and dense matrices. Options: FullyConnected.hpp.

#ifndef POPULUS_POPSPARSE_MATMUL_HPP
#define POPULUS_POPSPARSE_MATMUL_HPP

#include <popsparse/MatMulParams.hpp>
#include <popsparse/PlanningCache.hpp>
#include <popsparse/SparseStorageFormats.hpp>
#include <popsparse/SparseTensor.hpp>

#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>

namespace popsparse {
namespace dynamic {

/// The sparse matrix, [groups, m, k].
SparseTensor createSparseDenseMatMulLHS(
    poplar::Graph &graph, const poplar::Type &inputType,
    const MatMulParams &params, const poplar::DebugContext &debugContext = {},
    const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);
/// The dense matrix, [groups, k, n].
poplar::Tensor createSparseDenseMatMulRHS(
    poplar::Graph &graph, const poplar::Type &inputType,
    const MatMulParams &params, const poplar::DebugContext &debugContext = {},
    const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);

/// [groups, m, n]. With \p transposeLHS the sparse matrix is transposed first,
/// so that \p rhs is [groups, m, n] and the result [groups, k, n]; with
/// \p transposeRHS \p rhs is the transposed one.
poplar::Tensor sparseDenseMatMul(
    poplar::Graph &graph, const SparseTensor &lhs, const poplar::Tensor &rhs,
    poplar::program::Sequence &prog, bool transposeLHS = false,
    bool transposeRHS = false, const poplar::DebugContext &debugContext = {},
    const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);

} // namespace dynamic

// Products with a matrix whose sparsity pattern is fixed at compile time. There
// is no metadata to write, only values. There is one group; dense matrices are
// [1, rows, columns]. T is float or double.
//
// Options: "availableMemoryProportion" and "partialsType" go to the products;
// "numBands", "nSplit", "verboseLogging" and "enablePreProcessing" are checked
// and make no difference.
namespace static_ {

/// Creates an operand with the sparsity pattern of \p matrix. \p params give
/// its shape, [m, k] or [k, n].
template <typename T>
SparseTensor createSparseDenseMatMulLHS(
    poplar::Graph &graph, const poplar::Type &inputType,
    const MatMulParams &params, const CSRMatrix<T> &matrix,
    const poplar::DebugContext &debugContext = {},
    const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);
template <typename T>
poplar::Tensor createSparseDenseMatMulRHS(
    poplar::Graph &graph, const poplar::Type &inputType,
    const MatMulParams &params, const CSRMatrix<T> &matrix,
    const poplar::DebugContext &debugContext = {},
    const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);
template <typename T>
poplar::Tensor createDenseSparseMatMulLHS(
    poplar::Graph &graph, const poplar::Type &inputType,
    const MatMulParams &params, const CSRMatrix<T> &matrix,
    const poplar::DebugContext &debugContext = {},
    const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);
template <typename T>
SparseTensor createDenseSparseMatMulRHS(
    poplar::Graph &graph, const poplar::Type &inputType,
    const MatMulParams &params, const CSRMatrix<T> &matrix,
    const poplar::DebugContext &debugContext = {},
    const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);

poplar::Tensor sparseDenseMatMul(
    poplar::Graph &graph, const SparseTensor &lhs, const poplar::Tensor &rhs,
    poplar::program::Sequence &prog, bool transposeLHS = false,
    bool transposeRHS = false, const poplar::DebugContext &debugContext = {},
    const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);
poplar::Tensor denseSparseMatMul(
    poplar::Graph &graph, const poplar::Tensor &lhs, const SparseTensor &rhs,
    poplar::program::Sequence &prog, bool transposeLHS = false,
    bool transposeRHS = false, const poplar::DebugContext &debugContext = {},
    const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);

} // namespace static_
} // namespace popsparse

#endif
