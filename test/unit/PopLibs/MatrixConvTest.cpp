// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions that the matrix unit computes, with channels that fill their
// groups and others, and how well their cycles are known in advance.

#include "ConvChecks.h"

#include "lib/PopLibs/poplin/planning/ConvSegments.h"

#include <poputil/exceptions.hpp>

using namespace poplar;
using namespace test;
using namespace test::transforms;

namespace {

std::vector<ConvParams> matrixCases() {
  return {
      params(1, {7, 7}, {1, 1}, 32, 48, 1),
      params(1, {7, 6}, {3, 3}, 32, 32, 1, padded),
      // Channels that do not fill their groups, or are fewer than 8.
      params(1, {9, 7}, {3, 3}, 20, 21, 1, padded),
      params(1, {8, 8}, {5, 5}, 17, 5, 1),
      // Groups of 16 channels on one side only.
      params(1, {7, 6}, {3, 3}, 32, 8, 1, padded),
      params(1, {6, 6}, {1, 1}, 16, 24, 1),
      params(1, {6, 5}, {2, 2}, 24, 40, 1, padded),
      // Strides; a kernel that leaves inputs out.
      params(1, {9, 10}, {3, 3}, 16, 32, 1, padded, {}, strided),
      params(2, {8, 9}, {1, 1}, 32, 16, 2, {}, {}, strided),
      // Groups and batch.
      params(2, {5, 6}, {3, 2}, 16, 16, 3, padded),
      // Few channels: taps of the kernel taken for channels.
      params(1, {13, 14}, {7, 7}, 3, 16, 1,
             In(zero, zero, one, {3, 3}, {3, 3}, no), {}, strided),
      params(2, {9, 9}, {5, 5}, 1, 6, 2,
             In({2, 0}, {0, 0}, one, zero, zero, no)),
      // A dilated kernel; a dilated input, of which no tap meets all results.
      params(1, {11, 9}, {3, 3}, 16, 16, 1, In(zero, zero, one, two, two, no),
             In(zero, zero, two, zero, zero, no)),
      params(1, {4, 5}, {2, 2}, 16, 24, 1, In(zero, zero, two, one, one, no)),
      // Everything at once.
      params(1, {9, 8}, {4, 3}, 18, 33, 2,
             In({1, 0}, {0, 1}, {2, 1}, {3, 1}, {0, 2}, {true, false}),
             In({0, 1}, {1, 0}, {1, 2}, {1, 0}, {0, 1}, {false, true}),
             Out({1, 0}, {0, 1}, {2, 2}, {0, 1}, {2, 0})),
      // One dimension.
      params(1, {37}, {4}, 32, 16, 1, In({0}, {0}, {1}, {2}, {1}, {false}), {},
             Out({0}, {0}, {2}, {0}, {0})),
  };
}

void runCases(const char *device, const Type &type,
              const OptionFlags &options = {}) {
  std::vector<ConvParams> cases;
  for (const ConvParams &c : matrixCases())
    cases.push_back(withType(c, type));
  // Many tiles have so little to do each that another method may be cheaper,
  // and a single one would have to rearrange all of the input.
  expectConvolutions(
      device, cases, integersTo(2), 0, 0,
      [](const Graph &graph, const ConvParams &c) {
        if (graph.getTarget().getNumTiles() == 7) {
          EXPECT_TRUE(methodOf(graph, c) == poplin::ConvMethod::Matrix);
        }
      },
      options);
}

} // namespace

POPLIBS_INSTANTIATE();

TEST_P(OnDevices, MatrixUnitHalf) { runCases(GetParam(), HALF); }
TEST_P(OnDevices, MatrixUnitFloat) { runCases(GetParam(), FLOAT); }

// Weights that are brought into the order of the matrix unit by copies alone.
TEST_P(OnDevices, ConstantWeights) {
  runCases(GetParam(), FLOAT, {{"pass", "INFERENCE_FWD"}});
}

