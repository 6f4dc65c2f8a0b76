// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise operations against references in double.

#include "Harness.h"

#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Fill.hpp>
#include <popops/Reduce.hpp>
#include <popops/ScaledAdd.hpp>
#include <popops/Zero.hpp>
#include <poputil/exceptions.hpp>

#include <functional>
#include <limits>

using namespace poplar;
using namespace popops::expr;
using namespace test;

namespace {

Values mapped(const Values &a, const std::function<double(double)> &f) {
  Values result;
  for (double x : a)
    result.push_back(f(x));
  return result;
}

Values mapped(const Values &a, const Values &b,
              const std::function<double(double, double)> &f) {
  Values result;
  for (std::size_t i = 0; i != a.size(); ++i)
    result.push_back(f(a[i], b[i]));
  return result;
}

} // namespace

POPLIBS_INSTANTIATE();

TEST_P(OnDevices, UnaryFloat) {
  const struct {
    UnaryOpType op;
    double (*reference)(double);
    double low, high;
  } Cases[] = {
      {UnaryOpType::ABSOLUTE, std::fabs, -3, 3},
      {UnaryOpType::CEIL, std::ceil, -3, 3},
      {UnaryOpType::COS, std::cos, -3, 3},
      {UnaryOpType::EXPONENT, std::exp, -3, 3},
      {UnaryOpType::FLOOR, std::floor, -3, 3},
      {UnaryOpType::INVERSE, [](double x) { return 1 / x; }, 0.5, 3},
      {UnaryOpType::LOGARITHM, std::log, 0.1, 3},
      {UnaryOpType::NEGATE, [](double x) { return -x; }, -3, 3},
      {UnaryOpType::RELU, [](double x) { return x > 0 ? x : 0.0; }, -3, 3},
      {UnaryOpType::ROUND, std::round, -3, 3},
      {UnaryOpType::RSQRT, [](double x) { return 1 / std::sqrt(x); }, 0.1, 3},
      {UnaryOpType::SIGMOID, [](double x) { return 1 / (1 + std::exp(-x)); },
       -3, 3},
      {UnaryOpType::SIGNUM, [](double x) { return double((x > 0) - (x < 0)); },
       -3, 3},
      {UnaryOpType::SIN, std::sin, -3, 3},
      {UnaryOpType::SQRT, std::sqrt, 0, 3},
      {UnaryOpType::SQUARE, [](double x) { return x * x; }, -3, 3},
      {UnaryOpType::TANH, std::tanh, -3, 3},
      {UnaryOpType::TRUNC, std::trunc, -3, 3},
      {UnaryOpType::ERF, std::erf, -3, 3},
      {UnaryOpType::NEARBY_INT, std::nearbyint, -3, 3},
  };
  Program p(GetParam());
  std::vector<std::string> outs, inPlace;
  std::vector<Values> expected;
  for (const auto &c : Cases) {
    const Values in = randomValues(101, c.low, c.high);
    expected.push_back(mapped(in, c.reference));
    const Tensor t = p.input({101}, in);
    outs.push_back(p.output(popops::map(p.graph, c.op, t, p.prog)));
    popops::mapInPlace(p.graph, c.op, t, p.prog);
    inPlace.push_back(p.output(t));
  }
  p.run();
  for (std::size_t i = 0; i != expected.size(); ++i) {
    SCOPED_TRACE(i);
    expectNear(p.result(outs[i]), expected[i]);
    expectNear(p.result(inPlace[i]), expected[i]);
  }
}

TEST_P(OnDevices, BinaryFloat) {
  const struct {
    BinaryOpType op;
    double (*reference)(double, double);
  } Cases[] = {
      {BinaryOpType::ADD, [](double x, double y) { return x + y; }},
      {BinaryOpType::SUBTRACT, [](double x, double y) { return x - y; }},
      {BinaryOpType::MULTIPLY, [](double x, double y) { return x * y; }},
      {BinaryOpType::DIVIDE, [](double x, double y) { return x / y; }},
      {BinaryOpType::MAXIMUM,
       [](double x, double y) { return std::max(x, y); }},
      {BinaryOpType::MINIMUM,
       [](double x, double y) { return std::min(x, y); }},
      {BinaryOpType::POWER, std::pow},
      {BinaryOpType::REMAINDER, std::fmod},
      {BinaryOpType::ATAN2, std::atan2},
  };
  const Values a = randomValues(77, 0.5, 4, 1), b = randomValues(77, 0.5, 4, 2);
  Program p(GetParam());
  const Tensor ta = p.input({7, 11}, a), tb = p.input({7, 11}, b);
  std::vector<std::string> outs;
  for (const auto &c : Cases)
    outs.push_back(p.output(popops::map(p.graph, c.op, ta, tb, p.prog)));
  p.run();
  for (std::size_t i = 0; i != outs.size(); ++i) {
    SCOPED_TRACE(i);
    expectNear(p.result(outs[i]), mapped(a, b, Cases[i].reference));
  }
}

