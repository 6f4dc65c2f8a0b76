// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nonlinearities, softmax and pooling against references in double.

#include "Harness.h"

#include <popnn/LogSoftmax.hpp>
#include <popnn/NonLinearity.hpp>
#include <popnn/Pooling.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <functional>
#include <sstream>

using namespace poplar;
using namespace test;
using popnn::NonLinearityType;
using popnn::PoolingType;
using popnn::pooling::PoolParams;

namespace {

double gelu(double x) {
  return 0.5 * x * (1 + std::tanh(0.7978845608 * x * (1 + 0.044715 * x * x)));
}

Values softmax(const Values &in, std::size_t row, bool logarithm) {
  Values out;
  for (std::size_t begin = 0; begin != in.size(); begin += row) {
    const double largest =
        *std::max_element(in.begin() + begin, in.begin() + begin + row);
    double sum = 0;
    for (std::size_t i = 0; i != row; ++i)
      sum += std::exp(in[begin + i] - largest);
    for (std::size_t i = 0; i != row; ++i) {
      const double x = in[begin + i] - largest;
      out.push_back(logarithm ? x - std::log(sum) : std::exp(x) / sum);
    }
  }
  return out;
}

/// Pooling of [planes, rows, columns].
Values pooled(const PoolParams &p, const Values &in) {
  const bool two = p.inputFieldShape.size() == 2;
  const auto size = [&](const auto &list) {
    return std::pair<long, long>(two ? list[0] : 1, list.back());
  };
  const auto [rows, columns] = size(p.inputFieldShape);
  const auto [kRows, kColumns] = size(p.kernelShape);
  const auto [outRows, outColumns] = size(p.getOutputFieldShape());
  const auto lower = p.inputTruncationOrPaddingLower;
  const auto upper = p.inputTruncationOrPaddingUpper;
  // Elements that are truncated do not count.
  const auto counts = [&](long at, long extent, int low, int high) {
    return at >= std::max(0, -low) && at < extent - std::max(0, -high);
  };
  Values out;
  for (std::size_t plane = 0; plane != p.batchSize * p.numChannels; ++plane)
    for (long r = 0; r != outRows; ++r)
      for (long c = 0; c != outColumns; ++c) {
        double sum = 0, largest = -INFINITY;
        int count = 0;
        for (long y = 0; y != kRows; ++y)
          for (long x = 0; x != kColumns; ++x) {
            const long iy = two ? r * p.stride[0] + y - lower[0] : 0;
            const long ix = c * p.stride.back() + x - lower.back();
            if ((two && !counts(iy, rows, lower[0], upper[0])) ||
                !counts(ix, columns, lower.back(), upper.back()))
              continue;
            const double e = in[(plane * rows + iy) * columns + ix];
            sum += e;
            largest = std::max(largest, e);
            ++count;
          }
        out.push_back(p.poolingType == PoolingType::MAX   ? largest
                      : p.poolingType == PoolingType::SUM ? sum
                                                          : sum / count);
      }
  return out;
}

/// Windows of any number of dimensions: visit(result, elements) with indices of
/// one plane.
void forEachWindow(
    const PoolParams &p,
    const std::function<void(std::size_t, const std::vector<std::size_t> &)>
        &visit) {
  std::size_t result = 0;
  forEachIndex(p.getOutputFieldShape(), [&](const Shape &out) {
    std::vector<std::size_t> elements;
    forEachIndex(p.kernelShape, [&](const Shape &tap) {
      std::size_t at = 0;
      for (std::size_t d = 0; d != tap.size(); ++d) {
        const int lower = p.inputTruncationOrPaddingLower[d];
        const int upper = p.inputTruncationOrPaddingUpper[d];
        const long i = long(out[d] * p.stride[d] + tap[d]) - lower;
        if (i < std::max(0, -lower) ||
            i >= long(p.inputFieldShape[d]) - std::max(0, -upper))
          return;
        at = at * p.inputFieldShape[d] + i;
      }
      elements.push_back(at);
    });
    visit(result++, elements);
  });
}

/// The results of pooling and the gradient of the input.
struct PoolReference {
  Values out, gradient;
};

PoolReference poolReference(const PoolParams &p, const Values &in,
                            const Values &gradient, bool scaled) {
  const std::size_t field = product(p.inputFieldShape);
  const std::size_t outField = product(p.getOutputFieldShape());
  PoolReference r{Values(gradient.size()), Values(in.size())};
  for (std::size_t plane = 0; plane != p.batchSize * p.numChannels; ++plane)
    forEachWindow(p, [&](std::size_t o, const auto &elements) {
      const double g = gradient[plane * outField + o];
      double sum = 0, largest = -INFINITY;
      for (std::size_t e : elements) {
        sum += in[plane * field + e];
        largest = std::max(largest, in[plane * field + e]);
      }
      std::size_t ties = 0;
      for (std::size_t e : elements)
        ties += in[plane * field + e] == largest;
      const double count = double(elements.size());
      const bool max = p.poolingType == PoolingType::MAX;
      const bool average = p.poolingType == PoolingType::AVG;
      r.out[plane * outField + o] = max ? largest : average ? sum / count : sum;
      for (std::size_t e : elements) {
        double &share = r.gradient[plane * field + e];
        if (!max)
          share += average ? g / count : g;
        else if (in[plane * field + e] == largest)
          share += scaled ? g / double(ties) : g;
      }
    });
  return r;
}

} // namespace

