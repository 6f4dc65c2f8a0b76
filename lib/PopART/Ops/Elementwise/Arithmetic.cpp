// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic of two and more operands. Integers are divided towards zero and
// wrap around.

#include "lib/PopART/Ops/Elementwise/Elementwise.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace populus::popir {

namespace {

using expr::Any;

/// Applies a binary expression from left to right.
template <class Function> Any folded(Device x, Function &&f) {
  Any result = x[0];
  for (std::size_t i = 1; i < x.size(); ++i)
    result = f(result, x[i]);
  return result;
}

template <class T, class Function>
T foldedOnHost(const HostOperands<T> &x, Function &&f) {
  T result = x[0];
  for (std::size_t i = 1; i < x.size(); ++i)
    result = f(result, x[i]);
  return result;
}

Any sum(Device x) {
  return folded(
      x, [](const Any &a, const expr::Expr &b) { return expr::Add(a, b); });
}
double sum(Real x) { return foldedOnHost(x, std::plus<>()); }
std::int64_t sum(Int x) {
  return foldedOnHost(x, [](std::int64_t a, std::int64_t b) {
    return wrapping(a, b, std::plus<>());
  });
}

/// Adds x / n, because the sum may overflow; float16 is summed in float
/// instead.
Any mean(Device x) {
  const bool areHalves = x.type() == poplar::HALF;
  const expr::Const share(1.0 / static_cast<double>(x.size()), poplar::FLOAT);
  const auto part = [&](std::size_t i) {
    return (areHalves ? Any(expr::Cast(x[i], poplar::FLOAT)) : Any(x[i])) *
           share;
  };
  Any result = part(0);
  for (std::size_t i = 1; i < x.size(); ++i)
    result = result + part(i);
  return areHalves ? Any(expr::Cast(result, poplar::HALF)) : result;
}

std::int64_t quotient(Int x) {
  if (x[1] == 0)
    x.op.failInput("it divides the constant " + std::to_string(x[0]) +
                   " by zero");
  // The smallest integer has no negation: let it wrap around.
  return x[1] == -1 ? wrapping(0, x[0], std::minus<>()) : x[0] / x[1];
}

bool isFmod(const Op &op) { return op.attributes().getInt("fmod", 0) != 0; }

/// A factor given as an operand, or as an attribute.
Any factor(Device x, std::size_t operand, const char *attribute) {
  if (operand < x.size() && x.op.hasInput(operand))
    return x[operand];
  return x.attribute(attribute, 1);
}

/// Converts a remainder with the dividend's sign to the divisor's sign.
/// Rounding the quotient down instead would be inexact. The divisor is added
/// only if the signs differ: otherwise the sum could overflow.
Any remainderWithSign(const Any &rest, const expr::Expr &divisor,
                      const expr::Const &zero) {
  return expr::Select(rest + divisor, rest,
                      rest != zero && (rest < zero) != (divisor < zero));
}

/// The same for integers, without booleans, so that it is one vertex. The mask
/// is all ones if the signs differ and the remainder is not 0.
Any remainderOfIntegers(const Any &rest, const expr::Expr &divisor) {
  const Any mask =
      expr::ShrSE((rest ^ divisor) & (rest | -rest), expr::Const(31));
  return rest + (divisor & mask);
}

/// The remainder has the divisor's sign, or with fmod the dividend's.
Any modulo(Device x) {
  const Any rest = expr::Rem(x[0], x[1]);
  if (isFmod(x.op) || x.type() == poplar::UNSIGNED_INT)
    return rest;
  return x.type() == poplar::INT ? remainderOfIntegers(rest, x[1])
                                 : remainderWithSign(rest, x[1], x.constant(0));
}
double modulo(Real x) {
  const double rest = std::fmod(x[0], x[1]);
  const bool otherSign = rest != 0 && (rest < 0) != (x[1] < 0);
  return otherSign && !isFmod(x.op) ? rest + x[1] : rest;
}
std::int64_t modulo(Int x) {
  if (x[1] == 0)
    x.op.failInput("it divides the constant " + std::to_string(x[0]) +
                   " by zero");
  if (x[1] == -1)
    return 0;
  std::int64_t rest = x[0] % x[1];
  bool otherSign = rest != 0 && (rest < 0) != (x[1] < 0);
  return otherSign && !isFmod(x.op) ? rest + x[1] : rest;
}

/// The exponent, if it is a scalar constant; else nothing.
std::optional<double> constantExponent(const Op &op) {
  const Value &exponent = op.input(1);
  if (!exponent.isConstant() || exponent.info.numElements() != 1)
    return std::nullopt;
  return exponent.constant()->toDoubles()[0];
}

/// An integer to a fractional power, truncated. The power is computed in float
/// and may be one ulp too small if it should be an integer.
Any powerOfInteger(Device x) {
  const Any power = expr::Pow(expr::Cast(x[0], poplar::FLOAT),
                              expr::Cast(x[1], poplar::FLOAT));
  return expr::Cast(power * expr::Const(1 + 0x1p-22F), x.type());
}

/// Computes common powers by products and roots.
Any power(Device x) {
  bool isInteger = x.type() != poplar::FLOAT && x.type() != poplar::HALF;
  std::optional<double> exponent = constantExponent(x.op);
  if (exponent == 1)
    return x[0];
  if (exponent == 2)
    return expr::Square(x[0]);
  if (exponent == 3)
    return expr::Mul(expr::Square(x[0]), x[0]);
  if (exponent == 0.5 && !isInteger)
    return expr::Sqrt(x[0]);
  if (exponent == -1 && !isInteger)
    return expr::Inv(x[0]);
  if (isInteger && isFloatingPoint(x.op.input(1).info.type))
    return powerOfInteger(x);
  return expr::Pow(x[0], expr::Cast(x[1], x.type()));
}
double power(Real x) {
  return constantExponent(x.op) == 0.5 ? std::sqrt(x[0]) : std::pow(x[0], x[1]);
}
/// Modulo 2^64; negative powers are 0, except of 1 and -1.
std::int64_t power(Int x) {
  if (x[1] < 0 && std::abs(x[0]) != 1)
    return 0;
  std::int64_t result = 1, square = x[0];
  for (auto rest = static_cast<std::uint64_t>(x[1]); rest != 0; rest >>= 1) {
    if (rest & 1)
      result = wrapping(result, square, std::multiplies<>());
    square = wrapping(square, square, std::multiplies<>());
  }
  return result;
}

bool isSignedInteger(DataType type) {
  return type == DataType::Int8 || type == DataType::Int16 ||
         type == DataType::Int32 || type == DataType::Int64;
}

/// A shift amount that is negative or at least the number of bits shifts all
/// bits out: right shifts fill with the sign, left shifts with zeros.
Any shift(Device x) {
  const DataType type = x.op.input(0).info.type;
  const bool isSigned = isSignedInteger(type);
  const expr::Const zero = x.constant(0);
  // Integers of 64 bits are of 32 on the device.
  const expr::Const bits =
      x.constant(8.0 * double(std::min<std::size_t>(sizeOf(type), 4)));
  const Any isTooFar =
      isSigned ? Any(x[1] < zero || x[1] >= bits) : Any(x[1] >= bits);
  if (x.op.attributes().getString("direction", "") == "LEFT")
    return expr::Select(zero, expr::Shl(x[0], x[1]), isTooFar);
  if (!isSigned)
    return expr::Select(zero, expr::Shr(x[0], x[1]), isTooFar);
  return expr::Select(expr::Select(x.constant(-1), zero, x[0] < zero),
                      expr::ShrSE(x[0], x[1]), isTooFar);
}

std::int64_t shift(Int x) {
  const DataType type = x.op.input(0).info.type;
  const auto bits = static_cast<std::int64_t>(8 * sizeOf(type));
  const bool isTooFar = x[1] < 0 || x[1] >= bits;
  if (x.op.attributes().getString("direction", "") == "LEFT")
    return isTooFar
               ? 0
               : wrapping(x[0], x[1], [](auto a, auto n) { return a << n; });
  return isTooFar ? (x[0] < 0 ? -1 : 0) : x[0] >> x[1];
}

constexpr unsigned Numbers = Reals | Integers;

/// Each operand equal to the result gets the whole gradient.
/// PopART gives each of the operands that are equally extreme the whole
/// gradient. In PyTorch they share it.
void extremeGradient(Gradients &g) {
  std::vector<Value *> hits;
  Value *numHits = nullptr;
  for (std::size_t i = 0; i != g.forward().inputs().size(); ++i) {
    hits.push_back(&g.op("Equal", {&g.x(i), &g.y()}));
    if (!g.hasTorchTies())
      continue;
    Value &hit = g.asNumber(*hits.back(), g.dy().info.type);
    numHits = numHits ? &g.add(*numHits, hit) : &hit;
  }
  Value &share = numHits ? g.div(g.dy(), *numHits) : g.dy();
  for (std::size_t i = 0; i != hits.size(); ++i)
    if (g.wants(i))
      g.set(i, g.where(*hits[i], share));
}

void forAll(Gradients &g, Value &gradient) {
  for (std::size_t i = 0; i != g.forward().inputs().size(); ++i)
    if (g.wants(i))
      g.set(i, gradient);
}

/// The remainder is x - n d with an integer n, whose derivative is zero: dx =
/// dy, dd = -n dy.
void remainderGradient(Gradients &g) {
  g.set(0, g.dy());
  if (!g.wants(1))
    return;
  Value &times = g.op("Round", {&g.div(g.sub(g.x(), g.y()), g.x(1))});
  g.set(1, g.neg(g.mul(g.dy(), times)));
}

/// The gradient of a scale0 + b scale1; scales are inputs or attributes.
void scaledAddGradient(Gradients &g) {
  for (std::size_t i : {0, 1}) {
    const std::size_t scale = 2 + i;
    const bool isInput = g.forward().hasInput(scale);
    if (g.wants(i))
      g.set(i, isInput ? g.mul(g.dy(), g.x(scale))
                       : g.mul(g.dy(), g.attributes().getFloat(
                                           i == 0 ? "scale0" : "scale1", 1)));
    if (g.wants(scale))
      g.set(scale, g.mul(g.dy(), g.x(i)));
  }
}

const std::vector<ElementwiseFunction> Table = {
    {.type = "Add",
     .versions = {6, 7, 13, 14},
     .operandTypes = Numbers,
     .onDevice = [](Device x) -> Any { return x[0] + x[1]; },
     .onReals = [](Real x) { return x[0] + x[1]; },
     .onIntegers = [](Int x) { return wrapping(x[0], x[1], std::plus<>()); },
     .gradient = [](Gradients &g) { forAll(g, g.dy()); }},
    {.type = "Sub",
     .versions = {6, 7, 13, 14},
     .operandTypes = Numbers,
     .onDevice = [](Device x) -> Any { return x[0] - x[1]; },
     .onReals = [](Real x) { return x[0] - x[1]; },
     .onIntegers = [](Int x) { return wrapping(x[0], x[1], std::minus<>()); },
     .gradient =
         [](Gradients &g) {
           g.set(0, g.dy());
           if (g.wants(1))
             g.set(1, g.neg(g.dy()));
         }},
    {.type = "Mul",
     .versions = {6, 7, 13, 14},
     .operandTypes = Numbers,
     .onDevice = [](Device x) -> Any { return x[0] * x[1]; },
     .onReals = [](Real x) { return x[0] * x[1]; },
     .onIntegers =
         [](Int x) { return wrapping(x[0], x[1], std::multiplies<>()); },
     .gradient =
         [](Gradients &g) {
           if (g.wants(0))
             g.set(0, g.mul(g.dy(), g.x(1)));
           if (g.wants(1))
             g.set(1, g.mul(g.dy(), g.x(0)));
         }},
    {.type = "Div",
     .versions = {6, 7, 13, 14},
     .operandTypes = Numbers,
     .onDevice = [](Device x) -> Any { return x[0] / x[1]; },
     .onReals = [](Real x) { return x[0] / x[1]; },
     .onIntegers = quotient,
     .gradient =
         [](Gradients &g) {
           Value &quotient = g.div(g.dy(), g.x(1));
           g.set(0, quotient);
           if (g.wants(1))
             g.set(1, g.neg(g.mul(quotient, g.y())));
         }},
    {.type = "Mod",
     .versions = {10, 13, 28},
     .operandTypes = Numbers,
     .onDevice = modulo,
     .onReals = modulo,
     .onIntegers = modulo,
     .gradient = remainderGradient},
    {.type = "Pow",
     .versions = {1, 7, 12, 13, 15},
     .operandTypes = Numbers,
     .otherOperand = 1,
     .otherTypes = Numbers,
     .onDevice = power,
     .onReals = power,
     .onIntegers = power,
     .gradient =
         [](Gradients &g) {
           if (g.wants(0)) {
             Value &exponent = g.cast(g.x(1), g.x(0).info.type);
             Value &power = g.op("Pow", {&g.x(0), &g.add(exponent, -1)});
             g.set(0, g.mul(g.dy(), g.mul(exponent, power)));
           }
           if (g.wants(1))
             g.set(1, g.mul(g.dy(), g.mul(g.y(), g.op("Log", {&g.x(0)}))));
         }},
    {.type = "BitShift",
     .versions = {11, 28},
     .operandTypes = Integers,
     .onDevice = shift,
     .onIntegers = shift},
    {.type = "Sum",
     .versions = {6, 8, 13},
     .operandTypes = Numbers,
     .isVariadic = true,
     .onDevice = sum,
     .onReals = sum,
     .onIntegers = sum,
     .gradient = [](Gradients &g) { forAll(g, g.dy()); }},
    {.type = "Mean",
     .versions = {6, 8, 13},
     .isVariadic = true,
     .onDevice = mean,
     .onReals = [](Real x) { return sum(x) / static_cast<double>(x.size()); },
     .gradient =
         [](Gradients &g) {
           const auto count = static_cast<double>(g.forward().inputs().size());
           forAll(g, g.mul(g.dy(), 1 / count));
         }},
    {.type = "Max",
     .versions = {6, 8, 12, 13},
     .operandTypes = Numbers,
     .isVariadic = true,
     .onDevice =
         [](Device x) {
           return folded(x, [](const Any &a, const expr::Expr &b) {
             return expr::Max(a, b);
           });
         },
     .onReals =
         [](Real x) {
           return foldedOnHost(x,
                               [](double a, double b) { return larger(a, b); });
         },
     .onIntegers =
         [](Int x) {
           return foldedOnHost(x, [](auto a, auto b) { return larger(a, b); });
         },
     .gradient = extremeGradient},
    {.type = "Min",
     .versions = {6, 8, 12, 13},
     .operandTypes = Numbers,
     .isVariadic = true,
     .onDevice =
         [](Device x) {
           return folded(x, [](const Any &a, const expr::Expr &b) {
             return expr::Min(a, b);
           });
         },
     .onReals =
         [](Real x) {
           return foldedOnHost(
               x, [](double a, double b) { return smaller(a, b); });
         },
     .onIntegers =
         [](Int x) {
           return foldedOnHost(x, [](auto a, auto b) { return smaller(a, b); });
         },
     .gradient = extremeGradient},
    {.type = "Atan2",
     .domain = "ai.graphcore",
     .versions = {1},
     .onDevice = [](Device x) -> Any { return expr::Atan2(x[0], x[1]); },
     .gradient =
         [](Gradients &g) {
           Value &y = g.x(0), &x = g.x(1);
           Value &scaled = g.div(g.dy(), g.add(g.square(x), g.square(y)));
           if (g.wants(0))
             g.set(0, g.mul(scaled, x));
           if (g.wants(1))
             g.set(1, g.neg(g.mul(scaled, y)));
         }},
    {.type = "Fmod",
     .domain = "ai.graphcore",
     .versions = {1},
     .operandTypes = Numbers,
     .onDevice = [](Device x) -> Any { return expr::Rem(x[0], x[1]); },
     .gradient = remainderGradient},
    {.type = "Remainder",
     .domain = "ai.graphcore",
     .versions = {1},
     .operandTypes = Numbers,
     .onDevice = modulo,
     .gradient = remainderGradient},
    {.type = "IncrementMod",
     .domain = "ai.graphcore",
     .versions = {1},
     .operandTypes = Numbers,
     .onDevice = [](Device x) -> Any {
       return expr::Rem(x[0] + x.attribute("increment", 1),
                        x.attribute("modulus", 1));
     },
     .gradient = [](Gradients &g) { g.set(0, g.dy()); }},
    {.type = "ScaledAdd",
     .domain = "ai.graphcore",
     .versions = {1},
     .onDevice = [](Device x) -> Any {
       return x[0] * factor(x, 2, "scale0") + x[1] * factor(x, 3, "scale1");
     },
     .gradient = scaledAddGradient},
    {.type = "BitwiseAnd",
     .domain = "ai.graphcore",
     .versions = {1},
     .operandTypes = Integers,
     .onDevice = [](Device x) -> Any { return x[0] & x[1]; },
     .onIntegers = [](Int x) { return x[0] & x[1]; }},
    {.type = "BitwiseOr",
     .domain = "ai.graphcore",
     .versions = {1},
     .operandTypes = Integers,
     .onDevice = [](Device x) -> Any { return x[0] | x[1]; },
     .onIntegers = [](Int x) { return x[0] | x[1]; }},
    {.type = "BitwiseXor",
     .domain = "ai.graphcore",
     .versions = {1},
     .operandTypes = Integers,
     .onDevice = [](Device x) -> Any { return x[0] ^ x[1]; },
     .onIntegers = [](Int x) { return x[0] ^ x[1]; }},
    {.type = "BitwiseXnor",
     .domain = "ai.graphcore",
     .versions = {1},
     .operandTypes = Integers,
     .onDevice = [](Device x) -> Any { return expr::BitwiseXnor(x[0], x[1]); },
     .onIntegers = [](Int x) { return ~(x[0] ^ x[1]); }},
};

const RegisterElementwise registration(Table);

} // namespace

} // namespace populus::popir
