// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators whose results have as many rows as the values ask for, with a bound
// (--bound), against plain loops; and what may follow them.

#include "lib/PopART/Support/Error.h"
#include "test/unit/PopART/ModelBuilder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <random>

namespace populus::popir::test {
namespace {

constexpr int Int64 = onnx::TensorProto::INT64;
constexpr int Float = onnx::TensorProto::FLOAT;
constexpr int Bool = onnx::TensorProto::BOOL;

using Results = std::map<std::string, Array>;
using Inputs = std::map<std::string, Array>;

const MachineOptions Machines[] = {
    {"cpu", "cpu"}, {"ipu2", "ipu-model", 1, 16}, {"ipu2", "ipu", 1, 4}};
const MachineOptions Emulator = {"ipu2", "ipu", 1, 8};

/// All that can be, or so many of `y`.
ImportOptions bounded(std::int64_t bound = 0) {
  ImportOptions options;
  if (bound == 0)
    options.bounds.boundsAll = true;
  else
    options.bounds.bounds["y"] = bound;
  return options;
}

Results runBounded(const onnx::ModelProto &model, const Inputs &inputs,
                   const MachineOptions &machine,
                   const ImportOptions &options = bounded()) {
  return run(*importModel(model, options), inputs, machine);
}

/// Whole numbers in [0, kinds), of which many are alike.
Array randomKinds(Shape shape, unsigned seed, int kinds) {
  std::mt19937 random(seed);
  Array result{std::move(shape), {}};
  for (std::int64_t i = 0; i != numElements(result.shape); ++i)
    result.values.push_back(static_cast<double>(random() % kinds));
  return result;
}

/// Rows along axis 0, filled up to `bound` of them.
Array padded(std::vector<std::vector<double>> rows, std::int64_t bound,
             std::int64_t columns, double filling) {
  rows.resize(static_cast<std::size_t>(bound),
              std::vector<double>(static_cast<std::size_t>(columns), filling));
  Array result{{bound, columns}, {}};
  for (const std::vector<double> &row : rows)
    result.values.insert(result.values.end(), row.begin(), row.end());
  return result;
}

Array transposed(const Array &x) {
  Array result{{x.shape[1], x.shape[0]}, {}};
  for (std::int64_t i = 0; i != x.shape[1]; ++i)
    for (std::int64_t k = 0; k != x.shape[0]; ++k)
      result.values.push_back(x({k, i}));
  return result;
}

Array list(std::vector<double> values) {
  return {{static_cast<std::int64_t>(values.size())}, std::move(values)};
}

Array number(double value) { return {{}, {value}}; }

/// The error of an import.
std::string importError(const onnx::ModelProto &model,
                        const ImportOptions &options) {
  try {
    importModel(model, options);
  } catch (const Error &error) {
    return error.what();
  }
  return "";
}

// ---- NonZero ----------------------------------------------------------------

std::vector<std::vector<double>> nonZeros(const Array &x) {
  std::vector<std::vector<double>> rows;
  for (std::int64_t i = 0; i != numElements(x.shape); ++i) {
    if (x.values[i] == 0)
      continue;
    std::vector<double> row(x.shape.size());
    std::int64_t rest = i;
    for (std::size_t dim = x.shape.size(); dim-- != 0;) {
      row[dim] = static_cast<double>(rest % x.shape[dim]);
      rest /= x.shape[dim];
    }
    rows.push_back(row);
  }
  return rows;
}

onnx::ModelProto nonZero(const Shape &shape, int type = Float) {
  ModelBuilder m;
  m.input("x", shape, type).node("NonZero", {"x"}, {"y"}).output("y", Int64);
  return m.model;
}

void expectNonZero(const Array &x, int type, const MachineOptions &machine,
                   std::int64_t bound = 0) {
  const auto rows = nonZeros(x);
  const std::int64_t most = bound == 0 ? numElements(x.shape) : bound;
  Results found =
      runBounded(nonZero(x.shape, type), {{"x", x}}, machine, bounded(bound));
  expectClose(found.at("y"), transposed(padded(rows, most, x.shape.size(), -1)),
              0);
  expectClose(found.at("y_count"), number(static_cast<double>(rows.size())), 0);
}

TEST(Bounds, NonZero) {
  for (const MachineOptions &machine : Machines)
    for (int kinds : {1, 2, 5}) {
      expectNonZero(randomKinds({3, 4, 5}, 1, kinds), Float, machine);
      expectNonZero(randomKinds({7}, 2, std::min(kinds, 2)), Bool, machine);
    }
  // All of them; long rows, which several tiles sort.
  expectNonZero({{2, 2}, {1, -2, 3e-40, 4}}, Float, Machines[0]);
  expectNonZero(randomKinds({5, 13, 17}, 3, 3), Int64, Machines[1]);
  expectNonZero(randomKinds({5, 11, 12}, 4, 2), Float, Emulator);
  expectNonZero(randomKinds({5, 11, 12}, 5, 2), Float, Emulator, 400);
  expectNonZero({{1, 0, 3}, {}}, Float, Machines[2]);
}

TEST(Bounds, LowBound) {
  const Array x{{6}, {0, 1, 0, 2, 3, 0}};
  for (const MachineOptions &machine : Machines) {
    expectNonZero(x, Float, machine, 3);
    expectNonZero(x, Float, machine, 4);
    // More than the bound is an error of the run, not a shorter result.
    EXPECT_ANY_THROW(runBounded(nonZero({6}), {{"x", x}}, machine, bounded(2)));
  }
  EXPECT_NE(importError(nonZero({6}), bounded(7)).find("there are 6 at most"),
            std::string::npos);
}

// ---- Compress ---------------------------------------------------------------

TEST(Bounds, Compress) {
  const Array x = randomArray({3, 4, 5}, 11);
  const Array flags{{4}, {0, 1, 1, 0}}, few{{3}, {1, 0, 1}};
  for (const MachineOptions &machine : Machines)
    for (const Array &condition : {flags, few}) {
      ModelBuilder m;
      m.input("x", {3, 4, 5}).input("c", condition.shape, Bool);
      m.node("Compress", {"x", "c"}, {"y"}, {{"axis", -2}}).output("y");
      Results found =
          runBounded(m.model, {{"x", x}, {"c", condition}}, machine);
      Array wanted{{3, condition.shape[0], 5}, {}};
      wanted.values.resize(numElements(wanted.shape));
      std::int64_t count = 0;
      for (std::int64_t k = 0; k != condition.shape[0]; ++k) {
        if (condition.values[k] == 0)
          continue;
        for (std::int64_t i = 0; i != 3; ++i)
          for (std::int64_t j = 0; j != 5; ++j)
            wanted({i, count, j}) = x({i, k, j});
        ++count;
      }
      expectClose(found.at("y"), wanted);
      expectClose(found.at("y_count"), number(double(count)), 0);
    }
}

TEST(Bounds, CompressOfAllElements) {
  const Array x = randomKinds({20, 30}, 12, 2);
  const Array flags = randomKinds({600}, 13, 3);
  for (int type : {Bool, Int64, Float}) {
    ModelBuilder m;
    m.input("x", {20, 30}, type).input("c", {600}, Bool);
    m.node("Compress", {"x", "c"}, {"y"}).output("y", type);
    Results found = runBounded(m.model, {{"x", x}, {"c", flags}}, Emulator);
    std::vector<double> wanted;
    for (std::int64_t i = 0; i != 600; ++i)
      if (flags.values[i] != 0)
        wanted.push_back(x.values[i]);
    expectClose(found.at("y_count"), number(double(wanted.size())), 0);
    wanted.resize(600);
    expectClose(found.at("y"), list(wanted), 0);
  }
}

// ---- NonMaxSuppression ------------------------------------------------------

struct Suppression {
  Array boxes, scores;
  std::int64_t most;
  double overlap;
  std::optional<double> threshold;
  bool isCentred = false;
};

/// Top, left, bottom, right.
std::array<double, 4> corners(const Suppression &s, std::int64_t batch,
                              std::int64_t box) {
  const auto at = [&](std::int64_t i) { return s.boxes({batch, box, i}); };
  if (s.isCentred)
    return {at(1) - at(3) / 2, at(0) - at(2) / 2, at(1) + at(3) / 2,
            at(0) + at(2) / 2};
  return {std::min(at(0), at(2)), std::min(at(1), at(3)),
          std::max(at(0), at(2)), std::max(at(1), at(3))};
}

double overlapOf(const std::array<double, 4> &a,
                 const std::array<double, 4> &b) {
  const double height = std::min(a[2], b[2]) - std::max(a[0], b[0]);
  const double width = std::min(a[3], b[3]) - std::max(a[1], b[1]);
  if (height <= 0 || width <= 0)
    return 0;
  const double both = height * width;
  return both /
         ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - both);
}

std::vector<std::vector<double>> suppressed(const Suppression &s) {
  std::vector<std::vector<double>> rows;
  const std::int64_t count = s.boxes.shape[1];
  for (std::int64_t batch = 0; batch != s.scores.shape[0]; ++batch)
    for (std::int64_t kind = 0; kind != s.scores.shape[1]; ++kind) {
      std::vector<std::int64_t> order(count), taken;
      std::iota(order.begin(), order.end(), 0);
      std::ranges::stable_sort(order, std::greater<>(), [&](std::int64_t i) {
        return s.scores({batch, kind, i});
      });
      for (std::int64_t i : order) {
        const bool isHidden = std::ranges::any_of(taken, [&](std::int64_t k) {
          return overlapOf(corners(s, batch, i), corners(s, batch, k)) >
                 s.overlap;
        });
        const bool isHigh =
            !s.threshold || s.scores({batch, kind, i}) > *s.threshold;
        if (std::int64_t(taken.size()) < s.most && isHigh && !isHidden)
          taken.push_back(i);
      }
      for (std::int64_t i : taken)
        rows.push_back({double(batch), double(kind), double(i)});
    }
  return rows;
}

/// `isOpen`: how many boxes a class has at most is known at run time only.
void expectSuppression(const Suppression &s, const MachineOptions &machine,
                       bool isOpen = false) {
  ModelBuilder m;
  Inputs inputs = {{"b", s.boxes}, {"s", s.scores}};
  m.input("b", s.boxes.shape).input("s", s.scores.shape);
  if (isOpen) {
    m.input("most", {}, Int64).input("overlap", {1});
    inputs["most"] = number(double(s.most));
    inputs["overlap"] = list({s.overlap});
  } else {
    m.ints("most", {s.most}).weight("overlap", list({s.overlap}));
  }
  std::vector<std::string> names = {"b", "s", "most", "overlap"};
  if (s.threshold) {
    m.weight("threshold", list({*s.threshold}));
    names.push_back("threshold");
  }
  m.node("NonMaxSuppression", names, {"y"},
         {{"center_point_box", int(s.isCentred)}});
  m.output("y", Int64);
  Results found = runBounded(m.model, inputs, machine);
  const auto rows = suppressed(s);
  const std::int64_t boxes = s.boxes.shape[1];
  const std::int64_t most = s.scores.shape[0] * s.scores.shape[1] *
                            (isOpen ? boxes : std::min(s.most, boxes));
  expectClose(found.at("y"), padded(rows, most, 3, -1), 0);
  expectClose(found.at("y_count"), number(double(rows.size())), 0);
}

/// Boxes on a grid, so that some are the same; scores of which some are alike,
/// zeros of both signs and infinities among them.
Suppression randomSuppression(unsigned seed, std::int64_t batches,
                              std::int64_t classes, std::int64_t boxes) {
  Suppression s{randomKinds({batches, boxes, 4}, seed, 7),
                randomKinds({batches, classes, boxes}, seed + 1, 9),
                4,
                0.41,
                {}};
  for (double &score : s.scores.values)
    score = score == 0   ? -0.0
            : score == 8 ? -std::numeric_limits<double>::infinity()
                         : (score - 4) / 8;
  return s;
}

TEST(Bounds, NonMaxSuppression) {
  for (const MachineOptions &machine : Machines) {
    Suppression s = randomSuppression(21, 2, 3, 11);
    expectSuppression(s, machine);
    s.threshold = -0.125;
    expectSuppression(s, machine);
    s.isCentred = true;
    s.overlap = 0.13;
    expectSuppression(s, machine);
    expectSuppression(s, machine, true);
    s.most = 1000; // more than there are
    expectSuppression(s, machine);
    s.threshold = 100; // nothing is left
    expectSuppression(s, machine);
    s.most = 0;
    expectSuppression(s, machine);
  }
}

TEST(Bounds, NonMaxSuppressionOfManyBoxes) {
  for (unsigned seed = 31; seed != 37; ++seed) {
    Suppression s = randomSuppression(seed, 1, 1 + seed % 2, 120);
    s.scores = randomArray(s.scores.shape, seed);
    s.boxes = randomArray(s.boxes.shape, seed + 1);
    s.most = 30;
    s.overlap = 0.1 * (seed % 4) + 0.03;
    s.threshold = -1;
    expectSuppression(s, Machines[seed % 2]);
  }
  Suppression s = randomSuppression(38, 1, 2, 60);
  s.boxes = randomArray(s.boxes.shape, 39);
  s.most = 20;
  expectSuppression(s, Emulator);
}

// ---- Unique -----------------------------------------------------------------

/// Y, indices, inverse indices and counts.
std::vector<std::vector<double>>
uniqueRows(const Array &x, bool isSorted,
           std::vector<std::vector<double>> rows) {
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), 0);
  std::map<std::vector<double>, std::vector<std::size_t>> places;
  for (std::size_t i : order)
    places[rows[i]].push_back(i);
  std::vector<std::pair<std::vector<double>, std::vector<std::size_t>>> groups(
      places.begin(), places.end());
  if (!isSorted)
    std::ranges::sort(groups, {},
                      [](const auto &group) { return group.second[0]; });
  std::vector<std::vector<double>> result(4);
  result[2].resize(rows.size());
  for (std::size_t g = 0; g != groups.size(); ++g) {
    result[0].insert(result[0].end(), groups[g].first.begin(),
                     groups[g].first.end());
    result[1].push_back(double(groups[g].second[0]));
    for (std::size_t i : groups[g].second)
      result[2][i] = double(g);
    result[3].push_back(double(groups[g].second.size()));
  }
  return result;
}