POPLIBS_INSTANTIATE();

TEST_P(OnDevices, NonLinearities) {
  const struct {
    NonLinearityType type;
    double (*reference)(double);
  } Cases[] = {
      {NonLinearityType::SIGMOID,
       [](double x) { return 1 / (1 + std::exp(-x)); }},
      {NonLinearityType::HARD_SIGMOID,
       [](double x) { return std::clamp(0.2 * x + 0.5, 0.0, 1.0); }},
      {NonLinearityType::RELU, [](double x) { return std::max(x, 0.0); }},
      {NonLinearityType::TANH, std::tanh},
      {NonLinearityType::GELU, gelu},
      {NonLinearityType::GELU_ERF,
       [](double x) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2))); }},
      {NonLinearityType::SWISH,
       [](double x) { return x / (1 + std::exp(-x)); }},
  };
  const Values in = randomValues(90, -4, 4);
  Program p(GetParam());
  std::vector<std::string> outs, inPlace;
  for (const auto &c : Cases) {
    const Tensor t = p.input({9, 10}, in);
    outs.push_back(p.output(popnn::nonLinearity(p.graph, c.type, t, p.prog)));
    popnn::nonLinearityInPlace(p.graph, c.type, t, p.prog);
    inPlace.push_back(p.output(t));
  }
  p.run();
  for (std::size_t i = 0; i != outs.size(); ++i) {
    SCOPED_TRACE(popnn::asString(Cases[i].type));
    Values expected;
    for (double x : in)
      expected.push_back(Cases[i].reference(x));
    expectNear(p.result(outs[i]), expected, 1e-5, 2e-6);
    expectNear(p.result(inPlace[i]), expected, 1e-5, 2e-6);
  }
}

