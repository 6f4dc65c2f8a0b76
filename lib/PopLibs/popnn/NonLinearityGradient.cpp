// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gradients of nonlinear functions as elementwise expressions, of the result
// where that is enough, and otherwise of the input.

#include "lib/PopLibs/popops/elementwise/MapInto.h"

#include <popnn/NonLinearity.hpp>
#include <popops/ElementWise.hpp>
#include <popops/ElementWiseUtil.hpp>
#include <popops/Reduce.hpp>
#include <poputil/exceptions.hpp>

#include <string>

using namespace poplar;
using namespace poplar::program;

namespace popnn {
namespace {

namespace pe = popops::expr;

/// The derivative of tanh's approximation of GELU, by x.
pe::Any geluSlope(const pe::Expr &x) {
  const pe::Any square = pe::Square(x);
  const pe::Any t = pe::Tanh((0.7978845608f * x) * (0.044715f * square + 1.0f));
  return 0.5f * (1.0f + t) + (0.5f * x) * (1.0f - pe::Square(t)) *
                                 (0.7978845608f + 0.1070322244f * square);
}

/// The derivative of x / 2 (1 + erf(x / sqrt(2))).
pe::Any geluErfSlope(const pe::Expr &x) {
  return 0.5f * (1.0f + pe::Erf(0.70710678f * x)) +
         (0.3989422804f * x) * pe::Exp(-0.5f * pe::Square(x));
}

pe::Any swishSlope(const pe::Expr &x) {
  const pe::Any s = pe::Sigmoid(x);
  return s * (1.0f + x * (1.0f - s));
}

/// The derivative by the input, an expression of the activations _1.
pe::Any slopeOf(NonLinearityType type) {
  const pe::Expr &y = pe::_1;
  switch (type) {
  case NonLinearityType::SIGMOID:
    return y * (1.0f - y);
  case NonLinearityType::TANH:
    return 1.0f - pe::Square(y);
  case NonLinearityType::GELU:
    return geluSlope(y);
  case NonLinearityType::GELU_ERF:
    return geluErfSlope(y);
  case NonLinearityType::SWISH:
    return swishSlope(y);
  default:
    throw poputil::poplibs_error(
        std::string("popnn::nonLinearityInputGradient: not for ") +
        asString(type));
  }
}

/// The gradient, an expression of the activations _1 and the gradient _2.
pe::Any gradientOf(NonLinearityType type, const Type &elementType) {
  const pe::Const zero(0.0, elementType);
  if (type == NonLinearityType::RELU)
    return pe::Select(pe::_2, zero, pe::_1 > 0.0f);
  if (type == NonLinearityType::HARD_SIGMOID)
    return pe::Select(0.2f * pe::_2, zero,
                      pe::And(pe::_1 > 0.0f, pe::_1 < 1.0f));
  return pe::Mul(pe::_2, slopeOf(type));
}

/// y (g - sum(g y)), row by row; the sum is kept in float.
Tensor softmaxGradient(Graph &graph, const Tensor &y, const Tensor &g,
                       Sequence &prog, const DebugContext &dc) {
  if (y.rank() == 0)
    throw poputil::poplibs_error("popnn: softmax of a tensor without "
                                 "dimensions");
  const std::size_t last = y.rank() - 1;
  const Tensor products = popops::mul(graph, g, y, prog, dc);
  const Tensor sum = popops::reduce(graph, products, y.elementType(), {last},
                                    {popops::Operation::ADD}, prog, dc)
                         .expand({last});
  popops::mapInPlace(graph, pe::_1 - pe::_2 * pe::_3, {products, y, sum}, prog,
                     dc);
  return products;
}

void checkOperands(const Tensor &act, const Tensor &outGradient) {
  if (act.shape() != outGradient.shape() ||
      act.elementType() != outGradient.elementType() ||
      (act.elementType() != FLOAT && act.elementType() != HALF))
    throw poputil::poplibs_error(
        "popnn::nonLinearityInputGradient: activations of shape " +
        act.shapeToString() + " and type " + act.elementType().toString() +
        ", a gradient of shape " + outGradient.shapeToString() + " and type " +
        outGradient.elementType().toString() +
        "; they must agree, and be float or half");
}

} // namespace

Tensor nonLinearityInputGradient(Graph &graph, NonLinearityType type,
                                 const Tensor &act, const Tensor &outGradient,
                                 ComputeSet &cs,
                                 const DebugContext &debugContext) {
  checkOperands(act, outGradient);
  if (type == NonLinearityType::SOFTMAX ||
      type == NonLinearityType::SOFTMAX_STABLE)
    throw poputil::poplibs_error(
        "popnn::nonLinearityInputGradient: softmax takes more than a compute "
        "set; pass a program");
  const DebugContext dc(debugContext, "NonLinearityGrad");
  const Tensor out = popops::createOutputForElementWiseOp(
      graph, {act, outGradient}, act.elementType(), dc);
  popops::mapInto(graph, gradientOf(type, act.elementType()),
                  {act, outGradient}, out, cs, dc);
  return out;
}

Tensor nonLinearityInputGradient(Graph &graph, NonLinearityType type,
                                 const Tensor &act, const Tensor &outGradient,
                                 Sequence &prog,
                                 const DebugContext &debugContext) {
  checkOperands(act, outGradient);
  const DebugContext dc(debugContext, "NonLinearityGrad");
  switch (type) {
  case NonLinearityType::SOFTMAX:
  case NonLinearityType::SOFTMAX_STABLE:
    return softmaxGradient(graph, act, outGradient, prog, dc);
  default:
    return popops::map(graph, gradientOf(type, act.elementType()),
                       {act, outGradient}, prog, dc);
  }
}

} // namespace popnn
