// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix products against references in double: shapes that divide evenly and
// not, views of any orientation, groups, halves.

#include "Harness.h"

#include "lib/PopLibs/poplin/planning/MatMulPlan.h"

#include <poplin/MatMul.hpp>
#include <poputil/exceptions.hpp>

using namespace poplar;
using namespace test;

namespace {

struct Case {
  std::size_t groups, rows, depth, columns;

  Shape a() const { return {groups, rows, depth}; }
  Shape b() const { return {groups, depth, columns}; }
};

Values reference(const Case &c, const Values &a, const Values &b) {
  Values out(c.groups * c.rows * c.columns, 0);
  for (std::size_t g = 0; g != c.groups; ++g)
    for (std::size_t i = 0; i != c.rows; ++i)
      for (std::size_t j = 0; j != c.columns; ++j)
        for (std::size_t k = 0; k != c.depth; ++k)
          out[(g * c.rows + i) * c.columns + j] +=
              a[(g * c.rows + i) * c.depth + k] *
              b[(g * c.depth + k) * c.columns + j];
  return out;
}

Values transposed(const Values &matrix, std::size_t rows, std::size_t columns) {
  Values result;
  for (std::size_t j = 0; j != columns; ++j)
    for (std::size_t i = 0; i != rows; ++i)
      result.push_back(matrix[i * columns + j]);
  return result;
}

const Case Cases[] = {
    {1, 1, 1, 1},  {1, 1, 400, 120}, {1, 7, 13, 5},   {1, 33, 64, 17},
    {3, 2, 9, 11}, {2, 16, 1, 16},   {1, 64, 128, 1}, {10, 1, 300, 2},
};

} // namespace

POPLIBS_INSTANTIATE();

TEST_P(OnDevices, Shapes) {
  Program p(GetParam());
  std::vector<std::string> outs;
  std::vector<Values> expected;
  for (const Case &c : Cases) {
    const Values a = randomValues(product(c.a()), -1, 1, 1);
    const Values b = randomValues(product(c.b()), -1, 1, 2);
    outs.push_back(p.output(poplin::matMulGrouped(
        p.graph, p.input(c.a(), a), p.input(c.b(), b), p.prog, FLOAT)));
    expected.push_back(reference(c, a, b));
  }
  p.run();
  for (std::size_t i = 0; i != outs.size(); ++i) {
    SCOPED_TRACE(i);
    expectNear(p.result(outs[i]), expected[i], 1e-5, 1e-5);
  }
}

// Large enough for the matrix unit, with depths and columns that fill its
// groups and others, and right operands as they are created and in other
// orders.
TEST_P(OnDevices, MatrixUnit) {
  const Case cases[] = {
      {1, 40, 64, 48}, {3, 20, 33, 21}, {1, 1, 128, 80}, {2, 16, 64, 121}};
  const std::pair<Type, OptionFlags> variants[] = {
      {HALF, {}}, {FLOAT, {}}, {HALF, {{"partialsType", "half"}}}};
  for (const auto &[type, options] : variants) {
    Program p(GetParam());
    std::vector<std::string> outs;
    std::vector<Values> expected;
    for (const Case &c : cases) {
      const poplin::MatMulPlan plan =
          poplin::planMatMul({c.groups, c.rows, c.depth, c.columns},
                             poplin::CostModel(p.graph.getTarget(), type, 0.6));
      // A single tile would have to rearrange all of the operands, many tiles
      // have little to do.
      if (p.graph.getTarget().getNumTiles() == 7 && c.depth % 16 == 0 &&
          c.rows != 1) {
        EXPECT_TRUE(plan.convolution.method == poplin::ConvMethod::Matrix)
            << outs.size();
      }
      const Values a = randomIntegers(product(c.a()), -2, 2, 1);
      const Values b = randomIntegers(product(c.b()), -2, 2, 2);
      const Tensor lhs = p.input(type, c.a(), a);
      const Tensor created = poplin::createMatMulGroupedInputRHS(
          p.graph, type, type, c.a(), c.b(), "rhs", options);
      ASSERT_EQ(created.shape(), c.b());
      p.write(created, b);
      for (const Tensor &rhs : {created, p.input(type, c.b(), b)}) {
        outs.push_back(p.output(poplin::matMulGrouped(
            p.graph, lhs, rhs, p.prog, type, "matMul", options)));
        expected.push_back(reference(c, a, b));
      }
    }
    p.run();
    for (std::size_t i = 0; i != outs.size(); ++i) {
      SCOPED_TRACE(i);
      expectNear(p.result(outs[i]), expected[i], 0, 0);
    }
  }
}