Array filledUp(std::vector<double> values, std::int64_t count, double filling) {
  values.resize(static_cast<std::size_t>(count), filling);
  return list(values);
}

onnx::ModelProto unique(const Shape &shape, int type, bool isSorted,
                        std::optional<int> axis = {}) {
  ModelBuilder m;
  m.input("x", shape, type);
  std::vector<Attr> attributes = {{"sorted", int(isSorted)}};
  if (axis)
    attributes.emplace_back("axis", *axis);
  m.node("Unique", {"x"}, {"y", "i", "r", "c"}, attributes);
  m.output("y", type).output("i", Int64).output("r", Int64);
  m.output("c", Int64);
  return m.model;
}

void expectUnique(const Array &x, int type, bool isSorted,
                  const MachineOptions &machine, std::int64_t bound = 0) {
  Results found = runBounded(unique(x.shape, type, isSorted), {{"x", x}},
                             machine, bounded(bound));
  std::vector<std::vector<double>> rows;
  for (double value : x.values)
    rows.push_back({value});
  const auto wanted = uniqueRows(x, isSorted, rows);
  const std::int64_t most = bound == 0 ? numElements(x.shape) : bound;
  expectClose(found.at("y"), filledUp(wanted[0], most, 0), 0);
  expectClose(found.at("i"), filledUp(wanted[1], most, -1), 0);
  expectClose(found.at("r"), list(wanted[2]), 0);
  expectClose(found.at("c"), filledUp(wanted[3], most, 0), 0);
  expectClose(found.at("y_count"), number(double(wanted[1].size())), 0);
}

