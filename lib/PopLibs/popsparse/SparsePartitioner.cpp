// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All forms of sparse matrices by way of a list of blocks in the order of rows.

#include <popsparse/SparsePartitioner.hpp>

#include "lib/PopLibs/popsparse/BlockGrid.h"

#include <poputil/exceptions.hpp>

#include <algorithm>
#include <numeric>

using poputil::poplibs_error;

namespace popsparse {
namespace dynamic {
namespace {

[[noreturn]] void fail(const std::string &name, const std::string &problem) {
  throw poplibs_error("popsparse: partitioner" +
                      (name.empty() ? "" : " '" + name + "'") + ": " + problem);
}

void checkMatrix(const std::string &name, const BlockGrid &grid,
                 const Block &matrix, std::size_t values) {
  if (matrix.numRowsInBlock != grid.blockRows ||
      matrix.numColumnsInBlock != grid.blockColumns)
    fail(name, "a matrix with blocks of " +
                   std::to_string(matrix.numRowsInBlock) + "x" +
                   std::to_string(matrix.numColumnsInBlock) + ", not " +
                   std::to_string(grid.blockRows) + "x" +
                   std::to_string(grid.blockColumns));
  if ((matrix.numRows != 0 && matrix.numRows != grid.rows * grid.blockRows) ||
      (matrix.numColumns != 0 &&
       matrix.numColumns != grid.columns * grid.blockColumns))
    fail(name, "a matrix of " + std::to_string(matrix.numRows) + "x" +
                   std::to_string(matrix.numColumns) + ", not " +
                   std::to_string(grid.rows * grid.blockRows) + "x" +
                   std::to_string(grid.columns * grid.blockColumns));
  if (values % grid.blockSize() != 0 || values / grid.blockSize() > grid.places)
    fail(name, std::to_string(values) +
                   " values; there is place for whole blocks, and " +
                   std::to_string(grid.places * grid.blockSize()) + " values");
}

/// The index of the block of each row or column, from where those begin.
std::vector<std::size_t> expanded(const std::string &name,
                                  const std::vector<std::size_t> &begins,
                                  std::size_t lists, std::size_t values,
                                  std::size_t blockSize,
                                  std::size_t blockExtent) {
  if (begins.size() != lists + 1 || begins.front() != 0 ||
      begins.back() != values || !std::is_sorted(begins.begin(), begins.end()))
    fail(name, "the list of places has to go up from 0 to the number of "
               "values, with " +
                   std::to_string(lists + 1) + " entries");
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i != lists; ++i)
    result.insert(result.end(), (begins[i + 1] - begins[i]) / blockSize,
                  i * blockExtent);
  return result;
}

/// Begins of the lists in a sorted list of indices, in elements.
std::vector<std::size_t> compressed(const std::vector<std::size_t> &indices,
                                    std::size_t lists, std::size_t blockSize,
                                    std::size_t blockExtent) {
  std::vector<std::size_t> begins(lists + 1);
  for (std::size_t index : indices)
    begins[index / blockExtent + 1] += blockSize;
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  return begins;
}

/// The blocks in another order.
template <typename T>
COOMatrix<T> permuted(const COOMatrix<T> &matrix,
                      const std::vector<std::size_t> &order) {
  COOMatrix<T> result = matrix;
  const std::size_t size = matrix.getBlockSize();
  for (std::size_t i = 0; i != order.size(); ++i) {
    result.rowIndices[i] = matrix.rowIndices[order[i]];
    result.columnIndices[i] = matrix.columnIndices[order[i]];
    std::copy_n(matrix.nzValues.begin() + order[i] * size, size,
                result.nzValues.begin() + i * size);
  }
  return result;
}

template <typename T, typename Less>
COOMatrix<T> sorted(const COOMatrix<T> &matrix, Less less) {
  std::vector<std::size_t> order(matrix.rowIndices.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), less);
  return permuted(matrix, order);
}

} // namespace

template <typename T>
Partitioner<T>::Partitioner(const FullyConnectedParams &params,
                            const poplar::Type &dataType,
                            const poplar::Target &,
                            const poplar::OptionFlags &options, PlanningCache *,
                            std::string name)
    : params(params), name(std::move(name)) {
  BlockGrid grid(params);
  matMulOptions(options);
  if (dataType != poplar::FLOAT && dataType != poplar::HALF)
    fail(this->name, "values of type " + dataType.toString() +
                         "; they must be float or half");
}

