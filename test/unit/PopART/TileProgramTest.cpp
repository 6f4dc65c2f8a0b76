// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program around the operators: batches of a step, and for which of them
// results are returned.

#include "lib/PopART/DryRun.h"
#include "lib/PopART/Support/Error.h"
#include "test/unit/PopART/ModelBuilder.h"

#include <gtest/gtest.h>
#include <poplar/Engine.hpp>

namespace populus::popir::test {
namespace {

/// Runs one step of y = -x for x = 1, 2, 3, … and returns what came out, in
/// order.
std::vector<float> runStep(unsigned batches, AnchorReturn wanted) {
  ModelBuilder m;
  m.input("x", {1}).node("Neg", {"x"}, {"y"}).output("y");
  const std::unique_ptr<Module> module = importModel(m.model);
  ProgramOptions options;
  options.batchesPerStep = batches;
  options.anchorReturns = {{"y", wanted}};
  TileProgram program =
      lowerModule(*module, makeTarget({"cpu", "cpu"}), options);
  poplar::Engine engine(compileProgram(program));
  engine.load(poplar::Device::createCPUDevice());

  std::vector<float> in(batches), out(batches + 1, 0);
  for (unsigned i = 0; i != batches; ++i)
    in[i] = static_cast<float>(i + 1);
  engine.connectStream("x", in.data(), in.data() + in.size());
  engine.connectStream("y", out.data(), out.data() + out.size());
  engine.run(0);
  while (!out.empty() && out.back() == 0)
    out.pop_back();
  return out;
}

using Floats = std::vector<float>;

TEST(TileProgram, ResultsOfAllBatches) {
  EXPECT_EQ(runStep(1, {}), (Floats{-1}));
  EXPECT_EQ(runStep(4, {}), (Floats{-1, -2, -3, -4}));
}

TEST(TileProgram, ResultOfTheFinalBatch) {
  EXPECT_EQ(runStep(1, {AnchorReturn::Final}), (Floats{-1}));
  EXPECT_EQ(runStep(4, {AnchorReturn::Final}), (Floats{-4}));
}

TEST(TileProgram, ResultsOfEveryNthBatch) {
  EXPECT_EQ(runStep(6, {AnchorReturn::EveryN, 2}), (Floats{-2, -4, -6}));
  EXPECT_EQ(runStep(7, {AnchorReturn::EveryN, 3}), (Floats{-3, -6}));
  EXPECT_EQ(runStep(3, {AnchorReturn::EveryN, 1}), (Floats{-1, -2, -3}));
  EXPECT_EQ(runStep(2, {AnchorReturn::EveryN, 3}), Floats{});
}

TEST(TileProgram, SumOfAllBatches) {
  EXPECT_EQ(runStep(1, {AnchorReturn::Sum}), (Floats{-1}));
  EXPECT_EQ(runStep(4, {AnchorReturn::Sum}), (Floats{-10}));
}

TEST(TileProgram, DifferentPeriodsAreNotSupported) {
  ModelBuilder m;
  m.input("x", {1}).node("Neg", {"x"}, {"y"}).node("Relu", {"x"}, {"z"});
  m.output("y").output("z");
  const std::unique_ptr<Module> module = importModel(m.model);
  ProgramOptions options;
  options.batchesPerStep = 6;
  options.anchorReturns = {{"y", {AnchorReturn::EveryN, 2}},
                           {"z", {AnchorReturn::EveryN, 3}}};
  EXPECT_THROW(lowerModule(*module, makeTarget({"cpu", "cpu"}), options),
               Error);
}

/// Three products with a sum that goes around the second.
ModelBuilder threeProducts() {
  ModelBuilder m;
  m.input("x", {4, 16});
  for (const char *name : {"u", "v", "w"})
    m.weight(name, randomArray({16, 16}, 60));
  m.node("MatMul", {"x", "u"}, {"a"}).node("Relu", {"a"}, {"b"});
  m.node("MatMul", {"b", "v"}, {"c"}).node("Add", {"b", "c"}, {"d"});
  m.node("MatMul", {"d", "w"}, {"y"}).output("y").output("d");
  return m;
}

/// IPUs by node, in order.
std::vector<std::int64_t> ipusOf(const onnx::ModelProto &model,
                                 unsigned count) {
  const std::unique_ptr<Module> module = importModel(model);
  test::runPass(*module, "AssignIpus", {.numIpus = count});
  std::vector<std::int64_t> result;
  for (const Op *op : module->main().ops())
    result.push_back(op->placement().ipu.value_or(-1));
  return result;
}

TEST(TileProgram, SeveralIpusShareTheModel) {
  ModelBuilder m = threeProducts();
  EXPECT_EQ(ipusOf(m.model, 3), (std::vector<std::int64_t>{0, 0, 1, 2, 2}));
  Array x = randomArray({4, 16}, 61);
  auto wanted = run(m.model, {{"x", x}});
  for (unsigned ipus : {2, 4}) {
    auto found = run(m.model, {{"x", x}}, {"ipu2", "ipu-model", ipus, 3});
    expectClose(found.at("y"), wanted.at("y"));
    expectClose(found.at("d"), wanted.at("d"));
  }
}

TEST(TileProgram, NodesSayOnWhichIpuTheyAre) {
  ModelBuilder m = threeProducts();
  auto setIpu = [&](int node, std::int64_t ipu) {
    *m.model.mutable_graph()->mutable_node(node)->add_attribute() =
        Attr("__ipu_number", ipu).proto;
  };
  setIpu(1, 1);
  setIpu(3, 0);
  EXPECT_EQ(ipusOf(m.model, 2), (std::vector<std::int64_t>{0, 1, 1, 0, 0}));
  Array x = randomArray({4, 16}, 61);
  auto wanted = run(m.model, {{"x", x}});
  auto found = run(m.model, {{"x", x}}, {"ipu2", "ipu-model", 2, 3});
  expectClose(found.at("y"), wanted.at("y"));
  setIpu(4, 2);
  EXPECT_THROW(ipusOf(m.model, 2), Error);
}

TEST(TileProgram, StepsAreEstimatedWithoutARun) {
  ModelBuilder m;
  m.input("x", {1, 8, 12, 12});
  m.weight("w", randomArray({16, 8, 3, 3}, 71))
      .weight("b", randomArray({16}, 72));
  m.node("Conv", {"x", "w", "b"}, {"c"}).node("Sigmoid", {"c"}, {"d"});
  m.node("Mul", {"c", "d"}, {"e"}).node("GlobalAveragePool", {"e"}, {"y"});
  m.output("y");
  for (unsigned batches : {1, 3}) {
    ProgramOptions options;
    options.batchesPerStep = batches;
    MachineOptions machine = {"ipu2", "ipu", 1, 8};
    TileProgram program =
        lowerModule(*importModel(m.model), makeTarget(machine), options);
    poplar::Executable executable = compileProgram(program);
    const auto estimated = static_cast<double>(estimate(executable).cycles);
    poplar::Engine engine(std::move(executable));
    engine.load(poplar::Device::createSimulatorDevice(makeTarget(machine)));
    std::vector<float> in(batches * 8 * 12 * 12, 0.5f), out(batches * 16);
    engine.connectStream("x", in.data(), in.data() + in.size());
    engine.connectStream("y", out.data(), out.data() + out.size());
    engine.run(0);
    const double exact =
        engine.getExecutionProfile()["simulation"]["cycles"].asUint();
    EXPECT_NEAR(estimated / exact, 1, 0.15)
        << estimated << " cycles estimated, " << exact << " run";
  }
}

TEST(TileProgram, TypesThatTheDeviceLacksAreNarrowedOrWidened) {
  for (int type : {onnx::TensorProto::INT64, onnx::TensorProto::DOUBLE,
                   onnx::TensorProto::INT8, onnx::TensorProto::UINT16,
                   onnx::TensorProto::BFLOAT16, onnx::TensorProto::FLOAT16}) {
    ModelBuilder m;
    m.input("a", {3}, type).node("Identity", {"a"}, {"b"}).output("b", type);
    Array a{{3}, {1, 2, 100}};
    expectClose(run(m.model, {{"a", a}}).at("b"), a);
  }
}

TEST(TileProgram, SmallIntegersKeepTheirRange) {
  ModelBuilder m;
  m.input("a", {3}, onnx::TensorProto::UINT8);
  m.input("b", {3}, onnx::TensorProto::INT8);
  m.node("Add", {"a", "a"}, {"c"}).output("c", onnx::TensorProto::UINT8);
  m.node("Mul", {"b", "b"}, {"d"}).output("d", onnx::TensorProto::INT8);
  m.model.mutable_opset_import(0)->set_version(14);
  auto results =
      run(m.model, {{"a", {{3}, {1, 127, 200}}}, {"b", {{3}, {-3, 12, 100}}}});
  expectClose(results.at("c"), {{3}, {2, 254, 144}});
  expectClose(results.at("d"), {{3}, {9, -112, 16}});
}

TEST(TileProgram, ConstantsThatDoNotFitAreNamed) {
  ModelBuilder m;
  m.input("a", {1}, onnx::TensorProto::INT64);
  m.ints("large", {std::int64_t(1) << 40});
  m.node("Add", {"a", "large"}, {"y"}).output("y", onnx::TensorProto::INT64);
  const std::unique_ptr<Module> module = importModel(m.model);
  try {
    lowerModule(*module, makeTarget({"cpu", "cpu"}), {});
    FAIL();
  } catch (const Error &error) {
    EXPECT_EQ(error.kind(), ErrorKind::Unsupported);
    EXPECT_NE(std::string(error.what()).find("large"), std::string::npos);
  }
}

TEST(TileProgram, AnInputThatIsAResultIsNotSupported) {
  ModelBuilder m;
  m.input("x", {2}).output("x").node("Relu", {"x"}, {"y"}).output("y");
  const std::unique_ptr<Module> module = importModel(m.model);
  try {
    lowerModule(*module, makeTarget({"cpu", "cpu"}), {});
    FAIL();
  } catch (const Error &error) {
    EXPECT_EQ(error.kind(), ErrorKind::Unsupported);
  }
}

TEST(TileProgram, SameResultsOnManyTiles) {
  ModelBuilder m;
  Array x = randomArray({2, 3, 9, 9}, 1);
  m.input("x", x.shape).weight("w", randomArray({5, 3, 3, 3}, 2));
  m.weight("v", randomArray({5, 4}, 3));
  m.node("Conv", {"x", "w"}, {"a"}).node("Relu", {"a"}, {"b"});
  m.node("GlobalAveragePool", {"b"}, {"c"}).node("Flatten", {"c"}, {"d"});
  m.node("MatMul", {"d", "v"}, {"e"}).node("Softmax", {"e"}, {"y"});
  m.output("y");
  Array wanted = run(m.model, {{"x", x}}).at("y");
  for (unsigned tiles : {1, 7, 64})
    expectClose(
        run(m.model, {{"x", x}}, {"ipu2", "ipu-model", 1, tiles}).at("y"),
        wanted);
}

} // namespace
} // namespace populus::popir::test