// Weights whose columns do not fill the matrix unit's groups stay where they
// were created, but for the last ones: what must be rearranged in every run
// would take longer than the product.
TEST(MatMul, OddColumnsStay) {
  const auto cyclesWith = [](std::size_t columns) {
    const Case c{1, 16, 256, columns};
    Program p("ipu16");
    const poplin::MatMulPlan plan =
        poplin::planMatMul({c.groups, c.rows, c.depth, c.columns},
                           poplin::CostModel(p.graph.getTarget(), FLOAT, 0.6));
    EXPECT_TRUE(plan.convolution.method == poplin::ConvMethod::Matrix);
    EXPECT_GT(plan.convolution.outChannels.parts, 1u);
    const Tensor lhs = p.input(c.a(), randomIntegers(product(c.a())));
    const Tensor rhs = poplin::createMatMulGroupedInputRHS(
        p.graph, FLOAT, FLOAT, c.a(), c.b(), "rhs");
    p.write(rhs, randomIntegers(product(c.b())));
    poplin::matMulGrouped(p.graph, lhs, rhs, p.prog, FLOAT);
    return static_cast<double>(p.cycles());
  };
  EXPECT_LT(cyclesWith(505), 1.2 * cyclesWith(512));
}

// The layouts that the create functions choose, and transposed views.
TEST_P(OnDevices, Layouts) {
  const Case c{2, 9, 21, 14};
  const Values a = randomValues(product(c.a()), -1, 1, 1);
  const Values b = randomValues(product(c.b()), -1, 1, 2);
  Program p(GetParam());
  const Tensor lhs = poplin::createMatMulGroupedInputLHS(p.graph, FLOAT, FLOAT,
                                                         c.a(), c.b(), "lhs");
  const Tensor rhs = poplin::createMatMulGroupedInputRHS(p.graph, FLOAT, FLOAT,
                                                         c.a(), c.b(), "rhs");
  ASSERT_EQ(rhs.shape(), c.b());
  p.write(lhs, a);
  p.write(rhs, b);
  const auto created =
      p.output(poplin::matMulGrouped(p.graph, lhs, rhs, p.prog, FLOAT));
  // The product of the transposed matrices is the transposed product.
  const Tensor swapped =
      poplin::matMulGrouped(p.graph, poplin::transposeGroupedMatrix(rhs),
                            poplin::transposeGroupedMatrix(lhs), p.prog, FLOAT);
  const auto transposed = p.output(poplin::transposeGroupedMatrix(swapped));
  const Tensor plainA = p.input(c.a(), a), plainB = p.input(c.b(), b);
  const Tensor plainSwapped = poplin::matMulGrouped(
      p.graph, poplin::transposeGroupedMatrix(plainB),
      poplin::transposeGroupedMatrix(plainA), p.prog, FLOAT);
  const auto plain = p.output(poplin::transposeGroupedMatrix(plainSwapped));
  p.run();
  const Values expected = reference(c, a, b);
  expectNear(p.result(created), expected, 1e-5, 1e-5);
  expectNear(p.result(transposed), expected, 1e-5, 1e-5);
  expectNear(p.result(plain), expected, 1e-5, 1e-5);
}

TEST_P(OnDevices, HalfAndAccumulate) {
  const Case c{1, 12, 18, 10};
  const Values a = randomIntegers(product(c.a()), -3, 3, 1);
  const Values b = randomIntegers(product(c.b()), -3, 3, 2);
  const Values start = randomIntegers(120, -3, 3, 3);
  Program p(GetParam());
  const Tensor ha = p.input(HALF, {12, 18}, a), hb = p.input(HALF, {18, 10}, b);
  const auto half = p.output(poplin::matMul(p.graph, ha, hb, p.prog));
  const auto wide = p.output(poplin::matMul(p.graph, ha, hb, p.prog, FLOAT));
  const Tensor acc = p.input({12, 10}, start);
  poplin::matMulAcc(p.graph, acc, 2.0f, p.input({12, 18}, a),
                    p.input({18, 10}, b), p.prog);
  const auto accumulated = p.output(acc);
  Tensor out =
      p.graph.addVariable(FLOAT, {12, 10}, VariableMappingMethod::LINEAR);
  poplin::matMulWithOutput(p.graph, p.input({12, 18}, a), p.input({18, 10}, b),
                           out, p.prog);
  const auto given = p.output(out);
  p.run();
  Values expected = reference(c, a, b);
  expectNear(p.result(half), expected);
  expectNear(p.result(wide), expected);
  expectNear(p.result(given), expected);
  for (std::size_t i = 0; i != expected.size(); ++i)
    expected[i] = 2 * expected[i] + start[i];
  expectNear(p.result(accumulated), expected);
}

