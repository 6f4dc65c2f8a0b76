// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transforms: what they leave of a graph, that results stay the same, and how
// they are switched.

#include "lib/PopART/IR/Op.h"
#include "lib/PopART/Support/Error.h"
#include "test/unit/PopART/ModelBuilder.h"

#include <gtest/gtest.h>
#include <poplar/Engine.hpp>

#include <cmath>
#include <optional>

namespace populus::popir::test {
namespace {

std::vector<std::string> typesAfter(const onnx::ModelProto &model,
                                    const std::string &patterns) {
  return test::typesAfter(*importModel(model), patterns);
}

using Types = std::vector<std::string>;

ModelBuilder convNorm(bool withBias) {
  ModelBuilder m;
  m.input("x", {1, 2, 5, 5}).weight("w", randomArray({3, 2, 3, 3}, 1));
  m.weight("b", randomArray({3}, 2));
  m.weight("scale", randomArray({3}, 3)).weight("shift", randomArray({3}, 4));
  m.weight("mean", randomArray({3}, 5)).weight("var", {{3}, {0.5, 1, 2}});
  m.node("Conv",
         withBias ? std::vector<std::string>{"x", "w", "b"}
                  : std::vector<std::string>{"x", "w"},
         {"c"});
  m.node("BatchNormalization", {"c", "scale", "shift", "mean", "var"}, {"y"});
  m.output("y");
  return m;
}

TEST(Transforms, BatchNormGoesIntoConv) {
  for (bool withBias : {false, true}) {
    ModelBuilder m = convNorm(withBias);
    EXPECT_EQ(typesAfter(m.model, "all"), Types{"Conv"});
    EXPECT_EQ(typesAfter(m.model, "-BatchNormIntoConv"),
              (Types{"Conv", "BatchNormalization"}));
    std::map<std::string, Array> input = {{"x", randomArray({1, 2, 5, 5}, 6)}};
    MachineOptions cpu{"cpu", "cpu"};
    expectClose(run(m.model, input, cpu, "all").at("y"),
                run(m.model, input, cpu, "none").at("y"));
  }
}

TEST(Transforms, BatchNormStaysWhereTheConvHasOtherReaders) {
  ModelBuilder m = convNorm(true);
  m.node("Relu", {"c"}, {"z"}).output("z");
  EXPECT_EQ(typesAfter(m.model, "all"),
            (Types{"Conv", "BatchNormalization", "Relu"}));
  ModelBuilder n = convNorm(true);
  n.output("c");
  EXPECT_EQ(typesAfter(n.model, "all"), (Types{"Conv", "BatchNormalization"}));
}

TEST(Transforms, IdentitiesDisappear) {
  ModelBuilder m;
  m.input("x", {2, 3}).ints("same", {2, 3});
  m.node("Identity", {"x"}, {"a"}).node("Dropout", {"a"}, {"b"});
  m.node("Relu", {"b"}, {"c"}).node("Reshape", {"c", "same"}, {"d"});
  m.node("Transpose", {"d"}, {"y"},
         {{"perm", std::vector<std::int64_t>{0, 1}}});
  m.output("y");
  EXPECT_EQ(typesAfter(m.model, "all"), Types{"Relu"});
  EXPECT_EQ(typesAfter(m.model, "none").size(), 5u);
  // The output keeps its name.
  Array x = randomArray({2, 3}, 7);
  EXPECT_TRUE(run(m.model, {{"x", x}}).count("y"));
}

TEST(Transforms, IdentityOfAnInputIsAnOutput) {
  ModelBuilder m;
  m.input("x", {3}).node("Identity", {"x"}, {"y"}).output("y");
  Array x = randomArray({3}, 8);
  expectClose(run(m.model, {{"x", x}}).at("y"), x);
}

TEST(Transforms, ConstantOutput) {
  ModelBuilder m;
  m.input("x", {1}).weight("w", {{2}, {1, 2}}).weight("v", {{2}, {3, 5}});
  m.node("Add", {"w", "v"}, {"y"}).output("y");
  expectClose(run(m.model, {{"x", {{1}, {0}}}}).at("y"), {{2}, {4, 7}});
}

TEST(Transforms, PruneDropsWhatNoResultNeeds) {
  ModelBuilder m;
  m.input("x", {3}).weight("w", {{3}, {1, 2, 3}});
  m.node("Relu", {"x"}, {"y"}).node("Add", {"x", "w"}, {"unused"});
  m.output("y");
  EXPECT_EQ(typesAfter(m.model, "all"), Types{"Relu"});
  EXPECT_EQ(typesAfter(m.model, "-Prune"), (Types{"Relu", "Add"}));
  const std::unique_ptr<Module> module = importModel(m.model);
  const Graph &graph = module->main();
  test::typesAfter(*module);
  EXPECT_EQ(graph.findValue("w"), nullptr);
}

TEST(Transforms, PadGoesIntoConv) {
  ModelBuilder m;
  m.input("x", {1, 2, 5, 6}).weight("w", randomArray({3, 2, 3, 3}, 1));
  m.ints("pads", {0, 0, 1, 2, 0, 0, 3, 0});
  m.node("Pad", {"x", "pads"}, {"p"});
  m.node("Conv", {"p", "w"}, {"y"},
         {{"pads", std::vector<std::int64_t>{1, 0, 0, 1}}});
  m.output("y");
  EXPECT_EQ(typesAfter(m.model, "all"), Types{"Conv"});
  EXPECT_EQ(typesAfter(m.model, "-PadIntoWindow"), (Types{"Pad", "Conv"}));
  std::map<std::string, Array> input = {{"x", randomArray({1, 2, 5, 6}, 6)}};
  MachineOptions cpu{"cpu", "cpu"};
  expectClose(run(m.model, input, cpu, "all").at("y"),
              run(m.model, input, cpu, "none").at("y"));
}

TEST(Transforms, PadOfChannelsStays) {
  ModelBuilder m;
  m.input("x", {1, 1, 5, 5}).weight("w", randomArray({3, 2, 3, 3}, 1));
  m.ints("pads", {0, 1, 0, 0, 0, 0, 0, 0});
  m.node("Pad", {"x", "pads"}, {"p"}).node("Conv", {"p", "w"}, {"y"});
  m.output("y");
  EXPECT_EQ(typesAfter(m.model, "all"), (Types{"Pad", "Conv"}));
}

TEST(Transforms, DuplicatesAreComputedOnce) {
  ModelBuilder m;
  m.input("x", {4}).weight("one", {{1}, {1}}).weight("uno", {{1}, {1}});
  m.node("Add", {"x", "one"}, {"a"}).node("Add", {"x", "uno"}, {"b"});
  m.node("Sigmoid", {"a"}, {"c"}).node("Sigmoid", {"b"}, {"d"});
  m.node("LeakyRelu", {"a"}, {"e"}, {{"alpha", 0.5f}});
  m.node("LeakyRelu", {"a"}, {"f"}, {{"alpha", 0.25f}});
  m.node("Sum", {"c", "d", "e", "f"}, {"y"}).output("y");
  EXPECT_EQ(typesAfter(m.model, "all"),
            (Types{"Add", "Sigmoid", "LeakyRelu", "LeakyRelu", "Sum"}));
  Array x = randomArray({4}, 9);
  expectClose(run(m.model, {{"x", x}}).at("y"),
              run(m.model, {{"x", x}}, {"cpu", "cpu"}, "none").at("y"));
}

/// The error function's form of GELU, as models are exported, with a value that
/// is read twice and an operand that is broadcast.
ModelBuilder geluChain() {
  ModelBuilder m;
  m.input("x", {4, 24}).input("s", {4, 1});
  m.weight("root", {{}, {std::sqrt(2.0)}}).weight("one", {{1}, {1}});
  m.weight("half", {{}, {0.5}});
  m.node("Mul", {"x", "s"}, {"scaled"});
  m.node("Div", {"scaled", "root"}, {"a"}).node("Erf", {"a"}, {"b"});
  m.node("Add", {"one", "b"}, {"c"}).node("Mul", {"scaled", "c"}, {"d"});
  m.node("Mul", {"d", "half"}, {"y"}).output("y");
  return m;
}

TEST(Transforms, ElementwiseChainsAreComputedAtOnce) {
  ModelBuilder m = geluChain();
  std::map<std::string, Array> input = {{"x", randomArray({4, 24}, 31)},
                                        {"s", randomArray({4, 1}, 32)}};
  Array expected = {{4, 24}, {}};
  for (std::size_t i = 0; i != 96; ++i) {
    double x = input["x"].values[i] * input["s"].values[i / 24];
    expected.values.push_back(0.5 * x * (1 + std::erf(x / std::sqrt(2.0))));
  }
  auto computeSets = [&](const char *patterns) {
    const std::unique_ptr<Module> module = importModel(m.model);
    Pipeline pipeline;
    pipeline.patterns.apply(patterns);
    runPipeline(*module, pipeline);
    return lowerModule(*module, makeTarget({"ipu2", "ipu", 1, 4}), {})
        .graph.numComputeSets();
  };
  EXPECT_EQ(computeSets("all"), 2u);
  EXPECT_EQ(computeSets("-ElementwiseFusion"), 6u);
  for (const char *patterns : {"all", "-InPlace", "-ElementwiseFusion"})
    for (const MachineOptions &machine :
         {MachineOptions{"cpu", "cpu"}, MachineOptions{"ipu2", "ipu", 1, 4}})
      expectClose(run(m.model, input, machine, patterns).at("y"), expected);
}

TEST(Transforms, ResultsOfTheModelAreNotFusedAway) {
  ModelBuilder m = geluChain();
  m.output("c").output("a");
  EXPECT_EQ(run(m.model, {{"x", randomArray({4, 24}, 31)},
                          {"s", randomArray({4, 1}, 32)}})
                .size(),
            3u);
}

TEST(Transforms, HalfPrecisionKeepsNumbersFinite) {
  ModelBuilder m;
  m.input("x", {3}).weight("mask", {{3}, {-1e9, 0.1, -INFINITY}});
  m.node("Add", {"x", "mask"}, {"y"}).output("y");
  const std::unique_ptr<Module> module = importModel(m.model);
  const Graph &graph = module->main();
  test::runPass(*module, "HalfPrecision");
  EXPECT_EQ(graph.arguments()[0]->info.type, DataType::Float16);
  EXPECT_EQ(graph.results()[0].value->info.type, DataType::Float16);
  std::vector<double> mask = graph.findValue("mask")->constant()->toDoubles();
  EXPECT_EQ(mask[0], -65504);
  EXPECT_NEAR(mask[1], 0.1, 1e-4);
  EXPECT_EQ(mask[2], -32752);
}

/// Three convolutions: what each operator computes in.
std::vector<DataType> typesInHalf(std::optional<std::size_t> inFloat) {
  ModelBuilder m;
  m.input("x", {1, 2, 4, 4}).weight("w", randomArray({2, 2, 1, 1}, 1));
  m.node("Conv", {"x", "w"}, {"a"}).node("Relu", {"a"}, {"b"});
  m.node("Conv", {"b", "w"}, {"c"}).node("Add", {"a", "c"}, {"d"});
  m.node("Conv", {"d", "w"}, {"e"}).node("Add", {"e", "x"}, {"y"});
  m.output("y");
  const std::unique_ptr<Module> module = importModel(m.model);
  const Graph &graph = module->main();
  test::runPass(*module, "HalfPrecision", {.floatConvolutions = inFloat});
  std::vector<DataType> types;
  for (const Op *op : graph.ops()) {
    types.push_back(op->output().info.type);
    for (const Value *input : op->inputs()) {
      if (op->id().type != "Cast") {
        EXPECT_EQ(input->info.type, types.back());
      }
    }
  }
  return types;
}

TEST(Transforms, TheFirstConvolutionsStayFloat) {
  const DataType f = DataType::Float, h = DataType::Float16;
  EXPECT_EQ(typesInHalf(0), (std::vector{h, h, h, h, h, h}));
  // Casts of x and a, which are read on both sides, and of b.
  EXPECT_EQ(typesInHalf(1), (std::vector{f, f, h, h, h, h, h, h, h}));
  EXPECT_EQ(typesInHalf({}), typesInHalf(1)) << "a third of them";
  EXPECT_EQ(typesInHalf(2), (std::vector{f, f, f, f, h, h, h, h}));
  EXPECT_EQ(typesInHalf(3), (std::vector{f, f, f, f, f, f}));
  EXPECT_EQ(typesInHalf(9), typesInHalf(3));
}

/// 2049, which no half holds, comes through arithmetic; what reads the numbers
/// otherwise computes in halves.
TEST(Transforms, IndicesStayExactInHalfPrecision) {
  ModelBuilder m;
  Array table{{3000, 1}, {}};
  for (int i = 0; i != 3000; ++i)
    table.values.push_back(i % 100);
  m.input("x", {2}).weight("table", table).weight("one", {{}, {1}});
  m.node("Add", {"x", "one"}, {"sum"});
  m.node("Floor", {"sum"}, {"place"});
  m.node("Cast", {"place"}, {"index"}, {{"to", onnx::TensorProto::INT64}});
  m.node("Gather", {"table", "index"}, {"row"});
  m.node("Mul", {"sum", "sum"}, {"square"});
  m.output("row").output("square", onnx::TensorProto::FLOAT);
  const std::unique_ptr<Module> module = importModel(m.model);
  const Graph &graph = module->main();
  test::runPass(*module, "HalfPrecision");
  EXPECT_EQ(graph.findValue("row")->info.type, DataType::Float16);
  EXPECT_EQ(graph.findValue("square")->info.type, DataType::Float16);
  EXPECT_EQ(graph.findValue("sum")->info.type, DataType::Float);
  EXPECT_EQ(graph.findValue("x")->info.type, DataType::Float);

  TileProgram program =
      lowerModule(*module, makeTarget({"cpu", "cpu"}), ProgramOptions());
  poplar::Engine engine(compileProgram(program));
  engine.load(poplar::Device::createCPUDevice());
  float x[] = {2048.5F, 36};
  HostTensor row({DataType::Float16, {2}}), square = row;
  engine.connectStream("x", x, x + 2);
  engine.connectStream("row", row.bytes().data(), row.bytes().data() + 4);
  engine.connectStream("square", square.bytes().data(),
                       square.bytes().data() + 4);
  engine.run(0);
  EXPECT_EQ(row.toDoubles(), (std::vector<double>{49, 37}));
  EXPECT_EQ(square.toDoubles()[1], 1369);
}

/// Halves of the IPU have no infinity.
TEST(Transforms, MasksOfInfinityWorkInHalfPrecision) {
  ModelBuilder m;
  m.input("x", {1, 4}).weight("mask", {{4}, {0, 0, -INFINITY, -INFINITY}});
  m.node("Add", {"x", "mask"}, {"a"});
  m.node("Softmax", {"a"}, {"y"}, {{"axis", -1}}).output("y");
  const std::unique_ptr<Module> module = importModel(m.model);
  test::runPass(*module, "HalfPrecision");
  MachineOptions machine = {"ipu2", "ipu", 1, 2};
  TileProgram program = lowerModule(*module, makeTarget(machine), {});
  poplar::Engine engine(compileProgram(program));
  engine.load(poplar::Device::createSimulatorDevice(makeTarget(machine)));
  std::vector<Float16> x = {1.0f, 2.0f, 3.0f, 4.0f}, y(4);
  engine.connectStream("x", x.data());
  engine.connectStream("y", y.data());
  engine.run(0);
  EXPECT_NEAR(float(y[0]), 0.2689, 1e-3);
  EXPECT_NEAR(float(y[1]), 0.7311, 1e-3);
  EXPECT_EQ(float(y[2]), 0);
  EXPECT_EQ(float(y[3]), 0);
}

TEST(Transforms, Patterns) {
  Patterns patterns;
  EXPECT_TRUE(patterns.isEnabled("Prune"));
  patterns.apply("-Prune");
  EXPECT_FALSE(patterns.isEnabled("Prune"));
  EXPECT_TRUE(patterns.isEnabled("PostNRepl"));
  patterns.apply("none,Prune");
  EXPECT_TRUE(patterns.isEnabled("Prune"));
  EXPECT_FALSE(patterns.isEnabled("PostNRepl"));
  EXPECT_THROW(patterns.apply("NoSuchPattern"), Error);
}

} // namespace
} // namespace populus::popir::test
