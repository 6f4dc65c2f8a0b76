// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The solver against brute force, and what each expression means.

#include <popsolver/Model.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <tuple>

using popsolver::Model;
using popsolver::Solution;
using popsolver::Variable;

namespace {

using Point = std::vector<unsigned>;

/// Calls visit for all points with the upper bounds.
void forEachPoint(const Point &bounds,
                  const std::function<void(const Point &)> &visit) {
  Point point(bounds.size(), 0);
  for (;;) {
    visit(point);
    std::size_t i = point.size();
    while (i != 0 && point[i - 1] == bounds[i - 1])
      point[--i] = 0;
    if (i == 0)
      return;
    ++point[i - 1];
  }
}

} // namespace

TEST(Solver, Expressions) {
  Model m;
  const Variable a = m.addVariable(17, 17, "a"), b = m.addConstant(5);
  const std::pair<Variable, unsigned> cases[] = {
      {m.product({a, b, m.addConstant(2)}), 170},
      {m.sum({a, b, m.one(), m.zero()}), 23},
      {m.max({b, a}), 17},
      {m.min({b, a}), 5},
      {m.sub(a, b), 12},
      {m.floordiv(a, b), 3},
      {m.ceildiv(a, b), 4},
      {m.mod(a, b), 2},
      {m.call({a, b},
              [](const Point &v, unsigned &result) {
                result = v[0] ^ v[1];
                return true;
              }),
       17 ^ 5},
  };
  const Solution s = m.minimize(a);
  ASSERT_TRUE(s.validSolution());
  for (const auto &[variable, expected] : cases)
    EXPECT_EQ(s[variable], expected);
  EXPECT_EQ(m.getName(a), "a");
}

TEST(Solver, Constraints) {
  Model m;
  const Variable a = m.addVariable(0, 100), b = m.addVariable(0, 100);
  m.less(10u, a);
  m.lessOrEqual(a, b);
  m.factorOf(84u, b);
  m.less(b, 40u);
  m.equal(m.mod(b, m.addConstant(4)), 0u);
  // The largest b, and then the smallest a.
  const Solution s = m.minimize({m.sub(m.addConstant(100), b), a});
  ASSERT_TRUE(s.validSolution());
  EXPECT_EQ(s[b], 28u);
  EXPECT_EQ(s[a], 11u);
}

TEST(Solver, SmallestDivisor) {
  Model m;
  const Variable divisor = m.addVariable(1, 20);
  const Variable quotient =
      m.ceildivConstrainDivisor(m.addConstant(10), divisor);
  m.lessOrEqual(quotient, 4u);
  const Solution s = m.minimize({divisor});
  EXPECT_EQ(s[divisor], 3u);
  EXPECT_EQ(s[quotient], 4u);
  m.less(divisor, 10u);
  m.less(5u, divisor);
  EXPECT_FALSE(m.minimize(divisor).validSolution());
}

TEST(Solver, NoSolution) {
  Model m;
  const Variable a = m.addVariable(3, 5);
  m.less(a, 3u);
  EXPECT_FALSE(m.minimize(a).validSolution());
  Model refused;
  const Variable b = refused.addVariable(3, 5);
  refused.call({b}, [](const Point &, unsigned &) { return false; });
  EXPECT_FALSE(refused.minimize(b).validSolution());
  // A product that is too large for any value.
  Model large;
  const Variable c = large.addVariable(1u << 20, 1u << 21);
  large.product({c, c});
  EXPECT_FALSE(large.minimize(c).validSolution());
  EXPECT_THROW(m.addVariable(5, 4), std::invalid_argument);
  EXPECT_THROW(m.max({}), std::invalid_argument);
}

// A matrix product that is divided over tiles: the kind of model that planners
// make.
TEST(Solver, BruteForce) {
  std::mt19937 random(7);
  for (int round = 0; round != 40; ++round) {
    auto extent = [&] { return static_cast<unsigned>(1 + random() % 9); };
    const Point extents{extent(), extent(), extent()};
    const unsigned tiles = 1 + random() % 30, memory = 10 + random() % 60;
    Model m;
    std::vector<Variable> parts, sizes;
    for (unsigned extent : extents) {
      parts.push_back(m.addVariable(1, extent));
      sizes.push_back(m.ceildiv(m.addConstant(extent), parts.back()));
    }
    m.lessOrEqual(m.product(parts), tiles);
    const Variable used = m.sum(
        {m.product({sizes[0], sizes[2]}), m.product({sizes[2], sizes[1]})});
    m.lessOrEqual(used, memory);
    const Variable cycles =
        m.sum({m.product(sizes), m.max(parts), m.mod(used, parts[0])});
    const Solution s = m.minimize({cycles, used});
    std::pair<unsigned, unsigned> best{~0u, ~0u};
    forEachPoint(
        {extents[0] - 1, extents[1] - 1, extents[2] - 1}, [&](const Point &p) {
          unsigned size[3], product = 1, largest = 0;
          for (int i = 0; i != 3; ++i) {
            size[i] = (extents[i] + p[i]) / (p[i] + 1);
            product *= p[i] + 1;
            largest = std::max(largest, p[i] + 1);
          }
          const unsigned u = size[0] * size[2] + size[2] * size[1];
          if (product > tiles || u > memory)
            return;
          best = std::min(best, std::make_pair(size[0] * size[1] * size[2] +
                                                   largest + u % (p[0] + 1),
                                               u));
        });
    ASSERT_EQ(s.validSolution(), best.first != ~0u) << round;
    if (s.validSolution()) {
      EXPECT_EQ(std::make_pair(s[cycles], s[used]), best) << round;
    }
  }
}