// The gradients are compared with differences.
TEST_P(OnDevices, NonLinearityGradients) {
  const struct {
    NonLinearityType type;
    double (*function)(double);
    bool ofInput;
  } Cases[] = {
      {NonLinearityType::SIGMOID,
       [](double x) { return 1 / (1 + std::exp(-x)); }, false},
      {NonLinearityType::HARD_SIGMOID,
       [](double x) { return std::clamp(0.2 * x + 0.5, 0.0, 1.0); }, false},
      {NonLinearityType::RELU, [](double x) { return std::max(x, 0.0); },
       false},
      {NonLinearityType::TANH, std::tanh, false},
      {NonLinearityType::GELU, gelu, true},
      {NonLinearityType::GELU_ERF,
       [](double x) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2))); },
       true},
      {NonLinearityType::SWISH, [](double x) { return x / (1 + std::exp(-x)); },
       true},
  };
  const Values in = randomValues(60, -4, 4), g = randomValues(60, -1, 1, 2);
  for (const Type &type : {FLOAT, HALF}) {
    Program p(GetParam());
    std::vector<std::string> outs;
    for (const auto &c : Cases) {
      Values act;
      for (double x : in)
        act.push_back(c.ofInput ? x : c.function(x));
      outs.push_back(p.output(popnn::nonLinearityInputGradient(
          p.graph, c.type, p.input(type, {6, 10}, act),
          p.input(type, {6, 10}, g), p.prog)));
    }
    const Values y = softmax(in, 10, false);
    const auto soft = p.output(popnn::nonLinearityInputGradient(
        p.graph, NonLinearityType::SOFTMAX, p.input(type, {6, 10}, y),
        p.input(type, {6, 10}, g), p.prog));
    p.run();
    const double tolerance = type == HALF ? 6e-3 : 2e-5;
    for (std::size_t i = 0; i != outs.size(); ++i) {
      SCOPED_TRACE(popnn::asString(Cases[i].type));
      Values expected;
      for (std::size_t j = 0; j != in.size(); ++j)
        expected.push_back(g[j] *
                           (Cases[i].function(in[j] + 1e-5) -
                            Cases[i].function(in[j] - 1e-5)) /
                           2e-5);
      expectNear(p.result(outs[i]), expected, tolerance, tolerance);
    }
    Values expected;
    for (std::size_t row = 0; row != 60; row += 10) {
      double sum = 0;
      for (std::size_t j = row; j != row + 10; ++j)
        sum += g[j] * y[j];
      for (std::size_t j = row; j != row + 10; ++j)
        expected.push_back(y[j] * (g[j] - sum));
    }
    expectNear(p.result(soft), expected, tolerance, tolerance);
  }
}

// Rows with large elements would overflow without the maximum subtracted.
TEST_P(OnDevices, Softmax) {
  Values in = randomValues(4 * 11, -3, 3);
  for (std::size_t i = 0; i != 11; ++i) {
    in[11 + i] = static_cast<float>(in[11 + i] + 1000);
    in[22 + i] = static_cast<float>(in[22 + i] - 1000);
  }
  const Values longRow = randomValues(5000, -3, 3);
  Program p(GetParam());
  const Tensor t = p.input({2, 2, 11}, in);
  const auto out = p.output(popnn::softmax(p.graph, t, p.prog));
  const auto logs = p.output(popnn::logSoftmax(p.graph, t, p.prog));
  const auto row =
      p.output(popnn::softmaxStable(p.graph, p.input({5000}, longRow), p.prog));
  popnn::softmaxInPlace(p.graph, t, p.prog);
  const auto inPlace = p.output(t);
  p.run();
  expectNear(p.result(out), softmax(in, 11, false));
  expectNear(p.result(inPlace), softmax(in, 11, false));
  expectNear(p.result(logs), softmax(in, 11, true), 1e-5, 1e-5);
  expectNear(p.result(row), softmax(longRow, 5000, false));
}

TEST_P(OnDevices, HalfSoftmax) {
  const Values in = randomIntegers(20, -3, 3);
  Program p(GetParam());
  const Tensor t = p.input(HALF, {4, 5}, in);
  float scale = 0;
  const auto scaled = p.output(popnn::nonLinearity(
      p.graph, NonLinearityType::SOFTMAX_SCALED, t, scale, p.prog));
  const auto plain = p.output(popnn::softmax(p.graph, t, p.prog));
  p.run();
  EXPECT_GT(scale, 1);
  const Values expected = softmax(in, 5, false);
  expectNear(p.result(plain), expected, 4e-3, 1e-6);
  Values actual = p.result(scaled);
  for (double &x : actual)
    x /= scale;
  expectNear(actual, expected, 4e-3, 1e-6);
}