// Taps of the columns taken for channels, rows for taps as before.
TEST_P(OnDevices, FoldedColumns) {
  const In padded(zero, zero, one, {3, 3}, {3, 3}, no);
  for (const Type &type : {HALF, FLOAT}) {
    bool folded = false;
    expectConvolutions(
        GetParam(),
        {withType(params(1, {40, 44}, {7, 7}, 3, 32, 1, padded, {}, strided),
                  type),
         withType(params(2, {33, 30}, {5, 3}, 2, 16, 1), type),
         withType(params(1, {30, 31}, {3, 3}, 3, 24, 2,
                         In({1, 0}, {0, 2}, one, one, two, no),
                         In(zero, zero, two, zero, zero, {true, false}),
                         strided),
                  type)},
        integersTo(2), 0, 0, [&](const Graph &graph, const ConvParams &c) {
          folded |= poplin::planConv(
                        poplin::convShape(c),
                        poplin::CostModel(graph.getTarget(), c.inputType, 0.6))
                        .fold == poplin::KernelFold::Rows;
        });
    // 1,472 tiles are too many for these.
    EXPECT_TRUE(folded || type == HALF ||
                std::string(GetParam()) == "model1472");
  }
}

// A tile has several small images or parts of two, and rows of theirs between
// which there are gaps, in the input, in the results, and between images.
TEST_P(OnDevices, SeveralImages) {
  bool several = false;
  for (const Type &type : {HALF, FLOAT})
    expectConvolutions(
        GetParam(),
        {withType(params(8, {7, 7}, {3, 3}, 32, 32, 1, padded), type),
         withType(params(8, {9, 6}, {3, 3}, 32, 16, 1), type),
         withType(params(5, {8, 10}, {3, 3}, 16, 32, 1, padded, {}, strided),
                  type)},
        integersTo(2), 0, 0, [&](const Graph &graph, const ConvParams &c) {
          const poplin::ConvShape shape = poplin::convShape(c);
          several |=
              poplin::planConv(
                  shape, poplin::CostModel(graph.getTarget(), c.inputType, 0.6))
                  .positions.largest() > shape.y.output * shape.x.output;
        });
  if (std::string(GetParam()) == "ipu7" ||
      std::string(GetParam()) == "model7") {
    EXPECT_TRUE(several);
  }
}

// A run of positions from the middle of a row to the middle of another one, in
// the next image: rows and columns that it reads, and how many it has.
TEST(MatrixConv, RunsOfPositions) {
  const poplin::ConvShape shape = poplin::convShape(
      withType(params(2, {8, 10}, {3, 3}, 16, 16, 1, padded), HALF));
  const poplin::ConvRun run(shape, 65, 95);
  ASSERT_EQ(run.images.size(), 2u);
  EXPECT_EQ(run.images[0].image, 0u);
  EXPECT_EQ(run.images[0].rows.begin, 5u); // 6 and 7, and what 6 reads
  EXPECT_EQ(run.images[0].rows.end, 8u);
  EXPECT_EQ(run.images[1].image, 1u);
  EXPECT_EQ(run.images[1].rows.begin, 0u); // 0 and 1, and what 1 reads
  EXPECT_EQ(run.images[1].rows.end, 3u);
  EXPECT_EQ(run.columns.size(), 10u);
  EXPECT_EQ(run.shape.skipped, 5u);
  EXPECT_EQ(run.shape.count, 30u);
  EXPECT_EQ(run.shape.inputs(), 60u);
  // Inside of a row.
  const poplin::ConvRun inside(shape, 33, 37);
  EXPECT_EQ(inside.columns.begin, 2u);
  EXPECT_EQ(inside.columns.end, 8u);
  EXPECT_EQ(inside.shape.skipped, 0u);
  EXPECT_EQ(inside.shape.inputs(), 18u);
}

// Fields that are divided at parts of rows where that makes parts more even.
TEST_P(OnDevices, PartsOfRows) {
  bool divided = false;
  for (const Type &type : {HALF, FLOAT})
    for (std::size_t width : {8, 15, 20})
      expectConvolutions(
          GetParam(),
          {withType(params(1, {7, width}, {3, 3}, 32, 16, 1, padded), type),
           withType(params(3, {6, width}, {3, 2}, 16, 16, 1), type),
           withType(params(2, {11, 2 * width}, {3, 3}, 16, 32, 1, padded, {},
                           strided),
                    type)},
          integersTo(2), 0, 0, [&](const Graph &graph, const ConvParams &c) {
            const poplin::ConvShape shape = poplin::convShape(c);
            const poplin::ConvPlan plan = poplin::planConv(
                shape, poplin::CostModel(graph.getTarget(), c.inputType, 0.6));
            divided |= plan.positions.parts > 1 &&
                       plan.positions.grain < shape.x.output;
          });
  if (std::string(GetParam()) == "ipu64" ||
      std::string(GetParam()) == "model64") {
    EXPECT_TRUE(divided);
  }
}

