// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Queries of plans: the elements of a convolution that meet, floating-point
// operations, reports and estimates; and the effects of the options that plans
// depend on.

#include "ConvChecks.h"

#include <poplin/ConvUtil.hpp>
#include <poplin/MatMul.hpp>

#include <sstream>
#include <unordered_set>

using namespace poplar;
using namespace test;

namespace {

constexpr unsigned None = ~0U;

/// Convolutions along one dimension with transforms of all kinds.
std::vector<ConvParams> lines() {
  const auto out = [](unsigned lower, unsigned upper, unsigned stride,
                      unsigned padLower, unsigned padUpper) {
    return Out({lower}, {upper}, {stride}, {padLower}, {padUpper});
  };
  return {
      params(1, {7}, {3}, 1, 1, 1),
      params(1, {7}, {3}, 1, 1, 1, In({0}, {0}, {1}, {2}, {1}, {false}), {},
             out(0, 0, 2, 0, 0)),
      params(1, {6}, {3}, 1, 1, 1, In({1}, {0}, {2}, {1}, {3}, {true}),
             In({0}, {1}, {2}, {1}, {0}, {true}), out(1, 0, 1, 0, 0)),
      params(1, {9}, {4}, 1, 1, 1, In({1}, {1}, {1}, {3}, {0}, {true}),
             In({0}, {0}, {2}, {0}, {1}, {false}), out(0, 1, 3, 2, 1)),
      params(1, {1}, {1}, 1, 1, 1, In({0}, {0}, {5}, {0}, {0}, {true}),
             In({0}, {0}, {3}, {0}, {0}, {true}), out(0, 0, 4, 0, 0)),
  };
}

Values oneHot(std::size_t size, std::size_t at) {
  Values values(size, 0);
  values[at] = 1;
  return values;
}

std::size_t tilesWith(const Graph &graph, const Tensor &t) {
  std::size_t tiles = 0;
  for (const auto &regions : graph.getTileMapping(t))
    tiles += !regions.empty();
  return tiles;
}

} // namespace

// An output element is 1 if only the input and the kernel element that it joins
// are.
TEST(ConvUtil, IndicesThatMeet) {
  for (const ConvParams &line : lines()) {
    SCOPED_TRACE(line);
    const unsigned inputs = line.inputFieldShape[0], taps = line.kernelShape[0],
                   outputs = line.getOutputSize(0);
    std::uint64_t products = 0;
    for (unsigned in = 0; in != inputs; ++in)
      for (unsigned tap = 0; tap != taps; ++tap) {
        const Values result =
            reference(line, oneHot(inputs, in), oneHot(taps, tap));
        for (unsigned out = 0; out != outputs; ++out) {
          const bool meet = result[out] != 0;
          products += meet;
          EXPECT_EQ(poplin::getInputIndex(0, out, tap, line) == in, meet);
          EXPECT_EQ(poplin::getKernelIndex(0, out, in, line) == tap, meet);
        }
      }
    EXPECT_EQ(poplin::getFwdFlops(line), 2 * products);
    EXPECT_EQ(poplin::getBwdFlops(line), 2 * products);
    EXPECT_EQ(poplin::getWuFlops(line), 2 * products);
  }
}

TEST(ConvUtil, RangesAreTheSmallest) {
  using poplin::IndexRange;
  const auto widen = [](IndexRange &range, unsigned index) {
    range = range.first == range.second
                ? IndexRange(index, index + 1)
                : IndexRange(std::min(range.first, index),
                             std::max(range.second, index + 1));
  };
  for (const ConvParams &line : lines()) {
    SCOPED_TRACE(line);
    const unsigned taps = line.kernelShape[0], outputs = line.getOutputSize(0);
    const unsigned inputs = line.inputFieldShape[0];
    const IndexRange outs(0, outputs);
    IndexRange allInputs(0, 0);
    for (unsigned tap = 0; tap != taps; ++tap) {
      IndexRange met(0, 0), expectedInputs(0, 0);
      for (unsigned out = 0; out != outputs; ++out) {
        const unsigned in = poplin::getInputIndex(0, out, tap, line);
        if (in == None)
          continue;
        widen(met, out);
        widen(expectedInputs, in);
        widen(allInputs, in);
      }
      EXPECT_EQ(poplin::getOutputRangeForKernelIndex(0, outs, tap, line), met);
      EXPECT_EQ(poplin::getInputRange(0, outs, {tap, tap + 1}, line),
                expectedInputs);
    }
    EXPECT_EQ(poplin::getInputRange(0, outs, line), allInputs);
    for (unsigned in = 0; in != inputs; ++in) {
      IndexRange met(0, 0), expectedTaps(0, 0);
      for (unsigned out = 0; out != outputs; ++out) {
        const unsigned tap = poplin::getKernelIndex(0, out, in, line);
        if (tap == None)
          continue;
        widen(met, out);
        widen(expectedTaps, tap);
      }
      EXPECT_EQ(poplin::getOutputRangeForInputIndex(0, outs, in, line), met);
      EXPECT_EQ(poplin::getKernelRange(0, outs, {in, in + 1}, line),
                expectedTaps);
    }
  }
}

