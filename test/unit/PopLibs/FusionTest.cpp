// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expressions that become one vertex: the same results as operation by
// operation, at any place and of any length; which expressions do; and what
// the IPU Model says that they cost.

#include "Harness.h"

#include <popops/ElementWise.hpp>
#include <poputil/exceptions.hpp>

#include <sstream>

using namespace poplar;
using namespace popops::expr;
using namespace test;

namespace {

const OptionFlags OneByOne{{"enableGenerateCodelet", "false"}};

struct Case {
  const char *name;
  Any expr;
  std::vector<Type> operands;
  Type result;
};

/// Blocks of two floats, four halves, four of mixed types, and integers.
std::vector<Case> cases() {
  const Any cube = Square(_1) * _1;
  const Any gelu =
      _1 *
      (Tanh((_1 + cube * Const(0.044715f)) * Const(0.7978846f)) + Const(1.0f)) *
      Const(0.5f);
  const Any hardSwish =
      _1 * Clamp(_1 * Const(1.0f / 6) + Const(0.5f), Const(0.0f), Const(1.0f));
  return {
      {"gelu", gelu, {FLOAT}, FLOAT},
      {"geluOfHalves", gelu, {HALF}, HALF},
      {"hardSwish", hardSwish, {FLOAT}, FLOAT},
      {"hardSwishOfHalves", hardSwish, {HALF}, HALF},
      {"gates", Sigmoid(_1) * _2 + Tanh(_3), {FLOAT, FLOAT, FLOAT}, FLOAT},
      {"gatesOfHalves", Sigmoid(_1) * _2 + Tanh(_3), {HALF, HALF, HALF}, HALF},
      {"functions",
       Sqrt(Abs(_1)) - Exp(_2) / (Square(_2) + Const(1.0f)),
       {FLOAT, FLOAT},
       FLOAT},
      {"comparison", (_1 > _2) && Not(_1 > Const(1.0f)), {FLOAT, FLOAT}, BOOL},
      {"comparisonOfHalves", (_1 <= _2) || (_1 == _2), {HALF, HALF}, BOOL},
      {"selection", Select(_1 + _2, Erf(_2), _1 < _2), {FLOAT, FLOAT}, FLOAT},
      {"selectionOfHalves",
       Select(_1 + _2, Abs(_2), _1 >= Const(0.0f)),
       {HALF, HALF},
       HALF},
      {"kept",
       Select(_2, Const(0.0f), _1 > Const(0.0f)),
       {FLOAT, FLOAT},
       FLOAT},
      {"keptOfHalves", Select(_2, Const(0.0f), _1 != _2), {HALF, HALF}, HALF},
      {"keptOfMixed",
       Cast(Select(_1, Const(0.0f), _1 <= Const(2.0f)), HALF) + _2,
       {FLOAT, HALF},
       HALF},
      {"chosenOfMixed",
       Cast(Select(_1, Cast(_2, FLOAT), _1 <= Const(2.0f)), HALF) + _2,
       {FLOAT, HALF},
       HALF},
      {"mixed", Cast(_1, HALF) * _2 - Const(0.25f), {FLOAT, HALF}, HALF},
      {"widened",
       Max(Cast(_1, FLOAT), Const(0.0f)) + _2 * _2,
       {HALF, FLOAT},
       FLOAT},
      {"byMask", _1 * Cast(_2, FLOAT) + Const(1.0f), {FLOAT, BOOL}, FLOAT},
      {"dequantized",
       Cast(_1 - Const(3), FLOAT) * Const(0.25f) + _2,
       {INT, FLOAT},
       FLOAT},
      {"quantized",
       Cast(Clamp(NearbyInt(Cast(_1 - _2, FLOAT) * Const(0.75f)) + Const(1.0f),
                  Const(-4.0f), Const(4.0f)),
            INT),
       {INT, INT},
       INT},
      {"integers", (_1 + _2) * _1 - Const(3), {INT, INT}, INT},
      {"bits",
       ((_1 & Const(6u)) << Const(1u)) | _2,
       {UNSIGNED_INT, UNSIGNED_INT},
       UNSIGNED_INT},
  };
}

Values valuesFor(const Type &type, std::size_t count, unsigned seed) {
  return type == FLOAT || type == HALF ? randomIntegers(count, -6, 6, seed)
                                       : randomIntegers(count, 0, 1, seed);
}

/// On tile 0, so that slices are where they are.
std::vector<Tensor> operandsOf(Program &p, const Case &c, std::size_t count) {
  std::vector<Tensor> result;
  for (const Type &type : c.operands) {
    const Tensor t = p.graph.addVariable(type, {count}, "operand");
    p.graph.setTileMapping(t, 0);
    p.write(t, valuesFor(type, count, 1 + result.size()));
    result.push_back(t);
  }
  return result;
}

} // namespace