// Sums of a single tile are only converted: any number of them, also more than
// a step between partial sums could cross.
TEST_P(OnDevices, ConvertedSums) {
  std::vector<ConvParams> cases;
  for (std::size_t positions : {1, 2, 3, 5, 11, 700})
    cases.push_back(
        withType(params(1, {1, positions}, {1, 1}, 16, 16, 1), HALF));
  expectConvolutions(GetParam(), cases, integersTo(2), 0, 0);
}

// Rows of one size between which there are gaps are taken in one go by the
// vertices of halves: how many positions the busiest worker has is what counts.
TEST(MatrixConv, RowsAreCheapInHalf) {
  poplin::ConvShape shape{1, 1, 1, 1, {}, {}};
  shape.y.input = shape.y.output = 30;
  shape.x.input = 14;
  shape.x.output = 12;
  const poplin::RunShape run = poplin::ConvRun(shape, 0, 30 * 12).shape;
  const auto bundles = [&](std::size_t in) {
    return poplin::ConvSegments(run, {{0, 0}}, {1, 1},
                                poplin::passCosts({in, 8}))
        .bundles;
  };
  EXPECT_LT(bundles(16), 60 * 4 + 70);
  EXPECT_GT(bundles(8), 60 * 8 + 70);
}

// The second convolution takes the first one's results as they lie.
TEST_P(OnDevices, Successive) {
  const ConvParams f = params(1, {6, 5}, {3, 3}, 32, 32, 1);
  const ConvParams s = params(1, {4, 3}, {1, 1}, 32, 48, 1);
  const Values in = randomIntegers(product(inShape(f)), -1, 1, 1);
  const Values w1 = randomIntegers(product(weightsShape(f)), -1, 1, 2);
  const Values w2 = randomIntegers(product(weightsShape(s)), -1, 1, 3);
  Program p(GetParam());
  const ConvParams first = withType(f, HALF), second = withType(s, HALF);
  const Tensor a = poplin::convolution(p.graph, p.input(HALF, inShape(f), in),
                                       p.input(HALF, weightsShape(f), w1),
                                       first, false, p.prog);
  const Tensor b = poplin::convolution(
      p.graph, a, p.input(HALF, weightsShape(s), w2), second, false, p.prog);
  expectNear(p.valuesOf(b), reference(s, reference(f, in, w1), w2), 0, 0);
}

TEST_P(OnDevices, Bias) {
  for (const ConvParams &c :
       {params(1, {6, 6}, {3, 3}, 32, 32, 1, padded),
        params(2, {4, 5}, {1, 1}, 16, 24, 2),
        // Each group has few channels; the output is padded.
        params(1, {6, 6}, {3, 3}, 1, 1, 5),
        params(1, {6, 6}, {3, 3}, 32, 32, 1, padded, {},
               Out(zero, zero, one, one, zero))})
    for (const Type &type : {HALF, FLOAT})
      expectBiased(GetParam(), withType(c, type));
}

// So many results of few tiles that their sums are divided between more
// vertices than there are workers.
TEST_P(OnDevices, ManyResults) {
  for (const Type &type : {HALF, FLOAT})
    expectConvolutions(GetParam(),
                       {withType(params(1, {24, 48}, {1, 1}, 16, 16, 1), type),
                        withType(params(1, {9, 40}, {3, 3}, 64, 16, 1), type)},
                       integersTo(2), 0, 0);
}

// Halves are multiplied exactly and added up in float.
TEST_P(OnDevices, MatrixUnitPrecision) {
  const ConvParams c = params(1, {5, 5}, {3, 3}, 32, 16, 1);
  expectPrecise(GetParam(), withType(c, HALF), 1.0 / 2048, 1e-4);
  expectPrecise(GetParam(), withType(c, FLOAT), 1e-5, 1e-4);
}

