// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Smaller interfaces: statistics, ragged copies, images, several convolutions
// at once, planning ahead, copies between IPUs, facts for debug information.

#include "Harness.h"

#include <poplin/ConvPreplan.hpp>
#include <poplin/FullyConnected.hpp>
#include <poplin/MultiConvolution.hpp>
#include <popops/GatherStatistics.hpp>
#include <popops/HostSliceTensor.hpp>
#include <popops/NormaliseImage.hpp>
#include <popops/SequenceSlice.hpp>
#include <poputil/DebugInfo.hpp>
#include <poputil/Util.hpp>
#include <poputil/exceptions.hpp>

using namespace poplar;
using namespace test;
using poputil::poplibs_error;

POPLIBS_INSTANTIATE();

TEST_P(OnDevices, Histogram) {
  for (const Type &type : {FLOAT, HALF, INT})
    for (bool absolute : {false, true}) {
      if (absolute && type == INT)
        continue;
      Program p(GetParam());
      const Values values = randomIntegers(77, -6, 6);
      const Values levels{-3, 0, 2, 5};
      Values expected(5, 0);
      for (double value : values) {
        const double x = absolute ? std::abs(value) : value;
        std::size_t range = 0;
        while (range != levels.size() && x >= levels[range])
          ++range;
        ++expected[range];
      }
      const Tensor in = p.input(type, {7, 11}, values);
      const Tensor at = p.input(type, {4}, levels);
      const Tensor counts =
          popops::histogram(p.graph, in, at, absolute, p.prog);
      EXPECT_EQ(counts.elementType(), UNSIGNED_INT);
      Tensor sum = p.input(FLOAT, {5}, {10, 20, 30, 40, 50});
      popops::histogram(p.graph, in, sum, true, at, absolute, p.prog);
      const auto fresh = p.output(counts), updated = p.output(sum);
      p.run();
      EXPECT_EQ(p.result(fresh), expected);
      for (std::size_t i = 0; i != 5; ++i)
        expected[i] += 10 * (i + 1);
      EXPECT_EQ(p.result(updated), expected);
    }
}

TEST_P(OnDevices, SequenceSlice) {
  const Values in = randomValues(9 * 6), out = randomValues(12 * 6, -2, 2, 2);
  const std::vector<unsigned> lengths{3, 0, 4}, from{5, 1, 0}, to{1, 6, 8};
  for (bool zeroUnused : {false, true})
    for (const Type &type : {FLOAT, INT}) {
      const auto whole = [&](Values values) {
        if (type == INT)
          for (double &value : values)
            value = std::floor(100 * value);
        return values;
      };
      Values expected = zeroUnused ? Values(12 * 6, 0) : whole(out);
      const Values source = whole(in);
      for (std::size_t s = 0; s != 3; ++s)
        for (std::size_t i = 0; i != lengths[s]; ++i)
          std::copy_n(&source[(from[s] + i) * 6], 6,
                      &expected[(to[s] + i) * 6]);
      Program p(GetParam());
      const auto indices = [&](const std::vector<unsigned> &values) {
        return p.input(UNSIGNED_INT, {3}, Values(values.begin(), values.end()));
      };
      const Tensor result = p.input(type, {12, 2, 3}, whole(out));
      popops::sequenceSlice(p.graph, p.input(type, {9, 2, 3}, source), result,
                            indices(lengths), indices(from), indices(to),
                            zeroUnused, p.prog);
      expectNear(p.valuesOf(result), expected);
    }
}

