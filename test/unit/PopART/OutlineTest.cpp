// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SubgraphOutline: what becomes a function, and that results stay the same.

#include "lib/PopART/IR/Export.h"
#include "lib/PopART/IR/Text.h"
#include "test/unit/PopART/ModelBuilder.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace populus::popir::test {
namespace {

/// Copies count for nothing, for the models here are small.
PassOptions eager() {
  PassOptions options;
  options.outlinePrunesByCopyCost = false;
  return options;
}

std::vector<std::string> typesAfter(const onnx::ModelProto &model,
                                    const PassOptions &options) {
  const std::unique_ptr<Module> module = importModel(model);
  test::typesAfter(*module);
  test::runPass(*module, "SubgraphOutline", options);
  std::vector<std::string> types;
  for (const Op *op : module->main().ops())
    types.push_back(op->id().type);
  return types;
}

using Types = std::vector<std::string>;

/// `layers` times h = h + relu(h w) w', each with weights of its own.
ModelBuilder residualModel(unsigned layers) {
  ModelBuilder m;
  m.input("x", {3, 8});
  std::string h = "x";
  for (unsigned i = 0; i != layers; ++i) {
    std::string n = std::to_string(i);
    m.weight("w" + n, randomArray({8, 12}, 10 + i, 0.5));
    m.weight("v" + n, randomArray({12, 8}, 30 + i, 0.5));
    m.node("MatMul", {h, "w" + n}, {"a" + n})
        .node("Relu", {"a" + n}, {"b" + n});
    m.node("MatMul", {"b" + n, "v" + n}, {"c" + n});
    m.node("Add", {h, "c" + n}, {"h" + n});
    h = "h" + n;
  }
  m.output(h);
  return m;
}

void expectSameResults(const onnx::ModelProto &model,
                       const std::map<std::string, Array> &inputs,
                       const MachineOptions &machine) {
  auto plain = run(model, inputs, machine, "-SubgraphOutline");
  auto outlined = run(model, inputs, machine, "all", eager());
  ASSERT_EQ(plain.size(), outlined.size());
  for (const auto &[name, value] : plain)
    expectClose(outlined.at(name), value);
}

const MachineOptions Devices[] = {{"cpu", "cpu"},
                                  {"ipu2", "ipu-model", 1, 8},
                                  {"ipu2", "ipu", 1, 4},
                                  {"ipu2", "ipu-model", 2, 4}};

TEST(Outline, LayersBecomeCalls) {
  ModelBuilder m = residualModel(4);
  EXPECT_EQ(typesAfter(m.model, eager()), Types(4, "Call"));
  for (const MachineOptions &machine : Devices)
    expectSameResults(m.model, {{"x", randomArray({3, 8}, 1)}}, machine);
}

TEST(Outline, CopiesMayCostMoreThanIsSaved) {
  EXPECT_EQ(typesAfter(residualModel(2).model, {}).size(), 8u);
  PassOptions options = eager();
  options.outlineThreshold = 1000;
  EXPECT_EQ(typesAfter(residualModel(4).model, options).size(), 16u);
}

TEST(Outline, ResultsThatAreReadLaterAreKept) {
  // The first layer's result is read after the last call, and returned; that
  // of the second one is read through a view of it.
  ModelBuilder m = residualModel(3);
  m.node("Transpose", {"h1"}, {"t"}).node("Transpose", {"t"}, {"u"});
  m.node("Sub", {"h2", "h0"}, {"d"}).node("Mul", {"d", "u"}, {"y"});
  m.output("y").output("h0").output("b1");
  std::vector<std::string> types = typesAfter(m.model, eager());
  EXPECT_EQ(std::ranges::count(types, "Call"), 3);
  for (const MachineOptions &machine : Devices)
    expectSameResults(m.model, {{"x", randomArray({3, 8}, 2)}}, machine);
}

TEST(Outline, OtherValuesAreOtherCode) {
  // Scalars are part of the code of an expression.
  auto model = [](double second) {
    ModelBuilder m;
    m.input("x", {4, 4}).weight("s0", {{}, {2}}).weight("s1", {{}, {second}});
    m.weight("w0", randomArray({4, 4}, 3)).weight("w1", randomArray({4, 4}, 4));
    m.node("Mul", {"x", "s0"}, {"a"}).node("MatMul", {"a", "w0"}, {"b"});
    m.node("Mul", {"b", "s1"}, {"c"}).node("MatMul", {"c", "w1"}, {"y"});
    m.output("y");
    return m.model;
  };
  EXPECT_EQ(typesAfter(model(2), eager()), Types(2, "Call"));
  EXPECT_EQ(typesAfter(model(3), eager()),
            (Types{"Mul", "Call", "Mul", "Call"}));
  for (double second : {2, 3})
    expectSameResults(model(second), {{"x", randomArray({4, 4}, 5)}},
                      {"cpu", "cpu"});
}

TEST(Outline, WeightsThatAreTheSameAreNoArguments) {
  ModelBuilder m;
  m.input("x", {4, 4}).weight("w", randomArray({4, 4}, 6));
  m.node("MatMul", {"x", "w"}, {"a"}).node("MatMul", {"a", "w"}, {"b"});
  m.node("MatMul", {"b", "w"}, {"y"}).output("y");
  std::unique_ptr<Module> module = importModel(m.model);
  test::runPass(*module, "SubgraphOutline", {eager()});
  ASSERT_EQ(module->main().ops().size(), 3u);
  EXPECT_EQ(module->main().ops().front()->inputs().size(), 1u);
  EXPECT_EQ(module->main().findValue("w"), nullptr);
  expectSameResults(m.model, {{"x", randomArray({4, 4}, 7)}}, {"cpu", "cpu"});

  // Unless they are variables.
  module = importModel(m.model, {.variableWeights = true});
  test::runPass(*module, "SubgraphOutline", {eager()});
  ASSERT_EQ(module->main().ops().size(), 3u);
  EXPECT_EQ(module->main().ops().front()->inputs().size(), 2u);
  EXPECT_NE(module->main().findValue("w"), nullptr);
}

TEST(Outline, OtherEdgesAreOtherCode) {
  // The same operators, but the second pair squares.
  ModelBuilder m;
  m.input("x", {4, 4}).input("z", {4, 4});
  m.node("MatMul", {"x", "z"}, {"a"}).node("Relu", {"a"}, {"b"});
  m.node("MatMul", {"b", "b"}, {"c"}).node("Relu", {"c"}, {"y"}).output("y");
  EXPECT_EQ(typesAfter(m.model, eager()),
            (Types{"MatMul", "Relu", "MatMul", "Relu"}));
}

TEST(Outline, ExportsShowWhatIsCalled) {
  const std::unique_ptr<Module> module = importModel(residualModel(3).model);
  test::runPass(*module, "SubgraphOutline", {eager()});
  for (const std::string &text :
       {toString(*module), toJson(module->main()), toDot(module->main())}) {
    EXPECT_NE(text.find("Call"), std::string::npos) << text;
    EXPECT_NE(text.find("call_subgraph(0)"), std::string::npos) << text;
    EXPECT_NE(text.find("Relu"), std::string::npos) << text;
  }
}

} // namespace
} // namespace populus::popir::test