TEST_P(OnDevices, Pooling) {
  std::vector<PoolParams> cases;
  for (PoolingType type :
       {PoolingType::MAX, PoolingType::AVG, PoolingType::SUM}) {
    cases.emplace_back(type, Shape{28, 28}, Shape{2, 2},
                       std::vector<unsigned>{2, 2}, std::vector<int>{0, 0},
                       std::vector<int>{0, 0}, 6, 1, FLOAT);
    cases.emplace_back(type, Shape{7, 9}, Shape{3, 3},
                       std::vector<unsigned>{2, 1}, std::vector<int>{1, 1},
                       std::vector<int>{0, 1}, 5, 3, FLOAT);
    cases.emplace_back(type, Shape{8, 8}, Shape{2, 3},
                       std::vector<unsigned>{3, 2}, std::vector<int>{-1, 2},
                       std::vector<int>{1, -2}, 2, 1, FLOAT);
    cases.emplace_back(type, Shape{6, 6}, Shape{6, 6},
                       std::vector<unsigned>{1, 1}, std::vector<int>{0, 0},
                       std::vector<int>{0, 0}, 33, 1, FLOAT);
    cases.emplace_back(type, Shape{13}, Shape{4}, std::vector<unsigned>{3},
                       std::vector<int>{1}, std::vector<int>{2}, 3, 2, FLOAT);
  }
  Program p(GetParam());
  std::vector<std::string> outs;
  std::vector<Values> expected;
  for (const PoolParams &c : cases) {
    Shape shape{c.batchSize, c.numChannels};
    shape.insert(shape.end(), c.inputFieldShape.begin(),
                 c.inputFieldShape.end());
    const Values in = randomValues(product(shape), -5, -1);
    outs.push_back(
        p.output(popnn::pooling::pool(p.graph, c, p.input(shape, in), p.prog)));
    expected.push_back(pooled(c, in));
  }
  p.run();
  for (std::size_t i = 0; i != outs.size(); ++i) {
    SCOPED_TRACE(i);
    expectNear(p.result(outs[i]), expected[i]);
  }
}

// A window over the whole field of halves, whose sums would not fit in a half.
namespace {

/// Cycles of the first compute set with \p name in its name.
std::uint64_t cyclesOf(Program &p, const char *name) {
  Engine engine(p.graph, p.prog, {{"debug.instrument", "true"}});
  engine.load(p.device);
  engine.run();
  const ProfileValue profile = engine.getExecutionProfile();
  for (const ProfileValue &step : profile["simulation"]["steps"].asVector())
    if (step["type"].asString() == "OnTileExecute" &&
        step["name"].asString().find(name) != std::string::npos)
      return step["cyclesTo"].asUint() - step["cyclesFrom"].asUint();
  ADD_FAILURE() << "no step is '" << name << "'";
  return 0;
}

Tensor addField(Program &p, const PoolParams &params,
                const std::vector<std::size_t> &field) {
  return p.graph.addVariable(params.dType,
                             {1, params.numChannels, field[0], field[1]},
                             VariableMappingMethod::LINEAR);
}

/// Cycles of the compute set that pools.
std::uint64_t cyclesOfPool(const char *device, const PoolParams &params) {
  Program p(device);
  popnn::pooling::pool(p.graph, params,
                       addField(p, params, params.inputFieldShape), p.prog);
  return cyclesOf(p, "Pool");
}

/// Cycles of the compute set that adds up gradients.
std::uint64_t cyclesOfPoolGradient(const char *device,
                                   const PoolParams &params) {
  Program p(device);
  const auto field = params.getOutputFieldShape();
  popnn::pooling::poolInputGradient(
      p.graph, params, addField(p, params, params.inputFieldShape),
      addField(p, params, field), addField(p, params, field), false, p.prog);
  return cyclesOf(p, "Windows");
}

} // namespace

TEST(NeuralNet, CyclesOfPoolsAreKnown) {
  for (const Type &type : {FLOAT, HALF})
    for (PoolingType kind :
         {PoolingType::MAX, PoolingType::AVG, PoolingType::SUM})
      for (unsigned window : {2u, 3u}) {
        const PoolParams c(kind, {26, 26}, {window, window}, {2, 2}, {1, 1},
                           {1, 1}, 64, 1, type);
        const double exact = cyclesOfPool("ipu16", c);
        EXPECT_NEAR(cyclesOfPool("model16", c) / exact, 1, 0.15)
            << exact << " " << kind << " " << type << " " << window;
      }
}

TEST(NeuralNet, CyclesOfPoolGradientsAreKnown) {
  for (const Type &type : {FLOAT, HALF})
    for (PoolingType kind : {PoolingType::MAX, PoolingType::SUM})
      for (unsigned window : {2u, 3u}) {
        const PoolParams c(kind, {26, 26}, {window, window}, {2, 2}, {1, 1},
                           {1, 1}, 64, 1, type);
        const double exact = cyclesOfPoolGradient("ipu16", c);
        EXPECT_NEAR(cyclesOfPoolGradient("model16", c) / exact, 1, 0.15)
            << exact << " " << kind << " " << type << " " << window;
      }
}