TEST(Bounds, Unique) {
  for (const MachineOptions &machine : Machines)
    for (bool isSorted : {false, true}) {
      expectUnique(randomKinds({4, 6}, 41, 7), Int64, isSorted, machine);
      expectUnique(randomArray({9}, 42), Float, isSorted, machine);
      expectUnique(randomKinds({5}, 43, 2), Bool, isSorted, machine);
      expectUnique(list({3}), Float, isSorted, machine);
      expectUnique(randomKinds({40}, 44, 5), Float, isSorted, machine, 5);
    }
  // Long rows, in which sorting does not keep the order of what is equal.
  for (bool isSorted : {false, true}) {
    expectUnique(randomKinds({1300}, 45, 90), Int64, isSorted, Machines[1]);
    expectUnique(randomKinds({700}, 46, 40), Float, isSorted, Emulator);
  }
}

/// All NaNs are one element, the last one, as in NumPy; zeros of both signs are
/// one.
TEST(Bounds, UniqueOfSpecialNumbers) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  const Array x = list({nan, 2, -0.0, -infinity, nan, -3, infinity, 0, 2, -3});
  for (const MachineOptions &machine : Machines) {
    Results found = runBounded(unique({10}, Float, true), {{"x", x}}, machine);
    expectClose(found.at("y"),
                filledUp({-infinity, -3, 0, 2, infinity, nan}, 10, 0), 0);
    expectClose(found.at("i"), filledUp({3, 5, 2, 1, 6, 0}, 10, -1), 0);
    expectClose(found.at("r"), list({5, 3, 2, 0, 5, 1, 4, 2, 3, 1}), 0);
    expectClose(found.at("c"), filledUp({1, 2, 2, 2, 1, 2}, 10, 0), 0);
    expectClose(found.at("y_count"), number(6), 0);
  }
  // A constant is computed by the compiler, without a bound.
  ModelBuilder m;
  m.weight("x", x).node("Unique", {"x"}, {"y", "i", "r", "c"});
  m.output("y").output("i", Int64).output("r", Int64).output("c", Int64);
  Results found = run(m.model, {});
  expectClose(found.at("y"), list({-infinity, -3, 0, 2, infinity, nan}), 0);
  expectClose(found.at("r"), list({5, 3, 2, 0, 5, 1, 4, 2, 3, 1}), 0);
}