// Halves that follow each other are multiplied four at a time; what is left,
// and what does not lie so, one by one.
TEST_P(OnDevices, LoneResults) {
  Program p(GetParam());
  std::vector<std::string> outs;
  std::vector<Values> expected;
  for (const Type &type : {FLOAT, HALF})
    for (std::size_t depth : {1, 3, 4, 5, 7, 8, 11, 30, 63})
      for (bool inRows : {false, true}) {
        const Case c{1, 3, depth, 3};
        const Values a = randomIntegers(product(c.a()), -3, 3, 1);
        const Values b = randomIntegers(product(c.b()), -3, 3, 2);
        const Tensor left = p.input(type, {3, depth}, a);
        const Tensor right =
            inRows
                ? p.input(type, {3, depth}, transposed(b, depth, 3)).transpose()
                : p.input(type, {depth, 3}, b);
        // Rows of an odd length do not all begin where four can be loaded.
        std::vector<Tensor> products;
        for (std::size_t i = 0; i != 3; ++i)
          products.push_back(poplin::matMul(p.graph, left.slice(i, i + 1),
                                            right.slice(i, i + 1, 1), p.prog,
                                            FLOAT));
        outs.push_back(p.output(poplar::concat(products).flatten()));
        const Values all = reference(c, a, b);
        expected.push_back({all[0], all[4], all[8]});
      }
  p.run();
  for (std::size_t i = 0; i != outs.size(); ++i) {
    SCOPED_TRACE(i);
    expectNear(p.result(outs[i]), expected[i]);
  }
}

TEST_P(OnDevices, EmptyDepth) {
  Program p(GetParam());
  const Tensor a =
      p.graph.addVariable(FLOAT, {3, 0}, VariableMappingMethod::LINEAR);
  const Tensor b =
      p.graph.addVariable(FLOAT, {0, 2}, VariableMappingMethod::LINEAR);
  expectNear(p.valuesOf(poplin::matMul(p.graph, a, b, p.prog)), Values(6, 0));
}

// The work is spread: no tile holds more than its share of a product's results.
TEST(MatMul, UsesManyTiles) {
  Program p("model64");
  const Tensor a = p.input({64, 64}, Values(4096, 1));
  const Tensor out = poplin::matMul(p.graph, a, a, p.prog);
  unsigned used = 0;
  for (const auto &regions : p.graph.getTileMapping(out))
    used += !regions.empty();
  EXPECT_GE(used, 60u);
}

TEST(MatMul, PlanningCache) {
  Program p("model64");
  poplin::PlanningCache cache;
  const Tensor a = p.input({8, 8}, Values(64, 1));
  poplin::matMul(p.graph, a, a, p.prog, {}, {}, &cache);
  EXPECT_EQ(cache.size(), 1u);
  poplin::matMul(p.graph, a, a, p.prog, {}, {}, &cache);
  EXPECT_EQ(cache.size(), 1u);
  poplin::matMul(p.graph, a, a.slice(0, 4, 1), p.prog, {}, {}, &cache);
  EXPECT_EQ(cache.size(), 2u);
}

TEST(MatMul, Errors) {
  Program p("cpu");
  const Tensor a = p.input({2, 3}, Values(6, 1)),
               b = p.input({2, 3}, Values(6, 1));
  EXPECT_THROW(poplin::matMul(p.graph, a, b, p.prog), poputil::poplibs_error);
  EXPECT_THROW(poplin::matMul(p.graph, a, b[0], p.prog),
               poputil::poplibs_error);
  EXPECT_THROW(poplin::matMul(p.graph, p.input(INT, {2, 2}, Values(4, 1)),
                              p.input(INT, {2, 2}, Values(4, 1)), p.prog),
               poputil::poplibs_error);
  for (const OptionFlags &bad :
       {OptionFlags{{"partialType", "float"}},
        OptionFlags{{"partialsType", "double"}},
        OptionFlags{{"availableMemoryProportion", "-1"}},
        OptionFlags{{"fullyConnectedPass", "FWD"}}})
    EXPECT_THROW(poplin::matmulValidateOptions(bad), poplar::invalid_option);
  EXPECT_NO_THROW(poplin::matmulValidateOptions(
      {{"partialsType", "half"}, {"availableMemoryProportion", "0.2"}}));
}
