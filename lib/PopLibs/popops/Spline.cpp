// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// B-splines by elementwise expressions: for each dimension the basis functions
// of all points, and then their products. With v the distance from the knot
// before, the functions of a degree are those polynomials in v which are not
// zero there.

#include "lib/PopLibs/popops/indexing/SliceOperands.h"
#include "lib/PopLibs/popops/indexing/TableAccess.h"

#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <popops/SplineBasis.hpp>
#include <popops/SplineWeighting.hpp>
#include <poputil/exceptions.hpp>

using namespace poplar;
using namespace poplar::program;
using poputil::poplibs_error;

namespace popops {
namespace {

namespace pe = popops::expr;

/// The coefficients of 1, v, v^2 and v^3, by function, and what all are divided
/// by.
struct Polynomials {
  double coefficients[4][4];
  double divisor;
};

constexpr Polynomials ByDegree[] = {
    {{{1}}, 1},
    {{{1, -1}, {0, 1}}, 1},
    {{{1, -2, 1}, {1, 2, -2}, {0, 0, 1}}, 2},
    {{{1, -3, 3, -1}, {4, 0, -6, 3}, {1, 3, 3, -3}, {0, 0, 0, 1}}, 6},
};

pe::Any polynomial(unsigned degree, unsigned function) {
  const Polynomials &all = ByDegree[degree];
  const auto coefficient = [&](unsigned power) {
    return pe::Const(
        static_cast<float>(all.coefficients[function][power] / all.divisor));
  };
  pe::Any value = coefficient(degree);
  for (unsigned power = degree; power-- != 0;)
    value = pe::Add(pe::Mul(value, pe::_1), coefficient(power));
  return value;
}

std::string shapes(std::initializer_list<Tensor> tensors) {
  std::string text;
  for (const Tensor &t : tensors)
    text += (text.empty() ? "" : ", ") + t.shapeToString();
  return text;
}

std::size_t power(std::size_t base, unsigned exponent) {
  std::size_t result = 1;
  for (unsigned i = 0; i != exponent; ++i)
    result *= base;
  return result;
}

} // namespace

void splineBasis(Graph &graph, const Tensor &pseudo, const Tensor &kernelSize,
                 const Tensor &isOpenSpline, const Tensor &basis,
                 const Tensor &weightIndex, unsigned degree, Sequence &prog,
                 const DebugContext &debugContext) {
  const DebugContext dc(debugContext, "SplineBasis");
  if (degree < 1 || degree > 3)
    throw poplibs_error("popops::splineBasis: degree " +
                        std::to_string(degree) + "; it must be 1, 2 or 3");
  const std::size_t functions = degree + 1;
  if (pseudo.rank() != 2 ||
      kernelSize.shape() != std::vector<std::size_t>{pseudo.dim(1)} ||
      isOpenSpline.shape() != kernelSize.shape() ||
      basis.shape() !=
          std::vector<std::size_t>{pseudo.dim(0),
                                   power(functions, pseudo.dim(1))} ||
      weightIndex.shape() != basis.shape())
    throw poplibs_error(
        "popops::splineBasis: points, sizes, openness, basis and indices of "
        "shapes " +
        shapes({pseudo, kernelSize, isOpenSpline, basis, weightIndex}) +
        "; they must be [points, dims], twice [dims] and twice [points, "
        "(degree + 1)^dims]");
  if (weightIndex.elementType() != INT || kernelSize.elementType() != INT)
    throw poplibs_error("popops::splineBasis: sizes and indices must be int");
  const Tensor open = cast(graph, isOpenSpline, INT, prog, dc);
  const Tensor points = cast(graph, pseudo, FLOAT, prog, dc);
  std::vector<std::vector<Tensor>> values, indices; // by dim and function
  Tensor stride;
  for (std::size_t d = 0; d != pseudo.dim(1); ++d) {
    const Tensor size = kernelSize[d];
    // Position of the points between the knots.
    const Tensor place =
        map(graph,
            pe::Cast(pe::_1, FLOAT) *
                pe::Cast(pe::_2 - pe::_3 * pe::Const(static_cast<int>(degree)),
                         FLOAT),
            {points.slice(d, d + 1, 1).squeeze({1}), size, open[d]}, prog, dc);
    const Tensor knot = map(graph, pe::Cast(pe::_1, INT), {place}, prog, dc);
    const Tensor v = map(graph, pe::_1 - pe::Floor(pe::_1), {place}, prog, dc);
    values.emplace_back();
    indices.emplace_back();
    for (unsigned k = 0; k != functions; ++k) {
      values[d].push_back(map(graph, polynomial(degree, k), {v}, prog, dc));
      const auto index =
          pe::Rem(pe::_1 + pe::Const(static_cast<int>(k)), pe::_2);
      indices[d].push_back(
          d == 0 ? map(graph, index, {knot, size}, prog, dc)
                 : map(graph, index * pe::_3, {knot, size, stride}, prog, dc));
    }
    stride = d == 0 ? size : mul(graph, stride, size, prog, dc);
  }
  for (std::size_t s = 0; s != basis.dim(1); ++s) {
    std::size_t rest = s;
    Tensor value, index;
    for (std::size_t d = 0; d != pseudo.dim(1); ++d, rest /= functions) {
      const Tensor &thisValue = values[d][rest % functions];
      const Tensor &thisIndex = indices[d][rest % functions];
      value = d == 0 ? thisValue : mul(graph, value, thisValue, prog, dc);
      index = d == 0 ? thisIndex : add(graph, index, thisIndex, prog, dc);
    }
    castWithOutput(graph, value, basis.slice(s, s + 1, 1).squeeze({1}), prog,
                   dc);
    prog.add(
        Copy(index, weightIndex.slice(s, s + 1, 1).squeeze({1}), false, dc));
  }
}

Tensor splineWeighting(Graph &graph, const Tensor &input, const Tensor &weight,
                       const Tensor &basis, const Tensor &weightIndex,
                       Sequence &prog, const DebugContext &debugContext) {
  const DebugContext dc(debugContext, "SplineWeighting");
  if (input.rank() != 2 || weight.rank() != 3 || basis.rank() != 2 ||
      weightIndex.shape() != basis.shape() || basis.dim(0) != input.dim(0) ||
      weight.dim(1) != input.dim(1))
    throw poplibs_error(
        "popops::splineWeighting: features, weights, basis and indices of "
        "shapes " +
        shapes({input, weight, basis, weightIndex}) +
        "; they must be [points, inputs], [kernel, inputs, outputs] and twice "
        "[points, splines]");
  const std::size_t points = input.dim(0), inputs = input.dim(1);
  const std::size_t outputs = weight.dim(2), splines = basis.dim(1);
  const Tensor table = weight.reshape({1, weight.dim(0), inputs * outputs});
  const Tensor at = asIndices(weightIndex).reshape({1, points * splines});
  // The weights of each point, times its features, are added up for each of the
  // outputs.
  const Tensor chosen = readRows(graph, table, at, 1, prog, dc)
                            .reshape({points, splines, inputs, outputs});
  const Tensor products =
      mul(graph, chosen, basis.reshape({points, splines, 1, 1}), prog, dc);
  mulInPlace(graph, products, input.reshape({points, 1, inputs, 1}), prog, dc);
  return reduce(graph, products, input.elementType(), {1, 2}, Operation::ADD,
                prog, dc);
}

} // namespace popops
