// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Activation functions. Those with two branches are sums of their positive and
// their negative part where one part is then zero, else selections.

#include "lib/PopART/Ops/Elementwise.h"

#include <cmath>
#include <limits>
#include <numbers>

namespace populus::popir {

namespace {

using expr::Any;

Any positivePart(Device x) { return expr::Max(x[0], x.constant(0)); }
Any negativePart(Device x) { return expr::Min(x[0], x.constant(0)); }

Any elu(Device x) {
  return positivePart(x) +
         expr::Expm1(negativePart(x)) * x.attribute("alpha", 1);
}
Any celu(Device x) {
  expr::Const alpha = x.attribute("alpha", 1);
  return positivePart(x) + expr::Expm1(negativePart(x) / alpha) * alpha;
}
Any selu(Device x) {
  Any sum =
      positivePart(x) + expr::Expm1(negativePart(x)) *
                            x.attribute("alpha", 1.67326319217681884765625f);
  return sum * x.attribute("gamma", 1.05070102214813232421875f);
}
Any leakyRelu(Device x) {
  return positivePart(x) + negativePart(x) * x.attribute("alpha", 0.01f);
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
/// With the approximation of the error function by tanh.
Any gelu(Device x) {
  Any cube = expr::Square(x[0]) * x[0];
  Any inner = (x[0] + cube * x.constant(0.044715)) *
              x.constant(std::sqrt(2 / std::numbers::pi));
  return x[0] * (expr::Tanh(inner) + x.constant(1)) * x.constant(0.5);
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

constexpr unsigned Numbers = Reals | Integers;

// clang-format off: a table
const std::vector<ElementwiseFunction> Table = {
    {"Clip", {6, 11, 12, 13}, Numbers, clip},
    {"Elu", {1, 6, 22}, Reals, elu},
    {"Celu", {12, 28}, Reals, celu},
    {"Selu", {1, 6, 22}, Reals, selu},
    {"LeakyRelu", {1, 6, 16}, Reals, leakyRelu},
    {"PRelu", {1, 6, 7, 9, 16}, Reals,
     [](Device x) -> Any { return positivePart(x) + negativePart(x) * x[1]; }},
    {"ThresholdedRelu", {10, 22}, Reals, thresholdedRelu},
    {"Shrink", {9}, Numbers, shrink},
    {"HardSigmoid", {1, 6, 22}, Reals, hardSigmoid},
    {"HardSwish", {14, 22}, Reals, hardSwish},
    {"Softplus", {1, 22}, Reals, softplus},
    {"Softsign", {1, 22}, Reals, softsign},

    {.type = "Gelu", .versions = {1}, .onDevice = gelu, .domain = "ai.graphcore"},
    {.type = "GeluErf", .versions = {1}, .onDevice =
     [](Device x) -> Any { return expr::GeluErf(x[0]); }, .domain = "ai.graphcore"},
    {.type = "Swish", .versions = {1}, .onDevice =
     [](Device x) -> Any { return x[0] * expr::Sigmoid(x[0]); }, .domain = "ai.graphcore"},
    {.type = "Scale", .versions = {1}, .onDevice =
     [](Device x) -> Any { return x[0] * x.attribute("scale", 1); }, .domain = "ai.graphcore"},
};
// clang-format on

const RegisterElementwise registration(Table);

} // namespace

} // namespace populus::popir
