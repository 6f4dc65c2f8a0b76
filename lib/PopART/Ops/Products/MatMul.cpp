// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MatMul: the matrix product of NumPy. Leading dimensions are a batch and are
// broadcast; a vector is a row on the left and a column on the right. If only
// the left side has a batch, its rows are joined to one matrix: [8, 5, 3] x
// [3, 4] is computed as [40, 3] x [3, 4]. Otherwise each pair of matrices is a
// group of poplin's grouped product.

#include "lib/PopART/IR/Gradients.h"
#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Lowering/Lowering.h"
#include "lib/PopART/Ops/Shape/Shapes.h"

#include <fmt/format.h>
#include <poplin/MatMul.hpp>
#include <poputil/Broadcast.hpp>

#include <numeric>

namespace populus::popir {

namespace {

class MatMul final : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

  std::vector<TensorInfo> infer() const override {
    checkFloat(*this);
    Shape a = leftShape(), b = rightShape();
    if (a.back() != b[b.size() - 2])
      failInput(fmt::format("shapes {} and {} have no product",
                            toString(inputShape(0)), toString(inputShape(1))));
    Shape result = batchShape();
    if (inputShape(0).size() > 1)
      result.push_back(a[a.size() - 2]);
    if (inputShape(1).size() > 1)
      result.push_back(b.back());
    return {{input(0).info.type, result}};
  }

  poplar::Tensor createInput(Lowering &lowering,
                             std::size_t index) const override {
    poplar::Type type = deviceType(input(0).info.type);
    if (index > 1 || !isOneProduct())
      return poplar::Tensor();
    Shape a = leftShape(), b = rightShape();
    std::vector<std::size_t> aShape = toPoplar({numRows(), a.back()});
    std::vector<std::size_t> bShape = toPoplar({a.back(), b.back()});
    poplar::Tensor operand =
        index == 0 ? poplin::createMatMulInputLHS(
                         lowering.graph(), type, aShape, bShape,
                         {lowering.debug(*this), "lhs"}, options(lowering))
                   : poplin::createMatMulInputRHS(
                         lowering.graph(), type, aShape, bShape,
                         {lowering.debug(*this), "weights"}, options(lowering));
    return operand.reshape(toPoplar(inputShape(index)));
  }

  bool ownsResult() const override { return true; }

  double codeValue() const override { return 1; }
  void lower(Lowering &lowering) const override {
    poplar::Tensor product =
        isOneProduct() ? lowerOne(lowering) : lowerGrouped(lowering);
    lowering.setOutput(*this, product.reshape(toPoplar(output().info.shape)));
  }

  /// dA = dY B', dB = A' dY. If B is a single matrix, the rows of A's batch are
  /// joined and dB is computed as (dY' A)': its columns are contiguous like
  /// those of weights, so that the update needs no rearrangement.
  void differentiate(Gradients &g) const override {
    const Shape aShape = leftShape(), bShape = rightShape();
    Value &a = g.reshape(g.x(0), aShape), &b = g.reshape(g.x(1), bShape);
    Shape full = batchShape();
    full.insert(full.end(), {aShape[aShape.size() - 2], bShape.back()});
    Value &dy = g.reshape(g.dy(), full);
    if (g.wants(0)) {
      Value &da = g.matMul(dy, transposed(g, b));
      g.set(0, g.reshape(g.sumTo(da, aShape), inputShape(0)));
    }
    if (!g.wants(1))
      return;
    Value *db = nullptr;
    if (isOneProduct()) {
      Value &rows = g.reshape(a, {numRows(), aShape.back()});
      Value &dyRows = g.reshape(dy, {numRows(), bShape.back()});
      db = &transposed(g, g.matMul(transposed(g, dyRows), rows));
    } else {
      db = &g.sumTo(g.matMul(transposed(g, a), dy), bShape);
    }
    g.set(1, g.reshape(*db, inputShape(1)));
  }

private:
  /// Transposes each matrix of a batch.
  static Value &transposed(Gradients &g, Value &matrices) {
    std::vector<std::int64_t> order(matrices.info.shape.size());
    std::iota(order.begin(), order.end(), 0);
    std::swap(order.back(), order[order.size() - 2]);
    return g.transpose(matrices, order);
  }

  /// Shapes with a vector as a matrix of one row or column.
  Shape leftShape() const {
    Shape shape = inputShape(0);
    if (shape.empty())
      failInput("its left side is a scalar");
    if (shape.size() == 1)
      shape.insert(shape.begin(), 1);
    return shape;
  }
  Shape rightShape() const {
    Shape shape = inputShape(1);
    if (shape.empty())
      failInput("its right side is a scalar");
    if (shape.size() == 1)
      shape.push_back(1);
    return shape;
  }

  Shape batchShape() const {
    Shape a = leftShape(), b = rightShape();
    return broadcastShape(*this, Shape(a.begin(), a.end() - 2),
                          Shape(b.begin(), b.end() - 2));
  }

  /// True if the right side is a single matrix.
  bool isOneProduct() const {
    Shape b = rightShape();
    return product(b, 0, b.size() - 2) == 1;
  }
  std::int64_t numRows() const {
    Shape a = leftShape();
    return product(a, 0, a.size() - 1);
  }

  poplar::Tensor lowerOne(Lowering &lowering) const {
    Shape a = leftShape(), b = rightShape();
    return poplin::matMul(
        lowering.graph(),
        lowering.input(*this, 0).reshape(toPoplar({numRows(), a.back()})),
        lowering.input(*this, 1).reshape(toPoplar({a.back(), b.back()})),
        lowering.program(), lowering.debug(*this), options(lowering));
  }

  poplar::Tensor lowerGrouped(Lowering &lowering) const {
    return poplin::matMulGrouped(
        lowering.graph(), grouped(lowering.input(*this, 0), leftShape()),
        grouped(lowering.input(*this, 1), rightShape()), lowering.program(),
        deviceType(output().info.type), lowering.debug(*this),
        options(lowering));
  }

  /// [groups, rows, columns], broadcast to the common batch.
  poplar::Tensor grouped(poplar::Tensor operand, Shape shape) const {
    Shape batch = batchShape();
    std::vector<std::size_t> full = toPoplar(batch);
    full.push_back(shape[shape.size() - 2]);
    full.push_back(shape.back());
    operand = operand.reshape(toPoplar(shape));
    poputil::broadcastToMatch(operand, full);
    return operand.reshape({static_cast<std::size_t>(numElements(batch)),
                            full[full.size() - 2], full.back()});
  }

  poplar::OptionFlags options(const Lowering &lowering) const {
    return lowering.productOptions(*this,
                                   {{"fullyConnectedPass", "INFERENCE_FWD"}});
  }
};

const RegisterOp<MatMul> registration("MatMul", {1, 9, 13});

} // namespace

} // namespace populus::popir
