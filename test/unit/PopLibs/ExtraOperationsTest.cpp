// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations of the smaller headers against references in double.

#include "Harness.h"

#include <poplin/experimental/LuFactorization.hpp>
#include <poplin/experimental/QRFactorization.hpp>
#include <popnn/GruDef.hpp>
#include <popnn/LstmDef.hpp>
#include <popnn/NonLinearityDefUtil.hpp>
#include <popnn/SpatialSoftMax.hpp>
#include <popops/CircBuf.hpp>
#include <popops/ElementWise.hpp>
#include <popops/ExprOpUtils.hpp>
#include <popops/Operation.hpp>
#include <popops/SplineBasis.hpp>
#include <popops/SplineWeighting.hpp>
#include <poputil/Util.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>

using namespace poplar;
using namespace test;
using poputil::poplibs_error;

POPLIBS_INSTANTIATE_ON("cpu", "model7", "ipu7");

TEST_P(OnDevices, CircularBuffers) {
  Program p(GetParam());
  popops::CircBuf buffer(p.graph, INT, 3, {2}, "buffer");
  EXPECT_EQ(buffer.size(), 3u);
  const Tensor t = p.input(INT, {2}, {1, 10});
  const Tensor step = p.input(INT, {2}, {1, 10});
  std::vector<std::string> outs, indices;
  outs.push_back(p.output(buffer.prev(0, p.prog)));
  for (unsigned i = 0; i != 5; ++i) {
    indices.push_back(
        p.output(poputil::duplicate(p.graph, buffer.getIndex(), p.prog)));
    buffer.add(t, p.prog);
    popops::addInPlace(p.graph, t, step, p.prog);
  }
  for (unsigned i = 0; i != 3; ++i)
    outs.push_back(p.output(buffer.prev(i, p.prog)));
  indices.push_back(
      p.output(poputil::duplicate(p.graph, buffer.getIndex(), p.prog)));
  p.run();
  EXPECT_EQ(p.result(outs[0]), Values({0, 0}));
  EXPECT_EQ(p.result(outs[1]), Values({5, 50}));
  EXPECT_EQ(p.result(outs[2]), Values({4, 40}));
  EXPECT_EQ(p.result(outs[3]), Values({3, 30}));
  const Values places = {0, 1, 2, 0, 1, 2};
  for (std::size_t i = 0; i != places.size(); ++i)
    EXPECT_EQ(p.result(indices[i]), Values({places[i]})) << i << " added";
  EXPECT_EQ(buffer.getTileMapping().size(), p.graph.getTarget().getNumTiles());
  EXPECT_THROW(buffer.prev(3, p.prog), poplibs_error);
  EXPECT_THROW(buffer.add(t[0], p.prog), poplibs_error);
}

namespace {

/// The basis function of a degree, by its definition as a convolution of boxes.
double splineValue(unsigned degree, unsigned function, double v) {
  if (degree == 0)
    return 1;
  // Cox and de Boor on uniform knots, for the pieces that overlap.
  double result = 0;
  const double n = degree;
  if (function >= 1)
    result += (v + n - function) / n * splineValue(degree - 1, function - 1, v);
  if (function < degree)
    result += (1 - v + function) / n * splineValue(degree - 1, function, v);
  return result;
}

} // namespace

TEST(ExtraOperations, SplineReference) {
  EXPECT_NEAR(splineValue(1, 0, 0.25), 0.75, 1e-12);
  for (unsigned degree = 1; degree <= 3; ++degree)
    for (double v : {0.0, 0.3, 0.9}) {
      double sum = 0;
      for (unsigned k = 0; k <= degree; ++k)
        sum += splineValue(degree, k, v);
      EXPECT_NEAR(sum, 1, 1e-12);
    }
}