TEST(ConvParams, CanonicalFormIsTheSameConvolution) {
  std::unordered_set<ConvParams> seen;
  for (const ConvParams &line : lines()) {
    SCOPED_TRACE(line);
    const ConvParams canonical = line.canonicalize();
    EXPECT_EQ(canonical, canonical.canonicalize());
    const Values in = randomIntegers(line.inputFieldShape[0]);
    const Values kernel = randomIntegers(line.kernelShape[0], -4, 4, 2);
    EXPECT_EQ(reference(canonical, in, kernel), reference(line, in, kernel));
    seen.insert(line);
    EXPECT_EQ(std::hash<ConvParams>()(line),
              std::hash<ConvParams>()(ConvParams(line)));
  }
  EXPECT_EQ(seen.size(), lines().size());
  const ConvParams canonical = lines().back().canonicalize();
  EXPECT_EQ(canonical.inputTransform.dilation[0], 1u);
  EXPECT_FALSE(canonical.inputTransform.flip[0]);
  EXPECT_EQ(canonical.outputTransform.stride[0], 1u);
  EXPECT_NE(canonical, lines().back());
}

TEST(PlanReport, SaysWhatIsPlanned) {
  const Program p("model64");
  poplin::PlanningCache cache;
  const ConvParams conv =
      withType(params(1, {14, 14}, {3, 3}, 64, 64, 1), HALF);
  std::ostringstream text;
  poplin::reportPlanInfo(text, p.graph, conv, {}, &cache);
  EXPECT_NE(text.str().find("method: matrix unit"), std::string::npos);
  EXPECT_NE(text.str().find("estimated cycles: "), std::string::npos);
  EXPECT_EQ(cache.size(), 1u);
  const auto costs =
      poplin::reportPlanEstimatedCosts(p.graph, conv, {}, &cache);
  EXPECT_EQ(cache.size(), 1u);
  EXPECT_NE(
      text.str().find("estimated cycles: " + std::to_string(costs.cycles)),
      std::string::npos);
  EXPECT_GT(costs.memory, 0u);
  // 64 tiles with 64 products of halves a cycle.
  EXPECT_EQ(poplin::getFwdFlops(conv), 2ull * 12 * 12 * 9 * 64 * 64);
  const double perfect = poplin::getFwdPerfectCycleCount(p.graph, conv);
  EXPECT_DOUBLE_EQ(perfect, 12 * 12 * 9);
  EXPECT_DOUBLE_EQ(poplin::getBwdPerfectCycleCount(p.graph, conv), perfect);
  EXPECT_DOUBLE_EQ(poplin::getWuPerfectCycleCount(p.graph, conv), perfect);
  EXPECT_GT(costs.cycles, perfect);

  std::ostringstream update, volume, product;
  poplin::reportWeightUpdatePlanInfo(update, p.graph, conv);
  EXPECT_NE(update.str().find("plan:"), std::string::npos);
  poplin::reportPlanInfo(volume, p.graph,
                         ConvParams(FLOAT, 1, {5, 5, 5}, {3, 3, 3}, 2, 2, 1));
  EXPECT_NE(volume.str().find("plan:"), std::string::npos);
  poplin::matMulReportPlan(product, p.graph, HALF, HALF, {64, 64}, {64, 64},
                           {{"partialsType", "half"}});
  EXPECT_NE(product.str().find("sums in half"), std::string::npos);
}

// The less memory a plan may use, the less it does.
TEST(PlanOptions, AvailableMemoryProportion) {
  const Program p("model64");
  const ConvParams conv = params(1, {56, 56}, {3, 3}, 128, 128, 1);
  const auto costs = [&](const char *proportion) {
    return poplin::reportPlanEstimatedCosts(
        p.graph, conv, {{"availableMemoryProportion", proportion}});
  };
  const auto much = costs("0.9"), little = costs("0.4");
  EXPECT_GT(much.memory, 0.4 * 624 * 1024);
  EXPECT_LT(little.memory, 0.4 * 624 * 1024);
  EXPECT_LT(much.cycles, little.cycles);
  // A share that no plan keeps to is not an error, and not counted as cycles.
  const auto least = costs("0.001");
  EXPECT_LT(least.memory, little.memory);
  EXPECT_LT(least.cycles, 4 * little.cycles);
}

// Sums in half change the plan and the result.
TEST(PlanOptions, PartialsType) {
  const ConvParams conv = withType(params(1, {9, 9}, {3, 3}, 64, 64, 1), HALF);
  const auto run = [&](const char *type) {
    Program p("model16");
    const Tensor in =
        p.input(HALF, inShape(conv), randomValues(product(inShape(conv))));
    const Tensor weights = p.input(HALF, weightsShape(conv),
                                   randomValues(product(weightsShape(conv))));
    return p.valuesOf(poplin::convolution(p.graph, in, weights, conv, false,
                                          p.prog, "conv",
                                          {{"partialsType", type}}));
  };
  const Values exact = run("float"), rounded = run("half");
  EXPECT_NE(exact, rounded);
  expectNear(rounded, exact, 0.02, 0.5);
}

// The cache returns an earlier plan, for the same options only.
TEST(PlanOptions, PlanningCache) {
  Program p("model64");
  poplin::PlanningCache cache;
  const ConvParams conv = params(1, {9, 9}, {3, 3}, 16, 16, 1);
  const Tensor weights =
      poplin::createWeights(p.graph, conv, "weights", {}, &cache);
  EXPECT_EQ(cache.size(), 1u);
  const Tensor in = poplin::createInput(p.graph, conv, "in", {}, &cache);
  poplin::convolution(p.graph, in, weights, conv, false, p.prog, "conv", {},
                      &cache);
  EXPECT_EQ(cache.size(), 1u);
  poplin::convolution(p.graph, in, weights, conv, false, p.prog, "conv",
                      {{"availableMemoryProportion", "0.1"}}, &cache);
  EXPECT_EQ(cache.size(), 2u);
  EXPECT_GT(tilesWith(p.graph, weights), 1u);
}
