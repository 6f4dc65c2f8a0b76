// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products and softmax of matrices whose pattern the graph knows, against dense
// references in double.

#include "Harness.h"

#include <popsparse/MatMul.hpp>
#include <popsparse/codelets.hpp>
#include <popsparse/experimental/BlockSparse.hpp>
#include <popsparse/experimental/BlockSparseMatMul.hpp>
#include <poputil/exceptions.hpp>

using namespace poplar;
using namespace test;
using namespace popsparse::experimental;
using poputil::poplibs_error;

POPLIBS_INSTANTIATE_ON("cpu", "model7", "ipu7");

namespace {

Values product(const Values &a, const Values &b, std::size_t m, std::size_t k,
               std::size_t n) {
  Values c(m * n);
  for (std::size_t i = 0; i != m; ++i)
    for (std::size_t j = 0; j != n; ++j)
      for (std::size_t x = 0; x != k; ++x)
        c[i * n + j] += a[i * k + x] * b[x * n + j];
  return c;
}

Values transposed(const Values &m, std::size_t rows, std::size_t columns) {
  Values result(m.size());
  for (std::size_t r = 0; r != rows; ++r)
    for (std::size_t c = 0; c != columns; ++c)
      result[c * rows + r] = m[r * columns + c];
  return result;
}

/// A matrix with blocks in some places.
struct Matrix {
  std::size_t rows, columns, blockRows, blockColumns;
  std::vector<unsigned char> mask;

  std::size_t blockSize() const { return blockRows * blockColumns; }
  std::size_t numBlocks() const {
    return std::count(mask.begin(), mask.end(), 1);
  }
  /// Visits the elements of blocks: the place in the list of blocks, the row
  /// and the column.
  template <class Visit> void forElements(Visit visit) const {
    const std::size_t across = columns / blockColumns;
    std::size_t at = 0;
    for (std::size_t b = 0; b != mask.size(); ++b)
      if (mask[b])
        for (std::size_t i = 0; i != blockSize(); ++i)
          visit(at++, b / across * blockRows + i / blockColumns,
                b % across * blockColumns + i % blockColumns);
  }
  Values dense(const Values &blocks) const {
    Values result(rows * columns);
    forElements([&](std::size_t at, std::size_t row, std::size_t column) {
      result[row * columns + column] = blocks[at];
    });
    return result;
  }
};

Values slice(const Values &values, std::size_t begin, std::size_t count) {
  return Values(values.begin() + begin, values.begin() + begin + count);
}

} // namespace

TEST_P(OnDevices, BlockSparseRight) {
  for (const Type &type : {FLOAT, HALF})
    for (bool transpose : {false, true})
      for (unsigned groups : {1u, 2u}) {
        // [6, 8] by [8, 9], in blocks of 4x3.
        std::vector<unsigned char> masks;
        std::vector<Matrix> matrices;
        for (unsigned g = 0; g != groups; ++g) {
          const std::vector<unsigned char> mask =
              g == 0 ? std::vector<unsigned char>{1, 0, 0, 0, 1, 1}
                     : std::vector<unsigned char>{0, 0, 1, 1, 0, 0};
          for (unsigned char block : mask)
            masks.push_back(block);
          matrices.push_back(transpose ? Matrix{9, 8, 3, 4, mask}
                                       : Matrix{8, 9, 4, 3, mask});
        }
        const BSMatMulParams params({{6, 8, 9}}, {{2, 4, 3}}, masks, transpose,
                                    type, FLOAT, FLOAT, groups);
        Program p(GetParam());
        popsparse::addCodelets(p.graph);
        const Tensor lhs = createBSMatMulInputLHS(p.graph, params, "lhs");
        const Tensor rhs = createBSMatMulInputRHS(p.graph, params, "rhs");
        ASSERT_EQ(lhs.shape(), (Shape{groups * 6, 8}));
        const Values a = randomIntegers(lhs.numElements());
        const Values b = randomIntegers(rhs.numElements(), -4, 4, 2);
        p.write(lhs, a);
        p.write(rhs, b);
        const Values got =
            p.valuesOf(bsMatMul(p.graph, params, p.prog, lhs, rhs));
        std::size_t begin = 0;
        for (unsigned g = 0; g != groups; ++g) {
          const Matrix &m = matrices[g];
          const std::size_t count = m.numBlocks() * m.blockSize();
          Values dense = m.dense(slice(b, begin, count));
          if (transpose)
            dense = transposed(dense, 9, 8);
          begin += count;
          EXPECT_EQ(slice(got, g * 54, 54),
                    product(slice(a, g * 48, 48), dense, 6, 8, 9));
        }
      }
}