// Scalars on either side, values per row and per column, both stretched.
TEST_P(OnDevices, Broadcast) {
  const Shape shape{3, 5, 8};
  const Values a = randomValues(120);
  const Values row = randomValues(5, 1, 2, 3),
               column = randomValues(8, 1, 2, 4);
  Program p(GetParam());
  const Tensor ta = p.input(shape, a);
  const Tensor tRow = p.input({5, 1}, row), tColumn = p.input({8}, column);
  const Tensor scalar = p.input({}, {2.5});
  const auto perRow = p.output(popops::sub(p.graph, ta, tRow, p.prog));
  const auto rowFirst = p.output(popops::sub(p.graph, tRow, ta, p.prog));
  const auto perColumn = p.output(popops::sub(p.graph, ta, tColumn, p.prog));
  const auto both = p.output(popops::sub(p.graph, tRow, tColumn, p.prog));
  const auto byScalar = p.output(popops::div(p.graph, ta, scalar, p.prog));
  const auto ofScalar = p.output(popops::sub(p.graph, scalar, ta, p.prog));
  const auto constant = p.output(popops::mul(p.graph, ta, 3.0f, p.prog));
  const auto ofConstant = p.output(popops::sub(p.graph, 1.0f, ta, p.prog));
  const Tensor inPlace = p.input(shape, a);
  popops::subInPlace(p.graph, inPlace, tRow, p.prog);
  const auto inPlaceOut = p.output(inPlace);
  p.run();
  Values expected[7];
  for (std::size_t i = 0; i != a.size(); ++i) {
    expected[0].push_back(a[i] - row[i / 8 % 5]);
    expected[1].push_back(row[i / 8 % 5] - a[i]);
    expected[2].push_back(a[i] - column[i % 8]);
    expected[3].push_back(a[i] / 2.5);
    expected[4].push_back(2.5 - a[i]);
    expected[5].push_back(a[i] * 3);
    expected[6].push_back(1 - a[i]);
  }
  Values outer;
  for (std::size_t i = 0; i != 40; ++i)
    outer.push_back(row[i / 8] - column[i % 8]);
  expectNear(p.result(perRow), expected[0]);
  expectNear(p.result(rowFirst), expected[1]);
  expectNear(p.result(perColumn), expected[2]);
  expectNear(p.result(byScalar), expected[3]);
  expectNear(p.result(ofScalar), expected[4]);
  expectNear(p.result(constant), expected[5]);
  expectNear(p.result(ofConstant), expected[6]);
  expectNear(p.result(both), outer);
  expectNear(p.result(inPlaceOut), expected[0]);
}

// Runs longer than the 16 bits that their length is stored in.
TEST_P(OnDevices, LongRuns) {
  Program p(GetParam());
  const Values a = randomIntegers(70001);
  const Tensor t = p.input({70001}, a);
  popops::addInPlace(p.graph, t, 1.0f, p.prog);
  popops::mulInPlace(p.graph, t, p.input({}, {2}), p.prog);
  expectNear(p.valuesOf(t), mapped(a, [](double x) { return 2 * (x + 1); }));
}

TEST_P(OnDevices, TransposedOperands) {
  const Values a = randomValues(63, -2, 2, 1), b = randomValues(63, -2, 2, 2);
  Program p(GetParam());
  const Tensor ta = p.input({9, 7}, a), tb = p.input({7, 9}, b);
  const auto out = p.output(popops::add(p.graph, ta, tb.transpose(), p.prog));
  popops::addInPlace(p.graph, tb.transpose(), ta, p.prog);
  const auto inPlace = p.output(tb);
  p.run();
  Values expected(63), expectedInPlace(63);
  for (std::size_t i = 0; i != 9; ++i)
    for (std::size_t j = 0; j != 7; ++j) {
      expected[i * 7 + j] = a[i * 7 + j] + b[j * 9 + i];
      expectedInPlace[j * 9 + i] = expected[i * 7 + j];
    }
  expectNear(p.result(out), expected);
  expectNear(p.result(inPlace), expectedInPlace);
}