TEST_P(OnDevices, NormaliseImage) {
  for (const Type &type : {FLOAT, HALF}) {
    Program p(GetParam());
    const Values values = randomIntegers(2 * 5 * 3, 0, 255);
    const Values offsets{0.5, 0.25, 0.125}, scales{2, 4, 0.5};
    const Tensor image =
        popops::createNormaliseImageInput(p.graph, type, {2, 5, 3}, "image");
    p.write(image, values);
    const Tensor result = popops::normaliseImage(
        p.graph, p.prog, image, 1.0f / 256, p.input(type, {3}, offsets),
        p.input(type, {3}, scales));
    ASSERT_EQ(result.shape(), Shape({2, 5, 4}));
    EXPECT_TRUE(result.isParallelWriteable());
    Values expected;
    for (std::size_t i = 0; i != values.size(); ++i) {
      expected.push_back((values[i] / 256 - offsets[i % 3]) * scales[i % 3]);
      if (i % 3 == 2)
        expected.push_back(0);
    }
    expectNear(p.valuesOf(result), expected, 2e-3, 2e-3);
  }
}

TEST_P(OnDevices, MultiConvolution) {
  using poplin::ConvParams;
  const ConvParams a(FLOAT, 1, {5, 4}, {3, 2}, 2, 3, 1);
  const ConvParams b(FLOAT, 2, {6}, {1}, 4, 2, 1);
  Program p(GetParam());
  const std::vector<poplin::multiconv::CreateTensorArgs> create{
      {a, {}, "first"}, {b, {}, "second"}};
  std::vector<poplin::multiconv::ConvolutionArgs> args;
  std::vector<std::string> alone;
  for (unsigned i = 0; i != 2; ++i) {
    const Tensor in = poplin::multiconv::createInput(p.graph, create, i);
    const Tensor weights = poplin::multiconv::createWeights(p.graph, create, i);
    p.write(in, randomValues(in.numElements(), -1, 1, i));
    p.write(weights, randomValues(weights.numElements(), -1, 1, 5 + i));
    args.push_back({in, weights, create[i].params, {}});
    alone.push_back(p.output(poplin::convolution(
        p.graph, in, weights, create[i].params, false, p.prog)));
  }
  const auto results = poplin::multiconv::convolution(
      p.graph, args, false, p.prog, "multi", {{"planType", "serial"}});
  ASSERT_EQ(results.size(), 2u);
  std::vector<std::string> outputs;
  for (const Tensor &t : results)
    outputs.push_back(p.output(t));
  const auto deltas = poplin::multiconv::calculateWeightDeltas(
      p.graph,
      {{results[0], args[0].inputs, a, {}},
       {results[1], args[1].inputs, b, {}}},
      p.prog);
  EXPECT_EQ(deltas[0].shape(), args[0].weights.shape());
  // weights - 0.5 * deltas
  const Tensor before = poputil::duplicate(p.graph, args[1].weights, p.prog);
  poplin::multiconv::convolutionWeightUpdate(
      p.graph,
      std::vector<poplin::multiconv::ConvWeightUpdateArgsScalar>{
          {results[1], args[1].weights, args[1].inputs, -0.5f, b, {}}},
      p.prog);
  const auto was = p.output(before), is = p.output(args[1].weights),
             delta = p.output(deltas[1]);
  p.run();
  for (unsigned i = 0; i != 2; ++i)
    expectNear(p.result(outputs[i]), p.result(alone[i]));
  Values expected = p.result(was);
  for (std::size_t i = 0; i != expected.size(); ++i)
    expected[i] -= 0.5 * p.result(delta)[i];
  expectNear(p.result(is), expected);
}

TEST(Interfaces, PlanningAheadFillsTheCache) {
  Program p("model64");
  const Target &target = p.graph.getTarget();
  const OptionFlags options;
  const poplin::ConvParams conv(FLOAT, 1, {8, 8}, {3, 3}, 4, 4, 1);
  const auto products = poplin::fc::getMatMulPrePlanParameters(
      {1, 4, 16, 32}, options, FLOAT, false);
  ASSERT_EQ(products.size(), 3u);
  std::set<poplin::MatMulPlanParams> matmuls;
  for (const auto &product : products)
    matmuls.insert(
        poplin::MatMulPlanParams(&target, product.first, &product.second));
  EXPECT_EQ(matmuls.size(), 3u);
  poplin::PlanningCache cache;
  poplin::preplan({poplin::ConvPlanParams(&target, conv, &options)}, matmuls,
                  cache);
  const std::size_t planned = cache.size();
  EXPECT_EQ(planned, 4u);
  poplin::createWeights(p.graph, conv, "weights", options, &cache);
  poplin::createMatMulGroupedInputRHS(p.graph, FLOAT, FLOAT, {1, 4, 16},
                                      {1, 16, 32}, "rhs", options, &cache);
  EXPECT_EQ(cache.size(), planned);
  EXPECT_THROW(poplin::preplanConvolutions(
                   {poplin::ConvPlanParams(nullptr, conv, &options)}, cache),
               poplibs_error);
}

