// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Encodings, loops and questions about whole tensors.

#include "Harness.h"

#include <poplin/MeshGrid.hpp>
#include <popops/AllTrue.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Encoding.hpp>
#include <popops/Loop.hpp>
#include <popops/NaN.hpp>
#include <popops/SelectScalarFromRows.hpp>
#include <popops/UpdateScalarInRows.hpp>
#include <popops/Zero.hpp>
#include <poputil/GraphFunction.hpp>
#include <poputil/VarStructure.hpp>
#include <poputil/exceptions.hpp>

using namespace poplar;
using namespace test;

POPLIBS_INSTANTIATE();

TEST_P(OnDevices, OneHot) {
  const Values labels{3, 0, 4294967295.0, 9, 5};
  for (const Type &type : {FLOAT, HALF, INT, BOOL}) {
    Program p(GetParam());
    const Tensor indices = p.input(UNSIGNED_INT, {5}, labels);
    const Tensor encoded = p.input(type, {5, 7}, Values(35, 1));
    popops::encodeOneHot(p.graph, indices, encoded, p.prog);
    const auto plain = p.output(encoded);
    std::string custom;
    if (type != BOOL) {
      const Tensor other = p.input(type, {5, 7}, Values(35, 1));
      popops::encodeOneHot(p.graph, indices, other, p.prog,
                           p.input(type, {1}, {8}), p.input(type, {1}, {-2}));
      custom = p.output(other);
    }
    p.run();
    Values expected, expectedCustom;
    for (double label : labels)
      for (int i = 0; i != 7; ++i) {
        expected.push_back(label == i);
        expectedCustom.push_back(label == i ? 8 : -2);
      }
    expectNear(p.result(plain), expected);
    if (type != BOOL)
      expectNear(p.result(custom), expectedCustom);
  }
}

TEST_P(OnDevices, Iota) {
  Program p(GetParam());
  const Tensor a = p.input(UNSIGNED_INT, {77}, Values(77));
  const Tensor b = p.input(INT, {5}, Values(5));
  popops::iota(p.graph, a, 3u, p.prog);
  popops::iota(p.graph, b, -2, p.prog);
  const auto first = p.output(a), second = p.output(b);
  p.run();
  Values expected;
  for (int i = 0; i != 77; ++i)
    expected.push_back(3 + i);
  expectNear(p.result(first), expected);
  expectNear(p.result(second), {-2, -1, 0, 1, 2});
}

TEST_P(OnDevices, Predicates) {
  Program p(GetParam());
  Values mostly(50, 1);
  const Tensor all = p.input(BOOL, {50}, mostly);
  mostly[31] = 0;
  const Tensor some = p.input(BOOL, {5, 10}, mostly);
  Values numbers = randomValues(40);
  const Tensor finite = p.input({40}, numbers);
  numbers[7] = INFINITY;
  const Tensor infinite = p.input(HALF, {40}, numbers);
  numbers[7] = NAN;
  const Tensor nan = p.input({40}, numbers);
  const std::pair<Tensor, double> answers[] = {
      {popops::allTrue(p.graph, all, p.prog), 1},
      {popops::allTrue(p.graph, some, p.prog), 0},
      {popops::hasNaN(p.graph, finite, p.prog), 0},
      {popops::hasNaN(p.graph, infinite, p.prog), 0},
      {popops::hasNaN(p.graph, nan, p.prog), 1},
      {popops::hasNaNOrInf(p.graph, finite, p.prog), 0},
      {popops::hasNaNOrInf(p.graph, infinite, p.prog), 1},
      {popops::hasNaNOrInf(p.graph, nan, p.prog), 1},
  };
  std::vector<std::string> outs;
  for (const auto &[answer, expected] : answers) {
    EXPECT_EQ(answer.rank(), 0u);
    outs.push_back(p.output(answer));
  }
  p.run();
  for (std::size_t i = 0; i != outs.size(); ++i)
    EXPECT_EQ(p.result(outs[i])[0], answers[i].second) << i;
}