TEST(Bounds, UniqueAlongAnAxis) {
  const Array x = randomKinds({2, 9, 2}, 47, 2);
  std::vector<std::vector<double>> rows(9);
  for (std::int64_t k = 0; k != 9; ++k)
    for (std::int64_t i = 0; i != 2; ++i)
      for (std::int64_t j = 0; j != 2; ++j)
        rows[k].push_back(x({i, k, j}));
  for (const MachineOptions &machine : Machines)
    for (bool isSorted : {false, true}) {
      Results found =
          runBounded(unique(x.shape, Float, isSorted, 1), {{"x", x}}, machine);
      const auto wanted = uniqueRows(x, isSorted, rows);
      const auto count = std::int64_t(wanted[1].size());
      Array values{x.shape, std::vector<double>(36)};
      for (std::int64_t k = 0; k != count; ++k)
        for (std::int64_t i = 0; i != 2; ++i)
          for (std::int64_t j = 0; j != 2; ++j)
            values({i, k, j}) = wanted[0][k * 4 + i * 2 + j];
      expectClose(found.at("y"), values, 0);
      expectClose(found.at("i"), filledUp(wanted[1], 9, -1), 0);
      expectClose(found.at("r"), list(wanted[2]), 0);
      expectClose(found.at("c"), filledUp(wanted[3], 9, 0), 0);
      expectClose(found.at("y_count"), number(double(count)), 0);
    }
}

