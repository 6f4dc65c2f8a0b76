// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Triangular equations, and the blocks that factorisations share with them. An
// equation from the right is the transposed one from the left.

#include <poplin/TriangularSolve.hpp>

#include "lib/PopLibs/poplin/solving/TriangularBlocks.h"

#include <poplin/MatMul.hpp>
#include <popops/ElementWise.hpp>
#include <poputil/OptionParsing.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/Util.hpp>
#include <poputil/exceptions.hpp>

#include <memory>

using namespace poplar;
using namespace poplar::program;
using poputil::poplibs_error;

namespace poplin {
namespace {

/// Options that are passed to matrix products.
OptionFlags matMulOptions(const OptionFlags &options) {
  OptionFlags result;
  for (const auto &option : options) {
    unsigned blockSize = 0;
    if (option.first == "blockSize")
      poplibs::OptionSpec(
          {{"blockSize", poplibs::OptionHandler::createWithInteger(blockSize)}})
          .parse(option.first, option.second);
    else
      result.set(option.first, option.second);
  }
  matmulValidateOptions(result);
  return result;
}

Tensor rows(const Tensor &t, std::size_t begin, std::size_t end) {
  return t.slice(begin, end, 1);
}
Tensor block(const Tensor &t, std::size_t rowBegin, std::size_t rowEnd,
             std::size_t columnBegin, std::size_t columnEnd) {
  return rows(t, rowBegin, rowEnd).slice(columnBegin, columnEnd, 2);
}

void checkTypes(const Type &inputType, const Type &outputType) {
  if (inputType != outputType)
    throw poplibs_error(
        "poplin::triangularSolve: operands of type " +
        std::string(inputType.toString()) + " with a result of type " +
        std::string(outputType.toString()) + "; they must agree");
}

Tensor createOperand(Graph &graph, const Type &inputType,
                     const Type &outputType,
                     const std::vector<std::size_t> &shape,
                     const OptionFlags &options, const DebugContext &dc) {
  matMulOptions(options);
  checkTypes(inputType, outputType);
  return graph.addVariable(inputType, shape, VariableMappingMethod::LINEAR, dc);
}

} // namespace

void checkSquare(const Tensor &a, const char *function) {
  if (a.rank() < 2 || a.dim(a.rank() - 1) != a.dim(a.rank() - 2) ||
      (a.elementType() != FLOAT && a.elementType() != HALF))
    throw poplibs_error(std::string(function) + ": a matrix of shape " +
                        a.shapeToString() + " and type " +
                        a.elementType().toString() +
                        "; it must be square, of float or half");
}

Tensor asGroups(const Tensor &t) {
  return t.rank() == 2 ? t.expand({0}) : t.flatten(0, t.rank() - 2);
}

TriangularBlocks::TriangularBlocks(Graph &graph, Sequence &prog,
                                   const OptionFlags &options,
                                   PlanningCache *cache,
                                   const DebugContext &debugContext)
    : graph(graph), prog(prog), options(matMulOptions(options)), cache(cache),
      debugContext(debugContext) {}

void TriangularBlocks::subtractProduct(const Tensor &c, const Tensor &a,
                                       const Tensor &b) const {
  matMulGroupedAcc(graph, c, -1.0f, a, b, prog, debugContext, options, cache);
}

void TriangularBlocks::solve(const Tensor &a, const Tensor &x, bool lower,
                             bool unitDiagonal) const {
  const std::size_t n = a.dim(1), half = n / 2;
  if (n == 0 || (n == 1 && unitDiagonal))
    return;
  if (n == 1) {
    popops::divInPlace(graph, x, a, prog, debugContext);
    return;
  }
  // A lower matrix gives its first unknowns first.
  const std::size_t split = lower ? half : n - half;
  const Tensor top = rows(x, 0, split), bottom = rows(x, split, n);
  if (lower) {
    solve(block(a, 0, split, 0, split), top, lower, unitDiagonal);
    subtractProduct(bottom, block(a, split, n, 0, split), top);
    solve(block(a, split, n, split, n), bottom, lower, unitDiagonal);
  } else {
    solve(block(a, split, n, split, n), bottom, lower, unitDiagonal);
    subtractProduct(top, block(a, 0, split, split, n), bottom);
    solve(block(a, 0, split, 0, split), top, lower, unitDiagonal);
  }
}

void TriangularBlocks::factorise(const Tensor &a) const {
  const std::size_t n = a.dim(1), half = n / 2;
  if (n == 1)
    popops::sqrtInPlace(graph, a, prog, debugContext);
  if (n <= 1)
    return;
  const Tensor first = block(a, 0, half, 0, half);
  const Tensor left = block(a, half, n, 0, half);
  const Tensor second = block(a, half, n, half, n);
  factorise(first);
  // left := left first^-T
  solve(first, left.dimShuffle({0, 2, 1}), true, false);
  subtractProduct(second, left, left.dimShuffle({0, 2, 1}));
  factorise(second);
}

void TriangularBlocks::factoriseLU(const Tensor &a) const {
  const std::size_t n = a.dim(1), half = n / 2;
  if (n <= 1)
    return;
  const Tensor first = block(a, 0, half, 0, half);
  const Tensor right = block(a, 0, half, half, n);
  const Tensor below = block(a, half, n, 0, half);
  const Tensor second = block(a, half, n, half, n);
  factoriseLU(first);
  solve(first, right, true, true);
  // below := below U^-1, by the transposed equation
  solve(first.dimShuffle({0, 2, 1}), below.dimShuffle({0, 2, 1}), true, false);
  subtractProduct(second, below, right);
  factoriseLU(second);
}

void TriangularProducts::solve(std::size_t n, std::size_t columns, bool lower) {
  if (n <= 1)
    return;
  const std::size_t half = n / 2, split = lower ? half : n - half;
  const std::size_t first = lower ? split : n - split;
  products.insert({n - first, first, columns});
  solve(split, columns, lower);
  solve(n - split, columns, lower);
}

void TriangularProducts::factorise(std::size_t n) {
  if (n <= 1)
    return;
  const std::size_t half = n / 2;
  factorise(half);
  solve(half, n - half, true);
  products.insert({n - half, half, n - half});
  factorise(n - half);
}

std::vector<std::pair<MatMulParams, OptionFlags>>
TriangularProducts::inGroups(std::size_t groups, const Type &type,
                             const OptionFlags &options) const {
  std::vector<std::pair<MatMulParams, OptionFlags>> result;
  for (const Product &product : products)
    result.emplace_back(MatMulParams{type,
                                     type,
                                     {groups, product.rows, product.depth},
                                     {groups, product.depth, product.columns}},
                        matMulOptions(options));
  return result;
}

std::vector<std::pair<MatMulParams, OptionFlags>>
getTriangularSolveMatMulPrePlanParameters(
    const Type &inputType, const Type &outputType,
    const std::vector<std::size_t> &aShape,
    const std::vector<std::size_t> &bShape, bool leftSide, bool lower,
    OptionFlags options) {
  checkTypes(inputType, outputType);
  const std::size_t rank = aShape.size();
  if (rank < 2 || bShape.size() != rank ||
      aShape[rank - 1] != aShape[rank - 2] ||
      bShape[leftSide ? rank - 2 : rank - 1] != aShape[rank - 1])
    throw poplibs_error("poplin::getTriangularSolveMatMulPrePlanParameters: "
                        "the shapes do not go together; they are those of "
                        "triangularSolve's operands");
  std::size_t groups = 1;
  for (std::size_t i = 0; i + 2 < rank; ++i)
    groups *= aShape[i];
  TriangularProducts products;
  products.solve(aShape[rank - 1], bShape[leftSide ? rank - 1 : rank - 2],
                 leftSide ? lower : !lower);
  return products.inGroups(groups, inputType, options);
}

Tensor createTriangularSolveInputLHS(Graph &graph, const Type &inputType,
                                     const Type &outputType,
                                     const std::vector<std::size_t> &aShape,
                                     const std::vector<std::size_t> &, bool,
                                     const DebugContext &debugContext,
                                     const OptionFlags &options,
                                     PlanningCache *) {
  return createOperand(graph, inputType, outputType, aShape, options,
                       debugContext);
}

Tensor createTriangularSolveInputRHS(Graph &graph, const Type &inputType,
                                     const Type &outputType,
                                     const std::vector<std::size_t> &,
                                     const std::vector<std::size_t> &bShape,
                                     bool, const DebugContext &debugContext,
                                     const OptionFlags &options,
                                     PlanningCache *) {
  return createOperand(graph, inputType, outputType, bShape, options,
                       debugContext);
}

Tensor triangularMask(Graph &graph, const Tensor &a, bool lower,
                      bool unitDiagonal, Sequence &prog,
                      const DebugContext &debugContext) {
  checkSquare(a, "poplin::triangularMask");
  const DebugContext dc(debugContext, "TriangularMask");
  const std::size_t n = a.dim(a.rank() - 1);
  const std::unique_ptr<bool[]> kept(new bool[n * n]);
  std::vector<float> others(n * n, 0.0f);
  for (std::size_t i = 0; i != n; ++i)
    for (std::size_t j = 0; j != n; ++j) {
      const bool inside = lower ? j < i : j > i;
      kept[i * n + j] = inside || (i == j && !unitDiagonal);
      others[i * n + j] = i == j && unitDiagonal ? 1.0f : 0.0f;
    }
  const Tensor mask = graph.addConstant<bool>(
      BOOL, {n, n}, ArrayRef<bool>(kept.get(), n * n), {dc, "mask"});
  const Tensor rest =
      graph.addConstant<float>(a.elementType(), {n, n}, others, {dc, "rest"});
  poputil::mapTensorLinearly(graph, mask);
  poputil::mapTensorLinearly(graph, rest);
  return popops::select(graph, a, rest, mask, prog, dc);
}

Tensor triangularSolve(Graph &graph, const Tensor &a, const Tensor &b,
                       bool leftSide, bool lower, bool unitDiagonal,
                       Sequence &prog, const DebugContext &debugContext,
                       const OptionFlags &options, PlanningCache *cache) {
  checkSquare(a, "poplin::triangularSolve");
  std::vector<std::size_t> wanted = a.shape();
  if (b.rank() == a.rank())
    wanted[leftSide ? a.rank() - 1 : a.rank() - 2] =
        b.dim(leftSide ? a.rank() - 1 : a.rank() - 2);
  if (b.shape() != wanted || b.elementType() != a.elementType())
    throw poplibs_error("poplin::triangularSolve: a right-hand side of shape " +
                        b.shapeToString() + " and type " +
                        b.elementType().toString() + " for a matrix of shape " +
                        a.shapeToString() + " and type " +
                        a.elementType().toString());
  const DebugContext dc(debugContext, "TriangularSolve");
  const Tensor x = poputil::duplicate(graph, b, prog, dc);
  if (x.numElements() == 0)
    return x;
  const TriangularBlocks blocks(graph, prog, options, cache, dc);
  if (leftSide)
    blocks.solve(asGroups(a), asGroups(x), lower, unitDiagonal);
  else
    blocks.solve(asGroups(a).dimShuffle({0, 2, 1}),
                 asGroups(x).dimShuffle({0, 2, 1}), !lower, unitDiagonal);
  return x;
}

} // namespace poplin