// The operand shares elements with what is overwritten.
TEST_P(OnDevices, AliasedInPlace) {
  const Values a = randomValues(25);
  Program p(GetParam());
  const Tensor t = p.input({5, 5}, a);
  popops::addInPlace(p.graph, t, t.transpose(), p.prog);
  popops::mulInPlace(p.graph, t, t, p.prog);
  Values expected(25);
  for (std::size_t i = 0; i != 25; ++i)
    expected[i] = std::pow(a[i] + a[i % 5 * 5 + i / 5], 2);
  expectNear(p.valuesOf(t), expected);
}

TEST_P(OnDevices, CompoundExpressions) {
  const Values a = randomValues(33), b = randomValues(33, 1, 3, 2);
  Program p(GetParam());
  const Tensor ta = p.input({33}, a), tb = p.input({33}, b);
  const auto leaky = p.output(
      popops::map(p.graph, Select(_1, 0.1f * _1, _1 > 0.0f), {ta}, p.prog));
  const auto mixed = p.output(
      popops::map(p.graph, Exp(Neg(Square(_1))) / (_2 + 1) - Max(_1, _2),
                  {ta, tb}, p.prog));
  const auto clamped = p.output(
      popops::map(p.graph, Clamp(_1, Const(-1.0f), Const(0.5f)), {ta}, p.prog));
  const auto counted = p.output(
      popops::map(p.graph, Cast(_1 > _2, FLOAT) + Cast(Not(_1 > _2), FLOAT),
                  {ta, tb}, p.prog));
  const auto chosen = p.output(popops::map(
      p.graph, Select(Const(1.0f), Const(2.0f), _1 < _2), {ta, tb}, p.prog));
  popops::mapInPlace(p.graph, (_1 + _2) * _1, {ta, tb}, p.prog);
  const auto inPlace = p.output(ta);
  p.run();
  expectNear(p.result(leaky),
             mapped(a, [](double x) { return x > 0 ? x : 0.1 * x; }));
  expectNear(p.result(mixed), mapped(a, b, [](double x, double y) {
               return std::exp(-x * x) / (y + 1) - std::max(x, y);
             }));
  expectNear(p.result(clamped),
             mapped(a, [](double x) { return std::clamp(x, -1.0, 0.5); }));
  expectNear(p.result(counted), Values(33, 1));
  expectNear(p.result(chosen),
             mapped(a, b, [](double x, double y) { return x < y ? 1 : 2; }));
  expectNear(p.result(inPlace),
             mapped(a, b, [](double x, double y) { return (x + y) * x; }));
}

TEST_P(OnDevices, OtherTypes) {
  const Values a = randomIntegers(41, -9, 9, 1),
               b = randomIntegers(41, 1, 5, 2);
  Program p(GetParam());
  const Tensor ia = p.input(INT, {41}, a), ib = p.input(INT, {41}, b);
  const auto quotient = p.output(popops::div(p.graph, ia, ib, p.prog));
  const auto rest = p.output(popops::rem(p.graph, ia, ib, p.prog));
  const auto less = p.output(popops::lt(p.graph, ia, ib, p.prog));
  const auto shifted =
      p.output(popops::shiftRightSignExtend(p.graph, ia, ib, p.prog));
  const Tensor ha = p.input(HALF, {41}, a), hb = p.input(HALF, {41}, b);
  const auto halves = p.output(popops::mul(p.graph, ha, hb, p.prog));
  const auto halfConstant = p.output(popops::add(p.graph, ha, 0.5f, p.prog));
  const Tensor flags = popops::gt(p.graph, ha, hb, p.prog);
  const auto notFlags = p.output(popops::logicalNot(p.graph, flags, p.prog));
  const auto unsignedSum = p.output(
      popops::add(p.graph, p.input(UNSIGNED_INT, {41}, b), 7u, p.prog));
  p.run();
  using D = double;
  expectNear(p.result(quotient),
             mapped(a, b, [](D x, D y) { return std::trunc(x / y); }));
  expectNear(p.result(rest),
             mapped(a, b, [](D x, D y) { return std::fmod(x, y); }));
  expectNear(p.result(less), mapped(a, b, [](D x, D y) { return x < y; }));
  expectNear(p.result(shifted), mapped(a, b, [](D x, D y) {
               return std::floor(x / std::pow(2, y));
             }));
  expectNear(p.result(halves), mapped(a, b, [](D x, D y) { return x * y; }));
  expectNear(p.result(halfConstant), mapped(a, [](D x) { return x + 0.5; }));
  expectNear(p.result(notFlags), mapped(a, b, [](D x, D y) { return x <= y; }));
  expectNear(p.result(unsignedSum), mapped(b, [](D x) { return x + 7; }));
}

