// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sorting and the largest elements, against std::stable_sort.

#include "Harness.h"

#include <popops/Sort.hpp>
#include <popops/TopK.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <numeric>
#include <sstream>

using namespace poplar;
using namespace test;
using popops::SortOrder;
using popops::TopKParams;

namespace {

/// The order of a row: places, what is equal in its order.
std::vector<std::size_t> order(const Values &in, std::size_t begin,
                               std::size_t count, bool descending) {
  std::vector<std::size_t> places(count);
  std::iota(places.begin(), places.end(), 0);
  std::stable_sort(places.begin(), places.end(),
                   [&](std::size_t a, std::size_t b) {
                     return descending ? in[begin + a] > in[begin + b]
                                       : in[begin + a] < in[begin + b];
                   });
  return places;
}

} // namespace

POPLIBS_INSTANTIATE();

TEST_P(OnDevices, TopK) {
  const struct {
    Type type;
    Shape shape;
    TopKParams params;
  } Cases[] = {
      {FLOAT, {3, 10}, {4, true, SortOrder::DESCENDING}},
      {HALF, {2, 3, 9}, {9, false, SortOrder::ASCENDING}},
      {INT, {500}, {5, true, SortOrder::ASCENDING}},
      {UNSIGNED_INT, {2, 700}, {3, false, SortOrder::NONE}},
      {FLOAT, {2, 200}, {1, true, SortOrder::NONE}},
      {FLOAT, {1, 1}, {1, true, SortOrder::NONE}},
      {INT, {40, 7}, {2, true, SortOrder::DESCENDING, true}},
  };
  Program p(GetParam());
  std::vector<std::string> values, places, alone;
  for (const auto &c : Cases) {
    const int low = c.type == UNSIGNED_INT ? 0 : -20;
    const Tensor t =
        p.input(c.type, c.shape, randomIntegers(product(c.shape), low, 20));
    const auto [v, i] =
        popops::topKWithPermutation(p.graph, p.prog, t, c.params);
    EXPECT_EQ(i.elementType(), UNSIGNED_INT);
    values.push_back(p.output(v));
    places.push_back(p.output(i));
    alone.push_back(p.output(popops::topK(p.graph, p.prog, t, c.params)));
  }
  p.run();
  for (std::size_t i = 0; i != values.size(); ++i) {
    SCOPED_TRACE(i);
    const auto &c = Cases[i];
    const int low = c.type == UNSIGNED_INT ? 0 : -20;
    const Values in = randomIntegers(product(c.shape), low, 20);
    Values expected, expectedPlaces;
    const std::size_t n = c.shape.back();
    const bool reversed = c.params.largest
                              ? c.params.sortOrder == SortOrder::ASCENDING
                              : c.params.sortOrder == SortOrder::DESCENDING;
    for (std::size_t begin = 0; begin != in.size(); begin += n) {
      auto first = order(in, begin, n, c.params.largest);
      first.resize(c.params.k);
      if (reversed)
        std::reverse(first.begin(), first.end());
      for (std::size_t place : first) {
        expected.push_back(in[begin + place]);
        expectedPlaces.push_back(static_cast<double>(place));
      }
    }
    expectNear(p.result(values[i]), expected);
    expectNear(p.result(alone[i]), expected);
    expectNear(p.result(places[i]), expectedPlaces);
  }
}

TEST_P(OnDevices, Sort) {
  const struct {
    Type type;
    Shape shape;
    unsigned dim;
  } Cases[] = {
      {FLOAT, {4, 13}, 1},  {HALF, {5, 3, 2}, 0},      {INT, {1500}, 0},
      {FLOAT, {3, 600}, 1}, {UNSIGNED_INT, {1, 1}, 1},
  };
  Program p(GetParam());
  std::vector<std::string> sorted, values, inPlace;
  for (const auto &c : Cases) {
    const std::size_t count = product(c.shape);
    // All different, so that values have one order.
    Values in(count), numbers(count);
    for (std::size_t i = 0; i != count; ++i) {
      in[i] = static_cast<double>((i * 7919 + 13) % 2003);
      numbers[i] = static_cast<double>(i);
    }
    const Tensor k = p.input(c.type, c.shape, in);
    const Tensor v = p.input(UNSIGNED_INT, c.shape, numbers);
    sorted.push_back(p.output(popops::sort(p.graph, k, c.dim, p.prog)));
    values.push_back(
        p.output(popops::sortKeyValue(p.graph, k, v, c.dim, p.prog)));
    popops::sortKeyValueInPlace(p.graph, k, v, c.dim, p.prog);
    inPlace.push_back(p.output(v));
  }
  p.run();
  for (std::size_t i = 0; i != sorted.size(); ++i) {
    SCOPED_TRACE(i);
    const auto &c = Cases[i];
    std::size_t inner = 1;
    for (std::size_t d = c.dim + 1; d != c.shape.size(); ++d)
      inner *= c.shape[d];
    const std::size_t n = c.shape[c.dim], count = product(c.shape);
    Values expected(count), expectedValues(count);
    for (std::size_t outer = 0; outer != count / (n * inner); ++outer)
      for (std::size_t at = 0; at != inner; ++at) {
        const auto place = [&](std::size_t j) {
          return (outer * n + j) * inner + at;
        };
        Values row(n);
        for (std::size_t j = 0; j != n; ++j)
          row[j] = static_cast<double>((place(j) * 7919 + 13) % 2003);
        const auto places = order(row, 0, n, false);
        for (std::size_t j = 0; j != n; ++j) {
          expected[place(j)] = row[places[j]];
          expectedValues[place(j)] = static_cast<double>(place(places[j]));
        }
      }
    expectNear(p.result(sorted[i]), expected);
    expectNear(p.result(values[i]), expectedValues);
    expectNear(p.result(inPlace[i]), expectedValues);
  }
}

TEST(Sort, EmptyAndErrors) {
  Program p("cpu");
  const Tensor none = p.input({0, 4}, {});
  EXPECT_EQ(popops::sort(p.graph, none, 1, p.prog).shape(), (Shape{0, 4}));
  EXPECT_EQ(
      popops::topK(p.graph, p.prog, none, {2, true, SortOrder::NONE}).shape(),
      (Shape{0, 2}));
  const Tensor t = p.input({2, 4}, Values(8));
  EXPECT_THROW(popops::sort(p.graph, t, 2, p.prog), poputil::poplibs_error);
  EXPECT_THROW(popops::topK(p.graph, p.prog, t, {5, true, SortOrder::NONE}),
               poputil::poplibs_error);
  EXPECT_THROW(popops::sort(p.graph, p.input(BOOL, {2}, {0, 1}), 0, p.prog),
               poputil::poplibs_error);
  EXPECT_THROW(
      popops::sortKeyValue(p.graph, t, p.input({2, 3}, Values(6)), 1, p.prog),
      poputil::poplibs_error);
  std::ostringstream text;
  text << TopKParams(3, true, SortOrder::ASCENDING);
  EXPECT_EQ(text.str(), "{k 3, largest, order ascending}");
}