// Groups of few channels are filled up: that takes less than to pool them one
// by one, and of halves no longer than of floats.
TEST(NeuralNet, PoolsOfFewChannels) {
  for (std::size_t channels : {1, 3, 6}) {
    const auto cycles = [&](const Type &type) {
      return cyclesOfPool("ipu16", {PoolingType::MAX,
                                    {28, 28},
                                    {2, 2},
                                    {2, 2},
                                    {0, 0},
                                    {0, 0},
                                    channels,
                                    1,
                                    type});
    };
    EXPECT_LT(cycles(HALF), 4000u) << channels;
    EXPECT_LT(cycles(FLOAT), 4000u) << channels;
  }
}

// The vertex of pools with many positions on few tiles.
TEST_P(OnDevices, PoolVertex) {
  for (const Type &type : {FLOAT, HALF}) {
    const PoolParams c(PoolingType::AVG, {7, 9}, {3, 2}, {2, 1}, {1, 0}, {0, 1},
                       2, 1, type);
    const Values in = randomIntegers(2 * 7 * 9, -20, 20);
    const Shape field = c.getOutputFieldShape();
    Program p(GetParam());
    const Tensor t = p.input(type, {in.size()}, in);
    const Tensor out = p.graph.addVariable(type, {2 * product(field)}, "out");
    const ComputeSet cs = p.graph.addComputeSet("pool");
    const VertexRef v = p.graph.addVertex(
        cs, "popnn::Pool<popnn::PoolingType::AVG," + type.toString() + ">",
        {{"in", t}, {"out", out}});
    const std::pair<const char *, int> fields[] = {
        {"channels", 2},       {"inRows", 7},           {"inColumns", 9},
        {"kernelRows", 3},     {"kernelColumns", 2},    {"strideY", 2},
        {"strideX", 1},        {"originY", -1},         {"originX", 0},
        {"outRows", field[0]}, {"outColumns", field[1]}};
    for (const auto &[name, value] : fields)
      p.graph.setInitialValue(v[name], value);
    p.graph.setTileMapping(out, 0);
    p.graph.setTileMapping(v, 0);
    p.prog.add(poplar::program::Execute(cs));
    const auto result = p.output(out);
    p.run();
    expectNear(p.result(result), pooled(c, in), 1e-3, 1e-3);
  }
}

TEST_P(OnDevices, PoolingOfTheFieldInHalf) {
  Program p(GetParam());
  const Values in = randomIntegers(3 * 20 * 20, 150, 250);
  const Tensor t = p.input(HALF, {1, 3, 20, 20}, in);
  std::vector<std::string> outs;
  std::vector<Values> expected;
  for (PoolingType type : {PoolingType::MAX, PoolingType::AVG}) {
    const PoolParams c(type, {20, 20}, {20, 20}, {1, 1}, {0, 0}, {0, 0}, 3, 1,
                       HALF);
    outs.push_back(p.output(popnn::pooling::pool(p.graph, c, t, p.prog)));
    expected.push_back(pooled(c, in));
  }
  p.run();
  for (std::size_t i = 0; i != outs.size(); ++i)
    expectNear(p.result(outs[i]), expected[i], 1e-3);
}

