// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All forms of the named elementwise functions: a new result, in place, with an
// output; constants on either side. What the operations compute is tested in
// ElementWiseTest; here each name has to be joined to the right one.

#include "Harness.h"

#include <popops/ElementWise.hpp>

#include <bit>

using namespace poplar;
using namespace test;

POPLIBS_INSTANTIATE_ON("cpu", "model7", "ipu7");

namespace {

/// Results of a program and what they should be.
class Expectations {
public:
  explicit Expectations(Program &program) : program(program) {}

  void add(const std::string &name, const Tensor &result, Values expected) {
    entries.push_back({name, program.output(result), std::move(expected)});
  }
  void check() {
    program.run();
    for (const Entry &entry : entries) {
      SCOPED_TRACE(entry.name);
      expectNear(program.result(entry.handle), entry.expected, 2e-5, 1e-5);
    }
  }

private:
  struct Entry {
    std::string name, handle;
    Values expected;
  };
  Program &program;
  std::vector<Entry> entries;
};

template <class F> Values applied(F f, const Values &a) {
  Values result;
  for (double x : a)
    result.push_back(f(x));
  return result;
}

template <class F> Values applied(F f, const Values &a, const Values &b) {
  Values result;
  for (std::size_t i = 0; i != a.size(); ++i)
    result.push_back(f(a[i], b[i]));
  return result;
}

} // namespace

