// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sparse matrices of the host in the three usual forms. With blocks, indices
// are those of the first row or column of a block in elements, and the values
// of a block are stored row by row.

#ifndef POPULUS_POPSPARSE_SPARSESTORAGEFORMATS_HPP
#define POPULUS_POPSPARSE_SPARSESTORAGEFORMATS_HPP

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

namespace popsparse {

/// Sizes of a matrix and its blocks, common to all storage forms. A size of 0
/// means unknown.
struct Block {
  Block(std::size_t numRows = 0, std::size_t numColumns = 0,
        const std::array<std::size_t, 2> &blockDimensions = {{1, 1}})
      : numRows(numRows), numColumns(numColumns),
        numRowsInBlock(blockDimensions[0]),
        numColumnsInBlock(blockDimensions[1]) {}

  std::size_t numRows, numColumns;
  std::size_t numRowsInBlock, numColumnsInBlock;

  std::array<std::size_t, 2> getBlockDimensions() const {
    return {{numRowsInBlock, numColumnsInBlock}};
  }
  std::size_t getBlockSize() const {
    return numRowsInBlock * numColumnsInBlock;
  }
};

/// Row and column of each value, or block of values.
template <typename T> struct COOMatrix : public Block {
  COOMatrix() {}
  COOMatrix(std::vector<T> nzValues, std::vector<std::size_t> columnIndices,
            std::vector<std::size_t> rowIndices,
            const std::array<std::size_t, 2> &blockDimensions = {{1, 1}})
      : COOMatrix(0, 0, std::move(nzValues), std::move(columnIndices),
                  std::move(rowIndices), blockDimensions) {}
  COOMatrix(std::size_t numRows, std::size_t numColumns,
            std::vector<T> nzValues, std::vector<std::size_t> columnIndices,
            std::vector<std::size_t> rowIndices,
            const std::array<std::size_t, 2> &blockDimensions = {{1, 1}})
      : Block(numRows, numColumns, blockDimensions),
        nzValues(std::move(nzValues)), columnIndices(std::move(columnIndices)),
        rowIndices(std::move(rowIndices)) {}

  std::vector<T> nzValues;
  std::vector<std::size_t> columnIndices;
  std::vector<std::size_t> rowIndices;
};

/// Compressed rows: the column of each value, and the begin of each row (of
/// blocks) in the values, followed by the end of the last row.
template <typename T> struct CSRMatrix : public Block {
  CSRMatrix() {}
  CSRMatrix(std::vector<T> nzValues, std::vector<std::size_t> columnIndices,
            std::vector<std::size_t> rowIndices,
            const std::array<std::size_t, 2> &blockDimensions = {{1, 1}})
      : CSRMatrix(0, 0, std::move(nzValues), std::move(columnIndices),
                  std::move(rowIndices), blockDimensions) {}
  CSRMatrix(std::size_t numRows, std::size_t numColumns,
            std::vector<T> nzValues, std::vector<std::size_t> columnIndices,
            std::vector<std::size_t> rowIndices,
            const std::array<std::size_t, 2> &blockDimensions = {{1, 1}})
      : Block(numRows, numColumns, blockDimensions),
        nzValues(std::move(nzValues)), columnIndices(std::move(columnIndices)),
        rowIndices(std::move(rowIndices)) {}

  std::vector<T> nzValues;
  std::vector<std::size_t> columnIndices;
  /// The places in nzValues, in elements.
  std::vector<std::size_t> rowIndices;
};

/// Compressed columns.
template <typename T> struct CSCMatrix : public Block {
  CSCMatrix() {}
  CSCMatrix(std::vector<T> nzValues, std::vector<std::size_t> columnIndices,
            std::vector<std::size_t> rowIndices,
            const std::array<std::size_t, 2> &blockDimensions = {{1, 1}})
      : CSCMatrix(0, 0, std::move(nzValues), std::move(columnIndices),
                  std::move(rowIndices), blockDimensions) {}
  CSCMatrix(std::size_t numRows, std::size_t numColumns,
            std::vector<T> nzValues, std::vector<std::size_t> columnIndices,
            std::vector<std::size_t> rowIndices,
            const std::array<std::size_t, 2> &blockDimensions = {{1, 1}})
      : Block(numRows, numColumns, blockDimensions),
        nzValues(std::move(nzValues)), columnIndices(std::move(columnIndices)),
        rowIndices(std::move(rowIndices)) {}

  std::vector<T> nzValues;
  /// The places in nzValues, in elements.
  std::vector<std::size_t> columnIndices;
  std::vector<std::size_t> rowIndices;
};

} // namespace popsparse

#endif