POPLIBS_INSTANTIATE_ON("cpu", "model7", "ipu1", "ipu7");

// The same instructions in the same order: results are equal to the last bit,
// except where the host's compiler joins operations.
TEST_P(OnDevices, ResultsOfOneByOne) {
  const double tolerance =
      std::string(GetParam()) == "cpu" || std::string(GetParam()) == "model7"
          ? 1e-3
          : 0;
  for (const Case &c : cases()) {
    SCOPED_TRACE(c.name);
    Program p(GetParam());
    const auto whole = operandsOf(p, c, 30);
    std::vector<std::pair<std::string, std::string>> pairs;
    for (std::size_t length : {1, 2, 3, 4, 5, 7, 12, 23})
      for (std::size_t first : {0, 1, 2}) {
        std::vector<Tensor> ts;
        // The second operand lies elsewhere in its blocks.
        for (const Tensor &t : whole)
          ts.push_back(t.slice((first * (1 + ts.size())) % 4,
                               (first * (1 + ts.size())) % 4 + length));
        const Tensor one = popops::map(p.graph, c.expr, ts, p.prog);
        ASSERT_EQ(one.elementType(), c.result);
        pairs.emplace_back(
            p.output(one),
            p.output(popops::map(p.graph, c.expr, ts, p.prog, {}, OneByOne)));
      }
    p.run();
    for (const auto &[one, several] : pairs)
      expectNear(p.result(one), p.result(several), tolerance, tolerance);
  }
}

TEST_P(OnDevices, InPlaceAndElsewhere) {
  const Values a = randomValues(90, -2, 2, 1), b = randomValues(90, -2, 2, 2);
  Values expected, shifted;
  for (std::size_t i = 0; i != a.size(); ++i) {
    expected.push_back((a[i] + b[i]) * a[i]);
    shifted.push_back(i < 80 ? a[i + 10] * a[i + 10] + 1 : a[i]);
  }
  Program p(GetParam());
  const Tensor x = p.input({90}, a), y = p.input({9, 10}, b);
  // Over the first operand, over the second, and elsewhere.
  const Tensor first = p.input({90}, a), second = p.input({90}, a);
  popops::mapInPlace(p.graph, (_1 + _2) * _1, {first, y.flatten()}, p.prog);
  popops::mapInPlace(p.graph, (_2 + _1) * _2, {second, y.flatten()}, p.prog);
  const Tensor third = p.input({90}, b);
  popops::mapWithOutput(p.graph, (_2 + _1) * _2, {third, x}, third, p.prog);
  const Tensor out =
      p.graph.addVariable(FLOAT, {9, 10}, VariableMappingMethod::LINEAR);
  popops::mapWithOutput(p.graph, (_1 + _2) * _1, {x.reshape({9, 10}), y}, out,
                        p.prog);
  // The result overlaps the operand, but is not it.
  const Tensor overlapping = p.input({90}, a);
  popops::mapWithOutput(p.graph, Square(_1) + Const(1.0f),
                        {overlapping.slice(10, 90)}, overlapping.slice(0, 80),
                        p.prog);
  const std::string outs[] = {p.output(first), p.output(third), p.output(out),
                              p.output(overlapping), p.output(second)};
  p.run();
  Values reversed;
  for (std::size_t i = 0; i != a.size(); ++i)
    reversed.push_back((a[i] + b[i]) * b[i]);
  expectNear(p.result(outs[0]), expected);
  expectNear(p.result(outs[1]), expected);
  expectNear(p.result(outs[2]), expected);
  expectNear(p.result(outs[3]), shifted);
  expectNear(p.result(outs[4]), reversed);
}

TEST_P(OnDevices, OneElementForAll) {
  const Values a = randomValues(70), s{1.75};
  Values expected;
  for (double x : a)
    expected.push_back(std::tanh(x * s[0] + s[0]));
  Program p(GetParam());
  const Tensor t = p.input({7, 10}, a), scalar = p.input({}, s);
  const auto out =
      p.output(popops::map(p.graph, Tanh(_1 * _2 + _2), {t, scalar}, p.prog));
  popops::mapInPlace(p.graph, Tanh(_1 * _2 + _2), {t, scalar.reshape({1, 1})},
                     p.prog);
  const auto inPlace = p.output(t);
  p.run();
  expectNear(p.result(out), expected);
  expectNear(p.result(inPlace), expected);
}