#define UNARY(NAME, TYPE, VALUES, RESULT)                                      \
  {                                                                            \
    const auto f = [](double x) { return double(RESULT); };                    \
    const Tensor in = p.input(TYPE, {VALUES.size()}, VALUES);                  \
    const Tensor inPlace = p.input(TYPE, {VALUES.size()}, VALUES);             \
    const Tensor out =                                                         \
        p.input(TYPE, {VALUES.size()}, Values(VALUES.size(), 0), 3);           \
    expectations.add(#NAME, popops::NAME(p.graph, in, p.prog, #NAME),          \
                     applied(f, VALUES));                                      \
    popops::NAME##InPlace(p.graph, inPlace, p.prog, #NAME);                    \
    expectations.add(#NAME "InPlace", inPlace, applied(f, VALUES));            \
    popops::NAME##WithOutput(p.graph, in, out, p.prog, #NAME);                 \
    expectations.add(#NAME "WithOutput", out, applied(f, VALUES));             \
  }

TEST_P(OnDevices, UnaryNames) {
  Program p(GetParam());
  Expectations expectations(p);
  const Values reals{0.125, 0.5, 0.75, 0.3125, 0.9375};
  const Values integers{0, 1, 6, 255, 4096};
  const Values booleans{0, 1, 1, 0, 1};
  UNARY(abs, FLOAT, reals, std::abs(x))
  UNARY(asin, FLOAT, reals, std::asin(x))
  UNARY(bitwiseNot, INT, integers, ~int(x))
  UNARY(cbrt, FLOAT, reals, std::cbrt(x))
  UNARY(ceil, FLOAT, reals, std::ceil(x))
  UNARY(cos, FLOAT, reals, std::cos(x))
  UNARY(countLeadingZeros, INT, integers, std::countl_zero(unsigned(x)))
  UNARY(erf, FLOAT, reals, std::erf(x))
  UNARY(exp, FLOAT, reals, std::exp(x))
  UNARY(exp2, FLOAT, reals, std::exp2(x))
  UNARY(expm1, FLOAT, reals, std::expm1(x))
  UNARY(floor, FLOAT, reals, std::floor(x))
  UNARY(geluErf, FLOAT, reals, x / 2 * (1 + std::erf(x / std::sqrt(2))))
  UNARY(inv, FLOAT, reals, 1 / x)
  UNARY(log, FLOAT, reals, std::log(x))
  UNARY(log1p, FLOAT, reals, std::log1p(x))
  UNARY(logicalNot, BOOL, booleans, !x)
  UNARY(nearbyint, FLOAT, reals, std::nearbyint(x))
  UNARY(neg, FLOAT, reals, -x)
  UNARY(popcount, INT, integers, std::popcount(unsigned(x)))
  UNARY(round, FLOAT, reals, std::round(x))
  UNARY(rsqrt, FLOAT, reals, 1 / std::sqrt(x))
  UNARY(sigmoid, FLOAT, reals, 1 / (1 + std::exp(-x)))
  UNARY(signum, FLOAT, reals, 1 + 0 * x)
  UNARY(sin, FLOAT, reals, std::sin(x))
  UNARY(sqrt, FLOAT, reals, std::sqrt(x))
  UNARY(square, FLOAT, reals, x * x)
  UNARY(tan, FLOAT, reals, std::tan(x))
  UNARY(tanh, FLOAT, reals, std::tanh(x))
  const Values unusual{1, INFINITY, -INFINITY, NAN, 0};
  expectations.add(
      "isFinite",
      popops::isFinite(p.graph, p.input(FLOAT, {5}, unusual), p.prog),
      {1, 0, 0, 0, 1});
  expectations.check();
}

/// \p TO is the type of results; constants have the type \p C.
#define BINARY(NAME, TYPE, TO, A, B, C, CONSTANT, RESULT)                      \
  {                                                                            \
    const auto f = [](double a, double b) { return double(RESULT); };          \
    const auto size = A.size();                                                \
    const Values constants(size, double(CONSTANT));                            \
    const Tensor a = p.input(TYPE, {size}, A), b = p.input(TYPE, {size}, B);   \
    const auto output = [&] { return p.input(TO, {size}, Values(size, 0)); };  \
    expectations.add(#NAME, popops::NAME(p.graph, a, b, p.prog, #NAME),        \
                     applied(f, A, B));                                        \
    expectations.add(#NAME " by a constant",                                   \
                     popops::NAME(p.graph, a, C(CONSTANT), p.prog),            \
                     applied(f, A, constants));                                \
    expectations.add(#NAME " of a constant",                                   \
                     popops::NAME(p.graph, C(CONSTANT), b, p.prog),            \
                     applied(f, constants, B));                                \
    const Tensor out = output(), left = output(), right = output();            \
    popops::NAME##WithOutput(p.graph, a, b, out, p.prog);                      \
    popops::NAME##WithOutput(p.graph, a, C(CONSTANT), left, p.prog);           \
    popops::NAME##WithOutput(p.graph, C(CONSTANT), b, right, p.prog);          \
    expectations.add(#NAME "WithOutput", out, applied(f, A, B));               \
    expectations.add(#NAME "WithOutput, a constant", left,                     \
                     applied(f, A, constants));                                \
    expectations.add(#NAME "WithOutput, of a constant", right,                 \
                     applied(f, constants, B));                                \
    if (TYPE == TO) {                                                          \
      const Tensor both = p.input(TYPE, {size}, A),                            \
                   one = p.input(TYPE, {size}, A);                             \
      popops::NAME##InPlace(p.graph, both, b, p.prog, #NAME);                  \
      popops::NAME##InPlace(p.graph, one, C(CONSTANT), p.prog, #NAME);         \
      expectations.add(#NAME "InPlace", both, applied(f, A, B));               \
      expectations.add(#NAME "InPlace, a constant", one,                       \
                       applied(f, A, constants));                              \
    }                                                                          \
  }

TEST_P(OnDevices, BinaryNamesOfReals) {
  Program p(GetParam());
  Expectations expectations(p);
  const Values as{0.125, 0.5, 2.75, 1, 3}, bs{0.5, 0.5, 1.25, 4, 0.75};
  BINARY(add, FLOAT, FLOAT, as, bs, float, 0.5, a + b)
  BINARY(atan2, FLOAT, FLOAT, as, bs, float, 0.5, std::atan2(a, b))
  BINARY(div, FLOAT, FLOAT, as, bs, float, 0.5, a / b)
  BINARY(max, FLOAT, FLOAT, as, bs, float, 0.5, std::max(a, b))
  BINARY(min, FLOAT, FLOAT, as, bs, float, 0.5, std::min(a, b))
  BINARY(mul, FLOAT, FLOAT, as, bs, float, 0.5, a *b)
  BINARY(pow, FLOAT, FLOAT, as, bs, float, 0.5, std::pow(a, b))
  BINARY(rem, FLOAT, FLOAT, as, bs, float, 0.5, std::fmod(a, b))
  BINARY(sub, FLOAT, FLOAT, as, bs, float, 0.5, a - b)
  BINARY(varianceToInvStdDev, FLOAT, FLOAT, as, bs, float, 0.5,
         1 / std::sqrt(a + b))
  BINARY(invStdDevToVariance, FLOAT, FLOAT, as, bs, float, 0.5, 1 / (a * a) - b)
  BINARY(eq, FLOAT, BOOL, as, bs, float, 0.5, a == b)
  BINARY(neq, FLOAT, BOOL, as, bs, float, 0.5, a != b)
  BINARY(gt, FLOAT, BOOL, as, bs, float, 0.5, a > b)
  BINARY(gteq, FLOAT, BOOL, as, bs, float, 0.5, a >= b)
  BINARY(lt, FLOAT, BOOL, as, bs, float, 0.5, a < b)
  BINARY(lteq, FLOAT, BOOL, as, bs, float, 0.5, a <= b)
  expectations.check();
}

TEST_P(OnDevices, BinaryNamesOfIntegersAndBooleans) {
  Program p(GetParam());
  Expectations expectations(p);
  const Values as{5, 12, 255, 1, 7}, bs{3, 1, 2, 4, 1};
  const Values yes{1, 0, 1, 0}, no{1, 1, 0, 0};
  BINARY(bitwiseAnd, INT, INT, as, bs, int, 6, int(a) & int(b))
  BINARY(bitwiseOr, INT, INT, as, bs, int, 6, int(a) | int(b))
  BINARY(bitwiseXor, INT, INT, as, bs, int, 6, int(a) ^ int(b))
  BINARY(bitwiseXnor, INT, INT, as, bs, int, 6, ~(int(a) ^ int(b)))
  BINARY(shiftLeft, INT, INT, as, bs, int, 2, int(a) << int(b))
  BINARY(shiftRight, INT, INT, as, bs, int, 2, unsigned(a) >> int(b))
  BINARY(shiftRightSignExtend, INT, INT, as, bs, int, 2, int(a) >> int(b))
  BINARY(logicalAnd, BOOL, BOOL, yes, no, bool, true, a != 0 && b != 0)
  BINARY(logicalOr, BOOL, BOOL, yes, no, bool, false, a != 0 || b != 0)
  expectations.check();
}

TEST_P(OnDevices, TernaryNames) {
  Program p(GetParam());
  Expectations expectations(p);
  const Values xs{-2, 0.5, 3, 8}, lows{-1, 1, 0, 0}, highs{2, 2, 2, 9};
  const Values conditions{1, 0, 0, 1};
  Values clamped, selected;
  for (std::size_t i = 0; i != 4; ++i) {
    clamped.push_back(std::clamp(xs[i], lows[i], highs[i]));
    selected.push_back(conditions[i] != 0 ? xs[i] : lows[i]);
  }
  const Tensor x = p.input({4}, xs), low = p.input({4}, lows),
               high = p.input({4}, highs),
               condition = p.input(BOOL, {4}, conditions);
  const auto fresh = [&](const Values &values) { return p.input({4}, values); };
  expectations.add("clamp", popops::clamp(p.graph, x, low, high, p.prog),
                   clamped);
  expectations.add("select", popops::select(p.graph, x, low, condition, p.prog),
                   selected);
  const Tensor clampedHere = fresh(xs), selectedHere = fresh(xs);
  popops::clampInPlace(p.graph, clampedHere, low, high, p.prog);
  popops::selectInPlace(p.graph, selectedHere, low, condition, p.prog);
  expectations.add("clampInPlace", clampedHere, clamped);
  expectations.add("selectInPlace", selectedHere, selected);
  const Tensor clampedThere = fresh(lows), selectedThere = fresh(highs);
  popops::clampWithOutput(p.graph, x, low, high, clampedThere, p.prog);
  popops::selectWithOutput(p.graph, x, low, condition, selectedThere, p.prog);
  expectations.add("clampWithOutput", clampedThere, clamped);
  expectations.add("selectWithOutput", selectedThere, selected);
  expectations.check();
}

TEST_P(OnDevices, ExpressionClasses) {
  namespace pe = popops::expr;
  Program p(GetParam());
  Expectations expectations(p);
  const Values xs{0.125, 0.5, 0.75}, ys{0.5, 0.25, 2};
  const Tensor x = p.input({3}, xs), y = p.input({3}, ys);
  const auto check = [&](const char *name, const pe::Expr &expr, auto f) {
    expectations.add(name, popops::map(p.graph, expr, {x, y}, p.prog),
                     applied(f, xs, ys));
  };
  check("Asin", pe::Asin(pe::_1),
        [](double a, double) { return std::asin(a); });
  check("Cbrt", pe::Cbrt(pe::_1),
        [](double a, double) { return std::cbrt(a); });
  check("Exp2, Expm1", pe::Add(pe::Exp2(pe::_1), pe::Expm1(pe::_2)),
        [](double a, double b) { return std::exp2(a) + std::expm1(b); });
  check("GeluErf", pe::GeluErf(pe::_1), [](double a, double) {
    return a / 2 * (1 + std::erf(a / std::sqrt(2)));
  });
  check("Inv, Log1p", pe::Inv(pe::_1) + pe::Log1p(pe::_2),
        [](double a, double b) { return 1 / a + std::log1p(b); });
  check("NearbyInt, Signum, Trunc",
        pe::NearbyInt(pe::_2) + pe::Signum(pe::_1) + pe::Trunc(pe::_2),
        [](double, double b) { return std::nearbyint(b) + 1 + std::trunc(b); });
  check("Tan, Rsqrt", pe::Tan(pe::_1) * pe::Rsqrt(pe::_2),
        [](double a, double b) { return std::tan(a) / std::sqrt(b); });
  check("Atan2", pe::Atan2(pe::_1, pe::_2),
        [](double a, double b) { return std::atan2(a, b); });
  check("variances",
        pe::InvStdDevToVariance(pe::VarianceToInvStdDev(pe::_1, pe::_2),
                                pe::Const(0.0f)),
        [](double a, double b) { return a + b; });
  check("Cast", pe::Cast(pe::Cast(pe::_2 * 3.0f, INT), FLOAT),
        [](double, double b) { return std::trunc(b * 3); });
  check("by enumerators",
        pe::TernaryOp(pe::TernaryOpType::CLAMP,
                      pe::BinaryOp(pe::BinaryOpType::MULTIPLY,
                                   pe::PlaceHolder(1), pe::PlaceHolder(2)),
                      pe::Const(0.1f),
                      pe::UnaryOp(pe::UnaryOpType::SQUARE, pe::Const(0.8f))),
        [](double a, double b) { return std::clamp(a * b, 0.1, 0.64); });
  const Tensor halves = p.input(HALF, {3}, xs);
  using namespace pe;
  expectations.add(
      "ConstHalf",
      popops::map(p.graph, _1 * ConstHalf(2) + 1.0_half, {halves}, p.prog),
      applied([](double a) { return a * 2 + 1; }, xs));
  expectations.add(
      "constants of constants",
      popops::map(p.graph,
                  _1 * Sqrt(Const(4.0f)) +
                      Select(Neg(Const(1)), Const(2.0f), _1 > 0.0f) +
                      Clamp(Const(3), Const(1), Const(2.0f)),
                  {halves}, p.prog),
      applied([](double a) { return a * 2 + (a > 0 ? -1 : 2) + 2; }, xs));
  expectations.add("constants in a Cast",
                   popops::map(p.graph,
                               _1 + Cast(Divide(Const(7), Const(2)), HALF),
                               {halves}, p.prog),
                   applied([](double a) { return a + 3; }, xs));
  const Values special{1, NAN, INFINITY};
  const Tensor s = p.input({3}, special);
  expectations.add(
      "IsNaN", popops::map(p.graph, pe::IsNaN(pe::_1), {s}, p.prog), {0, 1, 0});
  expectations.add(
      "IsInf", popops::map(p.graph, pe::IsInf(pe::_1), {s}, p.prog), {0, 0, 1});
  expectations.add("IsFinite",
                   popops::map(p.graph, pe::IsFinite(pe::_1), {s}, p.prog),
                   {1, 0, 0});
  const Values is{-8, 5}, js{1, 2};
  const Tensor i = p.input(INT, {2}, is), j = p.input(INT, {2}, js);
  expectations.add(
      "BitwiseXnor, ShrSE",
      popops::map(p.graph, pe::BitwiseXnor(pe::ShrSE(pe::_1, pe::_2), pe::_2),
                  {i, j}, p.prog),
      applied([](double a, double b) { return ~((int(a) >> int(b)) ^ int(b)); },
              is, js));
  expectations.check();
}
