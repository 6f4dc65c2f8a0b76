// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// popnn::normaliseRows against double precision: rows that are whole on a
// worker or in parts, with and without parameters, and rows whose elements are
// large and differ little. What the IPU Model says that it costs is compared
// with exact cycles.

#include "Harness.h"

#include <popnn/RowNorm.hpp>
#include <poputil/exceptions.hpp>

using namespace poplar;
using namespace test;

namespace {

constexpr double Epsilon = 1e-3;

struct Rows {
  std::size_t rows, count;
};

struct Reference {
  Values out, mean, invStdDev;
};

Reference reference(const Rows &shape, const Values &in, const Values &scale,
                    const Values &shift, bool centre, double epsilon) {
  Reference result;
  for (std::size_t r = 0; r != shape.rows; ++r) {
    const auto x = in.begin() + r * shape.count;
    double mean = 0, squares = 0;
    for (std::size_t i = 0; centre && i != shape.count; ++i)
      mean += x[i] / shape.count;
    for (std::size_t i = 0; i != shape.count; ++i)
      squares += (x[i] - mean) * (x[i] - mean) / shape.count;
    const double inverse = 1 / std::sqrt(squares + epsilon);
    for (std::size_t i = 0; i != shape.count; ++i)
      result.out.push_back((x[i] - mean) * inverse *
                               (scale.empty() ? 1 : scale[i]) +
                           (shift.empty() ? 0 : shift[i]));
    result.mean.push_back(mean);
    result.invStdDev.push_back(inverse);
  }
  return result;
}

Values asFloats(Values values) {
  for (double &value : values)
    value = static_cast<float>(value);
  return values;
}

void expectNormalised(const std::string &device, const Rows &shape,
                      const Type &type, bool centre, unsigned parameters,
                      bool statistics) {
  SCOPED_TRACE(std::to_string(shape.rows) + " rows of " +
               std::to_string(shape.count) + " " + type.toString() +
               (centre ? ", centred, " : ", ") + std::to_string(parameters) +
               " parameters");
  Program p(device);
  const Values in = randomValues(shape.rows * shape.count, -1, 3, 1);
  const Values scale = randomValues(shape.count, 0.5, 2, 2);
  const Values shift = randomValues(shape.count, -1, 1, 3);
  const Tensor x = p.input(type, {shape.rows, shape.count}, in);
  const Tensor scales =
      parameters > 0 ? p.input(type, {shape.count}, scale) : Tensor();
  const Tensor shifts =
      parameters > 1 ? p.input(type, {shape.count}, shift) : Tensor();
  const popnn::RowNormResult result = popnn::normaliseRows(
      p.graph, x, scales, shifts,
      {static_cast<float>(Epsilon), centre, statistics}, p.prog);
  const std::string out = p.output(result.rows);
  const std::string mean = statistics ? p.output(result.mean) : "";
  const std::string inverse = statistics ? p.output(result.invStdDev) : "";
  p.run();
  const Reference expected =
      reference(shape, in, parameters > 0 ? scale : Values(),
                parameters > 1 ? shift : Values(), centre, Epsilon);
  const double tolerance = type == HALF ? 6e-3 : 2e-6;
  expectNear(p.result(out), expected.out, tolerance, tolerance);
  if (statistics) {
    expectNear(p.result(mean), expected.mean, tolerance / 4, tolerance);
    expectNear(p.result(inverse), expected.invStdDev, tolerance);
  }
}

std::uint64_t cyclesOn(const std::string &device, const Rows &shape,
                       const Type &type, bool centre, unsigned parameters) {
  Program p(device);
  const Tensor x = p.input(type, {shape.rows, shape.count},
                           randomValues(shape.rows * shape.count, -1, 3));
  const Values ones(shape.count, 1);
  const Tensor scale =
      parameters > 0 ? p.input(type, {shape.count}, ones) : Tensor();
  const Tensor shift =
      parameters > 1 ? p.input(type, {shape.count}, ones) : Tensor();
  popnn::normaliseRows(p.graph, x, scale, shift, {1e-5f, centre}, p.prog);
  return p.cycles();
}

} // namespace

POPLIBS_INSTANTIATE();

TEST_P(OnDevices, RowsAndParts) {
  for (const Rows &shape : {Rows{3, 40},
                            {1, 1},
                            {2, 3},
                            {50, 7},
                            {2, 301},
                            {1, 260},
                            {100, 16},
                            {4, 130}})
    for (const Type &type : {FLOAT, HALF})
      expectNormalised(GetParam(), shape, type, true, 2, true);
}

TEST_P(OnDevices, RowFormsOfParameters) {
  for (const Rows &shape : {Rows{2, 202}, {60, 10}})
    for (const Type &type : {FLOAT, HALF})
      for (bool centre : {false, true})
        for (unsigned parameters : {0, 1, 2})
          expectNormalised(GetParam(), shape, type, centre, parameters,
                           parameters == 1);
}

// The result must be as exact as the differences of the elements; a mean
// rounded to float would not be.
TEST_P(OnDevices, LargeMeanAndSmallDeviation) {
  for (const Rows &shape : {Rows{2, 256}, {40, 96}}) {
    Program p(GetParam());
    const Values in = asFloats(
        randomValues(shape.rows * shape.count, 1e4 - 1e-2, 1e4 + 1e-2));
    const Tensor x = p.input(FLOAT, {shape.rows, shape.count}, in);
    const popnn::RowNormResult result =
        popnn::normaliseRows(p.graph, x, {}, {}, {0.0f}, p.prog);
    expectNear(p.valuesOf(result.rows),
               reference(shape, in, {}, {}, true, 0).out, 2e-6, 2e-6);
  }
}

TEST(RowNorm, NoRowsThatItDoesNotTake) {
  Program p("model2");
  const Tensor x = p.input({2, 8}, Values(16, 1));
  const Tensor shorter = p.input({7}, Values(7, 1));
  const auto normalise = [&](const Tensor &rows, const Tensor &scale,
                             const Tensor &shift) {
    popnn::normaliseRows(p.graph, rows, scale, shift, {}, p.prog);
  };
  EXPECT_THROW(normalise(x.flatten(), {}, {}), poputil::poplibs_error);
  EXPECT_THROW(normalise(x, shorter, {}), poputil::poplibs_error);
  EXPECT_THROW(normalise(x, {}, x[0]), poputil::poplibs_error);
  EXPECT_THROW(normalise(p.input(INT, {2, 8}, Values(16, 1)), {}, {}),
               poputil::poplibs_error);
}

TEST(RowNorm, Estimates) {
  for (const Rows &shape : {Rows{1, 800}, {40, 96}, {13, 257}})
    for (const Type &type : {FLOAT, HALF})
      for (bool centre : {false, true})
        for (unsigned parameters : {0, 1, 2}) {
          const double exact =
              cyclesOn("ipu4", shape, type, centre, parameters);
          const double estimate =
              cyclesOn("model4", shape, type, centre, parameters);
          EXPECT_NEAR(estimate / exact, 1, 0.05)
              << shape.rows << " rows of " << shape.count << " "
              << type.toString() << ", " << centre << ", " << parameters
              << " parameters: " << exact << " cycles, estimated " << estimate;
        }
}