TEST_P(OnDevices, Loops) {
  Program p(GetParam());
  const Tensor sum = p.input(UNSIGNED_INT, {}, {0});
  p.prog.add(popops::countedLoop(p.graph, 2, 11, 3, [&](const Tensor &i) {
    program::Sequence body;
    popops::addInPlace(p.graph, sum, i, body);
    return body;
  }));
  const Tensor rounds = p.input(INT, {}, {0});
  const Tensor count = p.input(INT, {}, {0});
  const Tensor limit = p.input(INT, {}, {-5});
  program::Sequence body;
  popops::addInPlace(p.graph, rounds, 1, body);
  p.prog.add(popops::countedForLoop(p.graph, count, 1, limit, -2, body));
  const auto sumOut = p.output(sum), roundsOut = p.output(rounds);
  const auto countOut = p.output(count);
  p.run();
  EXPECT_EQ(p.result(sumOut)[0], 2 + 5 + 8);
  EXPECT_EQ(p.result(roundsOut)[0], 3);
  EXPECT_EQ(p.result(countOut)[0], -5);
}

TEST_P(OnDevices, ScalarsOfRows) {
  const Values in = randomValues(4 * 6);
  Program p(GetParam());
  const Tensor t = p.input({4, 6}, in);
  const Tensor at = p.input(UNSIGNED_INT, {4}, {5, 4294967295.0, 0, 6});
  const auto chosen =
      p.output(popops::selectScalarFromRows(p.graph, t, at, p.prog));
  popops::updateScalarInRows(p.graph, t, at, p.prog);
  const auto updated = p.output(t);
  p.run();
  expectNear(p.result(chosen), {in[5], 0, in[12], NAN});
  Values expected = in;
  --expected[5];
  --expected[12];
  // An index beyond the row, unlike one that masks it, spoils the row.
  std::fill(expected.begin() + 18, expected.end(), NAN);
  expectNear(p.result(updated), expected);
}

TEST_P(OnDevices, Grids) {
  Program p(GetParam());
  const Tensor x = poplin::linspace(p.graph, FLOAT, -1, 2, 4);
  const auto grid =
      poplin::meshgrid2d(p.graph, x, poplin::linspace(p.graph, FLOAT, 5, 7, 2));
  const auto sum = p.output(popops::add(p.graph, grid[0], grid[1], p.prog));
  p.run();
  expectNear(p.result(sum), {4, 5, 6, 7, 6, 7, 8, 9});
}

// The same body as a function and in line.
TEST_P(OnDevices, GraphFunctions) {
  using namespace poputil::graphfn;
  for (bool inlined : {false, true}) {
    Program p(GetParam());
    const Values a = randomValues(30), b = randomValues(30, -2, 2, 2);
    const Tensor ta = p.input({30}, a), tb = p.input({30}, b);
    const Tensor tc = p.input({30}, Values(30));
    VoidFunction accumulate(
        p.graph, {input(ta), inout(ta), output(ta), created()},
        [&](std::vector<Tensor> &args, program::Sequence &prog) {
          popops::addInPlace(p.graph, args[1], args[0], prog);
          popops::mulWithOutput(p.graph, args[0], args[0], args[2], prog);
          args[3] = popops::neg(p.graph, args[0], prog);
        },
        inlined);
    std::vector<Tensor> args{ta, tb, tc, Tensor()};
    accumulate(args, p.prog);
    accumulate(args, p.prog);
    TensorFunction difference(
        p.graph, {input(ta), input(tb)},
        [&](std::vector<Tensor> &operands, program::Sequence &prog) {
          return popops::sub(p.graph, operands[0], operands[1], prog);
        },
        inlined);
    std::vector<Tensor> operands{ta, tb};
    const auto left = p.output(difference(operands, p.prog));
    const auto sums = p.output(tb), squares = p.output(tc);
    const auto negated = p.output(args[3]);
    p.run();
    for (std::size_t i = 0; i != 30; ++i) {
      EXPECT_NEAR(p.result(sums)[i], b[i] + 2 * a[i], 1e-5);
      EXPECT_NEAR(p.result(squares)[i], a[i] * a[i], 1e-5);
      EXPECT_NEAR(p.result(negated)[i], -a[i], 1e-5);
      EXPECT_NEAR(p.result(left)[i], -b[i] - a[i], 1e-5);
    }
  }
}