template <typename T>
SparsityDataImpl<T>
Partitioner<T>::createSparsityDataImpl(const COOMatrix<T> &matrix) const {
  const BlockGrid grid(params);
  checkMatrix(name, grid, matrix, matrix.nzValues.size());
  const std::size_t blocks = matrix.nzValues.size() / grid.blockSize();
  if (matrix.rowIndices.size() != blocks ||
      matrix.columnIndices.size() != blocks)
    fail(name, std::to_string(matrix.rowIndices.size()) + " rows and " +
                   std::to_string(matrix.columnIndices.size()) +
                   " columns for " + std::to_string(blocks) + " blocks");
  SparsityDataImpl<T> data;
  std::vector<std::pair<std::size_t, std::size_t>> seen;
  for (std::size_t i = 0; i != blocks; ++i) {
    const std::size_t row = matrix.rowIndices[i] / grid.blockRows;
    const std::size_t column = matrix.columnIndices[i] / grid.blockColumns;
    if (row >= grid.rows || column >= grid.columns ||
        matrix.rowIndices[i] % grid.blockRows != 0 ||
        matrix.columnIndices[i] % grid.blockColumns != 0)
      fail(name, "there is no block at row " +
                     std::to_string(matrix.rowIndices[i]) + ", column " +
                     std::to_string(matrix.columnIndices[i]));
    seen.emplace_back(row, column);
    data.metaInfo.push_back(row);
    data.metaInfo.push_back(column);
  }
  std::sort(seen.begin(), seen.end());
  const auto twice = std::adjacent_find(seen.begin(), seen.end());
  if (twice != seen.end())
    fail(name, "there are two blocks at row " +
                   std::to_string(twice->first * grid.blockRows) + ", column " +
                   std::to_string(twice->second * grid.blockColumns));
  for (std::size_t i = blocks; i != grid.places; ++i) {
    data.metaInfo.push_back(grid.unusedRow());
    data.metaInfo.push_back(0);
  }
  data.nzValues = matrix.nzValues;
  data.nzValues.resize(grid.places * grid.blockSize());
  return data;
}

template <typename T>
SparsityDataImpl<T>
Partitioner<T>::createSparsityDataImpl(const CSRMatrix<T> &matrix) const {
  const BlockGrid grid(params);
  checkMatrix(name, grid, matrix, matrix.nzValues.size());
  return createSparsityDataImpl(COOMatrix<T>(
      matrix.numRows, matrix.numColumns, matrix.nzValues, matrix.columnIndices,
      expanded(name, matrix.rowIndices, grid.rows, matrix.nzValues.size(),
               grid.blockSize(), grid.blockRows),
      matrix.getBlockDimensions()));
}

template <typename T>
SparsityDataImpl<T>
Partitioner<T>::createSparsityDataImpl(const CSCMatrix<T> &matrix) const {
  const BlockGrid grid(params);
  checkMatrix(name, grid, matrix, matrix.nzValues.size());
  return createSparsityDataImpl(COOMatrix<T>(
      matrix.numRows, matrix.numColumns, matrix.nzValues,
      expanded(name, matrix.columnIndices, grid.columns, matrix.nzValues.size(),
               grid.blockSize(), grid.blockColumns),
      matrix.rowIndices, matrix.getBlockDimensions()));
}

template <typename T>
COOMatrix<T> Partitioner<T>::sparsityDataImplToCOOMatrix(
    const SparsityDataImpl<T> &data) const {
  const BlockGrid grid(params);
  if (data.metaInfo.size() != 2 * grid.places ||
      data.nzValues.size() != grid.places * grid.blockSize())
    fail(name, std::to_string(data.metaInfo.size()) + " metadata and " +
                   std::to_string(data.nzValues.size()) +
                   " values are not those of " + std::to_string(grid.places) +
                   " places");
  COOMatrix<T> matrix(grid.rows * grid.blockRows,
                      grid.columns * grid.blockColumns, {}, {}, {},
                      {{grid.blockRows, grid.blockColumns}});
  for (std::size_t i = 0; i != grid.places; ++i) {
    if (data.metaInfo[2 * i] >= grid.rows)
      continue;
    matrix.rowIndices.push_back(data.metaInfo[2 * i] * grid.blockRows);
    matrix.columnIndices.push_back(data.metaInfo[2 * i + 1] *
                                   grid.blockColumns);
    const auto values = data.nzValues.begin() + i * grid.blockSize();
    matrix.nzValues.insert(matrix.nzValues.end(), values,
                           values + grid.blockSize());
  }
  return sorted(matrix, [&](std::size_t a, std::size_t b) {
    return std::make_pair(matrix.rowIndices[a], matrix.columnIndices[a]) <
           std::make_pair(matrix.rowIndices[b], matrix.columnIndices[b]);
  });
}

template <typename T>
CSRMatrix<T> Partitioner<T>::sparsityDataImplToCSRMatrix(
    const SparsityDataImpl<T> &data) const {
  const BlockGrid grid(params);
  const COOMatrix<T> matrix = sparsityDataImplToCOOMatrix(data);
  return {matrix.numRows,
          matrix.numColumns,
          matrix.nzValues,
          matrix.columnIndices,
          compressed(matrix.rowIndices, grid.rows, grid.blockSize(),
                     grid.blockRows),
          matrix.getBlockDimensions()};
}

template <typename T>
CSCMatrix<T> Partitioner<T>::sparsityDataImplToCSCMatrix(
    const SparsityDataImpl<T> &data) const {
  const BlockGrid grid(params);
  const COOMatrix<T> rows = sparsityDataImplToCOOMatrix(data);
  const COOMatrix<T> matrix = sorted(rows, [&](std::size_t a, std::size_t b) {
    return std::make_pair(rows.columnIndices[a], rows.rowIndices[a]) <
           std::make_pair(rows.columnIndices[b], rows.rowIndices[b]);
  });
  return {matrix.numRows,
          matrix.numColumns,
          matrix.nzValues,
          compressed(matrix.columnIndices, grid.columns, grid.blockSize(),
                     grid.blockColumns),
          matrix.rowIndices,
          matrix.getBlockDimensions()};
}

template <typename T>
std::size_t Partitioner<T>::getmetaInfoBucketElements() const {
  return 2 * BlockGrid(params).places;
}

template class Partitioner<float>;
template class Partitioner<double>;

} // namespace dynamic
} // namespace popsparse
