// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SplineBasis and SplineWeighting of Graphcore's domain: convolutions over the
// edges of a graph, whose weights are B-splines of the edges' coordinates.
//
// SplineBasis returns, for every edge, the (degree + 1)^D basis functions that
// are non-zero at its D coordinates in [0, 1], and the index of the weight of
// each. A dimension has kernel_size knots; in a closed spline, the last one is
// the first one again. Functions of several dimensions are products; the first
// dimension runs fastest.
//
// SplineWeighting multiplies the features of every edge by the sum of these
// weights: out[e] = sum over s of basis[e, s] * x[e] * weight[index[e, s]]. The
// basis becomes a matrix of edges and weights, mostly zeros, so that all is one
// matrix product: (matrix[e, k] * x[e, i]) times weight[(k, i), o].

#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Ops/Elementwise/Expressions.h"
#include "lib/PopART/Ops/Indexing/Indexing.h"
#include "lib/PopART/Ops/Reduction/Reduction.h"
#include "lib/PopART/Ops/Shape/Shapes.h"

#include <fmt/format.h>
#include <poplin/MatMul.hpp>
#include <popops/Cast.hpp>

namespace populus::popir {

namespace {

/// Function `k` of those of a uniform B-spline of `degree` that are not zero
/// between two knots, by the distance `v` from the first knot.
expr::Any basisFunction(std::int64_t degree, std::int64_t k,
                        const expr::Expr &v) {
  const auto c = [](float value) { return expr::Const(value); };
  const expr::Any rest = c(1) - v; // to the second knot
  if (degree == 1)
    return k == 0 ? rest : expr::Any(v);
  if (degree == 2)
    return k == 0   ? expr::Any(c(0.5F) * rest * rest)
           : k == 1 ? expr::Any(v * rest + c(0.5F))
                    : expr::Any(c(0.5F) * v * v);
  const auto outer = [&](const expr::Expr &x) {
    return expr::Any(x * x * x * c(1.0F / 6));
  };
  const auto inner = [&](const expr::Expr &x) {
    return expr::Any((c(0.5F) * x - c(1)) * x * x + c(2.0F / 3));
  };
  return k == 0   ? outer(rest)
         : k == 1 ? inner(v)
         : k == 2 ? inner(rest)
                  : outer(v);
}

class SplineBasis final : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

  std::vector<TensorInfo> infer() const override {
    checkFloat(*this);
    const Shape &coordinates = inputShape(Coordinates);
    if (coordinates.size() != 2 || coordinates[1] < 1 ||
        inputShape(KernelSize) != Shape{coordinates[1]} ||
        inputShape(IsOpen) != Shape{coordinates[1]})
      failInput(fmt::format(
          "coordinates {}, kernel sizes {} and kinds {} do not go together; "
          "they are [E, D], [D] and [D]",
          toString(coordinates), toString(inputShape(KernelSize)),
          toString(inputShape(IsOpen))));
    if (degree() < 1 || degree() > 3)
      failInput(
          fmt::format("its degree {} is not one of 1, 2 and 3", degree()));
    std::int64_t functions = 1;
    for (std::int64_t d = 0; d != coordinates[1]; ++d)
      functions *= degree() + 1;
    const Shape shape = {coordinates[0], functions};
    return {{input(Coordinates).info.type, shape}, {DataType::Int32, shape}};
  }

  void lower(Lowering &lowering) const override {
    const poplar::Tensor x =
        castInput(lowering, *this, Coordinates, poplar::FLOAT);
    const poplar::Tensor sizes =
        castInput(lowering, *this, KernelSize, poplar::INT);
    const poplar::Tensor open =
        castInput(lowering, *this, IsOpen, poplar::FLOAT);
    poplar::Tensor basis, index, stride;
    for (std::size_t d = 0; d != x.dim(1); ++d) {
      const poplar::Tensor size = sizes.slice(d, d + 1);
      const poplar::Tensor place = mapped(
          lowering, *this,
          expr::_1 * (expr::Cast(expr::_2, poplar::FLOAT) -
                      expr::Const(static_cast<float>(degree())) * expr::_3),
          {x.slice(d, d + 1, 1), size, open.slice(d, d + 1)});
      const poplar::Tensor newBasis = functionsAt(lowering, place);
      const poplar::Tensor newIndex = weightsAt(lowering, place, size);
      basis = d == 0 ? newBasis
                     : outer(lowering, expr::_1 * expr::_2, {basis, newBasis});
      index = d == 0 ? newIndex
                     : outer(lowering, expr::_1 + expr::_2 * expr::_3,
                             {index, newIndex, stride});
      stride =
          d == 0 ? size
                 : mapped(lowering, *this, expr::_1 * expr::_2, {stride, size});
    }
    lowering.setOutput(*this,
                       popops::cast(lowering.graph(), basis,
                                    deviceType(output().info.type),
                                    lowering.program(), lowering.debug(*this)));
    if (hasOutput(1))
      lowering.setOutput(*this, index, 1);
  }

private:
  enum Input : std::size_t { Coordinates, KernelSize, IsOpen };