TEST_P(OnDevices, BlockSparseResult) {
  const SubBlockMask masks[] = {SubBlockMask::None,
                                SubBlockMask::ZeroUpperTriangle,
                                SubBlockMask::ZeroLowerTriangle};
  for (SubBlockMask mask : masks) {
    const Matrix first{6, 6, 2, 3, {1, 0, 0, 1, 1, 1}},
        second{6, 6, 2, 3, {0, 1, 1, 0, 0, 0}};
    std::vector<unsigned char> both = first.mask;
    for (unsigned char block : second.mask)
      both.push_back(block);
    const BSMatMulParams params({{6, 5, 6}}, {{2, 5, 3}}, both, FLOAT, FLOAT,
                                FLOAT, mask, 2);
    Program p(GetParam());
    const Tensor lhs = createBSMatMulInputLHS(p.graph, params, "lhs");
    const Tensor rhs = createBSMatMulInputRHS(p.graph, params, "rhs");
    const Values a = randomIntegers(2 * 30),
                 b = randomIntegers(2 * 30, -4, 4, 2);
    p.write(lhs, a);
    p.write(rhs, b);
    const Tensor out = bsMatMul(p.graph, params, p.prog, lhs, rhs);
    ASSERT_EQ(out.shape(), (Shape{6, 6}));
    const Values got = p.valuesOf(out);
    Values expected;
    for (std::size_t g = 0; g != 2; ++g) {
      const Values dense =
          product(slice(a, g * 30, 30), slice(b, g * 30, 30), 6, 5, 6);
      (g == 0 ? first : second)
          .forElements([&](std::size_t, std::size_t row, std::size_t column) {
            const bool zero =
                (mask == SubBlockMask::ZeroUpperTriangle && column > row) ||
                (mask == SubBlockMask::ZeroLowerTriangle && column < row);
            expected.push_back(zero ? 0 : dense[row * 6 + column]);
          });
    }
    EXPECT_EQ(got, expected);
  }
}

TEST_P(OnDevices, BlockSparseSoftmax) {
  const SubBlockMask masks[] = {SubBlockMask::None,
                                SubBlockMask::ZeroUpperTriangle,
                                SubBlockMask::ZeroLowerTriangle};
  // The last row of blocks is empty; with a triangle, so are some rows.
  const Matrix m{8, 9, 2, 3, {1, 0, 1, 0, 1, 0, 1, 1, 1, 0, 0, 0}};
  const std::size_t count = m.numBlocks() * m.blockSize();
  for (const Type &type : {FLOAT, HALF})
    for (SubBlockMask mask : masks)
      for (unsigned groups : {1u, 2u}) {
        const Values x = randomValues(count, -3, 3, 1);
        const Values dy = randomValues(count, -1, 1, 2);
        Program p(GetParam());
        const Shape shape{m.numBlocks(), m.blockSize()};
        const Tensor in = p.input(type, shape, x);
        const Tensor y = bsSoftmax(p.graph, in, {{8, 9}}, {{2, 3}}, m.mask,
                                   mask, groups, p.prog);
        const auto result = p.output(y);
        const auto gradient =
            p.output(bsSoftmaxGrad(p.graph, y, p.input(type, shape, dy),
                                   {{8, 9}}, {{2, 3}}, m.mask, p.prog));
        bsSoftmaxInPlace(p.graph, in, {{8, 9}}, {{2, 3}}, m.mask, mask, groups,
                         p.prog);
        const auto inPlace = p.output(in);
        p.run();
        Values sums(8), expected(count), slopes(8), gradients(count);
        const auto counts = [&](std::size_t row, std::size_t column) {
          row %= 8 / groups;
          return mask == SubBlockMask::ZeroUpperTriangle   ? column <= row
                 : mask == SubBlockMask::ZeroLowerTriangle ? column >= row
                                                           : true;
        };
        m.forElements([&](std::size_t at, std::size_t row, std::size_t column) {
          if (counts(row, column))
            sums[row] += std::exp(x[at]);
        });
        m.forElements([&](std::size_t at, std::size_t row, std::size_t column) {
          if (counts(row, column))
            expected[at] = std::exp(x[at]) / sums[row];
          slopes[row] += expected[at] * dy[at];
        });
        m.forElements([&](std::size_t at, std::size_t row, std::size_t) {
          gradients[at] = expected[at] * (dy[at] - slopes[row]);
        });
        const double tolerance = type == HALF ? 5e-3 : 1e-5;
        expectNear(p.result(result), expected, tolerance, tolerance);
        expectNear(p.result(inPlace), expected, tolerance, tolerance);
        expectNear(p.result(gradient), gradients, tolerance, tolerance);
      }
}

