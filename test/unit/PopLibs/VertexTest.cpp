// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hot vertices: they work on blocks of elements, so all lengths and places of
// the first element are tried.

#include "Harness.h"

#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Fill.hpp>
#include <popops/Reduce.hpp>
#include <popops/ScaledAdd.hpp>

using namespace poplar;
using namespace test;

namespace {

/// All on tile 0, so that slices are where they are.
Tensor onTile(Program &p, const Type &type, const Values &values) {
  const Tensor t = p.graph.addVariable(type, {values.size()}, "input");
  p.graph.setTileMapping(t, 0);
  p.write(t, values);
  return t;
}

struct Check {
  std::string output;
  Values expected;
};

void verify(Program &p, const std::vector<Check> &checks) {
  p.run();
  for (const Check &check : checks)
    expectNear(p.result(check.output), check.expected, 1e-3, 1e-3);
}

/// Calls with lengths and first elements that are not aligned in all ways.
template <class F> void forEachPlace(F visit) {
  for (std::size_t length : {1, 2, 3, 4, 5, 7, 12, 23})
    for (std::size_t first : {0, 1, 2, 3})
      visit(first, length);
}

Values part(const Values &values, std::size_t first, std::size_t length) {
  return Values(values.begin() + first, values.begin() + first + length);
}

template <class F> Values each(const Values &a, const Values &b, F function) {
  Values result;
  for (std::size_t i = 0; i != a.size(); ++i)
    result.push_back(function(a[i], b[i]));
  return result;
}

} // namespace

POPLIBS_INSTANTIATE_ON("cpu", "ipu1");

TEST_P(OnDevices, BlocksOfAnyPlace) {
  const Values a = randomIntegers(30, -8, 8, 1),
               b = randomIntegers(30, -8, 8, 2);
  for (const Type &type : {FLOAT, HALF, INT}) {
    Program p(GetParam());
    const Tensor ta = onTile(p, type, a), tb = onTile(p, type, b);
    std::vector<Check> checks;
    forEachPlace([&](std::size_t first, std::size_t length) {
      // The second operand lies elsewhere in its blocks.
      const std::size_t other = (first + length) % 4;
      const Tensor x = ta.slice(first, first + length);
      const Tensor y = tb.slice(other, other + length);
      const Values vx = part(a, first, length), vy = part(b, other, length);
      const auto check = [&](const Tensor &t, const Values &expected) {
        checks.push_back({p.output(t), expected});
      };
      check(popops::mul(p.graph, x, y, p.prog),
            each(vx, vy, [](double u, double v) { return u * v; }));
      check(popops::neg(p.graph, x, p.prog),
            each(vx, vx, [](double u, double) { return -u; }));
      check(type == INT ? popops::add(p.graph, x, 3, p.prog)
                        : popops::add(p.graph, x, 3.0f, p.prog),
            each(vx, vx, [](double u, double) { return u + 3; }));
      const Tensor less = popops::lt(p.graph, x, y, p.prog);
      check(less, each(vx, vy, [](double u, double v) { return u < v; }));
      check(popops::logicalNot(p.graph, less, p.prog),
            each(vx, vy, [](double u, double v) { return u >= v; }));
      check(popops::select(p.graph, x, y, less, p.prog),
            each(vx, vy, [](double u, double v) { return std::min(u, v); }));
      check(popops::cast(p.graph, less, type, p.prog),
            each(vx, vy, [](double u, double v) { return u < v; }));
      check(popops::cast(p.graph, x, type == HALF ? FLOAT : HALF, p.prog), vx);
      check(popops::cast(p.graph, x, BOOL, p.prog),
            each(vx, vx, [](double u, double) { return u != 0; }));
    });
    verify(p, checks);
  }
}