TEST_P(OnDevices, Splines) {
  const std::size_t points = 6, dims = 2;
  const Values pseudo = randomValues(points * dims, 0, 0.999, 3);
  const Values kernel{4, 5}, open{1, 0};
  for (unsigned degree = 1; degree <= 3; ++degree) {
    Program p(GetParam());
    const std::size_t functions = degree + 1, splines = functions * functions;
    const Tensor basis = p.input({points, splines}, Values(points * splines));
    const Tensor index =
        p.input(INT, {points, splines}, Values(points * splines));
    const Tensor isOpen =
        p.graph.addConstant<unsigned>(UNSIGNED_CHAR, {2}, {1, 0});
    p.graph.setTileMapping(isOpen, 0);
    popops::splineBasis(p.graph, p.input({points, dims}, pseudo),
                        p.input(INT, {dims}, kernel), isOpen, basis, index,
                        degree, p.prog);
    const std::size_t inputs = 3, outputs = 2, weights = 20;
    const Values in = randomValues(points * inputs, -1, 1, 5);
    const Values w = randomValues(weights * inputs * outputs, -1, 1, 6);
    const Tensor result = popops::splineWeighting(
        p.graph, p.input({points, inputs}, in),
        p.input({weights, inputs, outputs}, w), basis, index, p.prog);
    ASSERT_EQ(result.shape(), Shape({points, outputs}));
    const auto basisOut = p.output(basis), indexOut = p.output(index);
    const auto out = p.output(result);
    p.run();
    Values expectedBasis, expectedIndex, expected(points * outputs);
    for (std::size_t e = 0; e != points; ++e)
      for (std::size_t s = 0; s != splines; ++s) {
        double value = 1;
        std::size_t at = 0, stride = 1, rest = s;
        for (std::size_t d = 0; d != dims; ++d, rest /= functions) {
          const double place =
              pseudo[e * dims + d] * (kernel[d] - degree * open[d]);
          const std::size_t knot = static_cast<std::size_t>(place);
          const std::size_t size = static_cast<std::size_t>(kernel[d]);
          at += (knot + rest % functions) % size * stride;
          stride *= size;
          value *= splineValue(degree, rest % functions, place - knot);
        }
        expectedBasis.push_back(value);
        expectedIndex.push_back(at);
        for (std::size_t i = 0; i != inputs; ++i)
          for (std::size_t o = 0; o != outputs; ++o)
            expected[e * outputs + o] +=
                value * in[e * inputs + i] * w[(at * inputs + i) * outputs + o];
      }
    expectNear(p.result(basisOut), expectedBasis, 1e-4, 1e-5);
    EXPECT_EQ(p.result(indexOut), expectedIndex);
    expectNear(p.result(out), expected, 1e-4, 1e-4);
  }
}

TEST_P(OnDevices, LU) {
  Program p(GetParam());
  const std::size_t n = 7, groups = 2;
  // Eighths, which are exact in float, also where 5 is added.
  Values a = randomIntegers(groups * n * n, -8, 8, 4);
  for (double &value : a)
    value /= 8;
  for (std::size_t g = 0; g != groups; ++g)
    for (std::size_t i = 0; i != n; ++i)
      a[(g * n + i) * n + i] += 5;
  Tensor t = p.input({groups, n, n}, a);
  const auto factors =
      poplin::experimental::LUFactorization(p.graph, t, p.prog);
  const auto lower = p.output(factors.first), upper = p.output(factors.second);
  const auto input = p.output(t);
  p.run();
  EXPECT_EQ(p.result(input), a);
  const Values l = p.result(lower), u = p.result(upper);
  Values product(a.size());
  for (std::size_t g = 0; g != groups; ++g)
    for (std::size_t i = 0; i != n; ++i)
      for (std::size_t j = 0; j != n; ++j) {
        const std::size_t at = (g * n + i) * n + j;
        EXPECT_EQ(l[at], i == j ? 1 : i < j ? 0 : l[at]);
        EXPECT_EQ(u[at], i > j ? 0 : u[at]);
        for (std::size_t k = 0; k != n; ++k)
          product[at] += l[(g * n + i) * n + k] * u[(g * n + k) * n + j];
      }
  expectNear(product, a, 1e-5, 1e-5);
}