TEST_P(OnDevices, CastFillScaledAdd) {
  const Values a = randomValues(53, -5, 5, 1), b = randomValues(53, -5, 5, 2);
  Program p(GetParam());
  const Tensor ta = p.input({53}, a), tb = p.input({53}, b);
  const auto ints = p.output(popops::cast(p.graph, ta, INT, p.prog));
  const auto flags = p.output(popops::cast(p.graph, ta, BOOL, p.prog));
  const Tensor filled =
      p.graph.addVariable(INT, {5, 3}, VariableMappingMethod::LINEAR);
  popops::fill(p.graph, filled, p.prog, 42);
  popops::zero(p.graph, filled[1], p.prog);
  popops::scaledAddTo(p.graph, ta, tb, 0.25f, p.prog);
  const auto added = p.output(ta);
  popops::scaledAddTo(p.graph, tb, 2.0f, tb, -1.0f, p.prog);
  popops::scaledSubtractFrom(p.graph, tb, tb, p.input({}, {0.5}), p.prog);
  const auto aliased = p.output(tb);
  const auto filledOut = p.output(filled);
  p.run();
  expectNear(p.result(ints), mapped(a, [](double x) { return std::trunc(x); }));
  expectNear(p.result(flags), mapped(a, [](double x) { return x != 0; }));
  expectNear(p.result(added),
             mapped(a, b, [](double x, double y) { return x + 0.25 * y; }));
  expectNear(p.result(aliased), mapped(b, [](double x) { return 0.5 * x; }));
  Values expected(15, 42);
  for (std::size_t i = 3; i != 6; ++i)
    expected[i] = 0;
  expectNear(p.result(filledOut), expected);
}

TEST_P(OnDevices, ErrorFunctionOfUnusualValues) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Values a = {0,    1e-30f, -1e-6f,   0.125,     -0.75, 3.5, -3.9375,
                    4.25, -60,    infinity, -infinity, NAN,   1,   2};
  Program p(GetParam());
  const auto erf = p.output(
      popops::map(p.graph, UnaryOpType::ERF, p.input({14}, a), p.prog));
  p.run();
  expectNear(p.result(erf),
             mapped(a, static_cast<double (*)(double)>(std::erf)), 1e-6, 0);
}

// Host code could differ from a tile here, or fault.
TEST_P(OnDevices, LargerAndSmaller) {
  const double nan = std::nan("");
  const Values a = {nan, 1, nan, -0.0, 0, 0, -1, 2, -0.0, 5, 6, 7};
  const Values b = {1, nan, nan, 0, -0.0, 0, nan, 1, -0.0, nan, 8, 9};
  const Values larger = {1, 1, nan, 0, 0, 0, -1, 2, -0.0, 5, 8, 9};
  const Values smaller = {1, 1, nan, -0.0, -0.0, 0, -1, 1, -0.0, 5, 6, 7};
  const auto expectSame = [](const Values &got, const Values &expected) {
    for (std::size_t i = 0; i != expected.size(); ++i) {
      EXPECT_EQ(std::isnan(got[i]), std::isnan(expected[i])) << i;
      if (!std::isnan(expected[i])) {
        EXPECT_EQ(got[i], expected[i]) << i;
        EXPECT_EQ(std::signbit(got[i]), std::signbit(expected[i])) << i;
      }
    }
  };
  for (const Type &type : {FLOAT, HALF}) {
    SCOPED_TRACE(type.toString());
    Program p(GetParam());
    const Tensor x = p.input(type, {12}, a), y = p.input(type, {12}, b);
    const auto most = p.output(popops::max(p.graph, x, y, p.prog));
    const auto least = p.output(popops::min(p.graph, x, y, p.prog));
    const Tensor rows = concat(x.expand({1}), y.expand({1}), 1);
    const auto ofRows = p.output(
        popops::reduce(p.graph, rows, {1}, {popops::Operation::MAX}, p.prog));
    const auto ofColumns = p.output(popops::reduce(
        p.graph, rows.transpose(), {0}, {popops::Operation::MIN}, p.prog));
    const auto positive = p.output(
        popops::map(p.graph, UnaryOp(UnaryOpType::RELU, _1), {x}, p.prog));
    p.run();
    expectSame(p.result(most), larger);
    expectSame(p.result(least), smaller);
    expectSame(p.result(ofRows), larger);
    expectSame(p.result(ofColumns), smaller);
    expectSame(p.result(positive), {0, 1, 0, 0, 0, 0, 0, 2, 0, 5, 6, 7});
  }
}

