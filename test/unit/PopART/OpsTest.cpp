// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every operator on the CPU device against a plain float64 computation written
// down here from ONNX's definition.

#include "lib/PopART/Support/Error.h"
#include "test/unit/PopART/ModelBuilder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace populus::popir::test {
namespace {

using Index = std::vector<std::int64_t>;

/// Calls `visit` for every index of a shape, in row-major order.
void forEachIndex(const Shape &shape, const std::function<void(Index)> &visit) {
  Index index(shape.size(), 0);
  for (std::int64_t n = numElements(shape); n-- > 0;) {
    visit(index);
    for (std::size_t i = shape.size(); i-- > 0;) {
      if (++index[i] != shape[i])
        break;
      index[i] = 0;
    }
  }
}

Array build(Shape shape, const std::function<double(Index)> &element) {
  Array result{shape, {}};
  forEachIndex(shape, [&](Index i) { result.values.push_back(element(i)); });
  return result;
}

Array map(const Array &x, const std::function<double(double)> &f) {
  Array result = x;
  std::ranges::transform(x.values, result.values.begin(), f);
  return result;
}

/// The element of a broadcast operand.
double broadcastAt(const Array &x, Index index) {
  index.erase(index.begin(), index.end() - x.shape.size());
  for (std::size_t i = 0; i != index.size(); ++i)
    if (x.shape[i] == 1)
      index[i] = 0;
  return x(index);
}

Array runUnary(const std::string &type, const Array &x,
               const std::vector<Attr> &attributes = {}, int opset = 13) {
  ModelBuilder m(opset);
  m.input("x", x.shape).node(type, {"x"}, {"y"}, attributes).output("y");
  return run(m.model, {{"x", x}}).at("y");
}

Array runBinary(const std::string &type, const Array &a, const Array &b,
                const std::vector<Attr> &attributes = {}, int opset = 13) {
  ModelBuilder m(opset);
  m.input("a", a.shape).input("b", b.shape);
  m.node(type, {"a", "b"}, {"y"}, attributes).output("y");
  return run(m.model, {{"a", a}, {"b", b}}).at("y");
}

struct UnaryCase {
  const char *type;
  double (*reference)(double);
  bool positive = false;
};

TEST(Ops, Unary) {
  const UnaryCase cases[] = {
      {"Relu", [](double x) { return std::max(x, 0.0); }},
      {"Sigmoid", [](double x) { return 1 / (1 + std::exp(-x)); }},
      {"Tanh", [](double x) { return std::tanh(x); }},
      {"Exp", [](double x) { return std::exp(x); }},
      {"Log", [](double x) { return std::log(x); }, true},
      {"Sqrt", [](double x) { return std::sqrt(x); }, true},
      {"Neg", [](double x) { return -x; }},
      {"Abs", [](double x) { return std::abs(x); }},
      {"Reciprocal", [](double x) { return 1 / x; }, true},
      {"Identity", [](double x) { return x; }},
      {"Dropout", [](double x) { return x; }},
  };
  for (const UnaryCase &test : cases) {
    SCOPED_TRACE(test.type);
    Array x = randomArray({3, 5, 7}, 1);
    if (test.positive)
      x = map(x, [](double v) { return std::abs(v) + 0.25; });
    expectClose(runUnary(test.type, x), map(x, test.reference));
  }
}

struct BinaryCase {
  const char *type;
  double (*reference)(double, double);
};

TEST(Ops, BinaryBroadcasts) {
  const BinaryCase cases[] = {
      {"Add", [](double a, double b) { return a + b; }},
      {"Sub", [](double a, double b) { return a - b; }},
      {"Mul", [](double a, double b) { return a * b; }},
      {"Div", [](double a, double b) { return a / b; }},
  };
  const std::pair<Shape, Shape> shapes[] = {
      {{2, 3, 4}, {2, 3, 4}},
      {{2, 3, 4}, {4}},
      {{2, 3, 4}, {3, 1}},
      {{3, 1}, {2, 3, 4}},
      {{5, 1, 2}, {1, 3, 2}},
      {{6}, {}},
      {{}, {}},
  };
  for (const BinaryCase &test : cases)
    for (const auto &[shapeA, shapeB] : shapes) {
      SCOPED_TRACE(std::string(test.type) + " " + toString(shapeA) + " " +
                   toString(shapeB));
      Array a = randomArray(shapeA, 2);
      Array b = map(randomArray(shapeB, 3),
                    [](double v) { return v < 0 ? v - 0.5 : v + 0.5; });
      Shape result(std::max(shapeA.size(), shapeB.size()));
      for (std::size_t i = 0; i != result.size(); ++i) {
        auto extent = [&](const Shape &s) {
          return i < s.size() ? s[s.size() - 1 - i] : 1;
        };
        result[result.size() - 1 - i] =
            std::max(extent(shapeA), extent(shapeB));
      }
      expectClose(runBinary(test.type, a, b), build(result, [&](Index i) {
                    return test.reference(broadcastAt(a, i), broadcastAt(b, i));
                  }));
    }
}

TEST(Ops, BinaryWithTheSameOperandTwice) {
  Array x = randomArray({4}, 4);
  ModelBuilder m;
  m.input("x", x.shape).node("Add", {"x", "x"}, {"y"}).output("y");
  expectClose(run(m.model, {{"x", x}}).at("y"),
              map(x, [](double v) { return v + v; }));
}

TEST(Ops, AddOfOpset6LinesUpAtAnAxis) {
  Array a = randomArray({2, 3, 4}, 5), b = randomArray({3}, 6);
  Array y = runBinary("Add", a, b, {{"broadcast", 1}, {"axis", 1}}, 6);
  expectClose(y, build(a.shape, [&](Index i) { return a(i) + b({i[1]}); }));
}

TEST(Ops, Clip) {
  Array x = randomArray({40}, 7);
  Array low{{}, {-0.5}}, high{{}, {1}};
  ModelBuilder m;
  m.input("x", x.shape).weight("low", low).weight("high", high);
  m.node("Clip", {"x", "low", "high"}, {"both"});
  m.node("Clip", {"x", "", "high"}, {"upper"});
  m.node("Clip", {"x"}, {"none"});
  m.output("both").output("upper").output("none");
  auto results = run(m.model, {{"x", x}});
  expectClose(results.at("both"),
              map(x, [](double v) { return std::clamp(v, -0.5, 1.0); }));
  expectClose(results.at("upper"),
              map(x, [](double v) { return std::min(v, 1.0); }));
  expectClose(results.at("none"), x);
  expectClose(runUnary("Clip", x, {{"min", 0.0f}, {"max", 0.25f}}, 6),
              map(x, [](double v) { return std::clamp(v, 0.0, 0.25); }));
}

struct ConvCase {
  const char *name;
  Shape x, w;
  std::int64_t group = 1;
  std::vector<std::int64_t> pads = {}, strides = {}, dilations = {};
  bool bias = true;
};

void PrintTo(const ConvCase &test, std::ostream *out) { *out << test.name; }

class Conv : public testing::TestWithParam<ConvCase> {};

/// Lists are one entry a dimension; absent ones are filled.
std::vector<std::int64_t> orDefault(std::vector<std::int64_t> list,
                                    std::size_t size, std::int64_t value) {
  return list.empty() ? std::vector<std::int64_t>(size, value) : list;
}

Array referenceConv(const ConvCase &test, const Array &x, const Array &w,
                    const Array &bias) {
  std::size_t rank = x.shape.size() - 2;
  auto pads = orDefault(test.pads, 2 * rank, 0);
  auto strides = orDefault(test.strides, rank, 1);
  auto dilations = orDefault(test.dilations, rank, 1);
  Shape shape = {x.shape[0], w.shape[0]};
  for (std::size_t i = 0; i != rank; ++i)
    shape.push_back((x.shape[i + 2] + pads[i] + pads[i + rank] -
                     (w.shape[i + 2] - 1) * dilations[i] - 1) /
                        strides[i] +
                    1);
  std::int64_t inPerGroup = w.shape[1], outPerGroup = w.shape[0] / test.group;
  return build(shape, [&](Index out) {
    double sum = test.bias ? bias({out[1]}) : 0;
    Shape window(w.shape.begin() + 1, w.shape.end());
    forEachIndex(window, [&](Index k) {
      Index in = {out[0], out[1] / outPerGroup * inPerGroup + k[0]};
      Index weight = {out[1], k[0]};
      for (std::size_t i = 0; i != rank; ++i) {
        std::int64_t place =
            out[i + 2] * strides[i] + k[i + 1] * dilations[i] - pads[i];
        if (place < 0 || place >= x.shape[i + 2])
          return;
        in.push_back(place);
        weight.push_back(k[i + 1]);
      }
      sum += x(in) * w(weight);
    });
    return sum;
  });
}

TEST_P(Conv, MatchesReference) {
  const ConvCase &test = GetParam();
  Array x = randomArray(test.x, 8), w = randomArray(test.w, 9);
  Array bias = randomArray({test.w[0]}, 10);
  std::vector<Attr> attributes = {{"group", test.group}};
  if (!test.pads.empty())
    attributes.push_back({"pads", test.pads});
  if (!test.strides.empty())
    attributes.push_back({"strides", test.strides});
  if (!test.dilations.empty())
    attributes.push_back({"dilations", test.dilations});
  ModelBuilder m;
  m.input("x", x.shape).weight("w", w).weight("b", bias);
  m.node("Conv",
         test.bias ? std::vector<std::string>{"x", "w", "b"}
                   : std::vector<std::string>{"x", "w"},
         {"y"}, attributes);
  m.output("y");
  expectClose(run(m.model, {{"x", x}}).at("y"),
              referenceConv(test, x, w, bias));
}

INSTANTIATE_TEST_SUITE_P(
    Ops, Conv,
    testing::Values(
        ConvCase{"plain", {1, 2, 6, 5}, {3, 2, 3, 3}},
        ConvCase{
            "batch and padding", {2, 3, 5, 7}, {4, 3, 3, 2}, 1, {1, 2, 0, 1}},
        ConvCase{
            "strides", {1, 2, 9, 8}, {2, 2, 3, 3}, 1, {1, 1, 1, 1}, {2, 3}},
        ConvCase{"dilations", {1, 1, 9, 9}, {2, 1, 3, 2}, 1, {}, {}, {2, 3}},
        ConvCase{"groups", {1, 6, 5, 5}, {4, 3, 3, 3}, 2, {1, 1, 1, 1}},
        ConvCase{
            "depthwise", {1, 4, 6, 6}, {4, 1, 3, 3}, 4, {1, 1, 1, 1}, {2, 2}},
        ConvCase{
            "one by one", {1, 5, 4, 4}, {3, 5, 1, 1}, 1, {}, {}, {}, false},
        ConvCase{"one dimension", {2, 3, 11}, {4, 3, 4}, 1, {2, 1}, {2}, {2}}));

TEST(Ops, ConvAutoPad) {
  // The shapes of SAME are ceil(extent / stride); the odd element of padding
  // goes above or below.
  Array x = randomArray({1, 1, 6}, 11), w = randomArray({1, 1, 2}, 12);
  for (bool upper : {true, false}) {
    ModelBuilder m;
    m.input("x", x.shape).weight("w", w);
    m.node("Conv", {"x", "w"}, {"y"},
           {{"auto_pad", upper ? "SAME_UPPER" : "SAME_LOWER"}});
    m.output("y");
    ConvCase same{"", x.shape, w.shape, 1, upper ? Index{0, 1} : Index{1, 0},
                  {}, {},      false};
    expectClose(run(m.model, {{"x", x}}).at("y"),
                referenceConv(same, x, w, {}));
  }
}

struct PoolCase {
  const char *name;
  Shape x;
  std::vector<std::int64_t> kernel, pads = {}, strides = {};
  bool roundUp = false, countPadding = false;
};

void PrintTo(const PoolCase &test, std::ostream *out) { *out << test.name; }

class Pool : public testing::TestWithParam<PoolCase> {};

Shape pooledShape(const PoolCase &test, const Index &pads,
                  const Index &strides) {
  Shape shape = {test.x[0], test.x[1]};
  std::size_t rank = test.kernel.size();
  for (std::size_t i = 0; i != rank; ++i) {
    std::int64_t room =
        test.x[i + 2] + pads[i] + pads[i + rank] - test.kernel[i];
    std::int64_t extent = room / strides[i] + 1;
    bool isLeftOver = test.roundUp && room % strides[i] != 0;
    if (isLeftOver && extent * strides[i] < test.x[i + 2] + pads[i])
      ++extent;
    shape.push_back(extent);
  }
  return shape;
}

/// Folds the elements of each window; `finish` gets the result, the number of
/// elements in the field, and that in field and padding.
Array referencePool(
    const PoolCase &test, const Array &x, double start,
    const std::function<double(double, double)> &combine,
    const std::function<double(double, double, double)> &finish) {
  std::size_t rank = test.kernel.size();
  auto pads = orDefault(test.pads, 2 * rank, 0);
  auto strides = orDefault(test.strides, rank, 1);
  return build(pooledShape(test, pads, strides), [&](Index out) {
    double value = start, inField = 0, inPadding = 0;
    forEachIndex(test.kernel, [&](Index k) {
      Index in = {out[0], out[1]};
      bool isInField = true, isInPadding = true;
      for (std::size_t i = 0; i != rank; ++i) {
        std::int64_t place = out[i + 2] * strides[i] + k[i] - pads[i];
        isInField &= place >= 0 && place < x.shape[i + 2];
        isInPadding &= place < x.shape[i + 2] + pads[i + rank];
        in.push_back(place);
      }
      inPadding += isInPadding;
      if (!isInField)
        return;
      ++inField;
      value = combine(value, x(in));
    });
    return finish(value, inField, inPadding);
  });
}

std::vector<Attr> poolAttributes(const PoolCase &test) {
  std::vector<Attr> attributes = {{"kernel_shape", test.kernel},
                                  {"ceil_mode", int(test.roundUp)}};
  if (!test.pads.empty())
    attributes.push_back({"pads", test.pads});
  if (!test.strides.empty())
    attributes.push_back({"strides", test.strides});
  return attributes;
}

TEST_P(Pool, MaxMatchesReference) {
  const PoolCase &test = GetParam();
  Array x = randomArray(test.x, 13);
  expectClose(runUnary("MaxPool", x, poolAttributes(test)),
              referencePool(
                  test, x, -1e30,
                  [](double a, double b) { return std::max(a, b); },
                  [](double value, double, double) { return value; }));
}

TEST_P(Pool, IndicesNameTheMaxima) {
  const PoolCase &test = GetParam();
  Array x = randomArray(test.x, 13);
  ModelBuilder m(12);
  m.input("x", x.shape);
  m.node("MaxPool", {"x"}, {"y", "i"}, poolAttributes(test));
  m.output("y").output("i", onnx::TensorProto::INT64);
  auto results = run(m.model, {{"x", x}});
  Array named = results.at("i");
  for (double &value : named.values)
    value = x.values.at(static_cast<std::size_t>(value));
  expectClose(results.at("y"), named);
}

TEST_P(Pool, AverageMatchesReference) {
  const PoolCase &test = GetParam();
  Array x = randomArray(test.x, 14);
  std::vector<Attr> attributes = poolAttributes(test);
  attributes.push_back({"count_include_pad", int(test.countPadding)});
  expectClose(runUnary("AveragePool", x, attributes),
              referencePool(
                  test, x, 0, [](double a, double b) { return a + b; },
                  [&](double sum, double inField, double inPadding) {
                    return sum / (test.countPadding ? inPadding : inField);
                  }));
}

INSTANTIATE_TEST_SUITE_P(
    Ops, Pool,
    testing::Values(
        PoolCase{"plain", {1, 2, 6, 6}, {2, 2}, {}, {2, 2}},
        PoolCase{"overlapping", {2, 3, 5, 7}, {3, 2}},
        PoolCase{"padded", {1, 1, 5, 5}, {3, 3}, {1, 1, 1, 1}, {2, 2}},
        PoolCase{"left over", {1, 2, 7, 8}, {2, 3}, {}, {3, 3}},
        PoolCase{
            "rounded up", {1, 2, 7, 8}, {2, 3}, {0, 1, 1, 1}, {2, 3}, true},
        PoolCase{"padding counts",
                 {1, 1, 4, 4},
                 {3, 3},
                 {1, 1, 1, 1},
                 {2, 2},
                 false,
                 true},
        PoolCase{"rounded up, padding counts",
                 {1, 1, 6, 6},
                 {3, 3},
                 {1, 1, 1, 1},
                 {2, 2},
                 true,
                 true},
        PoolCase{"one dimension", {2, 2, 9}, {3}, {1, 0}, {2}}));

TEST(Ops, GlobalAveragePool) {
  Array x = randomArray({2, 3, 4, 5}, 15);
  expectClose(
      runUnary("GlobalAveragePool", x), build({2, 3, 1, 1}, [&](Index i) {
        double sum = 0;
        forEachIndex({4, 5},
                     [&](Index k) { sum += x({i[0], i[1], k[0], k[1]}); });
        return sum / 20;
      }));
}

TEST(Ops, Gemm) {
  for (bool transA : {false, true})
    for (bool transB : {false, true})
      for (const Shape &shapeC :
           {Shape{}, Shape{5}, Shape{3, 1}, Shape{3, 5}}) {
        Array a = randomArray(transA ? Shape{4, 3} : Shape{3, 4}, 16);
        Array b = randomArray(transB ? Shape{5, 4} : Shape{4, 5}, 17);
        Array c = randomArray(shapeC, 18);
        ModelBuilder m;
        m.input("a", a.shape).weight("b", b).weight("c", c);
        m.node("Gemm", {"a", "b", "c"}, {"y"},
               {{"transA", int(transA)},
                {"transB", int(transB)},
                {"alpha", 0.5f},
                {"beta", 2.0f}});
        m.output("y");
        expectClose(run(m.model, {{"a", a}}).at("y"),
                    build({3, 5}, [&](Index i) {
                      double sum = 0;
                      for (std::int64_t k = 0; k != 4; ++k)
                        sum += a(transA ? Index{k, i[0]} : Index{i[0], k}) *
                               b(transB ? Index{i[1], k} : Index{k, i[1]});
                      return 0.5 * sum + 2 * broadcastAt(c, i);
                    }));
      }
}

TEST(Ops, MatMul) {
  struct Case {
    Shape a, b, result;
  };
  const Case cases[] = {
      {{3, 4}, {4, 5}, {3, 5}},
      {{4}, {4}, {}},
      {{4}, {4, 5}, {5}},
      {{3, 4}, {4}, {3}},
      {{2, 3, 4}, {4, 5}, {2, 3, 5}},
      {{2, 3, 4}, {2, 4, 5}, {2, 3, 5}},
      {{2, 1, 3, 4}, {6, 4, 5}, {2, 6, 3, 5}},
      {{4}, {2, 4, 5}, {2, 5}},
  };
  for (const Case &test : cases) {
    SCOPED_TRACE(toString(test.a) + " " + toString(test.b));
    Array a = randomArray(test.a, 19), b = randomArray(test.b, 20);
    expectClose(runBinary("MatMul", a, b), build(test.result, [&](Index i) {
                  // The index of the batch, then of row and column where there
                  // are any.
                  bool isRow = test.a.size() == 1,
                       isColumn = test.b.size() == 1;
                  std::int64_t row = 0, column = 0;
                  if (!isColumn) {
                    column = i.back();
                    i.pop_back();
                  }
                  if (!isRow) {
                    row = i.back();
                    i.pop_back();
                  }
                  double sum = 0;
                  for (std::int64_t k = 0; k != 4; ++k) {
                    Index atA = i, atB = i;
                    atA.insert(atA.end(), {row, k});
                    atB.insert(atB.end(), {k, column});
                    Array left = a, right = b;
                    if (isRow)
                      left.shape = {1, 4};
                    if (isColumn)
                      right.shape = {4, 1};
                    sum += broadcastAt(left, atA) * broadcastAt(right, atB);
                  }
                  return sum;
                }));
  }
}

Array referenceSoftmax(Array x, std::int64_t outer, std::int64_t extent,
                       std::int64_t inner) {
  for (std::int64_t o = 0; o != outer; ++o)
    for (std::int64_t i = 0; i != inner; ++i) {
      auto at = [&](std::int64_t k) -> double & {
        return x.values[(o * extent + k) * inner + i];
      };
      double sum = 0;
      for (std::int64_t k = 0; k != extent; ++k)
        sum += std::exp(at(k));
      for (std::int64_t k = 0; k != extent; ++k)
        at(k) = std::exp(at(k)) / sum;
    }
  return x;
}

TEST(Ops, Softmax) {
  Array x = randomArray({2, 3, 4}, 21, 8);
  expectClose(runUnary("Softmax", x), referenceSoftmax(x, 6, 4, 1));
  expectClose(runUnary("Softmax", x, {{"axis", 1}}),
              referenceSoftmax(x, 2, 3, 4));
  expectClose(runUnary("Softmax", x, {{"axis", -3}}),
              referenceSoftmax(x, 1, 2, 12));
  // Before opset 13 all dimensions from the axis on count as one.
  expectClose(runUnary("Softmax", x, {}, 11), referenceSoftmax(x, 2, 12, 1));
  expectClose(runUnary("Softmax", x, {{"axis", 0}}, 11),
              referenceSoftmax(x, 1, 24, 1));
}

TEST(Ops, SoftmaxOfLargeValuesIsFinite) {
  Array x{{1, 3}, {1000, 999, -1000}};
  double e = std::exp(-1.0);
  expectClose(runUnary("Softmax", x),
              Array{{1, 3}, {1 / (1 + e), e / (1 + e), 0}});
}

ModelBuilder batchNormModel(const Array &x, bool constantParameters) {
  ModelBuilder m;
  m.input("x", x.shape);
  const char *names[] = {"scale", "bias", "mean", "variance"};
  for (unsigned i = 0; i != 4; ++i) {
    Array value = randomArray({x.shape[1]}, 30 + i);
    if (i == 3)
      value = map(value, [](double v) { return v * v; });
    if (constantParameters)
      m.weight(names[i], value);
    else
      m.input(names[i], value.shape);
  }
  m.node("BatchNormalization", {"x", "scale", "bias", "mean", "variance"},
         {"y"}, {{"epsilon", 0.01f}});
  m.output("y");
  return m;
}

TEST(Ops, BatchNormalization) {
  Array x = randomArray({2, 3, 4, 5}, 22);
  Array scale = randomArray({3}, 30), bias = randomArray({3}, 31),
        mean = randomArray({3}, 32),
        variance = map(randomArray({3}, 33), [](double v) { return v * v; });
  Array wanted = build(x.shape, [&](Index i) {
    Index c = {i[1]};
    return (x(i) - mean(c)) / std::sqrt(variance(c) + 0.01) * scale(c) +
           bias(c);
  });
  expectClose(run(batchNormModel(x, true).model, {{"x", x}}).at("y"), wanted);
  expectClose(run(batchNormModel(x, false).model, {{"x", x},
                                                   {"scale", scale},
                                                   {"bias", bias},
                                                   {"mean", mean},
                                                   {"variance", variance}})
                  .at("y"),
              wanted);
}

TEST(Ops, Transpose) {
  Array x = randomArray({2, 3, 4}, 23);
  expectClose(runUnary("Transpose", x),
              build({4, 3, 2}, [&](Index i) { return x({i[2], i[1], i[0]}); }));
  expectClose(runUnary("Transpose", x, {{"perm", Index{1, 2, 0}}}),
              build({3, 4, 2}, [&](Index i) { return x({i[2], i[0], i[1]}); }));
}

TEST(Ops, Concat) {
  Array a = randomArray({2, 3}, 24), b = randomArray({2, 2}, 25);
  Array y = runBinary("Concat", a, b, {{"axis", -1}});
  expectClose(y, build({2, 5}, [&](Index i) {
                return i[1] < 3 ? a(i) : b({i[0], i[1] - 3});
              }));
}

Array runWithInts(const std::string &type, const Array &x,
                  const std::vector<std::vector<std::int64_t>> &lists,
                  const std::vector<Attr> &attributes = {}) {
  ModelBuilder m;
  m.input("x", x.shape);
  std::vector<std::string> inputs = {"x"};
  for (std::size_t i = 0; i != lists.size(); ++i) {
    inputs.push_back("list" + std::to_string(i));
    m.ints(inputs.back(), lists[i]);
  }
  m.node(type, inputs, {"y"}, attributes).output("y");
  return run(m.model, {{"x", x}}).at("y");
}

TEST(Ops, ShapeChangesKeepElements) {
  Array x = randomArray({2, 1, 6}, 26);
  auto expectShape = [&](const Array &y, const Shape &shape) {
    expectClose(y, Array{shape, x.values});
  };
  expectShape(runWithInts("Reshape", x, {{3, -1}}), {3, 4});
  expectShape(runWithInts("Reshape", x, {{0, 2, 3}}), {2, 2, 3});
  expectShape(runUnary("Flatten", x), {2, 6});
  expectShape(runUnary("Flatten", x, {{"axis", 0}}), {1, 12});
  expectShape(runUnary("Squeeze", x), {2, 6});
  expectShape(runWithInts("Squeeze", x, {{-2}}), {2, 6});
  expectShape(runUnary("Squeeze", x, {{"axes", Index{1}}}, 11), {2, 6});
  expectShape(runWithInts("Unsqueeze", x, {{0, -1}}), {1, 2, 1, 6, 1});
}

TEST(Ops, Slice) {
  Array x = randomArray({5, 6}, 27);
  expectClose(runWithInts("Slice", x, {{1, -3}, {4, 100}}),
              build({3, 3}, [&](Index i) { return x({i[0] + 1, i[1] + 3}); }));
  // Backwards from the end to the beginning, every second.
  expectClose(runWithInts("Slice", x, {{-1}, {-100}, {1}, {-2}}),
              build({5, 3}, [&](Index i) { return x({i[0], 5 - 2 * i[1]}); }));
}

// Indices that are broadcast, as those of a graph's edges are, and others.
TEST(Ops, ElementsAlongAnAxis) {
  for (bool isShared : {false, true})
    for (std::int64_t axis : {0, 1, 2}) {
      const Array data = randomArray({5, 4, 6}, 11);
      Shape shape{3, 4, 5};
      shape[axis] = 7;
      const Array updates = randomArray(shape, 12);
      Shape given = shape;
      for (std::int64_t i = 0; isShared && i != 3; ++i)
        given[i] = i == axis ? 7 : 1;
      Array indices = randomArray(given, 13);
      for (std::size_t i = 0; i != indices.values.size(); ++i)
        indices.values[i] = static_cast<double>(i * 5 % 8) - 4;
      ModelBuilder m(16);
      m.input("x", data.shape)
          .input("i", given, onnx::TensorProto::INT64)
          .input("u", shape)
          .ints("shape", shape)
          .node("Expand", {"i", "shape"}, {"indices"})
          .node("GatherElements", {"x", "indices"}, {"rows"}, {{"axis", axis}})
          .node("ScatterElements", {"x", "indices", "u"}, {"sums"},
                {{"axis", axis}, {"reduction", "add"}})
          .output("rows")
          .output("sums");
      Array rows{shape, std::vector<double>(updates.values.size())};
      Array sums = data;
      for (std::int64_t i = 0; i != shape[0]; ++i)
        for (std::int64_t j = 0; j != shape[1]; ++j)
          for (std::int64_t k = 0; k != shape[2]; ++k) {
            std::vector<std::int64_t> from{i, j, k}, at = from;
            for (std::int64_t d = 0; isShared && d != 3; ++d)
              from[d] = d == axis ? from[d] : 0;
            const auto index = static_cast<std::int64_t>(indices(from));
            at[axis] = index < 0 ? index + data.shape[axis] : index;
            rows({i, j, k}) = data(at);
            sums(at) += updates({i, j, k});
          }
      for (const MachineOptions &machine :
           {MachineOptions{"cpu", "cpu"}, {"ipu2", "ipu", 1, 3}}) {
        const auto found = run(
            m.model, {{"x", data}, {"i", indices}, {"u", updates}}, machine);
        expectClose(found.at("rows"), rows);
        expectClose(found.at("sums"), sums);
      }
    }
}

TEST(Ops, EyeLikeOfFarDiagonals) {
  for (auto [k, ones] : {std::pair<std::int64_t, double>{INT64_MAX, 0},
                         {INT64_MIN, 0},
                         {3, 0},
                         {2, 1},
                         {-1, 1}}) {
    ModelBuilder m;
    m.input("x", {2, 3}).node("EyeLike", {"x"}, {"y"}, {{"k", k}}).output("y");
    const Array y = run(m.model, {{"x", randomArray({2, 3}, 44)}}).at("y");
    EXPECT_EQ(std::accumulate(y.values.begin(), y.values.end(), 0.), ones) << k;
  }
}

TEST(Ops, Gather) {
  Array x = randomArray({3, 4}, 28);
  expectClose(
      runWithInts("Gather", x, {{2, -3, 2}}, {{"axis", 1}}),
      build({3, 3}, [&](Index i) { return x({i[0], i[1] == 1 ? 1 : 2}); }));
}

TEST(Ops, Pad) {
  Array x = randomArray({3, 4}, 29);
  auto at = [&](Index i) { return Index{i[0] - 1, i[1] - 2}; };
  expectClose(runWithInts("Pad", x, {{1, 2, 0, 1}}),
              build({4, 7}, [&](Index i) {
                Index k = at(i);
                return k[0] < 0 || k[1] < 0 || k[1] > 3 ? 0 : x(k);
              }));
  expectClose(runWithInts("Pad", x, {{1, 2, 0, 1}}, {{"mode", "edge"}}),
              build({4, 7}, [&](Index i) {
                Index k = at(i);
                return x({std::clamp<std::int64_t>(k[0], 0, 2),
                          std::clamp<std::int64_t>(k[1], 0, 3)});
              }));
  expectClose(runWithInts("Pad", x, {{1, 2, 0, 1}}, {{"mode", "reflect"}}),
              build({4, 7}, [&](Index i) {
                Index k = at(i);
                std::int64_t column = std::abs(k[1]);
                return x({std::abs(k[0]), column > 3 ? 6 - column : column});
              }));
  expectClose(runWithInts("Pad", x, {{-1, 0, 0, -2}}),
              build({2, 2}, [&](Index i) { return x({i[0] + 1, i[1]}); }));
}

/// A model of one node of the domain ai.graphcore.
ModelBuilder graphcoreModel(const std::string &type,
                            const std::vector<std::string> &inputs,
                            const std::vector<Attr> &attributes = {}) {
  ModelBuilder m;
  onnx::OperatorSetIdProto &import = *m.model.add_opset_import();
  import.set_domain("ai.graphcore");
  import.set_version(1);
  m.node(type, inputs, {"y"}, attributes).output("y");
  m.model.mutable_graph()->mutable_node(0)->set_domain("ai.graphcore");
  return m;
}

Array runGraphcore(const std::string &type, const Array &x,
                   const std::vector<Attr> &attributes = {}) {
  ModelBuilder m = graphcoreModel(type, {"x"}, attributes);
  m.input("x", x.shape);
  return run(m.model, {{"x", x}}).at("y");
}

TEST(Ops, GraphcoreFunctions) {
  const UnaryCase cases[] = {
      {"Gelu",
       [](double x) {
         return 0.5 * x *
                (1 + std::tanh(0.7978845608 * (x + 0.044715 * x * x * x)));
       }},
      {"GeluErf",
       [](double x) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))); }},
      {"Swish", [](double x) { return x / (1 + std::exp(-x)); }},
      {"Square", [](double x) { return x * x; }},
      {"Expm1", [](double x) { return std::expm1(x); }},
      {"Log1p", [](double x) { return std::log1p(x); }, true},
      {"Round", [](double x) { return std::round(x); }},
      {"NearbyInt", [](double x) { return std::nearbyint(x); }},
      {"Detach", [](double x) { return x; }},
      {"Nop", [](double x) { return x; }},
  };
  for (const UnaryCase &test : cases) {
    SCOPED_TRACE(test.type);
    Array x = randomArray({3, 5}, 41);
    if (test.positive)
      x = map(x, [](double v) { return std::abs(v); });
    expectClose(runGraphcore(test.type, x), map(x, test.reference));
  }
}

