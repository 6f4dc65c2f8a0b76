// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SplineBasis and SplineWeighting against a plain float64 computation. The
// reference knows B-splines by the recursion over their degree, not by
// polynomials.

#include "lib/PopART/Support/Error.h"
#include "test/unit/PopART/ModelBuilder.h"

#include <gtest/gtest.h>

#include <cmath>

namespace populus::popir::test {
namespace {

using Type = onnx::TensorProto;

const MachineOptions Machines[] = {
    {"cpu", "cpu"}, {"ipu2", "ipu-model", 1, 8}, {"ipu2", "ipu", 1, 8}};

/// The B-spline of `degree` whose first knot is 0, at `x`.
double spline(std::int64_t degree, double x) {
  if (degree == 0)
    return x >= 0 && x < 1 ? 1 : 0;
  const double n = double(degree);
  return x / n * spline(degree - 1, x) +
         (n + 1 - x) / n * spline(degree - 1, x - 1);
}

struct Splines {
  std::vector<std::int64_t> sizes;
  std::vector<bool> isOpen;
  std::int64_t degree;

  std::int64_t functions() const {
    return std::int64_t(std::pow(degree + 1, sizes.size()));
  }
  std::int64_t weights() const {
    std::int64_t count = 1;
    for (std::int64_t size : sizes)
      count *= size;
    return count;
  }
};

/// Basis and indices of edges with the coordinates x.
std::pair<Array, Array> reference(const Splines &splines, const Array &x) {
  const std::int64_t edges = x.shape[0];
  const Shape shape = {edges, splines.functions()};
  std::pair<Array, Array> result = {
      {shape, std::vector<double>(edges * shape[1], 1)},
      {shape, std::vector<double>(edges * shape[1])}};
  for (std::int64_t e = 0; e != edges; ++e)
    for (std::int64_t s = 0; s != shape[1]; ++s) {
      std::int64_t rest = s, stride = 1;
      for (std::size_t d = 0; d != splines.sizes.size(); ++d) {
        const std::int64_t k = rest % (splines.degree + 1);
        rest /= splines.degree + 1;
        const std::int64_t size = splines.sizes[d];
        const std::int64_t intervals =
            size - (splines.isOpen[d] ? splines.degree : 0);
        const double place = x({e, std::int64_t(d)}) * double(intervals);
        const double inside = place - std::floor(place);
        result.first({e, s}) *=
            spline(splines.degree, inside + double(splines.degree - k));
        result.second({e, s}) +=
            double((std::int64_t(place) + k) % size * stride);
        stride *= size;
      }
    }
  return result;
}

Array coordinates(std::int64_t edges, std::int64_t dims, unsigned seed) {
  Array x = randomArray({edges, dims}, seed, 1);
  for (double &value : x.values)
    value = std::abs(value);
  x.values.front() = 0;
  x.values.back() = 1;
  return x;
}

const Splines Cases[] = {{{5}, {true}, 1},
                         {{4}, {false}, 2},
                         {{5, 3}, {true, false}, 1},
                         {{4, 5}, {true, true}, 3},
                         {{3, 4, 3}, {false, true, true}, 2}};

TEST(Splines, Basis) {
  for (const Splines &splines : Cases) {
    const auto dims = std::int64_t(splines.sizes.size());
    const Array x = coordinates(7, dims, 11);
    Array sizes{{dims}, {}}, open{{dims}, {}};
    sizes.values.assign(splines.sizes.begin(), splines.sizes.end());
    open.values.assign(splines.isOpen.begin(), splines.isOpen.end());
    const auto [basis, index] = reference(splines, x);
    for (const MachineOptions &machine : Machines) {
      const std::vector<Array> found = runGraphcoreResults(
          "SplineBasis", {x, {sizes, Type::INT32}, {open, Type::UINT8}},
          {Type::FLOAT, Type::INT32}, {{"degree", splines.degree}}, machine);
      expectClose(found[0], basis);
      expectClose(found[1], index, 0);
    }
  }
}

TEST(Splines, Weighting) {
  const std::int64_t edges = 6, features = 3, results = 5;
  for (const Splines &splines : Cases) {
    const auto [basis, index] = reference(
        splines, coordinates(edges, std::int64_t(splines.sizes.size()), 12));
    const Array x = randomArray({edges, features}, 13);
    const Array weight =
        randomArray({splines.weights(), features, results}, 14);
    Array wanted{{edges, results}, std::vector<double>(edges * results)};
    for (std::int64_t e = 0; e != edges; ++e)
      for (std::int64_t s = 0; s != splines.functions(); ++s)
        for (std::int64_t i = 0; i != features; ++i)
          for (std::int64_t o = 0; o != results; ++o)
            wanted({e, o}) += basis({e, s}) * x({e, i}) *
                              weight({std::int64_t(index({e, s})), i, o});
    for (const MachineOptions &machine : Machines)
      expectClose(runGraphcore("SplineWeighting",
                               {x, weight, basis, {index, Type::INT32}}, {},
                               machine),
                  wanted);
  }
}

TEST(Splines, WhatDoesNotGoTogether) {
  const Array x = randomArray({4, 2}, 1), two{{2}, {3, 3}},
              three{{3}, {3, 3, 3}};
  EXPECT_THROW(runGraphcoreResults(
                   "SplineBasis", {x, {three, Type::INT32}, {two, Type::UINT8}},
                   {Type::FLOAT, Type::INT32}),
               Error);
  EXPECT_THROW(runGraphcoreResults("SplineBasis",
                                   {x, {two, Type::INT32}, {two, Type::UINT8}},
                                   {Type::FLOAT, Type::INT32}, {{"degree", 4}}),
               Error);
  EXPECT_THROW(
      runGraphcore("SplineWeighting",
                   {x, randomArray({9, 3, 5}, 1), x, {x, Type::INT32}}),
      Error);
}

} // namespace
} // namespace populus::popir::test
