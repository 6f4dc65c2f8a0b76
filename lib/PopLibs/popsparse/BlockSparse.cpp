// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Block sparse softmax: all rows of blocks are filled up to the same number of
// blocks with constants, which makes one batch of dense rows.

#include <popsparse/experimental/BlockSparse.hpp>

#include "lib/PopLibs/popsparse/BlockSparseMask.h"
#include "lib/PopLibs/popsparse/BlockViews.h"

#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>

using namespace poplar;
using namespace poplar::program;
using poputil::poplibs_error;

namespace popsparse {
namespace experimental {
namespace {

namespace pe = popops::expr;

BlockPattern patternOf(const std::array<int, 2> &dim,
                       const std::array<int, 2> &blockSize,
                       const std::vector<unsigned char> &sparsity) {
  checkBlocks(dim, blockSize);
  return BlockPattern::ofMask(sparsity, dim[0] / blockSize[0],
                              dim[1] / blockSize[1], blockSize[0],
                              blockSize[1]);
}

/// The blocks as rows, [rows, most blocks of a row * block columns].
class PaddedRows {
public:
  explicit PaddedRows(const BlockPattern &pattern) : pattern(pattern) {
    byRow.resize(pattern.rows);
    for (std::size_t i = 0; i != pattern.blocks.size(); ++i)
      byRow[pattern.blocks[i].first].push_back(i);
    for (const auto &row : byRow)
      most = std::max(most, row.size());
  }

  std::size_t width() const { return most * pattern.blockColumns; }

  /// Pads [blocks, block size] to rows of equal length with \p filler [1, 1].
  Tensor ofBlocks(const Tensor &values, const Tensor &filler) const {
    const Tensor blocks = values.reshape(
        {pattern.blocks.size(), pattern.blockRows, pattern.blockColumns});
    std::vector<Tensor> rows;
    for (const auto &row : byRow) {
      std::vector<Tensor> pieces;
      for (std::size_t number : row)
        pieces.push_back(blocks[number]);
      const std::size_t gap = (most - row.size()) * pattern.blockColumns;
      if (gap != 0)
        pieces.push_back(
            filler.broadcast(pattern.blockRows, 0).broadcast(gap, 1));
      rows.push_back(concat(pieces, 1));
    }
    return concat(rows);
  }