TEST_P(OnDevices, StaticProducts) {
  using namespace popsparse::static_;
  struct Case {
    std::array<std::size_t, 2> block;
    std::vector<std::size_t> rows, columns;
  };
  // [6, 8]: single elements, with an empty row; blocks of 2x4 in no order.
  const Case cases[] = {
      {{{1, 1}}, {0, 2, 2, 3, 4, 6, 7}, {1, 7, 0, 3, 2, 5, 6}},
      {{{2, 4}}, {0, 16, 16, 24}, {4, 0, 0}}};
  for (const Case &c : cases)
    for (const Type &type : {FLOAT, HALF}) {
      const std::size_t size = c.block[0] * c.block[1];
      const Values values = randomIntegers(c.columns.size() * size);
      const popsparse::CSRMatrix<double> matrix(6, 8, values, c.columns, c.rows,
                                                c.block);
      Values dense(48);
      for (std::size_t row = 0; row + 1 != c.rows.size(); ++row)
        for (std::size_t at = c.rows[row]; at != c.rows[row + 1]; ++at)
          dense[(row * c.block[0] + at % size / c.block[1]) * 8 +
                c.columns[at / size] + at % c.block[1]] = values[at];
      Program p(GetParam());
      const auto left = MatMulParams::createForSparseDense(1, 6, 8, 5);
      const auto right = MatMulParams::createForDenseSparse(1, 5, 6, 8);
      const SparseTensor lhs =
          createSparseDenseMatMulLHS(p.graph, type, left, matrix, "lhs");
      const Tensor rhs =
          createSparseDenseMatMulRHS(p.graph, type, left, matrix, "rhs");
      const SparseTensor other =
          createDenseSparseMatMulRHS(p.graph, type, right, matrix, "rhs");
      const Tensor denseLhs =
          createDenseSparseMatMulLHS(p.graph, type, right, matrix, "lhs");
      const Values b = randomIntegers(40, -4, 4, 2),
                   a = randomIntegers(30, -4, 4, 3);
      p.write(lhs.getNzValuesTensor(), values);
      p.write(other.getNzValuesTensor(), values);
      p.write(rhs, b);
      p.write(denseLhs, a);
      const auto product1 =
          p.output(sparseDenseMatMul(p.graph, lhs, rhs, p.prog));
      const auto product2 =
          p.output(denseSparseMatMul(p.graph, denseLhs, other, p.prog));
      const auto turned = p.output(sparseDenseMatMul(
          p.graph, lhs, p.input(type, {1, 5, 6}, a), p.prog, true, true));
      p.run();
      EXPECT_EQ(p.result(product1), product(dense, b, 6, 8, 5));
      EXPECT_EQ(p.result(product2), product(a, dense, 5, 6, 8));
      EXPECT_EQ(p.result(turned),
                product(transposed(dense, 6, 8), transposed(a, 5, 6), 8, 6, 5));
    }
}

TEST(BlockSparse, Refusals) {
  Program p("cpu");
  EXPECT_THROW(BSMatMulParams({{6, 8, 9}}, {{4, 4, 3}},
                              std::vector<unsigned char>(6, 1), false, FLOAT,
                              FLOAT, FLOAT),
               poplibs_error);
  EXPECT_THROW(BSMatMulParams({{6, 8, 9}}, {{2, 4, 3}},
                              std::vector<unsigned char>(5, 1), false, FLOAT,
                              FLOAT, FLOAT),
               poplibs_error);
  const BSMatMulParams params({{6, 8, 9}}, {{2, 4, 3}}, {1, 0, 0, 0, 0, 0},
                              false, FLOAT, FLOAT, FLOAT);
  const Tensor lhs = createBSMatMulInputLHS(p.graph, params, "lhs");
  EXPECT_THROW(bsMatMul(p.graph, params, p.prog, lhs, lhs), poplibs_error);
  EXPECT_THROW(
      createBSMatMulInputRHS(p.graph, params, "rhs", {{"passes", "1"}}),
      invalid_option);
  using namespace popsparse::static_;
  const popsparse::CSRMatrix<float> twice(2, 2, {1, 2}, {0, 0}, {0, 2, 2});
  const auto sizes =
      popsparse::static_::MatMulParams::createForSparseDense(1, 2, 2, 2);
  EXPECT_THROW(createSparseDenseMatMulLHS(p.graph, FLOAT, sizes, twice),
               poplibs_error);
  EXPECT_THROW(createDenseSparseMatMulRHS(p.graph, FLOAT, sizes, twice),
               poplibs_error);
  EXPECT_THROW(
      createSparseDenseMatMulLHS(
          p.graph, FLOAT,
          popsparse::static_::MatMulParams::createForSparseDense(2, 2, 2, 2),
          twice),
      poplibs_error);
}