// ---- What follows -----------------------------------------------------------

TEST(Bounds, WhatPassesPaddingOn) {
  ModelBuilder m;
  m.input("x", {3, 4}).node("NonZero", {"x"}, {"n"});
  m.node("Transpose", {"n"}, {"t"},
         {{"perm", std::vector<std::int64_t>{1, 0}}});
  m.node("Cast", {"t"}, {"f"}, {{"to", Float}});
  m.ints("one", {1}).node("Gather", {"f", "one"}, {"g"}, {{"axis", 1}});
  m.node("Squeeze", {"g", "one"}, {"q"});
  m.ints("zero", {0}).node("Unsqueeze", {"q", "zero"}, {"y"});
  m.output("y");
  std::vector<PaddedResult> results;
  ImportOptions options = bounded();
  options.padded = [&](const PaddedResult &result) {
    results.push_back(result);
  };
  const Array x = randomKinds({3, 4}, 51, 2);
  Results found = runBounded(m.model, {{"x", x}}, Machines[0], options);
  Array wanted{{1, 12}, {}};
  for (const auto &row : nonZeros(x))
    wanted.values.push_back(row[1]);
  wanted.values.resize(12, -1);
  expectClose(found.at("y"), wanted, 0);
  ASSERT_EQ(results.size(), 1U);
  EXPECT_EQ(results[0].name, "y");
  EXPECT_EQ(results[0].axis, 1U);
  EXPECT_EQ(results[0].bound, 12);
  EXPECT_EQ(results[0].count, "n_count");
  EXPECT_EQ(found.at("n_count").shape, Shape());
}