TEST(Ops, GraphcoreScaleReverseSubsample) {
  Array x = randomArray({4, 5}, 42);
  expectClose(runGraphcore("Scale", x, {{"scale", 2.5f}}),
              map(x, [](double v) { return 2.5 * v; }));
  expectClose(runGraphcore("Reverse", x, {{"dimensions", Index{1}}}),
              build({4, 5}, [&](Index i) { return x({i[0], 4 - i[1]}); }));
  expectClose(runGraphcore("Subsample", x, {{"strides", Index{2, 3}}}),
              build({2, 2}, [&](Index i) { return x({2 * i[0], 3 * i[1]}); }));
}

TEST(Ops, GraphcoreSortAndMedian) {
  Array x = randomArray({3, 7}, 43), sorted = x;
  for (int row = 0; row != 3; ++row)
    std::sort(sorted.values.begin() + 7 * row,
              sorted.values.begin() + 7 * (row + 1));
  expectClose(runGraphcore("Sort", x), sorted);
  expectClose(
      runGraphcore("ReduceMedian", x, {{"axes", Index{1}}, {"keepdims", 0}}),
      build({3}, [&](Index i) { return sorted({i[0], 3}); }));
}

TEST(Ops, GraphcoreGroupNormalization) {
  Array x = randomArray({2, 4, 3}, 44), scale = randomArray({4}, 45),
        shift = randomArray({4}, 46);
  ModelBuilder m = graphcoreModel("GroupNormalization", {"x", "s", "b"},
                                  {{"num_groups", 2}});
  m.input("x", x.shape).weight("s", scale).weight("b", shift);
  Array y = build(x.shape, [&](Index i) {
    double sum = 0, squares = 0;
    forEachIndex({2, 3}, [&](Index k) {
      double v = x({i[0], i[1] / 2 * 2 + k[0], k[1]});
      sum += v;
      squares += v * v;
    });
    double mean = sum / 6, variance = squares / 6 - mean * mean;
    return (x(i) - mean) / std::sqrt(variance + 1e-5) * scale({i[1]}) +
           shift({i[1]});
  });
  expectClose(run(m.model, {{"x", x}}).at("y"), y);
}

TEST(Ops, UnknownGraphcoreOperatorIsNamed) {
  ModelBuilder m = graphcoreModel("Mystery", {"x"});
  m.input("x", {1});
  EXPECT_THROW(importModel(m.model), Error);
}

} // namespace
} // namespace populus::popir::test
