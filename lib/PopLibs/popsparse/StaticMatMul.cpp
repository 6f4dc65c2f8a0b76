// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products with a sparse matrix whose pattern the graph knows.

#include <popsparse/MatMul.hpp>

#include "lib/PopLibs/popsparse/BlockViews.h"
#include "lib/PopLibs/popsparse/ProductOptions.h"

#include <poplin/MatMul.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>

using namespace poplar;
using namespace poplar::program;
using poputil::poplibs_error;

namespace popsparse {
namespace static_ {

struct SparsityPattern {
  BlockPattern grid;
};

namespace {

OptionFlags matMulOptions(const OptionFlags &options) {
  using poplibs::OptionHandler;
  unsigned number = 0;
  bool flag = false;
  const poplibs::OptionSpec own(
      {{"numBands", OptionHandler::createWithInteger(number)},
       {"nSplit", OptionHandler::createWithInteger(number)},
       {"verboseLogging", OptionHandler::createWithBool(flag)},
       {"enablePreProcessing", OptionHandler::createWithBool(flag)}});
  return denseProductOptions(options, own);
}

[[noreturn]] void fail(const std::string &problem) {
  throw poplibs_error("popsparse::static_: " + problem);
}

std::string size(std::size_t rows, std::size_t columns) {
  return std::to_string(rows) + "x" + std::to_string(columns);
}

/// The pattern of a matrix that has to be [rows, columns].
template <typename T>
BlockPattern patternOf(const CSRMatrix<T> &matrix, std::size_t rows,
                       std::size_t columns) {
  const std::size_t blockRows = matrix.numRowsInBlock;
  const std::size_t blockColumns = matrix.numColumnsInBlock;
  if (matrix.getBlockSize() == 0 || rows % blockRows != 0 ||
      columns % blockColumns != 0 ||
      (matrix.numRows != 0 && matrix.numRows != rows) ||
      (matrix.numColumns != 0 && matrix.numColumns != columns))
    fail("a matrix of " + size(matrix.numRows, matrix.numColumns) +
         " with blocks of " + size(blockRows, blockColumns) +
         " where the parameters ask for " + size(rows, columns));
  BlockPattern pattern;
  pattern.rows = rows / blockRows;
  pattern.columns = columns / blockColumns;
  pattern.blockRows = blockRows;
  pattern.blockColumns = blockColumns;
  const std::vector<std::size_t> &begins = matrix.rowIndices;
  if (begins.size() != pattern.rows + 1 || begins.front() != 0 ||
      begins.back() != matrix.nzValues.size() ||
      !std::is_sorted(begins.begin(), begins.end()) ||
      matrix.columnIndices.size() * pattern.blockSize() !=
          matrix.nzValues.size())
    fail("the list of rows has to go up from 0 to the number of values, with " +
         std::to_string(pattern.rows + 1) +
         " entries, and each block needs a column");
  for (std::size_t row = 0; row != pattern.rows; ++row)
    for (std::size_t at = begins[row]; at != begins[row + 1];
         at += pattern.blockSize()) {
      const std::size_t column = matrix.columnIndices[at / pattern.blockSize()];
      if (column % blockColumns != 0 || column >= columns)
        fail("there is no block in column " + std::to_string(column));
      pattern.blocks.emplace_back(row, column / blockColumns);
    }
  std::vector<std::pair<std::size_t, std::size_t>> sorted = pattern.blocks;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
    fail("there are two blocks in the same place");
  return pattern;
}

void checkParams(const MatMulParams &params, bool sparseDense) {
  if (params.getNumGroups() != 1)
    fail("products of " + std::to_string(params.getNumGroups()) +
         " groups are not supported, only of one");
  if (params.isSparseDense() != sparseDense)
    fail("the parameters are those of a product with the sparse matrix on the "
         "other side");
}

template <typename T>
SparseTensor createSparse(Graph &graph, const Type &inputType,
                          const CSRMatrix<T> &matrix, std::size_t rows,
                          std::size_t columns, const OptionFlags &options,
                          const DebugContext &dc) {
  matMulOptions(options);
  const auto pattern = std::make_shared<SparsityPattern>();
  pattern->grid = patternOf(matrix, rows, columns);
  const Tensor values =
      graph.addVariable(inputType, {matrix.nzValues.size()}, {dc, "nzValues"});
  poputil::mapTensorLinearly(graph, values);
  return {values, pattern};
}

Tensor dense(Graph &graph, const SparseTensor &sparse, const DebugContext &dc) {
  if (!sparse.getOpMetaData())
    fail("a sparse matrix without a pattern; it must be one of "
         "createSparseDenseMatMulLHS or createDenseSparseMatMulRHS");
  return denseView(graph, sparse.getOpMetaData()->grid,
                   sparse.getNzValuesTensor(), dc)
      .expand({0});
}

Tensor product(Graph &graph, const Tensor &lhs, const Tensor &rhs,
               bool transposeLHS, bool transposeRHS, Sequence &prog,
               const OptionFlags &options, const DebugContext &dc) {
  if (lhs.rank() != 3 || rhs.rank() != 3 || lhs.dim(0) != 1 ||
      rhs.dim(0) != 1 ||
      lhs.dim(transposeLHS ? 1 : 2) != rhs.dim(transposeRHS ? 2 : 1))
    fail("a product of matrices of shapes " + lhs.shapeToString() + " and " +
         rhs.shapeToString());
  const auto turned = [](const Tensor &t, bool transpose) {
    return transpose ? t.dimShuffle({0, 2, 1}) : t;
  };
  return poplin::matMulGrouped(graph, turned(lhs, transposeLHS),
                               turned(rhs, transposeRHS), prog,
                               lhs.elementType(), dc, matMulOptions(options));
}

} // namespace

template <typename T>
SparseTensor createSparseDenseMatMulLHS(Graph &graph, const Type &inputType,
                                        const MatMulParams &params,
                                        const CSRMatrix<T> &matrix,
                                        const DebugContext &debugContext,
                                        const OptionFlags &options,
                                        PlanningCache *) {
  checkParams(params, true);
  return createSparse(graph, inputType, matrix, params.getM(), params.getK(),
                      options, {debugContext, "StaticSparse"});
}

template <typename T>
Tensor createSparseDenseMatMulRHS(Graph &graph, const Type &inputType,
                                  const MatMulParams &params,
                                  const CSRMatrix<T> &,
                                  const DebugContext &debugContext,
                                  const OptionFlags &options, PlanningCache *) {
  checkParams(params, true);
  return poplin::createMatMulGroupedInputRHS(
      graph, inputType, inputType, {1, params.getM(), params.getK()},
      {1, params.getK(), params.getN()}, debugContext, matMulOptions(options));
}

template <typename T>
Tensor createDenseSparseMatMulLHS(Graph &graph, const Type &inputType,
                                  const MatMulParams &params,
                                  const CSRMatrix<T> &,
                                  const DebugContext &debugContext,
                                  const OptionFlags &options, PlanningCache *) {
  checkParams(params, false);
  return poplin::createMatMulGroupedInputLHS(
      graph, inputType, inputType, {1, params.getM(), params.getK()},
      {1, params.getK(), params.getN()}, debugContext, matMulOptions(options));
}

template <typename T>
SparseTensor createDenseSparseMatMulRHS(Graph &graph, const Type &inputType,
                                        const MatMulParams &params,
                                        const CSRMatrix<T> &matrix,
                                        const DebugContext &debugContext,
                                        const OptionFlags &options,
                                        PlanningCache *) {
  checkParams(params, false);
  return createSparse(graph, inputType, matrix, params.getK(), params.getN(),
                      options, {debugContext, "StaticSparse"});
}

Tensor sparseDenseMatMul(Graph &graph, const SparseTensor &lhs,
                         const Tensor &rhs, Sequence &prog, bool transposeLHS,
                         bool transposeRHS, const DebugContext &debugContext,
                         const OptionFlags &options, PlanningCache *) {
  const DebugContext dc(debugContext, "StaticSparseDense");
  return product(graph, dense(graph, lhs, dc), rhs, transposeLHS, transposeRHS,
                 prog, options, dc);
}

Tensor denseSparseMatMul(Graph &graph, const Tensor &lhs,
                         const SparseTensor &rhs, Sequence &prog,
                         bool transposeLHS, bool transposeRHS,
                         const DebugContext &debugContext,
                         const OptionFlags &options, PlanningCache *) {
  const DebugContext dc(debugContext, "StaticDenseSparse");
  return product(graph, lhs, dense(graph, rhs, dc), transposeLHS, transposeRHS,
                 prog, options, dc);
}

#define POPULUS_INSTANTIATE(RESULT, NAME, T)                                   \
  template RESULT NAME(Graph &, const Type &, const MatMulParams &,            \
                       const CSRMatrix<T> &, const DebugContext &,             \
                       const OptionFlags &, PlanningCache *);
#define POPULUS_INSTANTIATE_ALL(T)                                             \
  POPULUS_INSTANTIATE(SparseTensor, createSparseDenseMatMulLHS, T)             \
  POPULUS_INSTANTIATE(Tensor, createSparseDenseMatMulRHS, T)                   \
  POPULUS_INSTANTIATE(Tensor, createDenseSparseMatMulLHS, T)                   \
  POPULUS_INSTANTIATE(SparseTensor, createDenseSparseMatMulRHS, T)
POPULUS_INSTANTIATE_ALL(float)
POPULUS_INSTANTIATE_ALL(double)

} // namespace static_
} // namespace popsparse