// Results at any place leave their neighbours alone.
TEST_P(OnDevices, BlocksInPlace) {
  const Values b = randomIntegers(30, -8, 8, 2);
  for (const Type &type : {FLOAT, HALF}) {
    Program p(GetParam());
    const Tensor tb = onTile(p, type, b);
    std::vector<Check> checks;
    forEachPlace([&](std::size_t first, std::size_t length) {
      const Values a = randomIntegers(30, -8, 8, 10 * first + length);
      Values expected = a;
      const Tensor whole = onTile(p, type, a);
      const Tensor x = whole.slice(first, first + length);
      popops::addInPlace(p.graph, x, tb.slice(1, 1 + length), p.prog);
      popops::mulInPlace(p.graph, x, 2.0f, p.prog);
      popops::squareInPlace(p.graph, x, p.prog);
      popops::scaledAddTo(p.graph, x, tb.slice(2, 2 + length), 0.5f, p.prog);
      for (std::size_t i = 0; i != length; ++i) {
        const double doubled = 2 * (expected[first + i] + b[1 + i]);
        expected[first + i] = doubled * doubled + 0.5 * b[2 + i];
      }
      if (first + length < 29) {
        popops::fill<float>(p.graph,
                            whole.slice(first + length, first + length + 1),
                            p.prog, 7.0f);
        expected[first + length] = 7;
      }
      checks.push_back({p.output(whole), expected});
    });
    verify(p, checks);
  }
}

// One value for runs that begin anywhere in a block.
TEST_P(OnDevices, RunsOfAnyLength) {
  for (const Type &type : {FLOAT, HALF}) {
    Program p(GetParam());
    std::vector<Check> checks;
    for (std::size_t run : {4, 5, 6, 7, 8, 9, 49}) {
      const Values a = randomIntegers(5 * run, -8, 8, 1);
      const Values v = randomIntegers(5, -8, 8, 2);
      const Tensor ta = onTile(p, type, a).reshape({5, run});
      const Tensor tv = onTile(p, type, v).reshape({5, 1});
      Values sum, difference, less;
      for (std::size_t i = 0; i != a.size(); ++i) {
        sum.push_back(a[i] + v[i / run]);
        difference.push_back(v[i / run] - a[i]);
        less.push_back(a[i] < v[i / run]);
      }
      checks.push_back(
          {p.output(popops::sub(p.graph, tv, ta, p.prog)), difference});
      checks.push_back({p.output(popops::lt(p.graph, ta, tv, p.prog)), less});
      popops::addInPlace(p.graph, ta, tv, p.prog);
      checks.push_back({p.output(ta), sum});
    }
    verify(p, checks);
  }
}

TEST_P(OnDevices, ReduceRowsAndColumnsOfAnyPlace) {
  for (const Type &type : {FLOAT, HALF})
    for (popops::Operation op :
         {popops::Operation::ADD, popops::Operation::SQUARE_ADD,
          popops::Operation::MAX, popops::Operation::MUL}) {
      Program p(GetParam());
      std::vector<Check> checks;
      for (std::size_t rows : {1, 3, 8})
        for (std::size_t columns : {1, 2, 5, 13, 32}) {
          const Values values = randomIntegers(rows * columns, 1, 2, 3);
          Values byRow, byColumn;
          const auto reduceTo = [&](Values &to, std::size_t i, double value) {
            const double x =
                op == popops::Operation::SQUARE_ADD ? value * value : value;
            if (to.size() == i)
              to.push_back(x);
            else if (op == popops::Operation::MAX)
              to[i] = std::max(to[i], x);
            else if (op == popops::Operation::MUL)
              to[i] *= x;
            else
              to[i] += x;
          };
          for (std::size_t r = 0; r != rows; ++r)
            for (std::size_t c = 0; c != columns; ++c)
              reduceTo(byRow, r, values[r * columns + c]);
          for (std::size_t c = 0; c != columns; ++c)
            for (std::size_t r = 0; r != rows; ++r)
              reduceTo(byColumn, c, values[r * columns + c]);
          if (op == popops::Operation::MUL && type == HALF && columns > 13)
            continue; // beyond the range of halves
          const Tensor t = onTile(p, type, values).reshape({rows, columns});
          checks.push_back(
              {p.output(popops::reduce(p.graph, t, {1}, op, p.prog)), byRow});
          checks.push_back(
              {p.output(popops::reduce(p.graph, t, {0}, op, p.prog)),
               byColumn});
          // The same as a view whose inner dimension is not that of memory.
          checks.push_back({p.output(popops::reduce(p.graph, t.transpose(), {0},
                                                    op, p.prog)),
                            byRow});
        }
      verify(p, checks);
    }
}