TEST_P(OnDevices, IntegersThatHaveNoResult) {
  const double least = -2147483648.0, most = 2147483647.0;
  Program p(GetParam());
  const Tensor a = p.input(INT, {4}, {least, 7, -7, least});
  const Tensor b = p.input(INT, {4}, {-1, 0, 0, 1});
  const auto quotient = p.output(popops::div(p.graph, a, b, p.prog));
  const auto rest = p.output(popops::rem(p.graph, a, b, p.prog));
  const auto size = p.output(popops::abs(p.graph, a, p.prog));
  const Tensor u = p.input(UNSIGNED_INT, {2}, {7, 4294967295.0});
  const Tensor v = p.input(UNSIGNED_INT, {2}, {0, 4294967295.0});
  const auto quotients = p.output(popops::div(p.graph, u, v, p.prog));
  const auto rests = p.output(popops::rem(p.graph, u, v, p.prog));
  const Tensor x = p.input(INT, {4}, {-5, 5, 3, -3});
  const Tensor by = p.input(INT, {4}, {32, 33, 31, 40});
  const auto left = p.output(popops::shiftLeft(p.graph, x, by, p.prog));
  const auto right = p.output(popops::shiftRight(p.graph, x, by, p.prog));
  const auto sign =
      p.output(popops::shiftRightSignExtend(p.graph, x, by, p.prog));
  const Tensor base = p.input(INT, {6}, {7, -3, 2, -1, 2, 0});
  const Tensor exponent = p.input(INT, {6}, {10, 19, 31, -3, -1, 0});
  const auto power = p.output(popops::pow(p.graph, base, exponent, p.prog));
  const Tensor f =
      p.input(FLOAT, {6}, {std::nan(""), 1e20, -1e20, -1.9, 3e9, -INFINITY});
  const auto ints = p.output(popops::cast(p.graph, f, INT, p.prog));
  const auto unsigneds =
      p.output(popops::cast(p.graph, f, UNSIGNED_INT, p.prog));
  p.run();
  EXPECT_EQ(p.result(quotient), Values({least, 0, 0, least}));
  EXPECT_EQ(p.result(rest), Values({0, 7, -7, 0}));
  EXPECT_EQ(p.result(size), Values({least, 7, 7, least}));
  EXPECT_EQ(p.result(quotients), Values({0, 1}));
  EXPECT_EQ(p.result(rests), Values({7, 0}));
  EXPECT_EQ(p.result(left), Values({0, 0, least, 0}));
  EXPECT_EQ(p.result(right), Values({0, 0, 0, 0}));
  EXPECT_EQ(p.result(sign), Values({-1, 0, 0, -1}));
  EXPECT_EQ(p.result(power), Values({282475249, -1162261467, least, -1, 0, 1}));
  EXPECT_EQ(p.result(ints), Values({0, most, least, -1, most, least}));
  EXPECT_EQ(p.result(unsigneds),
            Values({0, 4294967295.0, 0, 0, 3000000000.0, 0}));
}