// Fields of one to four dimensions, with small integers so that there are ties.
TEST_P(OnDevices, PoolingGradient) {
  for (const Type &type : {FLOAT, HALF}) {
    std::vector<PoolParams> cases;
    using List = std::vector<int>;
    for (PoolingType kind :
         {PoolingType::MAX, PoolingType::AVG, PoolingType::SUM}) {
      cases.emplace_back(kind, Shape{9}, Shape{3}, std::vector<unsigned>{2},
                         List{1}, List{0}, 2, 2, type);
      cases.emplace_back(kind, Shape{6, 7}, Shape{3, 2},
                         std::vector<unsigned>{2, 3}, List{1, -1}, List{1, 0},
                         3, 1, type);
      // Channels in several groups, the last one not full; windows that
      // overlap, or leave elements out; one that covers the field.
      cases.emplace_back(kind, Shape{9, 11}, Shape{3, 3},
                         std::vector<unsigned>{2, 2}, List{1, 1}, List{1, 0},
                         20, 2, type);
      cases.emplace_back(kind, Shape{10, 7}, Shape{2, 3},
                         std::vector<unsigned>{3, 1}, List{0, 2}, List{1, 1},
                         16, 1, type);
      cases.emplace_back(kind, Shape{5, 4}, Shape{5, 4},
                         std::vector<unsigned>{1, 1}, List{0, 0}, List{0, 0}, 6,
                         2, type);
      cases.emplace_back(kind, Shape{4, 5, 3}, Shape{2, 3, 2},
                         std::vector<unsigned>{1, 2, 1}, List{1, 1, 0},
                         List{0, 1, -1}, 2, 2, type);
      cases.emplace_back(kind, Shape{2, 3, 2, 2}, Shape{2, 1, 1, 2},
                         std::vector<unsigned>{1, 1, 1, 1}, List{0, 0, 0, 1},
                         List{1, 0, 0, 0}, 1, 1, type);
    }
    Program p(GetParam());
    std::vector<std::string> outs, gradients, scaled;
    std::vector<PoolReference> expected, expectedScaled;
    for (const PoolParams &c : cases) {
      Shape shape{c.batchSize, c.numChannels}, outShape = shape;
      for (std::size_t extent : c.inputFieldShape)
        shape.push_back(extent);
      for (std::size_t extent : c.getOutputFieldShape())
        outShape.push_back(extent);
      const Values in = randomIntegers(product(shape), -2, 2);
      const Values gradient = randomIntegers(product(outShape), -4, 4, 3);
      const Tensor t = p.input(type, shape, in);
      const Tensor g = p.input(type, outShape, gradient);
      const Tensor out = popnn::pooling::pool(p.graph, c, t, p.prog);
      outs.push_back(p.output(out));
      gradients.push_back(p.output(popnn::pooling::poolInputGradient(
          p.graph, c, t, out, g, false, p.prog)));
      scaled.push_back(p.output(popnn::pooling::poolInputGradient(
          p.graph, c, t, out, g, true, p.prog)));
      expected.push_back(poolReference(c, in, gradient, false));
      expectedScaled.push_back(poolReference(c, in, gradient, true));
    }
    p.run();
    const double tolerance = type == HALF ? 2e-3 : 1e-5;
    for (std::size_t i = 0; i != outs.size(); ++i) {
      SCOPED_TRACE(i);
      expectNear(p.result(outs[i]), expected[i].out, tolerance, tolerance);
      expectNear(p.result(gradients[i]), expected[i].gradient, tolerance,
                 tolerance);
      expectNear(p.result(scaled[i]), expectedScaled[i].gradient, tolerance,
                 tolerance);
    }
  }
}

TEST(NeuralNet, Names) {
  NonLinearityType type;
  std::istringstream("softmax_stable") >> type;
  EXPECT_EQ(type, NonLinearityType::SOFTMAX_STABLE);
  EXPECT_STREQ(popnn::asString(type), "softmax (stable)");
  std::istringstream bad("softplus");
  EXPECT_THROW(bad >> type, poputil::poplibs_error);
}

TEST(NeuralNet, Errors) {
  Program p("cpu");
  EXPECT_THROW(popnn::relu(p.graph, p.input(INT, {2}, {1, 2}), p.prog),
               poputil::poplibs_error);
  EXPECT_THROW(PoolParams(PoolingType::MAX, {2, 2}, {3, 3}, {1, 1}, {0, 0},
                          {0, 0}, 1, 1, FLOAT),
               poputil::poplibs_error);
  const PoolParams c(PoolingType::MAX, {2, 2}, {2, 2}, {1, 1}, {0, 0}, {0, 0},
                     1, 1, FLOAT);
  EXPECT_THROW(popnn::pooling::pool(p.graph, c,
                                    p.input({1, 1, 3, 2}, Values(6)), p.prog),
               poputil::poplibs_error);
  EXPECT_THROW(popnn::pooling::pool(p.graph, c,
                                    p.input({1, 1, 2, 2}, Values(4)), p.prog,
                                    {}, {{"fast", "true"}}),
               poplar::invalid_option);
}
