// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gemm: alpha A B + beta C for matrices; A and B may be transposed, and C is
// broadcast to the result.

#include "lib/PopART/IR/Gradients.h"
#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Lowering/Lowering.h"
#include "lib/PopART/Ops/Shape/Shapes.h"

#include <fmt/format.h>
#include <poplin/MatMul.hpp>
#include <popops/ElementWise.hpp>

namespace populus::popir {

namespace {

class Gemm final : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

  std::vector<TensorInfo> infer() const override {
    checkFloat(*this);
    Shape a = operandShape(0), b = operandShape(1);
    if (a[1] != b[0])
      failInput(fmt::format(
          "the matrices {} and {} have no product{}", toString(a), toString(b),
          isTransposed(0) || isTransposed(1) ? " (transposed as it says)"
                                             : ""));
    Shape result = {a[0], b[1]};
    if (hasInput(2) && broadcastShape(*this, result, inputShape(2)) != result)
      failInput(fmt::format("C of shape {} is larger than the product, {}",
                            toString(inputShape(2)), toString(result)));
    return {{input(0).info.type, result}};
  }

  poplar::Tensor createInput(Lowering &lowering,
                             std::size_t index) const override {
    poplar::Type type = deviceType(input(0).info.type);
    if (index > 1)
      return poplar::Tensor();
    std::vector<std::size_t> a = toPoplar(operandShape(0));
    std::vector<std::size_t> b = toPoplar(operandShape(1));
    poplar::Tensor operand =
        index == 0
            ? poplin::createMatMulInputLHS(lowering.graph(), type, a, b,
                                           {lowering.debug(*this), "lhs"},
                                           options(lowering))
            : poplin::createMatMulInputRHS(lowering.graph(), type, a, b,
                                           {lowering.debug(*this), "weights"},
                                           options(lowering));
    return isTransposed(index) ? operand.transpose() : operand;
  }

  bool ownsResult() const override { return true; }

  double codeValue() const override { return 1; }
  void lower(Lowering &lowering) const override {
    poplar::Tensor result = poplin::matMul(
        lowering.graph(), operand(lowering, 0), operand(lowering, 1),
        lowering.program(), lowering.debug(*this), options(lowering));
    if (float alpha = attributes().getFloat("alpha", 1); alpha != 1)
      popops::mulInPlace(lowering.graph(), result, alpha, lowering.program(),
                         {lowering.debug(*this), "alpha"});
    if (hasInput(2))
      addC(lowering, result);
    lowering.setOutput(*this, result);
  }

  /// dA = alpha dY B', dB = alpha A' dY, dC = beta dY.
  void differentiate(Gradients &g) const override {
    auto scaled = [&](Value &x, const char *factor) -> Value & {
      const float number = attributes().getFloat(factor, 1);
      return number == 1 ? x : g.mul(x, number);
    };
    auto oriented = [&](Value &x, std::size_t index) -> Value & {
      return isTransposed(index) ? g.transpose(x, {1, 0}) : x;
    };
    if (g.wants(0)) {
      Value &b = g.transpose(oriented(g.x(1), 1), {1, 0});
      g.set(0, oriented(scaled(g.matMul(g.dy(), b), "alpha"), 0));
    }
    if (g.wants(1)) {
      // dB = (dY' A)', as in MatMul: B's columns lie as those of weights do.
      Value &dy = g.transpose(g.dy(), {1, 0});
      Value &db = scaled(g.matMul(dy, oriented(g.x(0), 0)), "alpha");
      g.set(1, isTransposed(1) ? db : g.transpose(db, {1, 0}));
    }
    if (g.wants(2))
      g.set(2, scaled(g.sumTo(g.dy(), inputShape(2)), "beta"));
  }

private:
  bool isTransposed(std::size_t index) const {
    return attributes().getInt(index == 0 ? "transA" : "transB", 0) != 0;
  }

  /// The shape of A or B after its transposition.
  Shape operandShape(std::size_t index) const {
    Shape shape = inputShape(index);
    if (shape.size() != 2)
      failInput(fmt::format("input {} of shape {} is not a matrix", index,
                            toString(shape)));
    if (isTransposed(index))
      std::swap(shape[0], shape[1]);
    return shape;
  }

  poplar::Tensor operand(Lowering &lowering, std::size_t index) const {
    poplar::Tensor matrix = lowering.input(*this, index);
    return isTransposed(index) ? matrix.transpose() : matrix;
  }

  void addC(Lowering &lowering, const poplar::Tensor &result) const {
    float beta = attributes().getFloat("beta", 1);
    if (beta == 0)
      return;
    poplar::Tensor c = lowering.input(*this, 2);
    if (beta != 1)
      c = popops::mul(lowering.graph(), c, beta, lowering.program(),
                      {lowering.debug(*this), "beta"});
    popops::addInPlace(lowering.graph(), result, c, lowering.program(),
                       {lowering.debug(*this), "bias"});
  }

  poplar::OptionFlags options(const Lowering &lowering) const {
    return lowering.productOptions(*this,
                                   {{"fullyConnectedPass", "INFERENCE_FWD"}});
  }
};

const RegisterOp<Gemm> registration("Gemm", {6, 7, 9, 11, 13});

} // namespace

} // namespace populus::popir