TEST(Interfaces, CopiesBetweenIPUs) {
  IPUModel model;
  model.numIPUs = 2;
  model.tilesPerIPU = 4;
  const Device device = model.createDevice();
  Graph graph(device.getTarget());
  program::Sequence prog;
  const Tensor t = graph.addVariable(INT, {6, 2}, "t");
  poputil::mapTensorLinearly(graph, t, 1, 1);
  EXPECT_TRUE(poputil::dimIsSplitOverIPUs(graph, t, 0));
  const Tensor onFirst = graph.addVariable(INT, {8}, "onFirst");
  for (unsigned i = 0; i != 8; ++i)
    graph.setTileMapping(onFirst[i], i / 2);
  EXPECT_FALSE(poputil::dimIsSplitOverIPUs(graph, onFirst, 0));
  const Tensor moved = poputil::copyToIpu(graph, onFirst, prog, 1);
  const auto mapping = graph.getTileMapping(moved);
  for (unsigned tile = 0; tile != 4; ++tile) {
    EXPECT_TRUE(mapping[tile].empty());
    EXPECT_EQ(mapping[4 + tile],
              std::vector<Interval>({Interval(2 * tile, 2 * tile + 2)}));
  }
  Tensor from, to;
  const Tensor twice = concat(onFirst, onFirst);
  const Tensor copy = poputil::createIpuCopy(graph, twice, 1, from, to);
  EXPECT_EQ(copy.shape(), twice.shape());
  EXPECT_TRUE(to.isParallelWriteable());
  prog.add(program::Copy(from, to));
  EXPECT_THROW(poputil::copyToIpu(graph, t, prog, 2), poplibs_error);

  graph.createHostWrite("in", onFirst);
  graph.createHostRead("moved", moved);
  graph.createHostRead("copy", copy);
  Engine engine(graph, prog);
  engine.load(device);
  std::vector<int> values{3, 1, 4, 1, 5, 9, 2, 6}, one(8), two(16);
  engine.writeTensor("in", values.data(), values.data() + 8);
  engine.run();
  engine.readTensor("moved", one.data(), one.data() + 8);
  engine.readTensor("copy", two.data(), two.data() + 16);
  EXPECT_EQ(one, values);
  values.insert(values.end(), one.begin(), one.end());
  EXPECT_EQ(two, values);
}

TEST(Interfaces, TileIndices) {
  for (unsigned offset : {0, 3, 7})
    for (bool ascending : {false, true}) {
      const auto mapping = poputil::calcLinearTileMapping(
          makeDevice("model7").getTarget(), {7}, 1, 1, offset, ascending);
      for (unsigned i = 0; i != 7; ++i) {
        const unsigned tile =
            poputil::invTransformTileIndex(i, 7, offset, ascending);
        EXPECT_EQ(mapping[tile], std::vector<Interval>({Interval(i, i + 1)}));
        EXPECT_EQ(poputil::transformTileIndex(tile, 7, offset, ascending), i);
      }
    }
}