TEST_P(OnDevices, SelectWithConstants) {
  const Values a = randomValues(30), which = randomIntegers(30, 0, 1);
  Program p(GetParam());
  const Tensor t = p.input({30}, a), condition = p.input(BOOL, {30}, which);
  const std::string outs[] = {
      p.output(popops::select(p.graph, t, 2.0f, condition, p.prog)),
      p.output(popops::select(p.graph, 2.0f, t, condition, p.prog)),
      p.output(popops::select(p.graph, 1.0f, 2.0f, condition, p.prog))};
  popops::selectInPlace(p.graph, t, 3.0f, condition, p.prog);
  const auto inPlace = p.output(t);
  p.run();
  Values expected[4];
  for (std::size_t i = 0; i != a.size(); ++i) {
    expected[0].push_back(which[i] ? a[i] : 2);
    expected[1].push_back(which[i] ? 2 : a[i]);
    expected[2].push_back(which[i] ? 1 : 2);
    expected[3].push_back(which[i] ? a[i] : 3);
  }
  for (int i = 0; i != 3; ++i)
    expectNear(p.result(outs[i]), expected[i]);
  expectNear(p.result(inPlace), expected[3]);
}

TEST_P(OnDevices, VariancesOfOtherTypes) {
  const Values variances = randomValues(20, 0.5, 4);
  Program p(GetParam());
  const Tensor v = p.input({20}, variances);
  const Tensor s =
      popops::varianceToInvStdDev(p.graph, v, 0.125f, p.prog, HALF);
  const Tensor back = popops::invStdDevToVariance(
      p.graph, s, p.input(HALF, {}, {0.125}), p.prog, FLOAT);
  EXPECT_EQ(s.elementType(), HALF);
  EXPECT_EQ(back.elementType(), FLOAT);
  const auto deviations = p.output(s), again = p.output(back);
  p.run();
  expectNear(
      p.result(deviations),
      mapped(variances, [](double x) { return 1 / std::sqrt(x + 0.125); }),
      1e-3);
  expectNear(p.result(again), variances, 3e-3);
}

// There and back through every pair of types that hold small numbers.
TEST_P(OnDevices, CastBetweenAllTypes) {
  const Values in = randomIntegers(21, 0, 1);
  Program p(GetParam());
  std::vector<std::string> outs;
  const Tensor t = p.input(INT, {21}, in);
  const Type types[] = {FLOAT,       HALF,          INT,   UNSIGNED_INT,
                        BOOL,        CHAR,          SHORT, UNSIGNED_CHAR,
                        SIGNED_CHAR, UNSIGNED_SHORT};
  for (const Type &from : types)
    for (const Type &to : types) {
      const Tensor first = popops::cast(p.graph, t, from, p.prog);
      const Tensor second = popops::cast(p.graph, first, to, p.prog);
      EXPECT_EQ(second.elementType(), to);
      outs.push_back(p.output(popops::cast(p.graph, second, INT, p.prog)));
    }
  p.run();
  for (const std::string &out : outs)
    expectNear(p.result(out), in);
}

TEST_P(OnDevices, ScaledDifferences) {
  const Values a = randomValues(40), b = randomValues(40, -2, 2, 2);
  Program p(GetParam());
  const Tensor ta = p.input({40}, a), tb = p.input({40}, b);
  popops::scaledAddTo(p.graph, ta, 0.25f, tb, 2.0f, p.prog,
                      popops::ScaledAddSpecialisation::X_MINUS_AX_PLUS_BY);
  const auto average = p.output(ta);
  const Tensor tc = p.input({40}, a);
  popops::scaledSubtractFrom(p.graph, tc, p.input({}, {3}), tb,
                             p.input({}, {0.5}), p.prog);
  const auto difference = p.output(tc);
  p.run();
  expectNear(p.result(average), mapped(a, b, [](double x, double y) {
               return x - 0.25 * x + 2 * y;
             }));
  expectNear(p.result(difference),
             mapped(a, b, [](double x, double y) { return 3 * x - 0.5 * y; }));
}

TEST_P(OnDevices, SingleAndNoElements) {
  Program p(GetParam());
  const auto one = p.output(
      popops::add(p.graph, p.input({}, {1}), p.input({1, 1}, {2}), p.prog));
  const Tensor empty =
      p.graph.addVariable(FLOAT, {0, 3}, VariableMappingMethod::LINEAR);
  const Tensor sum = popops::add(p.graph, empty, 1.0f, p.prog);
  EXPECT_EQ(sum.shape(), (Shape{0, 3}));
  popops::expInPlace(p.graph, empty, p.prog);
  p.run();
  expectNear(p.result(one), {3});
}