TEST(UtilityOps, Groupings) {
  Program p("model7");
  const Tensor t = p.graph.addVariable(FLOAT, {4, 3, 8, 2});
  // [4][3][2][8] in memory.
  const Tensor swapped = t.dimShuffle({0, 1, 3, 2});
  EXPECT_EQ(poputil::detectInnermostGrouping(p.graph, t), 2u);
  EXPECT_EQ(poputil::detectInnermostGrouping(p.graph, swapped), 1u);
  const auto groupings = poputil::detectDimGroupings(p.graph, swapped);
  ASSERT_GE(groupings.size(), 2u);
  EXPECT_EQ(groupings[0], std::make_pair(2u, 2u));
  EXPECT_EQ(groupings[1], std::make_pair(3u, 8u));
}

TEST(UtilityOps, Errors) {
  Program p("cpu");
  const Tensor t = p.input({2, 2}, Values(4));
  EXPECT_THROW(popops::allTrue(p.graph, t, p.prog), poputil::poplibs_error);
  EXPECT_THROW(popops::iota(p.graph, t, 1u, p.prog), poputil::poplibs_error);
  EXPECT_THROW(
      popops::encodeOneHot(p.graph, p.input(INT, {3}, Values(3)), t, p.prog),
      poputil::poplibs_error);
  EXPECT_THROW(
      popops::countedLoop(p.graph, 3, 3, 1,
                          [](const Tensor &) { return program::Sequence(); }),
      poputil::poplibs_error);
  EXPECT_THROW(
      popops::countedLoop(p.graph, 0,
                          [](const Tensor &) { return program::Sequence(); }),
      poputil::poplibs_error);
  EXPECT_THROW(
      popops::countedLoop(p.graph, 0, 3, 0,
                          [](const Tensor &) { return program::Sequence(); }),
      poputil::poplibs_error);
}

// Bodies may ask for the name of what they belong to.
TEST_P(OnDevices, GraphFunctionsWithNames) {
  namespace fn = poputil::graphfn;
  for (const bool inlined : {false, true}) {
    Program p(GetParam());
    const Tensor a = p.input({3}, {1, 2, 3});
    std::string bodyName;
    fn::TensorFunction twice(
        p.graph, {fn::input(a, "a")},
        [&](std::vector<Tensor> &args, program::Sequence &prog,
            const DebugNameAndId &name) {
          bodyName = name.getPathName();
          return popops::add(p.graph, args[0], args[0], prog, {name});
        },
        inlined, "function");
    fn::VoidFunction negate(
        p.graph, {fn::inout(a, "a")},
        [&](std::vector<Tensor> &args, program::Sequence &prog,
            const DebugNameAndId &name) {
          popops::negInPlace(p.graph, args[0], prog, {name});
        },
        inlined);
    fn::ProgramFunction square(
        p.graph, {fn::inout(a, "a")},
        [&](std::vector<Tensor> &args, const DebugNameAndId &name) {
          program::Sequence prog({}, {name});
          popops::squareInPlace(p.graph, args[0], prog);
          return prog;
        },
        inlined);
    std::vector<Tensor> args{a};
    const Tensor result = twice(args, p.prog, "call");
    std::vector<Tensor> results{result};
    p.prog.add(square(results));
    negate(results, p.prog);
    expectNear(p.valuesOf(result), {-4, -16, -36});
    EXPECT_EQ(bodyName, inlined ? "call" : "function");
  }
}