  Tensor toBlocks(const Tensor &rows) const {
    std::vector<Tensor> blocks(pattern.blocks.size());
    for (std::size_t r = 0; r != byRow.size(); ++r)
      for (std::size_t i = 0; i != byRow[r].size(); ++i)
        blocks[byRow[r][i]] =
            rows.slice({r * pattern.blockRows, i * pattern.blockColumns},
                       {(r + 1) * pattern.blockRows,
                        (i + 1) * pattern.blockColumns})
                .flatten()
                .expand({0});
    return concat(blocks);
  }

private:
  const BlockPattern &pattern;
  /// The numbers of the blocks of each row.
  std::vector<std::vector<std::size_t>> byRow;
  std::size_t most = 0;
};

void checkValues(const BlockPattern &pattern, const Tensor &values) {
  if (values.shape() != std::vector<std::size_t>{pattern.blocks.size(),
                                                 pattern.blockSize()} ||
      (values.elementType() != FLOAT && values.elementType() != HALF))
    throw poplibs_error("popsparse: values of shape " + values.shapeToString() +
                        " and type " + values.elementType().toString() +
                        " for " + std::to_string(pattern.blocks.size()) +
                        " blocks of " + std::to_string(pattern.blockSize()) +
                        " floats or halves");
}

Tensor fillerOf(Graph &graph, const Type &type, const DebugContext &dc) {
  const Tensor filler = graph.addConstant(type, {1, 1}, 0.0f, dc);
  graph.setTileMapping(filler, 0);
  return filler;
}

Tensor sumOfRows(Graph &graph, const Tensor &rows, popops::Operation operation,
                 Sequence &prog, const DebugContext &dc) {
  return popops::reduce(graph, rows, {1}, operation, prog, dc).expand({1});
}

} // namespace

Tensor bsSoftmax(Graph &graph, Tensor sparseTensor,
                 const std::array<int, 2> &dim,
                 const std::array<int, 2> &blockSize,
                 const std::vector<unsigned char> &sparsity,
                 SubBlockMask subBlockMaskType, unsigned numGroups,
                 Sequence &prog, const DebugContext &debugContext) {
  const DebugContext dc(debugContext, "BlockSparseSoftmax");
  const BlockPattern pattern = patternOf(dim, blockSize, sparsity);
  checkValues(pattern, sparseTensor);
  if (pattern.blocks.empty())
    return graph.clone(sparseTensor, dc);
  const PaddedRows padded(pattern);
  const Type type = sparseTensor.elementType();
  const Tensor values =
      padded.ofBlocks(sparseTensor, fillerOf(graph, type, dc));
  const Tensor no = graph.addConstant(BOOL, {1, 1}, false, dc);
  graph.setTileMapping(no, 0);
  const Tensor counts = padded.ofBlocks(
      maskOf(graph, pattern, subBlockMaskType, numGroups, dc), no);
  // Masked elements get the lowest value, so that their exponential is 0.
  const double lowest = type == HALF ? -65504.0 : -3e38;
  const Tensor rows =
      popops::map(graph, pe::Select(pe::_1, pe::Const(lowest, type), pe::_2),
                  {values, counts}, prog, dc);
  const Tensor largest =
      sumOfRows(graph, rows, popops::Operation::MAX, prog, dc);
  popops::mapInPlace(
      graph, pe::Select(pe::Exp(pe::_1 - pe::_2), pe::Const(0.0, type), pe::_3),
      {rows, largest, counts}, prog, dc);
  const Tensor total = sumOfRows(graph, rows, popops::Operation::ADD, prog, dc);
  // A row of which nothing counts stays 0.
  popops::mapInPlace(graph, pe::_1 / pe::Max(pe::_2, pe::Const(0.5, type)),
                     {rows, total}, prog, dc);
  return padded.toBlocks(rows);
}

void bsSoftmaxInPlace(Graph &graph, Tensor sparseTensor,
                      const std::array<int, 2> &dim,
                      const std::array<int, 2> &blockSize,
                      const std::vector<unsigned char> &sparsity,
                      SubBlockMask subBlockMaskType, unsigned numGroups,
                      Sequence &prog, const DebugContext &debugContext) {
  const Tensor result =
      bsSoftmax(graph, sparseTensor, dim, blockSize, sparsity, subBlockMaskType,
                numGroups, prog, debugContext);
  prog.add(Copy(result, sparseTensor, false, debugContext));
}

Tensor bsSoftmaxGrad(Graph &graph, Tensor sparseOut, Tensor sparseOutGrad,
                     const std::array<int, 2> &dim,
                     const std::array<int, 2> &blockSize,
                     const std::vector<unsigned char> &sparsity, Sequence &prog,
                     const DebugContext &debugContext) {
  const DebugContext dc(debugContext, "BlockSparseSoftmaxGrad");
  const BlockPattern pattern = patternOf(dim, blockSize, sparsity);
  checkValues(pattern, sparseOut);
  checkValues(pattern, sparseOutGrad);
  if (pattern.blocks.empty())
    return graph.clone(sparseOut, dc);
  const PaddedRows padded(pattern);
  const Tensor zero = fillerOf(graph, sparseOut.elementType(), dc);
  const Tensor out = padded.ofBlocks(sparseOut, zero);
  const Tensor outGrad = padded.ofBlocks(sparseOutGrad, zero);
  const Tensor products = popops::mul(graph, out, outGrad, prog, dc);
  const Tensor sums =
      sumOfRows(graph, products, popops::Operation::ADD, prog, dc);
  return padded.toBlocks(popops::map(graph, pe::_1 - pe::_2 * pe::_3,
                                     {products, out, sums}, prog, dc));
}

} // namespace experimental
} // namespace popsparse
