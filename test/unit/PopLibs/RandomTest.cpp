// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random numbers: their distribution by moments and bounds, and that the same
// seed gives the same numbers on every device.

#include "Harness.h"

#include <poprand/RandomGen.hpp>
#include <poprand/codelets.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>

using namespace poplar;
using namespace test;

namespace {

constexpr std::size_t Count = 4000;

struct Moments {
  double mean = 0, deviation = 0, least = INFINITY, most = -INFINITY;
};

Moments momentsOf(const Values &values) {
  Moments m;
  for (double x : values) {
    m.mean += x / values.size();
    m.least = std::min(m.least, x);
    m.most = std::max(m.most, x);
  }
  for (double x : values)
    m.deviation += (x - m.mean) * (x - m.mean) / values.size();
  m.deviation = std::sqrt(m.deviation);
  return m;
}

/// Uniform and normal numbers on a device; the layout is not the usual one.
Values numbersOn(const char *device) {
  Program p(device);
  poprand::addCodelets(p.graph);
  const Tensor seed = p.input(UNSIGNED_INT, {2}, {77, 5});
  const Tensor reference = p.input({6, 31}, Values(6 * 31));
  const auto a =
      p.output(poprand::uniform(p.graph, &seed, 3, reference.transpose(), FLOAT,
                                -1, 1, p.prog)
                   .transpose());
  const auto b = p.output(
      poprand::normal(p.graph, &seed, 3, reference, FLOAT, 0, 1, p.prog));
  p.run();
  Values both = p.result(a);
  const Values second = p.result(b);
  both.insert(both.end(), second.begin(), second.end());
  return both;
}

} // namespace

POPLIBS_INSTANTIATE();

TEST_P(OnDevices, Distributions) {
  Program p(GetParam());
  poprand::addCodelets(p.graph);
  const Tensor seed = p.input(UNSIGNED_INT, {2}, {1, 2});
  const Tensor reference = p.input({Count}, Values(Count));
  struct Case {
    std::string out;
    double mean, deviation, least, most;
  };
  std::vector<Case> cases;
  const auto add = [&](const Tensor &t, double mean, double deviation,
                       double least, double most) {
    cases.push_back({p.output(t), mean, deviation, least, most});
  };
  for (const Type &type : {FLOAT, HALF}) {
    add(poprand::uniform(p.graph, &seed, 1, reference, type, -2, 4, p.prog), 1,
        6 / std::sqrt(12), -2, 4);
    add(poprand::normal(p.graph, &seed, 2, reference, type, 3, 2, p.prog), 3, 2,
        -9, 15);
    // The deviation of a normal distribution that is cut off at 1.
    add(poprand::truncatedNormal(p.graph, &seed, 3, reference, type, -1, 2, 1,
                                 p.prog),
        -1, 2 * 0.5396, -3, 1);
    add(poprand::bernoulli(p.graph, &seed, 4, reference, type, 0.25, p.prog),
        0.25, std::sqrt(0.25 * 0.75), 0, 1);
    const double range = std::log(16.0);
    add(poprand::logUniform(p.graph, &seed, 5, reference, type, 1, 16, p.prog),
        15 / range, std::sqrt(255 / (2 * range) - 225 / (range * range)), 1,
        16);
  }
  add(poprand::uniform(p.graph, &seed, 6, reference, INT, -3, 3, p.prog), 0, 2,
      -3, 3);
  add(poprand::bernoulli(p.graph, &seed, 7, reference, INT, 0.5, p.prog), 0.5,
      0.5, 0, 1);
  p.run();
  for (std::size_t i = 0; i != cases.size(); ++i) {
    SCOPED_TRACE(i);
    const Case &c = cases[i];
    const Moments m = momentsOf(p.result(c.out));
    EXPECT_NEAR(m.mean, c.mean, 5 * c.deviation / std::sqrt(double(Count)));
    EXPECT_NEAR(m.deviation, c.deviation, 0.06 * c.deviation);
    EXPECT_GE(m.least, c.least);
    EXPECT_LE(m.most, c.most);
  }
}