TEST_P(OnDevices, QR) {
  for (const auto &[m, n] :
       {std::pair<std::size_t, std::size_t>{6, 6}, {7, 4}}) {
    Program p(GetParam());
    Values a = randomValues(m * n, -2, 2, 8);
    // A column of zeros behind the first one.
    for (std::size_t i = 0; i != m; ++i)
      a[i * n + 2] = 0;
    auto [matrix, q] = poplin::experimental::createQRFactorizationMatrices(
        p.graph, FLOAT, m, n);
    p.write(matrix, a);
    poplin::experimental::QRFactorization(p.graph, matrix, q, p.prog);
    const auto rOut = p.output(matrix), qOut = p.output(q);
    p.run();
    const Values r = p.result(rOut), o = p.result(qOut);
    Values product(m * n), identity(m * m), expected(m * m);
    for (std::size_t i = 0; i != m; ++i) {
      expected[i * m + i] = 1;
      for (std::size_t k = 0; k != m; ++k) {
        for (std::size_t j = 0; j != n; ++j)
          product[i * n + j] += o[i * m + k] * r[k * n + j];
        for (std::size_t j = 0; j != m; ++j)
          identity[i * m + j] += o[i * m + k] * o[j * m + k];
      }
      for (std::size_t j = 0; j < std::min(i, n); ++j)
        EXPECT_EQ(r[i * n + j], 0) << i << " " << j;
    }
    expectNear(product, a, 1e-5, 1e-5);
    expectNear(identity, expected, 1e-5, 1e-5);
  }
}

TEST_P(OnDevices, SpatialSoftMax) {
  const std::size_t fields = 2, height = 3, width = 4;
  const Values in = randomValues(fields * height * width, -2, 2, 9);
  for (const bool disabled : {false, true}) {
    Program p(GetParam());
    const auto [places, temperature] = popnn::spatialSoftMax2D(
        p.graph, p.prog, p.input({fields, height, width}, in), 0.5f, disabled);
    ASSERT_EQ(places.shape(), Shape({fields, 2}));
    const auto out = p.output(places), divisor = p.output(temperature);
    p.run();
    Values expected;
    for (std::size_t f = 0; f != fields; ++f) {
      double total = 0, down = 0, across = 0;
      for (std::size_t i = 0; i != height * width; ++i) {
        const double x = in[f * height * width + i];
        const double weight = disabled ? x : std::exp(x / 0.5);
        total += disabled ? 0 : weight;
        down += weight * (2.0 * (i / width) / (height - 1) - 1);
        across += weight * (2.0 * (i % width) / (width - 1) - 1);
      }
      expected.push_back(disabled ? down : down / total);
      expected.push_back(disabled ? across : across / total);
    }
    expectNear(p.result(out), expected, 1e-4, 1e-5);
    EXPECT_EQ(p.result(divisor), Values({0.5}));
  }
}

TEST(ExtraOperations, NamesOfVertices) {
  EXPECT_EQ(poputil::templateVertex("V", popnn::NonLinearityType::HARD_SIGMOID,
                                    popops::Operation::SQUARE_ADD,
                                    popops::expr::UnaryOpType::EXPONENT,
                                    popops::expr::BinaryOpType::ADD,
                                    popops::expr::TernaryOpType::CLAMP, FLOAT),
            "V<popnn::NonLinearityType::HARD_SIGMOID,"
            "popops::Operation::SQUARE_ADD,"
            "popops::expr::UnaryOpType::EXPONENT,"
            "popops::expr::BinaryOpType::ADD,"
            "popops::expr::TernaryOpType::CLAMP,float>");
  EXPECT_EQ(BASIC_LSTM_CELL_NUM_UNITS, 4);
  EXPECT_EQ(BASIC_GRU_CELL_NUM_UNITS, 3);
}
