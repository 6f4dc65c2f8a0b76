// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Activation functions. Piecewise functions are selections, which propagate
// NaN; docs/operators.md lists the exceptions.

#include "lib/PopART/Ops/Elementwise/Elementwise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace populus::popir {

namespace {

using expr::Any;

Any positivePart(Device x) { return expr::Max(x[0], x.constant(0)); }

/// x < 0 ? below : x. Keeps -0 and NaN.
Any bent(Device x, const Any &below) {
  return expr::Select(below, x[0], expr::Lt(x[0], x.constant(0)));
}
/// min(x, 0), the operand of expm1, which is slow for large numbers.
Any negativePart(Device x) { return expr::Min(x[0], x.constant(0)); }
Any elu(Device x) {
  return bent(x, expr::Expm1(negativePart(x)) * x.attribute("alpha", 1));
}
Any celu(Device x) {
  expr::Const alpha = x.attribute("alpha", 1);
  return bent(x, expr::Expm1(negativePart(x) / alpha) * alpha);
}
Any selu(Device x) {
  const Any below = expr::Expm1(negativePart(x)) *
                    x.attribute("alpha", 1.67326319217681884765625f);
  return bent(x, below) * x.attribute("gamma", 1.05070102214813232421875f);
}

/// A slope of 1 or less makes max(x, slope * x) the result. A slope of 0 does
/// not: 0 * infinity is NaN.
bool isLarger(double slope) { return slope <= 1 && slope != 0; }

Any leakyRelu(Device x) {
  const Any below = x[0] * x.attribute("alpha", 0.01f);
  return isLarger(x.op.attributes().getFloat("alpha", 0.01f))
             ? Any(expr::Max(x[0], below))
             : bent(x, below);
}
Any pRelu(Device x) {
  const Any below = x[0] * x[1];
  const Value &slopes = x.op.input(1);
  return slopes.isConstant() &&
                 std::ranges::all_of(slopes.constant()->toDoubles(), isLarger)
             ? Any(expr::Max(x[0], below))
             : bent(x, below);
}
Any thresholdedRelu(Device x) {
  return expr::Select(x[0], x.constant(0),
                      expr::Gt(x[0], x.attribute("alpha", 1)));
}
Any shrink(Device x) {
  expr::Const bias = x.attribute("bias", 0);
  float limit = x.op.attributes().getFloat("lambd", 0.5f);
  Any below = expr::Lt(x[0], x.constant(-limit));
  Any above = expr::Gt(x[0], x.constant(limit));
  return expr::Select(x[0] - bias,
                      expr::Select(x[0] + bias, x.constant(0), below), above);
}
Any heldToUnit(const Any &value, Device x) {
  return expr::Max(expr::Min(value, x.constant(1)), x.constant(0));
}
Any hardSigmoid(Device x) {
  return heldToUnit(
      x[0] * x.attribute("alpha", 0.2f) + x.attribute("beta", 0.5f), x);
}
Any hardSwish(Device x) {
  return x[0] * heldToUnit(x[0] * x.constant(1.0 / 6) + x.constant(0.5), x);
}
// log(1 + e^x) = max(x, 0) + log1p(e^-|x|)
Any softplus(Device x) {
  return positivePart(x) + expr::Log1p(expr::Exp(-expr::Abs(x[0])));
}
Any softsign(Device x) { return x[0] / (expr::Abs(x[0]) + x.constant(1)); }
/// GELU with the tanh approximation of the error function.
Any gelu(Device x) {
  Any cube = expr::Square(x[0]) * x[0];
  Any inner = (x[0] + cube * x.constant(0.044715)) *
              x.constant(std::sqrt(2 / std::numbers::pi));
  return x[0] * (expr::Tanh(inner) * x.constant(0.5) + x.constant(0.5));
}

/// Limits are attributes until opset 10, then inputs; either may be absent.
Any clip(Device x) {
  Any value = x[0];
  const Attributes &attributes = x.op.attributes();
  if (x.op.version() < 11) {
    if (attributes.has("min"))
      value = expr::Max(value, x.attribute("min", 0));
    if (attributes.has("max"))
      value = expr::Min(value, x.attribute("max", 0));
    return value;
  }
  if (x.op.hasInput(1))
    value = expr::Max(value, x[1]);
  if (x.op.hasInput(2))
    value = expr::Min(value, x[2]);
  return value;
}

/// Constant folding: exporters compute paddings with Clip.
template <class T> auto clipOnHost(const T &x) {
  auto value = x[0];
  using Number = decltype(value);
  const auto limit = [&](std::size_t index, const char *name) {
    return x.op.version() < 11
               ? static_cast<Number>(x.op.attributes().getFloat(name, 0))
               : static_cast<Number>(x[index]);
  };
  const auto isLimited = [&](std::size_t index, const char *name) {
    return x.op.version() < 11 ? x.op.attributes().has(name)
                               : x.op.hasInput(index);
  };
  if (isLimited(1, "min"))
    value = larger(value, limit(1, "min"));
  if (isLimited(2, "max"))
    value = smaller(value, limit(2, "max"));
  return value;
}

constexpr unsigned Numbers = Reals | Integers;

/// Chain rule: dx = dy * slope.
void scale(Gradients &g, Value &slope) { g.set(0, g.mul(g.dy(), slope)); }

Value &number(Gradients &g, double value) {
  return g.scalar(g.x().info.type, value);
}
double attribute(Gradients &g, const char *name, float fallback) {
  return g.attributes().getFloat(name, fallback);
}
Value &isLess(Gradients &g, Value &a, Value &b) {
  return g.op("Less", {&a, &b});
}
Value &isNegative(Gradients &g) { return isLess(g, g.x(), number(g, 0)); }
/// The gradient of a line that is bent at 0. There PopART takes that of the
/// upper part, PyTorch that of the lower one.
Value &bentGradient(Gradients &g, Value &upper, Value &lower) {
  if (g.hasTorchTies())
    return g.select(isLess(g, number(g, 0), g.x()), upper, lower);
  return g.select(isNegative(g), lower, upper);
}
/// 1 if low < y < high, else 0.
Value &isBetween(Gradients &g, Value &y, double low, double high) {
  Value &isInside = g.op(
      "And", {&isLess(g, number(g, low), y), &isLess(g, y, number(g, high))});
  return g.asNumber(isInside, y.info.type);
}

/// e^(min(x, 0) / alpha), which cannot overflow.
Value &tail(Gradients &g, double alpha = 1) {
  Value &negative = g.op("Min", {&g.x(), &number(g, 0)});
  return g.op("Exp", {&g.mul(negative, 1 / alpha)});
}

void eluGradient(Gradients &g) {
  Value &below = g.mul(tail(g), attribute(g, "alpha", 1));
  scale(g, g.select(isNegative(g), below, number(g, 1)));
}
void seluGradient(Gradients &g) {
  const double gamma = attribute(g, "gamma", 1.05070102214813232421875f);
  const double alpha = attribute(g, "alpha", 1.67326319217681884765625f);
  Value &isPositive = isLess(g, number(g, 0), g.x());
  scale(g,
        g.select(isPositive, number(g, gamma), g.mul(tail(g), gamma * alpha)));
}

/// At |x| = limit the gradient is half.
void shrinkGradient(Gradients &g) {
  Value &beyond = g.add(g.op("Abs", {&g.x()}), -attribute(g, "lambd", 0.5f));
  scale(g, g.mul(g.add(g.op("Sign", {&beyond}), 1), 0.5));
}

void hardSwishGradient(Gradients &g) {
  Value &held = g.op("HardSigmoid", {&g.x()}, {{"alpha", 1.0F / 6}});
  Value &slope = g.mul(isBetween(g, g.x(), -3, 3), 1.0 / 6);
  scale(g, g.add(held, g.mul(g.x(), slope)));
}

/// x (1 + t) / 2, where t is the tanh of an odd polynomial.
void geluGradient(Gradients &g) {
  const double root = std::sqrt(2 / std::numbers::pi);
  Value &x = g.x();
  Value &square = g.square(x);
  Value &inner = g.mul(g.mul(x, g.add(g.mul(square, 0.044715), 1)), root);
  Value &t = g.op("Tanh", {&inner});
  Value &innerSlope = g.mul(g.add(g.mul(square, 3 * 0.044715), 1), root);
  Value &bend = g.mul(g.mul(x, g.from(1, g.square(t))), innerSlope);
  scale(g, g.mul(g.add(g.add(t, bend), 1), 0.5));
}
void geluErfGradient(Gradients &g) {
  Value &x = g.x();
  Value &share = g.mul(g.add(g.op("Erf", {&g.mul(x, std::sqrt(0.5))}), 1), 0.5);
  Value &density = g.mul(g.op("Exp", {&g.mul(g.square(x), -0.5)}),
                         1 / std::sqrt(2 * std::numbers::pi));
  scale(g, g.add(share, g.mul(x, density)));
}

void swishGradient(Gradients &g) {
  Value &s = g.op("Sigmoid", {&g.x()});
  scale(g, g.mul(s, g.add(g.mul(g.x(), g.from(1, s)), 1)));
}

/// An element at a limit gets no gradient. Limits have no gradient at all, so
/// they must not be computed from trained values.
void clipGradient(Gradients &g) {
  Value &y = g.y();
  Value *gradient = &g.dy();
  for (std::size_t i : {1, 2}) {
    const char *name = i == 1 ? "min" : "max";
    Value *limit = nullptr;
    if (g.forward().version() < 11 && g.attributes().has(name))
      limit = &number(g, attribute(g, name, 0));
    if (g.forward().version() >= 11 && g.forward().hasInput(i)) {
      limit = &g.x(i);
      if (!limit->isConstant())
        g.forward().failUnsupported(fmt::format(
            "to be differentiated it currently only supports constant min/max "
            "parameters. Input '{}' ({}) has no data.",
            name, limit->name));
    }
    if (limit)
      gradient = &g.select(g.op("Equal", {&y, limit}), number(g, 0), *gradient);
  }
  g.set(0, *gradient);
}

const std::vector<ElementwiseFunction> Table = {
    {.type = "Clip",
     .versions = {6, 11, 12, 13},
     .operandTypes = Numbers,
     .onDevice = clip,
     .onReals = [](Real x) { return clipOnHost(x); },
     .onIntegers = [](Int x) { return clipOnHost(x); },
     .gradient = clipGradient},
    {.type = "Elu",
     .versions = {1, 6, 22},
     .onDevice = elu,
     .gradient = eluGradient},
    {.type = "Celu",
     .versions = {12, 28},
     .onDevice = celu,
     .gradient =
         [](Gradients &g) { scale(g, tail(g, attribute(g, "alpha", 1))); }},
    {.type = "Selu",
     .versions = {1, 6, 22},
     .onDevice = selu,
     .gradient = seluGradient},
    {.type = "LeakyRelu",
     .versions = {1, 6, 16},
     .onDevice = leakyRelu,
     .gradient =
         [](Gradients &g) {
           Value &below = g.mul(g.dy(), attribute(g, "alpha", 0.01f));
           g.set(0, bentGradient(g, g.dy(), below));
         }},
    {.type = "PRelu",
     .versions = {1, 6, 7, 9, 16},
     .onDevice = pRelu,
     .gradient =
         [](Gradients &g) {
           Value &below = g.mul(g.dy(), g.x(1));
           g.set(0, bentGradient(g, g.dy(), below));
           if (g.wants(1))
             g.set(1, g.mul(g.dy(), g.op("Min", {&g.x(), &number(g, 0)})));
         }},
    {.type = "ThresholdedRelu",
     .versions = {10, 22},
     .onDevice = thresholdedRelu,
     .gradient =
         [](Gradients &g) {
           Value &passes =
               isLess(g, number(g, attribute(g, "alpha", 1)), g.x());
           g.set(0, g.select(passes, g.dy(), number(g, 0)));
         }},
    {.type = "Shrink",
     .versions = {9},
     .operandTypes = Numbers,
     .onDevice = shrink,
     .gradient = shrinkGradient},
    {.type = "HardSigmoid",
     .versions = {1, 6, 22},
     .onDevice = hardSigmoid,
     .gradient =
         [](Gradients &g) {
           const double slope = attribute(g, "alpha", 0.2f);
           scale(g, g.mul(isBetween(g, g.y(), 0, 1), slope));
         }},
    {.type = "HardSwish",
     .versions = {14, 22},
     .onDevice = hardSwish,
     .gradient = hardSwishGradient},
    {.type = "Softplus",
     .versions = {1, 22},
     .onDevice = softplus,
     .gradient = [](Gradients &g) { scale(g, g.op("Sigmoid", {&g.x()})); }},
    {.type = "Softsign",
     .versions = {1, 22},
     .onDevice = softsign,
     .gradient =
         [](Gradients &g) {
           Value &root = g.add(g.op("Abs", {&g.x()}), 1);
           g.set(0, g.div(g.dy(), g.square(root)));
         }},
    {.type = "Gelu",
     .domain = "ai.graphcore",
     .versions = {1},
     .onDevice = gelu,
     .gradient = geluGradient},
    {.type = "GeluErf",
     .domain = "ai.graphcore",
     .versions = {1},
     .onDevice = [](Device x) -> Any { return expr::GeluErf(x[0]); },
     .gradient = geluErfGradient},
    {.type = "Swish",
     .domain = "ai.graphcore",
     .versions = {1},
     .onDevice = [](Device x) -> Any { return x[0] * expr::Sigmoid(x[0]); },
     .gradient = swishGradient},
    {.type = "Scale",
     .domain = "ai.graphcore",
     .versions = {1},
     .onDevice = [](Device x) -> Any { return x[0] * x.attribute("scale", 1); },
     .gradient =
         [](Gradients &g) {
           g.set(0, g.mul(g.dy(), attribute(g, "scale", 1)));
         }},
};

const RegisterElementwise registration(Table);

} // namespace

} // namespace populus::popir