/// A detector's tail: boxes and scores of what is left, scaled, side by side.
TEST(Bounds, RowsOfWhatIsLeft) {
  Suppression s = randomSuppression(61, 1, 1, 12);
  s.threshold = -0.125;
  s.most = 6;
  const Array scores{{12}, s.scores.values}, scale{{4}, {1, 2, 3, 4}};
  ModelBuilder m;
  m.input("b", s.boxes.shape).input("s", s.scores.shape).input("flat", {12});
  m.ints("most", {s.most}).weight("overlap", list({s.overlap}));
  m.weight("threshold", list({*s.threshold})).weight("scale", scale);
  m.ints("zero", {0}).ints("one", {1}).ints("two", {2});
  m.node("NonMaxSuppression", {"b", "s", "most", "overlap", "threshold"},
         {"sel"});
  m.node("Gather", {"sel", "two"}, {"c"}, {{"axis", 1}});
  m.node("Squeeze", {"c", "one"}, {"i"}).node("Squeeze", {"b", "zero"}, {"r"});
  m.node("Gather", {"r", "i"}, {"boxes"}).node("Gather", {"flat", "i"}, {"v"});
  m.node("Mul", {"boxes", "scale"}, {"scaled"});
  m.node("Unsqueeze", {"v", "one"}, {"u"}).node("Sqrt", {"u"}, {"q"});
  m.node("Mul", {"q", "scaled"}, {"weighed"});
  m.ints("step", {2})
      .node("Slice", {"sel", "zero", "three", "one", "step"}, {"vectors"});
  m.ints("three", {3}).node("GatherND", {"b", "vectors"}, {"same"});
  m.node("Concat", {"weighed", "u", "same"}, {"y"}, {{"axis", -1}}).output("y");
  const auto rows = suppressed(s);
  std::vector<std::vector<double>> wanted;
  for (const std::vector<double> &row : rows) {
    const auto i = static_cast<std::int64_t>(row[2]);
    const double score = scores.values[i];
    std::vector<double> numbers;
    for (std::int64_t k = 0; k != 4; ++k)
      numbers.push_back(std::sqrt(score) * s.boxes({0, i, k}) *
                        scale.values[k]);
    numbers.push_back(score);
    for (std::int64_t k = 0; k != 4; ++k)
      numbers.push_back(s.boxes({0, i, k}));
    wanted.push_back(numbers);
  }
  for (const MachineOptions &machine : Machines) {
    Results found = runBounded(
        m.model, {{"b", s.boxes}, {"s", s.scores}, {"flat", scores}}, machine);
    expectClose(found.at("y"), padded(wanted, 6, 9, 0));
    expectClose(found.at("sel_count"), number(double(rows.size())), 0);
  }
}

/// The import's error about a node behind NonZero of "x", [3, 4].
std::string follow(const std::string &type,
                   const std::vector<std::string> &inputs,
                   const std::vector<Attr> &attributes = {},
                   const std::vector<std::string> &anchors = {}) {
  ModelBuilder m;
  m.input("x", {3, 4}).ints("one", {1}).ints("zero", {0}).ints("two", {-1, 2});
  m.ints("twelve", std::vector<std::int64_t>(12));
  m.ints("columns", {1, 2, -1}).ints("all", {-1}).ints("exactly", {2, 12});
  m.input("many", {2, 12}, Int64);
  m.node("NonZero", {"x"}, {"n"}).node(type, inputs, {"y"}, attributes);
  m.output("y", Int64);
  ImportOptions options = bounded();
  options.anchors = anchors;
  return importError(m.model, options);
}