TEST(ElementWise, Errors) {
  Program p("cpu");
  const Tensor a =
      p.graph.addVariable(FLOAT, {3}, VariableMappingMethod::LINEAR);
  const Tensor b =
      p.graph.addVariable(FLOAT, {4}, VariableMappingMethod::LINEAR);
  const Tensor i = p.graph.addVariable(INT, {3}, VariableMappingMethod::LINEAR);
  EXPECT_THROW(popops::add(p.graph, a, b, p.prog), poputil::poplibs_error);
  EXPECT_THROW(popops::add(p.graph, a, i, p.prog), poputil::poplibs_error);
  EXPECT_THROW(popops::add(p.graph, i, 1.0f, p.prog), std::runtime_error);
  EXPECT_THROW(popops::exp(p.graph, i, p.prog), poputil::poplibs_error);
  EXPECT_THROW(popops::map(p.graph, _1 + _3, {a}, p.prog),
               poputil::poplibs_error);
  EXPECT_THROW(popops::expInPlace(p.graph, a.broadcast(2, 0), p.prog),
               poputil::poplibs_error);
  EXPECT_THROW(popops::exp(p.graph, a, p.prog, {}, {{"fast", "true"}}),
               poplar::invalid_option);
  EXPECT_THROW(
      popops::exp(p.graph, a, p.prog, {}, {{"enableGenerateCodelet", "yes"}}),
      poplar::invalid_option);
}

// A value need not have the tensor's type, but be one of its elements.
TEST_P(OnDevices, FillsWithOtherTypes) {
  Program p(GetParam());
  const auto filled = [&](const Type &type, auto value) {
    const Tensor t =
        p.graph.addVariable(type, {3}, VariableMappingMethod::LINEAR);
    popops::fill(p.graph, t, p.prog, value);
    return p.output(t);
  };
  const std::vector<std::pair<std::string, double>> outputs = {
      {filled(FLOAT, 3), 3},
      {filled(FLOAT, 0.1), static_cast<float>(0.1)},
      {filled(HALF, 2.5), 2.5},
      {filled(HALF, -2048), -2048},
      {filled(INT, 7u), 7},
      {filled(INT, -8.0f), -8},
      {filled(UNSIGNED_INT, 4294967295.0), 4294967295.0},
      {filled(BOOL, 1), 1}};
  p.run();
  for (const auto &[name, value] : outputs)
    EXPECT_EQ(p.result(name), Values(3, value));
}

TEST(ElementWise, FillsWithNoElement) {
  Program p("cpu");
  const auto refuses = [&](const Type &type, auto value) {
    const Tensor t =
        p.graph.addVariable(type, {3}, VariableMappingMethod::LINEAR);
    EXPECT_THROW(popops::fill(p.graph, t, p.prog, value),
                 poputil::poplibs_error)
        << type << " with " << value;
  };
  refuses(INT, 0.5f);
  refuses(UNSIGNED_INT, -1);
  refuses(UNSIGNED_SHORT, 65536);
  refuses(BOOL, 2);
  refuses(HALF, 2049);
  refuses(INT, 2147483648u);
}

TEST(ElementWise, ExpressionNames) {
  const Any any = Add(_1, Mul(Const(2.0f), Neg(_2)));
  EXPECT_EQ(any.name(), "ADD(_1,MULTIPLY(Const(2,float),NEGATE(_2)))");
  Program p("cpu");
  const Tensor a = p.graph.addVariable(FLOAT, {2});
  const Tensor b = p.graph.addVariable(HALF, {2});
  EXPECT_EQ(Select(_2, Cast(_1, HALF), IsNaN(_1)).name({a, b}),
            "SELECT(_2:half,Cast(_1:float,half),IS_NAN(_1:float))");
  EXPECT_EQ(any.name({a}), "ADD(_1:float,MULTIPLY(Const(2,float),NEGATE(_2)))");
  const Any copy = any;
  EXPECT_TRUE(static_cast<const Expr &>(copy).deepEquals(any));
  EXPECT_FALSE(static_cast<const Expr &>(copy).deepEquals(_1));
}

TEST(ElementWise, NeedsCodelets) {
  Graph graph(Device::createCPUDevice().getTarget());
  poplar::program::Sequence prog;
  const Tensor a = graph.addVariable(FLOAT, {3}, VariableMappingMethod::LINEAR);
  try {
    popops::exp(graph, a, prog);
    FAIL();
  } catch (const poputil::poplibs_error &e) {
    EXPECT_NE(std::string(e.what()).find("popops::addCodelets"),
              std::string::npos);
  }
}