// Sums in half: those of these integers are exact.
const OptionFlags halfPartials{{"partialsType", "half"}};
TEST_P(OnDevices, MatrixUnitHalfSums) {
  std::vector<ConvParams> cases;
  for (const ConvParams &c : matrixCases())
    cases.push_back(withType(c, HALF));
  expectConvolutions(GetParam(), cases, integersTo(2), 0, 0, {}, halfPartials);
  expectBiased(GetParam(), cases[1], halfPartials);
}

// 9 x 2 passes round to halves, between -16 and 16, so by at most 1/256 each,
// and so do the sums over tiles and of them.
TEST_P(OnDevices, HalfSumsPrecision) {
  const ConvParams c = params(1, {5, 5}, {3, 3}, 32, 16, 1);
  expectPrecise(GetParam(), withType(c, HALF), 0, 20.0 / 256, halfPartials);
  // Other types have sums in float.
  expectPrecise(GetParam(), withType(c, FLOAT), 1e-5, 1e-4, halfPartials);
}

TEST(MatrixConv, HalfSumsAreCheaper) {
  const Program p("model16");
  const auto shape =
      poplin::convShape(withType(params(1, {9, 9}, {3, 3}, 64, 64, 1), HALF));
  const auto plan = [&](bool halfSums) {
    return poplin::planConv(
        shape, poplin::CostModel(p.graph.getTarget(), HALF, 0.6, halfSums));
  };
  EXPECT_TRUE(plan(true).halfSums);
  EXPECT_FALSE(plan(false).halfSums);
  EXPECT_LT(plan(true).cost, 0.7 * plan(false).cost);
}

// Halves have groups of 16 channels, but a tile that computes one has more to
// do than need be where there are many tiles for few positions.
TEST(MatrixConv, NarrowGroupsOnManyTiles) {
  const auto shape = poplin::convShape(
      withType(params(1, {12, 12}, {3, 3}, 64, 64, 1, padded), HALF));
  const auto width = [&](const char *device) {
    const Program p(device);
    return poplin::planMatrixConv(
               shape, poplin::CostModel(p.graph.getTarget(), HALF, 0.6))
        .width.out;
  };
  EXPECT_EQ(width("model1472"), 8u);
  EXPECT_EQ(width("model16"), 16u);
}

// Tiles that divide rows share weights: cheaper where they can keep them.
TEST(MatrixConv, ConstantWeightsAreCheaper) {
  const Program p("model224");
  const auto shape =
      poplin::convShape(params(1, {14, 14}, {3, 3}, 256, 256, 1, padded));
  const auto plan = [&](bool constantWeights) {
    return poplin::planMatrixConv(shape, poplin::CostModel(p.graph.getTarget(),
                                                           FLOAT, 0.6, false,
                                                           constantWeights));
  };
  EXPECT_LT(plan(true).cost, plan(false).cost);
  EXPECT_GE(plan(true).positions.parts, plan(false).positions.parts);
  EXPECT_GT(plan(true).positions.parts, 1u);
}

TEST(MatrixConv, BiasErrors) {
  Program p("cpu");
  const ConvParams c = params(1, {4, 4}, {3, 3}, 1, 2, 1);
  const Tensor in = p.input({1, 1, 4, 4}, Values(16, 1));
  const Tensor weights = p.input({1, 2, 1, 3, 3}, Values(18, 1));
  EXPECT_THROW(poplin::convolutionWithBias(
                   p.graph, in, weights, p.input({3}, Values(3, 1)), c, p.prog),
               poputil::poplibs_error);
}

TEST(MatrixConv, CyclesAreKnown) {
  for (const Type &type : {HALF, FLOAT})
    for (const ConvParams &c : {
             params(1, {14, 14}, {3, 3}, 64, 64, 1, padded),
             params(1, {14, 14}, {1, 1}, 128, 64, 1),
             params(1, {7, 7}, {3, 3}, 64, 128, 1, padded),
             params(1, {28, 28}, {5, 5}, 16, 16, 1),
             params(1, {8, 8}, {3, 3}, 16, 16, 1, padded, {},
                    Out(zero, zero, {2, 2}, zero, zero)),
         }) {
      const ConvParams typed = withType(c, type);
      for (const OptionFlags &options : {OptionFlags(), halfPartials}) {
        const double exact = cyclesOfProducts("ipu16", typed, options);
        const double estimate = cyclesOfProducts("model16", typed, options);
        EXPECT_NEAR(estimate / exact, 1, 0.03) << exact << typed;
      }
    }
}