TEST(Bounds, WhatReadsPaddingIsRefused) {
  const std::string wanted = "reads 'n', which has a bound";
  const auto expectRefused = [&](const std::string &text) {
    EXPECT_NE(text.find(wanted), std::string::npos) << text;
  };
  expectRefused(follow("Shape", {"n"}));
  expectRefused(follow("Size", {"n"}));
  expectRefused(follow("ReduceSum", {"n"}));
  expectRefused(follow("Add", {"n", "twelve"}));
  expectRefused(follow("Div", {"one", "n"}));
  expectRefused(follow("CumSum", {"n", "one"}));
  expectRefused(follow("Concat", {"n", "n"}, {{"axis", 1}}));
  expectRefused(follow("Concat", {"n", "many"}, {{"axis", 0}}));
  expectRefused(follow("Reshape", {"n", "two"}));
  expectRefused(follow("ArgMax", {"n"}, {{"axis", 1}}));
  expectRefused(follow("GatherElements", {"many", "n"}));
  expectRefused(follow("Gather", {"n", "n"}));
  expectRefused(follow("Gather", {"n", "zero"}, {{"axis", -1}}));
  expectRefused(follow("Slice", {"n", "zero", "one", "one"}));
  expectRefused(follow("Slice", {"n", "zero", "one", "one"}));
  expectRefused(follow("Squeeze", {"n"}));
  expectRefused(follow("SequenceConstruct", {"n"}));
  EXPECT_EQ(follow("Slice", {"n", "zero", "one", "zero"}), "");
  // Columns may be divided and joined, but not rows, nor may their number be
  // told.
  EXPECT_EQ(follow("Reshape", {"n", "columns"}), "");
  expectRefused(follow("Reshape", {"n", "all"}));
  expectRefused(follow("Reshape", {"n", "exactly"}));
  // An unneeded node may read padding.
  EXPECT_EQ(follow("Shape", {"n"}, {}, {"n"}), "");
  expectRefused(follow("Shape", {"n"}, {}, {"y"}));
}

TEST(Bounds, BranchesThatReadPaddingAreRefused) {
  ModelBuilder m;
  m.input("x", {3}).input("c", {}, Bool).node("NonZero", {"x"}, {"n"});
  m.node("If", {"c"}, {"y"});
  for (const char *name : {"then_branch", "else_branch"}) {
    onnx::AttributeProto &branch =
        *m.model.mutable_graph()->mutable_node(1)->add_attribute();
    branch.set_name(name);
    branch.set_type(onnx::AttributeProto::GRAPH);
    onnx::NodeProto &node = *branch.mutable_g()->add_node();
    branch.mutable_g()->set_name(name);
    node.set_op_type("Shape");
    node.add_input("n");
    node.add_output("s");
    onnx::ValueInfoProto &output = *branch.mutable_g()->add_output();
    output.set_name("s");
    output.mutable_type()->mutable_tensor_type()->set_elem_type(Int64);
    output.mutable_type()->mutable_tensor_type()->mutable_shape();
  }
  m.output("y", Int64);
  EXPECT_NE(importError(m.model, bounded()).find("which has a bound"),
            std::string::npos);
}

TEST(Bounds, Messages) {
  const std::string unknown = importError(nonZero({3}), {});
  EXPECT_NE(unknown.find("--bound y=auto"), std::string::npos) << unknown;
  ImportOptions options;
  options.bounds.bounds["x"] = 2;
  const std::string wrong = importError(nonZero({3}), options);
  EXPECT_NE(wrong.find("--bound y=auto"), std::string::npos) << wrong;
  ModelBuilder m;
  m.input("x", {3}).node("Abs", {"x"}, {"y"}).output("y");
  options.bounds.bounds = {{"y", 2}};
  EXPECT_NE(importError(m.model, options)
                .find("--bound: 'y' is not the first result of a node"),
            std::string::npos);
  EXPECT_EQ(importError(m.model, bounded()), "");
}

} // namespace
} // namespace populus::popir::test
