// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LU by halves (TriangularBlocks.h), and QR by Householder's reflections. For
// each column a loop makes a vector v with which H = I - 2 v v^T takes what is
// below the diagonal to zero, and applies it to the rows of A and the columns
// of Q. All columns have the same shape: what is above the diagonal is masked.

#include <poplin/experimental/LuFactorization.hpp>
#include <poplin/experimental/QRFactorization.hpp>

#include "lib/PopLibs/poplin/solving/TriangularBlocks.h"

#include <poplin/MatMul.hpp>
#include <poplin/TriangularSolve.hpp>
#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Encoding.hpp>
#include <popops/Loop.hpp>
#include <popops/Reduce.hpp>
#include <poputil/OptionParsing.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/Util.hpp>
#include <poputil/exceptions.hpp>

using namespace poplar;
using namespace poplar::program;
using poputil::poplibs_error;

namespace poplin {
namespace experimental {

namespace pe = popops::expr;

std::pair<Tensor, Tensor> LUFactorization(Graph &graph, Tensor &input,
                                          Sequence &seq,
                                          const DebugContext &debugContext) {
  checkSquare(input, "poplin::LUFactorization");
  const DebugContext dc(debugContext, "LUFactorization");
  const Tensor factors = poputil::duplicate(graph, input, seq, dc);
  if (factors.numElements() == 0)
    return {factors, poputil::duplicate(graph, factors, seq, dc)};
  TriangularBlocks(graph, seq, {}, nullptr, dc).factoriseLU(asGroups(factors));
  return {triangularMask(graph, factors, true, true, seq, dc),
          triangularMask(graph, factors, false, false, seq, dc)};
}

std::array<Tensor, 2>
createQRFactorizationMatrices(Graph &graph, const Type &type, std::size_t m,
                              std::size_t n, const DebugContext &debugContext) {
  const DebugContext dc(debugContext, "QRFactorization");
  const Tensor a = createMatMulInputRHS(graph, type, {1, m}, {m, n}, {dc, "A"});
  const Tensor q = createMatMulInputLHS(graph, type, {m, m}, {m, 1}, {dc, "Q"});
  std::vector<float> identity(m * m);
  for (std::size_t i = 0; i != m; ++i)
    identity[i * m + i] = 1;
  graph.setInitialValue(q, identity);
  return {a, q};
}

namespace {

/// The reflection for the column in question.
class Reflection {
public:
  Reflection(Graph &graph, const Tensor &rows, const Tensor &column,
             const Tensor &values, Sequence &prog, const DebugContext &dc)
      : graph(graph), prog(prog), dc(dc) {
    // The rest of the column, without its first element.
    const Tensor rest = popops::map(
        graph, pe::Select(pe::_1, pe::Const(0.0f), pe::Gte(pe::_2, pe::_3)),
        {values, rows, column}, prog, dc);
    const Tensor first = popops::map(
        graph, pe::Select(pe::_1, pe::Const(0.0f), pe::Equal(pe::_2, pe::_3)),
        {values, rows, column}, prog, dc);
    const Tensor length = popops::reduce(
        graph, rest, {0}, popops::Operation::SQUARE_ADD, prog, dc);
    const Tensor head =
        popops::reduce(graph, first, {0}, popops::Operation::ADD, prog, dc);
    // v = x + sign(x0) |x| e0, so that nothing cancels.
    vector = popops::map(
        graph,
        pe::Select(pe::_1 + pe::Select(pe::Sqrt(pe::_4), -pe::Sqrt(pe::_4),
                                       pe::Gte(pe::_5, pe::Const(0.0f))),
                   pe::_1, pe::Equal(pe::_2, pe::_3)),
        {rest, rows, column, length, head}, prog, dc);
    const Tensor square = popops::reduce(
        graph, vector, {0}, popops::Operation::SQUARE_ADD, prog, dc);
    // A column of zeros is left as it is.
    factor = popops::map(graph,
                         pe::Select(pe::Const(2.0f) / pe::_1, pe::Const(0.0f),
                                    pe::Gt(pe::_1, pe::Const(0.0f))),
                         {square}, prog, dc);
  }

  /// t := t - factor v (v^T t)
  void applyToRows(const Tensor &t) const {
    const Tensor products = popops::mul(graph, t, vector.expand({1}), prog, dc);
    const Tensor sums =
        popops::reduce(graph, products, {0}, popops::Operation::ADD, prog, dc);
    popops::mapInPlace(graph, pe::_1 - pe::_2 * pe::_3 * pe::_4,
                       {t, vector.expand({1}), sums, factor}, prog, dc);
  }

private:
  Graph &graph;
  Sequence &prog;
  const DebugContext &dc;
  Tensor vector, factor;
};

} // namespace

void QRFactorization(Graph &graph, Tensor &A, Tensor &Q, Sequence &prog,
                     const DebugContext &debugContext,
                     const OptionFlags &options) {
  poplibs::OptionSpec({}).parse(options);
  if (A.rank() != 2 || A.elementType() != FLOAT || A.dim(0) < A.dim(1) ||
      Q.shape() != std::vector<std::size_t>{A.dim(0), A.dim(0)} ||
      Q.elementType() != FLOAT)
    throw poplibs_error(
        "poplin::QRFactorization: A of shape " + A.shapeToString() +
        " and type " + A.elementType().toString() + ", Q of shape " +
        Q.shapeToString() + " and type " + Q.elementType().toString() +
        "; they must be [m, n], m >= n, and [m, m], both of float");
  const DebugContext dc(debugContext, "QRFactorization");
  const Tensor rows = graph.addVariable(UNSIGNED_INT, {A.dim(0)}, {dc, "rows"});
  poputil::mapTensorLinearly(graph, rows);
  popops::iota(graph, rows, 0u, prog, dc);
  if (A.numElements() == 0)
    return;
  prog.add(popops::countedLoop(
      graph, A.dim(1),
      [&](const Tensor &column) {
        Sequence body;
        const Tensor values =
            popops::dynamicSlice(graph, A, column.reshape({1}), {1}, {1}, body,
                                 {dc, "column"})
                .squeeze({1});
        const Reflection reflection(graph, rows, column.reshape({1}), values,
                                    body, dc);
        reflection.applyToRows(A);
        reflection.applyToRows(Q.transpose());
        return body;
      },
      dc));
  // Exactly zero, not what rounding has left there.
  std::vector<unsigned> numbers(A.dim(1));
  for (unsigned i = 0; i != numbers.size(); ++i)
    numbers[i] = i;
  const Tensor columns =
      graph.addConstant<unsigned>(UNSIGNED_INT, {A.dim(1)}, numbers, dc);
  poputil::mapTensorLinearly(graph, columns);
  popops::mapInPlace(
      graph, pe::Select(pe::_1, pe::Const(0.0f), pe::Lte(pe::_2, pe::_3)),
      {A, rows.expand({1}), columns}, prog, dc);
}

} // namespace experimental
} // namespace poplin
