// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions against references in double: all sets of dimensions, layouts that
// need one stage and several, all operations.

#include "Harness.h"

#include <popops/Reduce.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <functional>

using namespace poplar;
using namespace test;
using popops::Operation;

namespace {

Values reference(const Values &in, const Shape &shape,
                 const std::vector<std::size_t> &dims, double start,
                 const std::function<double(double, double)> &combine) {
  Shape kept = shape;
  for (std::size_t dim : dims)
    kept[dim] = 1;
  Values out(product(kept), start);
  std::size_t next = 0;
  forEachIndex(shape, [&](const Shape &index) {
    std::size_t at = 0;
    for (std::size_t d = 0; d != shape.size(); ++d)
      at = at * kept[d] + (kept[d] == 1 ? 0 : index[d]);
    out[at] = combine(out[at], in[next++]);
  });
  return out;
}

double add(double x, double y) { return x + y; }

} // namespace

POPLIBS_INSTANTIATE();

TEST_P(OnDevices, AllDimensionSets) {
  const Shape shape{5, 3, 17};
  const Values in = randomIntegers(product(shape));
  Program p(GetParam());
  const Tensor t = p.input(shape, in);
  std::vector<std::string> outs;
  std::vector<Values> expected;
  for (unsigned set = 0; set != 8; ++set) {
    std::vector<std::size_t> dims;
    for (std::size_t d = 0; d != 3; ++d)
      if (set >> d & 1)
        dims.push_back(d);
    outs.push_back(
        p.output(popops::reduce(p.graph, t, dims, {Operation::ADD}, p.prog)));
    expected.push_back(reference(in, shape, dims, 0, add));
  }
  p.run();
  for (unsigned set = 0; set != 8; ++set) {
    SCOPED_TRACE(set);
    expectNear(p.result(outs[set]), expected[set]);
  }
}

// Partial results of many tiles, over a tree.
TEST_P(OnDevices, LongAndWide) {
  const Values in = randomIntegers(40000);
  Program p(GetParam());
  const Tensor flat = p.input({40000}, in);
  const auto all =
      p.output(popops::reduce(p.graph, flat, {0}, {Operation::ADD}, p.prog));
  const Tensor tall = flat.reshape({4000, 10});
  const auto columns =
      p.output(popops::reduce(p.graph, tall, {0}, {Operation::ADD}, p.prog));
  const auto rows =
      p.output(popops::reduce(p.graph, tall, {1}, {Operation::MAX}, p.prog));
  const auto transposed = p.output(
      popops::reduce(p.graph, tall.transpose(), {1}, {Operation::ADD}, p.prog));
  p.run();
  expectNear(p.result(all), reference(in, {40000}, {0}, 0, add));
  const Values sums = reference(in, {4000, 10}, {0}, 0, add);
  expectNear(p.result(columns), sums);
  expectNear(p.result(transposed), sums);
  expectNear(p.result(rows),
             reference(in, {4000, 10}, {1}, -100,
                       [](double x, double y) { return std::max(x, y); }));
}

TEST_P(OnDevices, Operations) {
  const Shape shape{6, 7};
  const Values in = randomValues(42, 0.5, 1.5);
  const struct {
    Operation op;
    double start;
    double (*combine)(double, double);
  } Cases[] = {
      {Operation::MUL, 1, [](double x, double y) { return x * y; }},
      {Operation::MIN, 9, [](double x, double y) { return std::min(x, y); }},
      {Operation::MAX, -9, [](double x, double y) { return std::max(x, y); }},
      {Operation::SQUARE_ADD, 0, [](double x, double y) { return x + y * y; }},
      {Operation::LOG_ADD, -INFINITY,
       [](double x, double y) { return std::log(std::exp(x) + std::exp(y)); }},
  };
  Program p(GetParam());
  const Tensor t = p.input(shape, in), half = p.input(HALF, shape, in);
  std::vector<std::string> outs, halves;
  for (const auto &c : Cases) {
    outs.push_back(p.output(popops::reduce(p.graph, t, {0}, {c.op}, p.prog)));
    halves.push_back(
        p.output(popops::reduce(p.graph, half, {0}, {c.op}, p.prog)));
  }
  p.run();
  for (std::size_t i = 0; i != outs.size(); ++i) {
    SCOPED_TRACE(i);
    const Values expected =
        reference(in, shape, {0}, Cases[i].start, Cases[i].combine);
    expectNear(p.result(outs[i]), expected);
    expectNear(p.result(halves[i]), expected, 5e-3, 1e-3);
  }
}

TEST_P(OnDevices, BoolIntegerAndHalf) {
  const Values flags = randomIntegers(60, 0, 1), numbers = randomIntegers(60);
  Program p(GetParam());
  const Tensor b = p.input(BOOL, {12, 5}, flags);
  const auto any = p.output(
      popops::reduce(p.graph, b, {1}, {Operation::LOGICAL_OR}, p.prog));
  const auto all = p.output(
      popops::reduce(p.graph, b, {0}, {Operation::LOGICAL_AND}, p.prog));
  const auto ints = p.output(popops::reduce(
      p.graph, p.input(INT, {12, 5}, numbers), {0}, {Operation::ADD}, p.prog));
  // Each sum fits a half; a running sum in half would not be exact.
  const auto halves = p.output(
      popops::reduce(p.graph, p.input(HALF, {3000}, Values(3000, 0.25)), {0},
                     {Operation::ADD}, p.prog));
  const auto wider =
      p.output(popops::reduce(p.graph, p.input(HALF, {3000}, Values(3000, 100)),
                              FLOAT, {0}, {Operation::ADD}, p.prog));
  p.run();
  const auto orOf = [](double x, double y) { return double(x || y); };
  const auto andOf = [](double x, double y) { return double(x && y); };
  expectNear(p.result(any), reference(flags, {12, 5}, {1}, 0, orOf));
  expectNear(p.result(all), reference(flags, {12, 5}, {0}, 1, andOf));
  expectNear(p.result(ints), reference(numbers, {12, 5}, {0}, 0, add));
  expectNear(p.result(halves), {750});
  expectNear(p.result(wider), {300000});
}

