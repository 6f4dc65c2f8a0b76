// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Encodings, loops and questions about whole tensors.

#include "Harness.h"

#include <popops/AllTrue.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Encoding.hpp>
#include <popops/Loop.hpp>
#include <popops/NaN.hpp>
#include <popops/Zero.hpp>
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

TEST(UtilityOps, Errors) {
  Program p("cpu");
  const Tensor t = p.input({2, 2}, Values(4));
  EXPECT_THROW(popops::allTrue(p.graph, t, p.prog), poputil::poplibs_error);
  EXPECT_THROW(popops::iota(p.graph, t, 1u, p.prog), poputil::poplibs_error);
  EXPECT_THROW(
      popops::encodeOneHot(p.graph, p.input(INT, {3}, Values(3)), t, p.prog),
      poputil::poplibs_error);
  EXPECT_THROW(
      popops::countedLoop(p.graph, 0, 3, 0,
                          [](const Tensor &) { return program::Sequence(); }),
      poputil::poplibs_error);
}