  std::int64_t degree() const { return attributes().getInt("degree", 1); }

  /// [E, degree + 1], of places [E, 1] in units of knots.
  poplar::Tensor functionsAt(Lowering &lowering,
                             const poplar::Tensor &place) const {
    std::vector<poplar::Tensor> columns;
    for (std::int64_t k = 0; k <= degree(); ++k)
      columns.push_back(
          mapped(lowering, *this,
                 basisFunction(degree(), k, expr::_1 - expr::Floor(expr::_1)),
                 {place}));
    return poplar::concat(columns, 1);
  }

  poplar::Tensor weightsAt(Lowering &lowering, const poplar::Tensor &place,
                           const poplar::Tensor &size) const {
    return mapped(
        lowering, *this,
        expr::Rem(expr::Cast(expr::Floor(expr::_1), poplar::INT) + expr::_2,
                  expr::_3),
        {place,
         countingRow(lowering, *this, static_cast<std::size_t>(degree()) + 1),
         size});
  }

  /// Combines every column of operand 0 with every one of operand 1; columns of
  /// operand 0 run fastest. Others are scalars.
  poplar::Tensor outer(Lowering &lowering, const expr::Expr &value,
                       std::vector<poplar::Tensor> operands) const {
    const std::size_t edges = operands[0].dim(0);
    const std::size_t columns = operands[0].dim(1) * operands[1].dim(1);
    operands[0] = operands[0].expand({1});
    operands[1] = operands[1].expand({2});
    return mapped(lowering, *this, value, operands).reshape({edges, columns});
  }
};

class SplineWeighting final : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

  std::vector<TensorInfo> infer() const override {
    checkFloat(*this);
    const Shape &x = inputShape(Features), &weight = inputShape(Weight),
                &basis = inputShape(Basis);
    if (x.size() != 2 || weight.size() != 3 || basis.size() != 2 ||
        weight[1] != x[1] || basis[0] != x[0] || inputShape(Index) != basis)
      failInput(fmt::format(
          "features {}, weights {}, basis {} and indices {} do not go "
          "together; they are [E, I], [K, I, O], [E, S] and [E, S]",
          toString(x), toString(weight), toString(basis),
          toString(inputShape(Index))));
    for (Input i : {Weight, Basis})
      if (input(i).info.type != input(Features).info.type)
        failInput("features, weights and basis are of different types");
    return {{input(Features).info.type, {x[0], weight[2]}}};
  }

  double codeValue() const override { return 1; }

  void lower(Lowering &lowering) const override {
    const Shape &weight = inputShape(Weight);
    const std::size_t edges = static_cast<std::size_t>(inputShape(Basis)[0]);
    const poplar::Type basisType = deviceType(input(Basis).info.type);
    // [E, S, K]: the basis where its weight is, else 0.
    const poplar::Tensor parts = mapped(
        lowering, *this,
        expr::Select(expr::_1, expr::Const(0.0, basisType),
                     expr::Equal(expr::_2, expr::_3)),
        {lowering.input(*this, Basis).expand({2}),
         castInput(lowering, *this, Index, poplar::INT).expand({2}),
         countingRow(lowering, *this, static_cast<std::size_t>(weight[0]))});
    const poplar::Tensor matrix =
        reduceKeepingDims(lowering, *this, parts, {1}, popops::Operation::ADD)
            .reshape({edges, std::size_t(weight[0]), 1});
    const poplar::Tensor rows =
        mapped(lowering, *this, expr::_1 * expr::_2,
               {matrix, lowering.input(*this, Features).expand({1})});
    lowering.setOutput(
        *this, poplin::matMul(
                   lowering.graph(), rows.flatten(1, 3),
                   lowering.input(*this, Weight).flatten(0, 2),
                   lowering.program(), deviceType(output().info.type),
                   lowering.debug(*this), lowering.productOptions(*this, {})));
  }

private:
  enum Input : std::size_t { Features, Weight, Basis, Index };
};

const RegisterOp<SplineBasis> basis("SplineBasis", {1}, "ai.graphcore", 3);
const RegisterOp<SplineWeighting> weighting("SplineWeighting", {1},
                                            "ai.graphcore", 4);

} // namespace

} // namespace populus::popir
