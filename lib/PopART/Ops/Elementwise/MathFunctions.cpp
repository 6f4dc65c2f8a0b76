// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of one operand without attributes. Functions that popops lacks are
// composed such that small arguments stay accurate and no intermediate value
// overflows unless the result does. They compute float16 in float, because
// intermediate values may leave the range of float16.

#include "lib/PopART/Ops/Elementwise/Elementwise.h"

#include <cmath>
#include <numbers>

namespace populus::popir {

namespace {

using expr::Any;

Any unary(expr::UnaryOpType type, Device x) {
  return expr::UnaryOp(type, x[0]);
}

bool isUnsigned(Device x) { return x.type() == poplar::UNSIGNED_INT; }

using Composition = Any (*)(const Any &x, Device operands);

/// Computes in float, and converts back to float16 if x is.
template <Composition Function> Any inFloat(Device x) {
  if (x.type() != poplar::HALF)
    return Function(x[0], x);
  const DeviceOperands floats(x.op, {}, poplar::FLOAT);
  return expr::Cast(Function(expr::Cast(x[0], poplar::FLOAT), floats),
                    poplar::HALF);
}

// With h = expm1(x / 2) and g = expm1(-x / 2), from sinh x = 2 sinh(x / 2)
// cosh(x / 2):
//   sinh x = (h - g) ((h + g) / 2 + 1)
Any sinh(const Any &x, Device with) {
  const Any half = x * with.constant(0.5);
  const Any h = expr::Expm1(half), g = expr::Expm1(-half);
  return (h - g) * ((h + g) * with.constant(0.5) + with.constant(1));
}
// cosh x = e^(x / 2)^2 / 2 + e^(-x / 2)^2 / 2
Any cosh(const Any &x, Device with) {
  const expr::Const two = with.constant(0.5);
  const Any half = x * two;
  const Any up = expr::Exp(half), down = expr::Exp(-half);
  return up * two * up + down * two * down;
}

/// The larger operand of a square: beyond it 1 + x^2 is x^2 in float, and the
/// square would overflow soon.
constexpr double LargestSquared = 1e18;

// asinh |x| = log(|x| + sqrt(1 + x^2))
//           = log1p |x| + log1p(x^2 / (1 + sqrt(1 + x^2)) / (1 + |x|)),
// whose last part is log 2 for what is large.
Any asinh(const Any &x, Device with) {
  const expr::Const one = with.constant(1);
  const Any size = expr::Abs(x);
  const Any held = expr::Min(size, with.constant(LargestSquared));
  const Any square = expr::Square(held);
  const Any root = expr::Sqrt(square + one);
  const Any sum =
      expr::Log1p(size) + expr::Log1p(square / (root + one) / (held + one));
  return expr::Signum(x) * sum;
}
// With t = x - 1, likewise, acosh x = log1p t + log1p(sqrt(t (t + 2)) / (t +
// 1)). The first part is not a number for x < 0, and the other one for 0 <= x
// < 1.
Any acosh(const Any &x, Device with) {
  const expr::Const one = with.constant(1);
  const Any t = x - one;
  const Any held = expr::Min(t, with.constant(LargestSquared));
  const Any root = expr::Sqrt(held * (held + with.constant(2)));
  return expr::Log1p(t) + expr::Log1p(root / (held + one));
}
// atanh x = (log1p(x) - log1p(-x)) / 2
Any atanh(const Any &x, Device with) {
  return (expr::Log1p(x) - expr::Log1p(-x)) * with.constant(0.5);
}
// acos x = atan2(sqrt(1 - x^2), x)
Any acos(const Any &x, Device with) {
  const expr::Const one = with.constant(1);
  return expr::Atan2(expr::Sqrt((one - x) * (one + x)), x);
}

Any isInfinite(Device x) {
  bool negative = x.op.attributes().getInt("detect_negative", 1) != 0;
  bool positive = x.op.attributes().getInt("detect_positive", 1) != 0;
  if (negative && positive)
    return expr::IsInf(x[0]);
  if (!negative && !positive)
    return expr::NotEqual(x[0], x[0]) && expr::Equal(x[0], x[0]);
  double sign = positive ? 1 : -1;
  return expr::IsInf(x[0]) && expr::Gt(x[0] * x.constant(sign), x.constant(0));
}

constexpr unsigned Numbers = Reals | Integers;

/// Chain rule: dx = dy * slope.
void scale(Gradients &g, Value &slope) { g.set(0, g.mul(g.dy(), slope)); }
/// Chain rule for a slope of 1 / divisor.
void divide(Gradients &g, Value &divisor) { g.set(0, g.div(g.dy(), divisor)); }
/// Step functions have a gradient of zero.
void flat(Gradients &g) { g.set(0, g.zerosLike(g.x().info)); }

Value &apply(Gradients &g, const char *type) { return g.op(type, {&g.x()}); }

const std::vector<ElementwiseFunction> Table = {
    {.type = "Abs",
     .versions = {6, 13},
     .operandTypes = Numbers,
     .onDevice = [](Device x) -> Any {
       return isUnsigned(x) ? Any(x[0]) : Any(expr::Abs(x[0]));
     },
     .onReals = [](Real x) { return std::abs(x[0]); },
     .onIntegers =
         [](Int x) {
           return x[0] < 0 ? wrapping(0, x[0], std::minus<>()) : x[0];
         },
     .gradient = [](Gradients &g) { scale(g, apply(g, "Sign")); }},
    {.type = "Neg",
     .versions = {6, 13},
     .operandTypes = Numbers,
     .onDevice = [](Device x) -> Any { return -x[0]; },
     .onReals = [](Real x) { return -x[0]; },
     .onIntegers = [](Int x) { return wrapping(0, x[0], std::minus<>()); },
     .gradient = [](Gradients &g) { g.set(0, g.neg(g.dy())); }},
    {.type = "Sign",
     .versions = {9, 13},
     .operandTypes = Numbers,
     .onDevice = [](Device x) -> Any {
       return isUnsigned(x) ? Any(expr::Min(x[0], x.constant(1)))
                            : Any(expr::Signum(x[0]));
     },
     .onReals = [](Real x) { return x[0] > 0   ? 1.0
                                    : x[0] < 0 ? -1.0
                                               : x[0]; },
     .onIntegers =
         [](Int x) { return std::int64_t(x[0] > 0) - std::int64_t(x[0] < 0); },
     .gradient = flat},
    {.type = "Relu",
     .versions = {6, 13, 14},
     .operandTypes = Numbers,
     .onDevice = [](Device x) { return unary(expr::UnaryOpType::RELU, x); },
     .onReals = [](Real x) { return x[0] > 0 ? x[0] : 0; },
     .gradient =
         [](Gradients &g) {
           Value &zero = g.scalar(g.y().info.type, 0);
           g.set(0, g.where(g.op("Greater", {&g.y(), &zero}), g.dy()));
         }},
    {.type = "Ceil",
     .versions = {1, 6, 13},
     .onDevice = [](Device x) -> Any { return expr::Ceil(x[0]); },
     .onReals = [](Real x) { return std::ceil(x[0]); },
     .gradient = flat},
    {.type = "Floor",
     .versions = {1, 6, 13},
     .onDevice = [](Device x) -> Any { return expr::Floor(x[0]); },
     .onReals = [](Real x) { return std::floor(x[0]); },
     .gradient = flat},
    {.type = "Round",
     .versions = {11, 22},
     .onDevice = [](Device x) -> Any { return expr::NearbyInt(x[0]); },
     .onReals = [](Real x) { return std::nearbyint(x[0]); },
     .gradient = flat},
    {.type = "Exp",
     .versions = {6, 13},
     .onDevice = [](Device x) -> Any { return expr::Exp(x[0]); },
     .onReals = [](Real x) { return std::exp(x[0]); },
     .gradient = [](Gradients &g) { scale(g, g.y()); }},
    {.type = "Log",
     .versions = {6, 13},
     .onDevice = [](Device x) -> Any { return expr::Log(x[0]); },
     .onReals = [](Real x) { return std::log(x[0]); },
     .gradient = [](Gradients &g) { divide(g, g.x()); }},
    {.type = "Sqrt",
     .versions = {6, 13},
     .onDevice = [](Device x) -> Any { return expr::Sqrt(x[0]); },
     .onReals = [](Real x) { return std::sqrt(x[0]); },
     .gradient = [](Gradients &g) { divide(g, g.mul(g.y(), 2)); }},
    {.type = "Reciprocal",
     .versions = {6, 13},
     .onDevice = [](Device x) -> Any { return expr::Inv(x[0]); },
     .onReals = [](Real x) { return 1 / x[0]; },
     .gradient = [](Gradients &g) { scale(g, g.neg(g.square(g.y()))); }},
    {.type = "Sigmoid",
     .versions = {6, 13},
     .onDevice = [](Device x) -> Any { return expr::Sigmoid(x[0]); },
     .onReals = [](Real x) { return 1 / (1 + std::exp(-x[0])); },
     .gradient =
         [](Gradients &g) { scale(g, g.mul(g.y(), g.from(1, g.y()))); }},
    {.type = "Tanh",
     .versions = {6, 13},
     .onDevice = [](Device x) -> Any { return expr::Tanh(x[0]); },
     .onReals = [](Real x) { return std::tanh(x[0]); },
     .gradient = [](Gradients &g) { scale(g, g.from(1, g.square(g.y()))); }},
    {.type = "Erf",
     .versions = {9, 13},
     .onDevice = [](Device x) -> Any { return expr::Erf(x[0]); },
     .onReals = [](Real x) { return std::erf(x[0]); },
     .gradient =
         [](Gradients &g) {
           Value &bell = g.op("Exp", {&g.neg(g.square(g.x()))});
           scale(g, g.mul(bell, 2 / std::sqrt(std::numbers::pi)));
         }},
    {.type = "Sin",
     .versions = {7, 22},
     .onDevice = [](Device x) -> Any { return expr::Sin(x[0]); },
     .onReals = [](Real x) { return std::sin(x[0]); },
     .gradient = [](Gradients &g) { scale(g, apply(g, "Cos")); }},
    {.type = "Cos",
     .versions = {7, 22},
     .onDevice = [](Device x) -> Any { return expr::Cos(x[0]); },
     .onReals = [](Real x) { return std::cos(x[0]); },
     .gradient = [](Gradients &g) { scale(g, g.neg(apply(g, "Sin"))); }},
    {.type = "Tan",
     .versions = {7, 22},
     .onDevice = [](Device x) -> Any { return expr::Tan(x[0]); },
     .onReals = [](Real x) { return std::tan(x[0]); },
     .gradient = [](Gradients &g) { scale(g, g.add(g.square(g.y()), 1)); }},
    {.type = "Asin",
     .versions = {7, 22},
     .onDevice = [](Device x) -> Any { return expr::Asin(x[0]); },
     .onReals = [](Real x) { return std::asin(x[0]); },
     .gradient =
         [](Gradients &g) { divide(g, g.sqrt(g.from(1, g.square(g.x())))); }},
    {.type = "Acos",
     .versions = {7, 22},
     .onDevice = inFloat<acos>,
     .onReals = [](Real x) { return std::acos(x[0]); },
     .gradient =
         [](Gradients &g) {
           divide(g, g.neg(g.sqrt(g.from(1, g.square(g.x())))));
         }},
    {.type = "Atan",
     .versions = {7, 22},
     .onDevice = [](Device x) -> Any {
       return expr::Atan2(x[0], x.constant(1));
     },
     .onReals = [](Real x) { return std::atan(x[0]); },
     .gradient = [](Gradients &g) { divide(g, g.add(g.square(g.x()), 1)); }},
    {.type = "Sinh",
     .versions = {9, 22},
     .onDevice = inFloat<sinh>,
     .onReals = [](Real x) { return std::sinh(x[0]); },
     .gradient = [](Gradients &g) { scale(g, apply(g, "Cosh")); }},
    {.type = "Cosh",
     .versions = {9, 22},
     .onDevice = inFloat<cosh>,
     .onReals = [](Real x) { return std::cosh(x[0]); },
     .gradient = [](Gradients &g) { scale(g, apply(g, "Sinh")); }},
    {.type = "Asinh",
     .versions = {9, 22},
     .onDevice = inFloat<asinh>,
     .onReals = [](Real x) { return std::asinh(x[0]); },
     .gradient =
         [](Gradients &g) { divide(g, g.sqrt(g.add(g.square(g.x()), 1))); }},
    {.type = "Acosh",
     .versions = {9, 22},
     .onDevice = inFloat<acosh>,
     .onReals = [](Real x) { return std::acosh(x[0]); },
     .gradient =
         [](Gradients &g) { divide(g, g.sqrt(g.add(g.square(g.x()), -1))); }},
    {.type = "Atanh",
     .versions = {9, 22},
     .onDevice = inFloat<atanh>,
     .onReals = [](Real x) { return std::atanh(x[0]); },
     .gradient = [](Gradients &g) { divide(g, g.from(1, g.square(g.x()))); }},
    {.type = "IsNaN",
     .versions = {9, 13, 20},
     .resultType = ElementwiseFunction::Bool,
     .onDevice = [](Device x) -> Any { return expr::IsNaN(x[0]); }},
    {.type = "IsInf",
     .versions = {10, 20},
     .resultType = ElementwiseFunction::Bool,
     .onDevice = isInfinite},
    {.type = "Square",
     .domain = "ai.graphcore",
     .versions = {1},
     .operandTypes = Numbers,
     .onDevice = [](Device x) -> Any { return expr::Square(x[0]); },
     .onIntegers =
         [](Int x) { return wrapping(x[0], x[0], std::multiplies<>()); },
     .gradient = [](Gradients &g) { scale(g, g.mul(g.x(), 2)); }},
    {.type = "Expm1",
     .domain = "ai.graphcore",
     .versions = {1},
     .onDevice = [](Device x) -> Any { return expr::Expm1(x[0]); },
     .gradient = [](Gradients &g) { scale(g, g.add(g.y(), 1)); }},
    {.type = "Log1p",
     .domain = "ai.graphcore",
     .versions = {1},
     .onDevice = [](Device x) -> Any { return expr::Log1p(x[0]); },
     .gradient = [](Gradients &g) { divide(g, g.add(g.x(), 1)); }},
    {.type = "Round",
     .domain = "ai.graphcore",
     .versions = {1},
     .onDevice = [](Device x) -> Any { return expr::Round(x[0]); },
     .gradient = flat},
    {.type = "NearbyInt",
     .domain = "ai.graphcore",
     .versions = {1},
     .onDevice = [](Device x) -> Any { return expr::NearbyInt(x[0]); },
     .gradient = flat},
    {.type = "BitwiseNot",
     .domain = "ai.graphcore",
     .versions = {1},
     .operandTypes = Integers,
     .onDevice = [](Device x) -> Any { return ~x[0]; },
     .onIntegers = [](Int x) { return ~x[0]; }},
};

const RegisterElementwise registration(Table);

} // namespace

} // namespace populus::popir
