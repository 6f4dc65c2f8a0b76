// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Block sparse products by way of dense ones, all groups at once.

#include <popsparse/experimental/BlockSparseMatMul.hpp>

#include "lib/PopLibs/popsparse/BlockSparseMask.h"
#include "lib/PopLibs/popsparse/BlockViews.h"

#include <poplin/MatMul.hpp>
#include <popops/ElementWise.hpp>
#include <poputil/OptionParsing.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

using namespace poplar;
using namespace poplar::program;
using poputil::poplibs_error;

namespace popsparse {
namespace experimental {
namespace {

using Shape = std::vector<std::size_t>;

void checkOptions(const OptionFlags &options) {
  using poplibs::OptionHandler;
  double ratio = 0;
  unsigned passes = 0, choice = 0;
  poplibs::OptionSpec(
      {{"memoryCycleRatio", OptionHandler::createWithDouble(ratio)},
       {"numberOfPass", OptionHandler::createWithInteger(passes)},
       {"partitionMethod",
        OptionHandler::createWithEnum(choice, {{"block", 0u},
                                               {"block-naive", 1u},
                                               {"strip", 2u},
                                               {"stripv0", 3u}})}})
      .parse(options);
}

/// A product of one group: [rows, depth] by [depth, columns].
struct Sizes {
  std::size_t groups, rows, depth, columns;
  Sizes(const BSMatMulParams &p)
      : groups(p.numGroups), rows(p.dim[0]), depth(p.dim[1]),
        columns(p.dim[2]) {}
  Shape lhs() const { return {groups, rows, depth}; }
  Shape rhs() const { return {groups, depth, columns}; }
};

/// The patterns of all groups: those of the right matrix as it is stored, or of
/// the result.
std::vector<BlockPattern> patternsOf(const BSMatMulParams &p) {
  const auto grid = [&](unsigned i) {
    return static_cast<std::size_t>(p.dim[i] / p.blockSize[i]);
  };
  // Dimensions of the sparse matrix.
  const unsigned first = p.isResSparse ? 0 : p.rhsNeedTranspose ? 2 : 1;
  const unsigned second = p.isResSparse ? 2 : p.rhsNeedTranspose ? 1 : 2;
  const std::size_t blocks = grid(first) * grid(second);
  if (p.sparsity.size() != blocks * p.numGroups)
    throw poplibs_error("popsparse: a mask of " +
                        std::to_string(p.sparsity.size()) + " blocks for " +
                        std::to_string(p.numGroups) + " groups of " +
                        std::to_string(blocks));
  std::vector<BlockPattern> patterns;
  for (std::size_t g = 0; g != p.numGroups; ++g)
    patterns.push_back(BlockPattern::ofMask(
        {p.sparsity.begin() + g * blocks,
         p.sparsity.begin() + (g + 1) * blocks},
        grid(first), grid(second), p.blockSize[first], p.blockSize[second]));
  return patterns;
}

void checkShape(const char *what, const Tensor &t, const Shape &shape) {
  if (t.shape() == shape)
    return;
  std::string wanted;
  for (std::size_t extent : shape)
    wanted += (wanted.empty() ? "{" : ",") + std::to_string(extent);
  throw poplibs_error("popsparse::experimental: a " + std::string(what) +
                      " of shape " + t.shapeToString() + ", not " + wanted +
                      "}");
}

std::size_t numBlocks(const std::vector<BlockPattern> &patterns) {
  std::size_t blocks = 0;
  for (const BlockPattern &pattern : patterns)
    blocks += pattern.blocks.size();
  return blocks;
}

/// The right matrices, [groups, depth, columns], of their blocks.
Tensor denseRight(Graph &graph, const BSMatMulParams &p, const Tensor &blocks,
                  const DebugContext &dc) {
  const auto patterns = patternsOf(p);
  checkShape("sparse right matrix", blocks,
             {numBlocks(patterns), patterns[0].blockSize()});
  std::vector<Tensor> groups;
  std::size_t begin = 0;
  for (const BlockPattern &pattern : patterns) {
    const std::size_t end = begin + pattern.blocks.size();
    const Tensor stored =
        denseView(graph, pattern, blocks.slice(begin, end), dc);
    groups.push_back(
        (p.rhsNeedTranspose ? stored.transpose() : stored).expand({0}));
    begin = end;
  }
  return concat(groups);
}

/// The wanted blocks of results [groups, rows, columns].
Tensor sparseResult(Graph &graph, const BSMatMulParams &p, const Tensor &result,
                    Sequence &prog, const DebugContext &dc) {
  const auto patterns = patternsOf(p);
  std::vector<Tensor> blocks, masks;
  for (std::size_t g = 0; g != patterns.size(); ++g) {
    blocks.push_back(blocksOf(patterns[g], result[g]));
    masks.push_back(maskOf(graph, patterns[g], p.subBlockMask, 1, dc));
  }
  const Tensor all = concat(blocks);
  if (p.subBlockMask == SubBlockMask::None || all.numElements() == 0)
    return all;
  namespace pe = popops::expr;
  return popops::map(graph,
                     pe::Select(pe::_1, pe::Const(0.0, p.outDataType), pe::_2),
                     {all, concat(masks)}, prog, dc);
}

} // namespace

BSMatMulParams::BSMatMulParams(const std::array<int, 3> &dim,
                               const std::array<int, 3> &blockSize,
                               const std::vector<unsigned char> &rhsSparsity,
                               bool rhsNeedTranspose, Type inDataType,
                               Type outDataType, Type partialDataType,
                               unsigned numGroupsIn)
    : dim(dim), blockSize(blockSize), sparsity(rhsSparsity), isResSparse(false),
      rhsNeedTranspose(rhsNeedTranspose), inDataType(inDataType),
      outDataType(outDataType), partialDataType(partialDataType),
      subBlockMask(SubBlockMask::None), numGroups(numGroupsIn) {
  checkBlocks(dim, blockSize);
  patternsOf(*this);
}

BSMatMulParams::BSMatMulParams(const std::array<int, 3> &dim,
                               const std::array<int, 3> &blockSize,
                               const std::vector<unsigned char> &resSparsity,
                               Type inDataType, Type outDataType,
                               Type partialDataType, SubBlockMask subBlockMask,
                               unsigned numGroupsIn)
    : dim(dim), blockSize(blockSize), sparsity(resSparsity), isResSparse(true),
      rhsNeedTranspose(false), inDataType(inDataType), outDataType(outDataType),
      partialDataType(partialDataType), subBlockMask(subBlockMask),
      numGroups(numGroupsIn) {
  checkBlocks(dim, blockSize);
  patternsOf(*this);
}

Tensor createBSMatMulInputLHS(Graph &graph, const BSMatMulParams &bsMatMul,
                              const DebugContext &debugContext,
                              const OptionFlags &options) {
  checkOptions(options);
  const Sizes sizes(bsMatMul);
  return poplin::createMatMulGroupedInputLHS(graph, bsMatMul.inDataType,
                                             bsMatMul.outDataType, sizes.lhs(),
                                             sizes.rhs(), debugContext)
      .flatten(0, 2);
}

Tensor createBSMatMulInputRHS(Graph &graph, const BSMatMulParams &bsMatMul,
                              const DebugContext &debugContext,
                              const OptionFlags &options) {
  checkOptions(options);
  const Sizes sizes(bsMatMul);
  if (bsMatMul.isResSparse)
    return poplin::createMatMulGroupedInputRHS(
               graph, bsMatMul.inDataType, bsMatMul.outDataType, sizes.lhs(),
               sizes.rhs(), debugContext)
        .flatten(0, 2);
  const auto patterns = patternsOf(bsMatMul);
  const Tensor blocks = graph.addVariable(
      bsMatMul.inDataType, {numBlocks(patterns), patterns[0].blockSize()},
      debugContext);
  poputil::mapTensorLinearly(graph, blocks);
  return blocks;
}

Tensor bsMatMul(Graph &graph, const BSMatMulParams &bsMatMulParams,
                Sequence &prog, const Tensor &lhsMatrix,
                const Tensor &rhsMatrix, const OptionFlags &options,
                const DebugContext &debugContext) {
  checkOptions(options);
  const BSMatMulParams &p = bsMatMulParams;
  const DebugContext dc(debugContext, "BlockSparseMatMul");
  const Sizes sizes(p);
  checkShape("left matrix", lhsMatrix,
             {sizes.groups * sizes.rows, sizes.depth});
  if (p.isResSparse)
    checkShape("right matrix", rhsMatrix,
               {sizes.groups * sizes.depth, sizes.columns});
  const Tensor right = p.isResSparse ? rhsMatrix.reshape(sizes.rhs())
                                     : denseRight(graph, p, rhsMatrix, dc);
  const Tensor result = poplin::matMulGrouped(
      graph, lhsMatrix.reshape(sizes.lhs()), right, prog, p.outDataType, dc,
      {{"partialsType", p.partialDataType.toString()}});
  return p.isResSparse ? sparseResult(graph, p, result, prog, dc)
                       : result.flatten(0, 2);
}

} // namespace experimental
} // namespace popsparse