TEST_P(OnDevices, SameNumbersEverywhere) {
  expectNear(numbersOn(GetParam()), numbersOn("cpu"), 1e-5, 1e-5);
}

TEST_P(OnDevices, Dropout) {
  Program p(GetParam());
  poprand::addCodelets(p.graph);
  const Values in = randomValues(600, 1, 2);
  const Tensor seed = p.input(UNSIGNED_INT, {2}, {9, 9});
  const Tensor t = p.input({20, 30}, in);
  const auto drop = [&](unsigned modifier) {
    return p.output(poprand::dropout(p.graph, &seed, modifier, t, t, 0.75,
                                     1 / 0.75, p.prog));
  };
  const auto first = drop(1), again = drop(1), other = drop(2);
  const Tensor mask = p.input({20, 1}, Values(20));
  const auto shaped = p.output(
      poprand::shapedDropout(p.graph, &seed, 1, t, mask, 0.5, 2, p.prog));
  p.run();
  const Values kept = p.result(first), rows = p.result(shaped);
  EXPECT_EQ(kept, p.result(again));
  EXPECT_NE(kept, p.result(other));
  std::size_t count = 0;
  for (std::size_t i = 0; i != in.size(); ++i) {
    if (kept[i] != 0) {
      EXPECT_NEAR(kept[i], in[i] / 0.75, 1e-5);
      ++count;
    }
    EXPECT_NEAR(rows[i], rows[i / 30 * 30] != 0 ? 2 * in[i] : 0, 1e-5);
  }
  EXPECT_NEAR(double(count), 450, 60);
}

// Without a seed numbers differ from use to use; setting the seed repeats them.
TEST_P(OnDevices, OwnState) {
  Program p(GetParam());
  poprand::addCodelets(p.graph);
  const Tensor seed = p.input(UNSIGNED_INT, {2}, {4, 7});
  const Tensor reference = p.input({50}, Values(50));
  const auto draw = [&] {
    return p.output(
        poprand::uniform(p.graph, nullptr, 0, reference, FLOAT, 0, 1, p.prog));
  };
  poprand::setSeed(p.graph, seed, 1, p.prog);
  const Tensor saved = poprand::getHwSeeds(p.graph, p.prog);
  const auto a = draw(), b = draw();
  poprand::setSeed(p.graph, seed, 1, p.prog);
  const auto c = draw();
  poprand::setSeed(p.graph, seed, 2, p.prog);
  const auto d = draw();
  poprand::setHwSeeds(p.graph, saved, p.prog);
  const auto e = draw();
  p.run();
  EXPECT_NE(p.result(a), p.result(b));
  EXPECT_EQ(p.result(a), p.result(c));
  EXPECT_NE(p.result(a), p.result(d));
  EXPECT_EQ(p.result(a), p.result(e));
}

TEST(Random, Errors) {
  Program p("cpu");
  const Tensor seed = p.input(UNSIGNED_INT, {2}, {4, 7});
  const Tensor t = p.input({5}, Values(5));
  const auto uniform = [&](const Tensor &s, const Type &type, double low,
                           double high) {
    return poprand::uniform(p.graph, &s, 0, t, type, low, high, p.prog);
  };
  EXPECT_THROW(uniform(seed, FLOAT, 0, 1), poputil::poplibs_error);
  poprand::addCodelets(p.graph);
  EXPECT_THROW(uniform(t, FLOAT, 0, 1), poputil::poplibs_error);
  EXPECT_THROW(uniform(seed, FLOAT, 1, 0), poputil::poplibs_error);
  EXPECT_THROW(uniform(seed, BOOL, 0, 1), poputil::poplibs_error);
  EXPECT_THROW(uniform(seed, UNSIGNED_INT, -1, 1), poputil::poplibs_error);
  EXPECT_THROW(poprand::bernoulli(p.graph, &seed, 0, t, FLOAT, 1.5, p.prog),
               poputil::poplibs_error);
  EXPECT_THROW(
      poprand::truncatedNormal(p.graph, &seed, 0, t, FLOAT, 0, 1, 0, p.prog),
      poputil::poplibs_error);
}
