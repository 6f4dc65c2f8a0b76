// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The way from an ONNX model to the IR: what is refused and how, shapes,
// folding of constants, and damaged files.

#include "lib/PopART/IR/Op.h"
#include "lib/PopART/Import/ControlFlow.h"
#include "lib/PopART/Import/Decomposition.h"
#include "lib/PopART/Import/Forms.h"
#include "lib/PopART/Import/ModelFile.h"
#include "lib/PopART/Support/Error.h"
#include "test/unit/PopART/ModelBuilder.h"

#include <gtest/gtest.h>
#include <onnx/defs/schema.h>

#include <fstream>
#include <random>
#include <set>
#include <sstream>

namespace populus::popir::test {
namespace {

/// The kind and text of the Error that the import ends with.
std::pair<int, std::string> importError(const onnx::ModelProto &model,
                                        const ImportOptions &options = {}) {
  try {
    importModel(model, options);
  } catch (const Error &error) {
    return {static_cast<int>(error.kind()), error.what()};
  }
  return {0, ""};
}

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

std::vector<std::string> opTypes(const Graph &graph) {
  std::vector<std::string> types;
  for (const Op *op : graph.ops())
    types.push_back(op->id().type);
  return types;
}

TEST(Import, AllUnsupportedOperatorsAreNamedAtOnce) {
  ModelBuilder m;
  m.input("x", {1, 2, 3});
  m.node("Relu", {"x"}, {"a"});
  m.node("TfIdfVectorizer", {"a"}, {"b"});
  m.node("NoSuchOperator", {"b"}, {"c"});
  m.node("TfIdfVectorizer", {"c"}, {"d"});
  m.node("Thing", {"d"}, {"y"});
  m.model.mutable_graph()->mutable_node(3)->set_name("second");
  m.model.mutable_graph()->mutable_node(4)->set_domain("com.example");
  m.output("y");
  auto [kind, text] = importError(m.model);
  EXPECT_EQ(kind, 3);
  EXPECT_TRUE(contains(text, "3 operators")) << text;
  EXPECT_TRUE(contains(
      text, "TfIdfVectorizer-9 (nodes 'the TfIdfVectorizer', 'second')"))
      << text;
  EXPECT_TRUE(contains(text, "NoSuchOperator (node 'the NoSuchOperator')"));
  EXPECT_TRUE(contains(text, "com.example.Thing (node 'the Thing')")) << text;
  EXPECT_FALSE(contains(text, "Relu")) << text;
}

TEST(Import, AllUnsupportedAttributesAreNamedAtOnce) {
  ModelBuilder m;
  m.input("x", {1, 1, 8, 8});
  m.node("Cast", {"x"}, {"a"}, {{"to", onnx::TensorProto::STRING}});
  m.node("RoiAlign", {"x", "rois", "batch"}, {"y"}, {{"mode", "sum"}});
  m.weight("rois", {{1, 4}, {1, 1, 3, 3}}).ints("batch", {0});
  m.output("y").output("a", onnx::TensorProto::STRING);
  auto [kind, text] = importError(m.model);
  EXPECT_EQ(kind, 3);
  EXPECT_TRUE(contains(text, "converts to a type")) << text;
  EXPECT_TRUE(contains(text, "mode \"sum\"")) << text;
}

TEST(Import, AllInvalidNodesAreNamedAtOnce) {
  ModelBuilder m;
  m.input("x", {2});
  m.node("Add", {"x", "nothing"}, {"a"});
  m.node("Softmax", {"a"}, {"b"}, {{"axis", 1.5f}});
  m.node("Conv", {"b"}, {"c"});
  m.node("Mul", {"c", "missing"}, {"d"});
  m.node("Neg", {"x"}, {"d"});
  m.output("d");
  auto [kind, text] = importError(m.model);
  EXPECT_EQ(kind, 1);
  EXPECT_TRUE(contains(text, "'the Add' (Add) reads 'nothing', which nothing "
                             "computes"))
      << text;
  EXPECT_TRUE(contains(text, "'the Softmax' (Softmax): Mismatched attribute"))
      << text;
  EXPECT_TRUE(contains(text, "'the Conv' (Conv): Node (the Conv) has input "
                             "size 1"))
      << text;
  EXPECT_TRUE(contains(text, "'the Mul' (Mul) reads 'missing'")) << text;
  EXPECT_TRUE(contains(text, "nodes 'the Mul' (Mul) and 'the Neg' (Neg) both "
                             "compute 'd'"))
      << text;
}

TEST(Import, CyclesNameTheirNodes) {
  ModelBuilder m;
  m.input("x", {2});
  m.node("Neg", {"x"}, {"a"});
  m.node("Add", {"a", "c"}, {"b"});
  m.node("Relu", {"b"}, {"c"});
  m.node("Abs", {"c"}, {"y"});
  m.output("y");
  auto [kind, text] = importError(m.model);
  EXPECT_EQ(kind, 1);
  EXPECT_EQ(text, "nodes depend on their own results, in a cycle: 'the Add' "
                  "(Add), 'the Relu' (Relu)");
}

TEST(Import, NodesHaveToBeSorted) {
  ModelBuilder m;
  m.input("x", {2});
  m.node("Relu", {"a"}, {"y"}).node("Neg", {"x"}, {"a"}).output("y");
  auto [kind, text] = importError(m.model);
  EXPECT_EQ(kind, 1);
  EXPECT_EQ(text, "node 'the Relu' (Relu) reads what node 'the Neg' (Neg) "
                  "computes only after it; sort the nodes");
}

TEST(Import, ModelsWithoutOutputsAreRefused) {
  ModelBuilder m;
  m.input("x", {2}).node("Relu", {"x"}, {"y"});
  auto [kind, text] = importError(m.model);
  EXPECT_EQ(kind, 1);
  EXPECT_TRUE(contains(text, "no outputs")) << text;
}

TEST(Import, TensorsOfTooManyElementsAreRefused) {
  ModelBuilder m;
  m.input("x", {1}).ints("shape", {std::int64_t(1) << 33, 1024});
  m.node("Expand", {"x", "shape"}, {"y"}).output("y");
  auto [kind, text] = importError(m.model);
  EXPECT_EQ(kind, 4);
  EXPECT_TRUE(contains(text, "'the Expand': its output has the shape "
                             "8589934592x1024"))
      << text;
}

TEST(Import, OperandsOfAnyNumberHaveOneType) {
  for (const char *type : {"Max", "Sum", "Einsum"}) {
    ModelBuilder m;
    m.input("x", {2}).input("n", {2}, onnx::TensorProto::INT32);
    std::vector<Attr> attributes;
    if (type == std::string("Einsum"))
      attributes.push_back({"equation", "i,i->i"});
    m.node(type, {"x", "n"}, {"y"}, attributes).output("y");
    auto [kind, text] = importError(m.model);
    EXPECT_EQ(kind, 1);
    EXPECT_TRUE(contains(text, "its operands have types float and int32; cast "
                               "one of them"))
        << text;
  }
}

TEST(Import, ModelsSayTheirOpset) {
  ModelBuilder m(0);
  m.input("x", {2}).node("Relu", {"x"}, {"y"}).output("y");
  auto [kind, text] = importError(m.model);
  EXPECT_EQ(kind, 1);
  EXPECT_TRUE(contains(text, "opset")) << text;
}

TEST(Import, NewerOpsetIsRefused) {
  ModelBuilder m(newestOpset() + 1);
  m.input("x", {2}).node("Relu", {"x"}, {"y"}).output("y");
  auto [kind, text] = importError(m.model);
  EXPECT_EQ(kind, 3);
  EXPECT_TRUE(contains(text, std::to_string(newestOpset()))) << text;
}

TEST(Import, OpenDimensionsNeedAnOption) {
  ModelBuilder m;
  m.symbolicInput("x", {"N", "3"}).symbolicInput("z", {"N", "M"});
  m.node("Relu", {"x"}, {"y"}).node("Relu", {"z"}, {"w"});
  m.output("y").output("w");
  auto [kind, text] = importError(m.model);
  EXPECT_EQ(kind, 1);
  EXPECT_TRUE(contains(text, "'x' has shape Nx3")) << text;
  EXPECT_TRUE(contains(text, "'z' has shape NxM")) << text;
  EXPECT_TRUE(contains(text, "--input-shape") && contains(text, "--dim"));

  ImportOptions options;
  options.shapes.dims = {{"N", 7}};
  EXPECT_TRUE(contains(importError(m.model, options).second, "7xM"));
  options.shapes.inputShapes = {{"z", {7, 4}}};
  const std::unique_ptr<Module> module = importModel(m.model, options);
  const Graph &graph = module->main();
  EXPECT_EQ(graph.findValue("y")->info.shape, (Shape{7, 3}));
  EXPECT_EQ(graph.findValue("w")->info.shape, (Shape{7, 4}));
}

TEST(Import, ShapeOptionsAreChecked) {
  ModelBuilder m;
  m.symbolicInput("x", {"N", "3"}).node("Relu", {"x"}, {"y"}).output("y");
  ImportOptions wrongName, wrongRank, wrongDim;
  wrongName.shapes.inputShapes = {{"X", {1, 3}}};
  wrongRank.shapes.inputShapes = {{"x", {3}}};
  wrongDim.shapes.dims = {{"K", 3}};
  EXPECT_EQ(importError(m.model, wrongName).first, 2);
  EXPECT_EQ(importError(m.model, wrongRank).first, 2);
  EXPECT_EQ(importError(m.model, wrongDim).first, 2);
  EXPECT_TRUE(contains(importError(m.model, wrongDim).second, "'N'"));
}

TEST(Import, ShapesThatDoNotFitNameTheNode) {
  ModelBuilder m;
  m.input("a", {2, 3}).input("b", {2, 4});
  m.node("Add", {"a", "b"}, {"y"}).output("y");
  auto [kind, text] = importError(m.model);
  EXPECT_EQ(kind, 1);
  EXPECT_TRUE(contains(text, "the Add")) << text;
}

TEST(Import, TypesThatDoNotFitAreRefused) {
  ModelBuilder m;
  m.input("a", {2}).input("b", {2}, onnx::TensorProto::INT32);
  m.node("Add", {"a", "b"}, {"y"}).output("y");
  EXPECT_EQ(importError(m.model).first, 1);
}

TEST(Import, InitializedInputsAreConstants) {
  ModelBuilder m;
  m.input("x", {2}).input("w", {2}).weight("w", {{2}, {1, 2}});
  m.node("Add", {"x", "w"}, {"y"}).output("y");
  const std::unique_ptr<Module> module = importModel(m.model);
  const Graph &graph = module->main();
  ASSERT_EQ(graph.arguments().size(), 1u);
  EXPECT_EQ(graph.arguments()[0]->name, "x");
  EXPECT_TRUE(graph.findValue("w")->isConstant());
}

TEST(Import, ShapeArithmeticIsFolded) {
  // Exporters emit these operators for x.view(x.size(0), -1).
  ModelBuilder m;
  m.input("x", {2, 3, 4}).ints("zero", {0}).ints("rest", {-1}).ints("two", {2});
  m.node("Shape", {"x"}, {"shape"});
  m.node("Gather", {"shape", "zero"}, {"batch"});
  m.node("Mul", {"batch", "two"}, {"double"});
  m.node("Div", {"double", "two"}, {"single"});
  m.node("Concat", {"single", "rest"}, {"target"}, {{"axis", 0}});
  m.node("Reshape", {"x", "target"}, {"y"}).output("y");
  const std::unique_ptr<Module> module = importModel(m.model);
  const Graph &graph = module->main();
  EXPECT_EQ(graph.findValue("y")->info.shape, (Shape{2, 12}));
  EXPECT_EQ(opTypes(graph), std::vector<std::string>{"Reshape"});
}

TEST(Import, ConstantDivisionByZeroIsAnError) {
  ModelBuilder m;
  m.ints("a", {1}).ints("b", {0});
  m.node("Div", {"a", "b"}, {"y"}).output("y", onnx::TensorProto::INT64);
  auto [kind, text] = importError(m.model);
  EXPECT_EQ(kind, 1);
  EXPECT_TRUE(contains(text, "by zero")) << text;
}

TEST(Import, ComputedShapeIsNotSupported) {
  ModelBuilder m;
  m.input("x", {4}).input("shape", {2}, onnx::TensorProto::INT64);
  m.node("Reshape", {"x", "shape"}, {"y"}).output("y");
  auto [kind, text] = importError(m.model);
  EXPECT_EQ(kind, 3);
  EXPECT_TRUE(contains(text, "'shape'")) << text;
}

TEST(Import, AnchorsReplaceOutputs) {
  ModelBuilder m;
  m.input("x", {2}).node("Relu", {"x"}, {"a"}).node("Tanh", {"a"}, {"y"});
  m.output("y");
  ImportOptions options;
  options.anchors = {"a"};
  const std::unique_ptr<Module> module = importModel(m.model, options);
  const Graph &graph = module->main();
  ASSERT_EQ(graph.results().size(), 1u);
  EXPECT_EQ(graph.results()[0].name, "a");
  options.anchors = {"nothing"};
  EXPECT_EQ(importError(m.model, options).first, 2);
}

TEST(Import, TensorDataMustMatchTheShape) {
  ModelBuilder m;
  m.input("x", {2}).weight("w", {{2}, {1, 2}});
  m.node("Add", {"x", "w"}, {"y"}).output("y");
  onnx::TensorProto &w = *m.model.mutable_graph()->mutable_initializer(0);
  w.set_dims(0, 3);
  EXPECT_EQ(importError(m.model).first, 1);
  w.set_dims(0, std::int64_t(1) << 62);
  EXPECT_EQ(importError(m.model).first, 1);
  w.set_dims(0, -2);
  EXPECT_EQ(importError(m.model).first, 1);
  w.set_dims(0, 2);
  w.clear_float_data();
  w.set_raw_data("1234567");
  EXPECT_EQ(importError(m.model).first, 1);
}

TEST(Import, TypedDataOfSmallTypes) {
  ModelBuilder m;
  m.node("Cast", {"w"}, {"c"}, {{"to", int(onnx::TensorProto::FLOAT)}});
  m.input("x", {2}).node("Add", {"x", "c"}, {"y"}).output("y");
  onnx::TensorProto &w = *m.model.mutable_graph()->add_initializer();
  w.set_name("w");
  w.set_data_type(onnx::TensorProto::INT8);
  w.add_dims(2);
  w.add_int32_data(-3);
  w.add_int32_data(100);
  const std::unique_ptr<Module> module = importModel(m.model);
  const Graph &graph = module->main();
  EXPECT_EQ(graph.findValue("c")->constant()->toDoubles(),
            (std::vector<double>{-3, 100}));
}

/// Imports `bytes` as a file; only an Error may come out.
void importBytes(const std::string &bytes) {
  try {
    importModel(parseModel(bytes, "model"));
  } catch (const Error &error) {
    EXPECT_NE(error.kind(), ErrorKind::Internal) << error.what();
    EXPECT_FALSE(contains(error.what(), "\n")) << error.what();
  }
}

std::string smallModel() {
  ModelBuilder m;
  m.input("x", {1, 2, 5, 5}).weight("w", randomArray({3, 2, 2, 2}, 1));
  m.ints("shape", {1, -1});
  m.node("Conv", {"x", "w"}, {"a"},
         {{"pads", std::vector<std::int64_t>{1, 0, 0, 1}}});
  m.node("MaxPool", {"a"}, {"b"},
         {{"kernel_shape", std::vector<std::int64_t>{2, 2}}});
  m.node("Reshape", {"b", "shape"}, {"c"});
  m.node("Softmax", {"c"}, {"y"}, {{"axis", 1}}).output("y");
  return m.model.SerializeAsString();
}

TEST(Import, EveryTruncationIsAnError) {
  std::string bytes = smallModel();
  importModel(parseModel(bytes, "model")); // itself, it is fine
  for (std::size_t length = 0; length != bytes.size(); ++length)
    EXPECT_THROW(importModel(parseModel(bytes.substr(0, length), "model")),
                 Error)
        << length;
}

TEST(Import, DamagedFilesNeverCrash) {
  const std::string bytes = smallModel();
  for (std::size_t place = 0; place != bytes.size(); ++place)
    for (unsigned char change : {0x01, 0x80, 0xff}) {
      std::string damaged = bytes;
      damaged[place] = static_cast<char>(damaged[place] ^ change);
      importBytes(damaged);
    }
}

/// The opset in which the form of an operator appeared that an opset has.
int versionInOnnx(const std::string &type, int opset) {
  if (const OperatorForm *form = findForm(type, opset))
    return form->version;
  const onnx::OpSchema *schema =
      onnx::OpSchemaRegistry::Schema(type, opset, onnx::ONNX_DOMAIN);
  return schema ? schema->SinceVersion() : 0;
}

TEST(Import, ListedVersionsAreThoseOfOnnx) {
  // Every version of every definition is one in which ONNX changed the
  // operator; a typing error would never be found by a model.
  std::vector<const OpDefinition *> all = allOps();
  for (const OpDefinition &definition : controlFlowOps())
    all.push_back(&definition);
  for (const Decomposition *decomposition : allDecompositions())
    all.push_back(&decomposition->definition);
  for (const OpDefinition *definition : all)
    for (int version : definition->versions)
      if (definition->domain.empty()) {
        EXPECT_EQ(versionInOnnx(definition->type, version), version)
            << definition->type;
      }
}

TEST(Import, ConstantsWithoutElementsAreFolded) {
  ModelBuilder m;
  m.input("x", {6}).ints("none", {}).ints("two", {2}).ints("three", {3});
  m.node("Gather", {"two", "none"}, {"a"});
  m.node("Concat", {"a", "two", "none", "three"}, {"s"}, {{"axis", 0}});
  m.node("Reshape", {"x", "s"}, {"y"}).output("y");
  EXPECT_EQ(importModel(m.model)->main().findValue("y")->info.shape,
            (Shape{2, 3}));
}

TEST(Import, OutputShapesThatAreNotPossible) {
  for (const std::vector<std::int64_t> &shape :
       {std::vector<std::int64_t>{INT64_MIN, 4}, {4, INT64_MAX}, {4}}) {
    ModelBuilder m;
    m.input("x", {1, 1, 3, 3}).weight("w", randomArray({1, 1, 2, 2}, 1));
    m.node("ConvTranspose", {"x", "w"}, {"y"}, {{"output_shape", shape}});
    auto [kind, text] = importError(m.output("y").model);
    EXPECT_EQ(kind, 1);
    EXPECT_TRUE(contains(text, "ConvTranspose")) << text;
  }
}

TEST(Import, FoldingHasABudget) {
  ModelBuilder m;
  m.weight("w", randomArray({64, 64}, 1)).weight("v", randomArray({64, 64}, 2));
  m.input("x", {64, 64});
  m.node("Neg", {"w"}, {"a"}).node("Neg", {"v"}, {"b"});
  m.node("Shape", {"a"}, {"s"}).node("Reshape", {"x", "s"}, {"r"});
  m.node("Sum", {"r", "a", "b"}, {"y"}).output("y");
  auto typesWith = [&](FoldingBudget budget) {
    ImportOptions options;
    options.folding = budget;
    return opTypes(importModel(m.model, options)->main());
  };
  using Types = std::vector<std::string>;
  const Types all = {"Reshape", "Sum"}, one = {"Neg", "Reshape", "Sum"},
              none = {"Neg", "Neg", "Reshape", "Sum"};
  FoldingBudget budget;
  EXPECT_EQ(typesWith(budget), all);
  budget.totalBytes = 2 * 64 * 64 * 4 - 1;
  EXPECT_EQ(typesWith(budget), one);
  budget.totalBytes = 0;
  EXPECT_EQ(typesWith(budget), none);
  budget = {};
  budget.resultBytes = 64 * 64 * 4 - 1;
  EXPECT_EQ(typesWith(budget), none);
  budget = {};
  budget.totalElements = 2 * 2 * 64 * 64 - 1;
  EXPECT_EQ(typesWith(budget), one);
}

} // namespace
} // namespace populus::popir::test