TEST_P(OnDevices, ScaleUpdateAndOutput) {
  const Values in = randomValues(40), start = randomValues(8, -2, 2, 2);
  Program p(GetParam());
  const Tensor t = p.input({5, 8}, in), out = p.input({8}, start);
  const Tensor scale = p.input({}, {0.5});
  popops::reduceWithOutput(p.graph, t, out, {0}, {Operation::ADD, true, scale},
                           p.prog);
  const auto updated = p.output(out);
  const auto scaled = p.output(
      popops::reduce(p.graph, t, {0}, {Operation::ADD, false, scale}, p.prog));
  const Tensor unmapped = p.graph.addVariable(FLOAT, {5});
  popops::reduceWithOutput(p.graph, t, unmapped, {1}, {Operation::ADD}, p.prog);
  const auto mapped = p.output(unmapped);
  p.run();
  Values expected = reference(in, {5, 8}, {0}, 0, add);
  for (double &x : expected)
    x *= 0.5;
  expectNear(p.result(scaled), expected);
  for (std::size_t i = 0; i != 8; ++i)
    expected[i] += start[i];
  expectNear(p.result(updated), expected);
  expectNear(p.result(mapped), reference(in, {5, 8}, {1}, 0, add));
}

// Sums of what logarithms stand for; minus infinity stands for nothing.
TEST_P(OnDevices, ScaleUpdateAndEmptyLogarithms) {
  const Values in{0.5,       -INFINITY, 2,   -INFINITY, -INFINITY,
                  -INFINITY, 900,       901, -3};
  Program p(GetParam());
  const Tensor t = p.input({3, 3}, in);
  const auto plain =
      p.output(popops::reduce(p.graph, t, {1}, Operation::LOG_ADD, p.prog));
  const Tensor out = p.input({3}, {1, -2, -INFINITY});
  popops::reduceWithOutput(p.graph, t, out, {1},
                           {Operation::LOG_ADD, true, p.input({}, {0.25})},
                           p.prog);
  const auto updated = p.output(out);
  p.run();
  const double first = std::log(std::exp(0.5) + std::exp(2));
  const double last = 900 + std::log(1 + std::exp(1));
  expectNear(p.result(plain), {first, -INFINITY, last}, 1e-5, 1e-5);
  expectNear(p.result(updated),
             {std::log(std::exp(first + 0.25) + std::exp(1)), -2, last + 0.25},
             1e-5, 1e-5);
}

TEST_P(OnDevices, OverlappingOutput) {
  const Values in = randomValues(12);
  Program p(GetParam());
  const Tensor t = p.input({3, 4}, in);
  popops::reduceWithOutput(p.graph, t, t[0], {0}, {Operation::ADD}, p.prog);
  expectNear(p.valuesOf(t[0]), reference(in, {3, 4}, {0}, 0, add));
}

TEST_P(OnDevices, NothingToReduce) {
  Program p(GetParam());
  const Tensor empty =
      p.graph.addVariable(FLOAT, {0, 4}, VariableMappingMethod::LINEAR);
  const auto sum =
      p.output(popops::reduce(p.graph, empty, {0}, {Operation::ADD}, p.prog));
  const auto product =
      p.output(popops::reduce(p.graph, empty, {0}, {Operation::MUL}, p.prog));
  const auto largest =
      p.output(popops::reduce(p.graph, empty, {0}, {Operation::MAX}, p.prog));
  const Tensor none =
      popops::reduce(p.graph, empty, {1}, {Operation::ADD}, p.prog);
  EXPECT_EQ(none.shape(), Shape{0});
  const auto one = p.output(popops::reduce(p.graph, p.input({1, 1}, {5}),
                                           {0, 1}, {Operation::ADD}, p.prog));
  p.run();
  expectNear(p.result(sum), Values(4, 0));
  expectNear(p.result(product), Values(4, 1));
  expectNear(p.result(largest), Values(4, -INFINITY));
  expectNear(p.result(one), {5});
}

TEST(Reduce, Errors) {
  Program p("cpu");
  const Tensor t = p.input({2, 3}, Values(6, 1));
  EXPECT_THROW(popops::reduce(p.graph, t, {2}, {Operation::ADD}, p.prog),
               poputil::poplibs_error);
  EXPECT_THROW(popops::reduce(p.graph, t, {0}, {Operation::ADD, true}, p.prog),
               poputil::poplibs_error);
  EXPECT_THROW(
      popops::reduce(p.graph, t, {0}, {Operation::LOGICAL_AND}, p.prog),
      poputil::poplibs_error);
  EXPECT_THROW(popops::reduceWithOutput(p.graph, t, p.input({2}, {0, 0}), {0},
                                        {Operation::ADD}, p.prog),
               poputil::poplibs_error);
  EXPECT_THROW(popops::reduce(p.graph, t, {0}, {Operation::ADD}, p.prog, {},
                              {{"accumType.inVertex", "int"}}),
               poplar::invalid_option);
}