// Values for each column, for each row, and for each element of an outer
// dimension, in layouts that make long and short runs of them.
TEST_P(OnDevices, OperandsThatAreBroadcast) {
  const Shape shape{3, 10, 24};
  const Values a = randomValues(720, -2, 2, 1),
               columns = randomValues(24, 1, 2),
               rows = randomValues(30, 1, 2, 3), outer = randomValues(3, 1, 2);
  Values expected;
  for (std::size_t i = 0; i != a.size(); ++i)
    expected.push_back((a[i] - rows[i / 24]) * columns[i % 24] /
                       outer[i / 240]);
  const Any expr = (_1 - _3) * _2 / _4;
  for (const bool transposed : {false, true}) {
    Program p(GetParam());
    const Tensor t =
        transposed
            ? p.graph.addVariable(FLOAT, {24, 10, 3}, "t").dimShuffle({2, 1, 0})
            : p.graph.addVariable(FLOAT, shape, "t");
    poputil::mapTensorLinearly(p.graph, t);
    p.write(t, a);
    const std::vector<Tensor> ts = {t, p.input({24}, columns),
                                    p.input({3, 10, 1}, rows),
                                    p.input({3, 1, 1}, outer)};
    const auto out = p.output(popops::map(p.graph, expr, ts, p.prog));
    popops::mapInPlace(p.graph, expr, ts, p.prog);
    const auto inPlace = p.output(t);
    p.run();
    expectNear(p.result(out), expected);
    expectNear(p.result(inPlace), expected);
  }
}

namespace {

/// Compute sets that an expression of tensors of these shapes becomes.
unsigned computeSets(const Any &expr, const std::vector<Shape> &shapes,
                     const OptionFlags &options = {}) {
  Program p("ipu7");
  std::vector<Tensor> ts;
  for (const Shape &shape : shapes)
    ts.push_back(
        p.graph.addVariable(FLOAT, shape, VariableMappingMethod::LINEAR));
  popops::map(p.graph, expr, ts, p.prog, {}, options);
  return p.graph.numComputeSets();
}

} // namespace

TEST(Fusion, WhatBecomesOneVertex) {
  EXPECT_EQ(computeSets(Tanh(_1 * _2) + _1, {{50}, {50}}), 1u);
  EXPECT_EQ(computeSets(Tanh(_1 * _2) + _1, {{50}, {50}}, OneByOne), 3u);
  EXPECT_EQ(computeSets(Tanh(_1 * _2) + _1, {{5, 10}, {}}), 1u);
  // A part smaller than the result is computed separately, once.
  EXPECT_EQ(computeSets(_1 * Tanh(Exp(_2)), {{5, 10}, {}}), 2u);
  // A value for each column is read element by element, one for each long row
  // once; rows of the workers' pieces would be too short here.
  EXPECT_EQ(computeSets((_1 - _2) * _3, {{20, 300}, {300}, {20, 1}}), 1u);
  EXPECT_EQ(computeSets((_1 - _2) * _3, {{600, 5}, {5}, {600, 1}}), 2u);
  // The same part twice.
  EXPECT_EQ(computeSets(Exp(_1 * _2) + Exp(_1 * _2), {{50}, {50}}), 1u);
}

TEST(Fusion, GeneratedSource) {
  Program p("cpu");
  const Tensor a = p.graph.addVariable(FLOAT, {6});
  std::stringstream source;
  popops::outputGeneratedCodelet(p.graph.getTarget(), Square(_1) * _2, {a, a},
                                 {}, source);
  // It is complete: another graph compiles it.
  const std::string text = source.str();
  const std::size_t at = text.find("class Fused_") + 6;
  const std::string name = text.substr(at, text.find(' ', at) - at);
  EXPECT_FALSE(p.graph.hasCodelet("popops::" + name));
  p.graph.addCodelets(source);
  EXPECT_TRUE(p.graph.hasCodelet("popops::" + name));
  const auto write = [&](const Any &expr, const OptionFlags &options) {
    popops::outputGeneratedCodelet(p.graph.getTarget(), expr, {a, a}, options,
                                   source);
  };
  EXPECT_THROW(write(Square(_1), {}), poputil::poplibs_error);
  EXPECT_THROW(write(Square(_1) * _2, OneByOne), poputil::poplibs_error);
}

TEST(Fusion, Estimates) {
  constexpr std::size_t Count = 6 * 200;
  for (const Case &c : cases()) {
    const auto cyclesOn = [&](const char *device) -> double {
      Program p(device);
      const auto ts = operandsOf(p, c, Count);
      // Functions take longer for unusual arguments.
      for (const Tensor &t : ts)
        if (t.elementType() == FLOAT || t.elementType() == HALF)
          p.write(t, randomValues(Count, 0.05, 0.95));
      popops::map(p.graph, c.expr, ts, p.prog);
      return static_cast<double>(p.cycles());
    };
    const double exact = cyclesOn("ipu1"), estimate = cyclesOn("model1");
    EXPECT_NEAR(estimate / exact, 1, 0.25)
        << c.name << ": " << exact << " cycles, estimated " << estimate;
  }
}