TEST(Interfaces, SmallHelpers) {
  Program p("model7");
  const Tensor t = p.input({3, 2}, Values(6, 0));
  EXPECT_EQ(poputil::cloneN(p.graph, t, 4, "clones").shape(), Shape({4, 3, 2}));
  EXPECT_EQ(poputil::createBroadcastOperand(p.graph, t, HALF, 1, true).shape(),
            Shape({2}));
  EXPECT_EQ(
      popops::createHostTransferableTensor(p.graph, INT, {3, 5}, true).shape(),
      Shape({3, 5}));
  const auto rows =
      popops::createHostSliceableTensor(p.graph, FLOAT, {3, 5}, true);
  EXPECT_EQ(rows.indices.shape(), Shape({3}));
  EXPECT_EQ(rows.tensor.shape(), Shape({3, 5}));
  const Target &target = p.graph.getTarget();
  EXPECT_EQ(poputil::castToDeviceHalfValue(target, 0.1), 0.0999755859375);
  EXPECT_TRUE(poputil::checkAccuracyWhenCast(target, 0.5, FLOAT, HALF, 0));
  EXPECT_FALSE(poputil::checkAccuracyWhenCast(target, 0.1, FLOAT, HALF, 1e-6));
  const std::vector<Interval> shuffled{Interval(4, 6), Interval(0, 1),
                                       Interval(1, 4)};
  EXPECT_EQ(
      poputil::calculateUnshufflingIntervals(shuffled),
      std::vector<Interval>({Interval(2, 3), Interval(3, 6), Interval(0, 2)}));
}

namespace {

struct Window {
  unsigned size;
};

} // namespace

namespace poputil {

template <> poplar::ProfileValue toProfileValue(const Window &w) {
  return poplar::ProfileValue::Map{{"size", toProfileValue(w.size)}};
}

} // namespace poputil

namespace {

void libraryFunction(const Tensor &input, const OptionFlags &options,
                     const DebugContext &debugContext) {
  const unsigned groups = 3;
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(input, options, groups));
  di.addOutput(input);
  di.addOutputs(DI_ARGS(input));
  EXPECT_EQ(di.getPathName(), "layer");
}

} // namespace

TEST(Interfaces, DebugInfo) {
  Program p("model7");
  const Tensor t = p.input({3, 2}, Values(6, 0));
  libraryFunction(t, {{"key", "value"}}, "layer");
  const ProfileValue value = poputil::toProfileValue(t);
  EXPECT_EQ(value["shape"][1].asUint(), 2u);
  EXPECT_EQ(value["type"].asString(), "float");
  EXPECT_EQ(
      poputil::toProfileValue(OptionFlags{{"key", "value"}})["key"].asString(),
      "value");
  EXPECT_EQ(poputil::toProfileValue(&t)["shape"].size(), 2u);
  // Libraries specialise it for types of their own.
  Window window{5};
  EXPECT_EQ(poputil::toProfileValue(window)["size"].asUint(), 5u);
  EXPECT_EQ(poputil::toProfileValue(&window)["size"].asUint(), 5u);
  const std::vector<Window> windows(3, window);
  EXPECT_EQ(poputil::toProfileValue(windows)[2]["size"].asUint(), 5u);
}

TEST(Interfaces, Errors) {
  Program p("model7");
  const Tensor t = p.input({4}, Values(4, 0));
  EXPECT_THROW(
      popops::histogram(p.graph, t, p.input(INT, {1}, {0}), false, p.prog),
      poplibs_error);
  EXPECT_THROW(popops::createNormaliseImageInput(p.graph, FLOAT, {2, 4}),
               poplibs_error);
  EXPECT_THROW(popops::sequenceSlice(p.graph, t, t, t, t, t, false, p.prog),
               poplibs_error);
  EXPECT_THROW(popops::createHostSliceableTensor(p.graph, FLOAT, {3}, true),
               poplibs_error);
  EXPECT_THROW(poplin::multiconv::createInput(p.graph, {}, 0), poplibs_error);
  EXPECT_THROW(
      poplin::multiconv::createInput(p.graph, {}, 0, {{"planType", "both"}}),
      poplar_error);
}
