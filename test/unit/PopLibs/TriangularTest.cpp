// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Triangular equations and Cholesky factors: the known solution comes back.

#include "Harness.h"

#include <poplin/Cholesky.hpp>
#include <poplin/TriangularSolve.hpp>
#include <poputil/exceptions.hpp>

using namespace poplar;
using namespace test;

namespace {

/// [groups][rows][depth] times [groups][depth][columns].
Values product(const Values &a, const Values &b, std::size_t groups,
               std::size_t rows, std::size_t depth, std::size_t columns) {
  Values c(groups * rows * columns, 0);
  for (std::size_t g = 0; g != groups; ++g)
    for (std::size_t i = 0; i != rows; ++i)
      for (std::size_t j = 0; j != columns; ++j)
        for (std::size_t k = 0; k != depth; ++k)
          c[(g * rows + i) * columns + j] +=
              a[(g * rows + i) * depth + k] * b[(g * depth + k) * columns + j];
  return c;
}

Values transposed(const Values &a, std::size_t groups, std::size_t n) {
  Values t(a.size());
  for (std::size_t g = 0; g != groups; ++g)
    for (std::size_t i = 0; i != n; ++i)
      for (std::size_t j = 0; j != n; ++j)
        t[(g * n + j) * n + i] = a[(g * n + i) * n + j];
  return t;
}

/// A triangular matrix that is well conditioned.
Values triangle(std::size_t groups, std::size_t n, bool lower,
                bool unitDiagonal) {
  Values a = randomValues(groups * n * n, -0.5, 0.5, 3);
  for (std::size_t i = 0; i != a.size(); ++i) {
    const std::size_t row = i / n % n, column = i % n;
    if (row == column)
      a[i] = unitDiagonal ? 1 : 1.5 + a[i];
    else if (lower != (column < row))
      a[i] = 0;
  }
  return a;
}

} // namespace

POPLIBS_INSTANTIATE_ON("cpu", "model7", "ipu1", "ipu7");

TEST_P(OnDevices, TriangularSolve) {
  for (std::size_t n : {1, 2, 5, 8})
    for (int flags = 0; flags != 8; ++flags) {
      const bool leftSide = flags & 1, lower = flags & 2, unit = flags & 4;
      constexpr std::size_t Groups = 2, K = 3;
      const Values a = triangle(Groups, n, lower, unit);
      const Values x = randomValues(Groups * n * K, -1, 1, 4);
      const Values b = leftSide ? product(a, x, Groups, n, n, K)
                                : product(x, a, Groups, K, n, n);
      // Elements that must not be read.
      Values given = a;
      for (std::size_t i = 0; i != given.size(); ++i) {
        const std::size_t row = i / n % n, column = i % n;
        if ((row == column && unit) ||
            (row != column && lower != (column < row)))
          given[i] = 77;
      }
      Program p(GetParam());
      const Shape bShape = leftSide ? Shape{Groups, n, K} : Shape{Groups, K, n};
      const Tensor ta = poplin::createTriangularSolveInputLHS(
          p.graph, FLOAT, FLOAT, {Groups, n, n}, bShape, leftSide, "a");
      p.write(ta, given);
      const Tensor result = poplin::triangularSolve(
          p.graph, ta, p.input(bShape, b), leftSide, lower, unit, p.prog, "s",
          {{"blockSize", "4"}});
      const auto masked =
          p.output(poplin::triangularMask(p.graph, ta, lower, unit, p.prog));
      const auto solution = p.output(result);
      p.run();
      expectNear(p.result(solution), x, 2e-4, 2e-4);
      expectNear(p.result(masked), a);
    }
}

TEST_P(OnDevices, Cholesky) {
  for (std::size_t n : {1, 3, 7})
    for (bool lower : {false, true}) {
      const Values factor = triangle(2, n, lower, false);
      const Values other = transposed(factor, 2, n);
      const Values a = lower ? product(factor, other, 2, n, n, n)
                             : product(other, factor, 2, n, n, n);
      Program p(GetParam());
      const Tensor t =
          poplin::createCholeskyInput(p.graph, FLOAT, {2, n, n}, lower, "a");
      p.write(t, a);
      const auto result =
          p.output(poplin::cholesky(p.graph, t, lower, p.prog, "c"));
      poplin::choleskyInPlace(p.graph, t, lower, p.prog);
      const auto inPlace = p.output(t);
      p.run();
      expectNear(p.result(result), factor, 1e-4, 1e-4);
      EXPECT_EQ(p.result(inPlace), p.result(result));
    }
}

TEST(Triangular, ErrorsAndEmpty) {
  Program p("cpu");
  const Tensor a = p.input({2, 2}, Values(4, 1));
  EXPECT_THROW(
      poplin::cholesky(p.graph, p.input({2, 3}, Values(6, 1)), true, p.prog),
      poputil::poplibs_error);
  EXPECT_THROW(poplin::triangularSolve(p.graph, a, p.input({3, 2}, Values(6)),
                                       true, true, false, p.prog),
               poputil::poplibs_error);
  EXPECT_THROW(poplin::triangularSolve(p.graph, a, a, true, true, false, p.prog,
                                       {}, {{"blocksize", "4"}}),
               poplar::invalid_option);
  EXPECT_EQ(poplin::triangularSolve(p.graph, a, p.input({2, 0}, {}), true, true,
                                    false, p.prog)
                .shape(),
            Shape({2, 0}));
}
