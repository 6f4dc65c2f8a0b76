// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opsets that the distribution's libonnx does not know: what is checked of
// their nodes; stored weights of few bits; inputs that are made constants;
// sequences.

#include "lib/PopART/Import/Forms.h"
#include "lib/PopART/IR/Op.h"
#include "lib/PopART/Support/Error.h"
#include "test/unit/PopART/ModelBuilder.h"

#include <gtest/gtest.h>

namespace populus::popir::test {
namespace {

using onnx::TensorProto;
using Ints = std::vector<std::int64_t>;

std::string importError(const onnx::ModelProto &model,
                        const ImportOptions &options = {}) {
  try {
    importModel(model, options);
  } catch (const Error &error) {
    return error.what();
  }
  return "";
}

::testing::AssertionResult says(const std::string &text,
                                const std::string &part) {
  return text.find(part) != std::string::npos
             ? ::testing::AssertionSuccess()
             : ::testing::AssertionFailure() << "'" << text << "'";
}

TEST(Forms, NodesOfNewFormsAreChecked) {
  ModelBuilder m(21);
  m.model.set_ir_version(10);
  m.input("x", {2, 3});
  m.node("ReduceMean", {"x"}, {"a"}, {{"axes", Ints{1}}});
  m.node("Split", {"x", "", "x"}, {"b"});
  m.node("GroupNormalization", {"x", "x", "x"}, {"c"}, {{"num_groups", 1.5F}});
  m.node("Pad", {"x"}, {"d"});
  m.output("d");
  const std::string text = importError(m.model);
  EXPECT_TRUE(says(text, "ReduceMean-18 has no attribute 'axes'"));
  EXPECT_TRUE(says(text, "it has 3 inputs, and Split-18 has 2 at most"));
  EXPECT_TRUE(says(text, "its attribute 'num_groups' is of type FLOAT, and has "
                         "to be INT"));
  EXPECT_TRUE(says(text, "its input 1 ('pads') is missing"));
}

TEST(Forms, NodesOfOldFormsAndEdgesAreChecked) {
  ModelBuilder m(21);
  m.input("x", {2, 3});
  m.node("Relu", {"x"}, {"a"}, {{"alpha", 1}});
  m.node("Abs", {"nowhere"}, {"y"});
  m.output("y");
  const std::string text = importError(m.model);
  EXPECT_TRUE(says(text, "Unrecognized attribute: alpha"));
  EXPECT_TRUE(says(text, "reads 'nowhere', which nothing computes"));
}

TEST(Forms, TypesAreChecked) {
  ModelBuilder m(21);
  m.input("x", {2, 3}, TensorProto::INT32);
  m.node("Gelu", {"x"}, {"y"});
  m.output("y");
  EXPECT_TRUE(says(importError(m.model), "its input 0 ('X') is of type int32, "
                                         "which Gelu-20 does not take"));
  ModelBuilder two(21);
  two.input("x", {2, 3}).input("k", {2}, TensorProto::INT32);
  two.node("Pad", {"x", "p", "k"}, {"y"}).ints("p", {1, 0, 0, 0});
  two.output("y");
  EXPECT_TRUE(says(importError(two.model), "its input 2 ('constant_value') is "
                                           "of type int32"));
}

TEST(Forms, NewerOpsetsAndFormatsAreRefused) {
  ModelBuilder m(newestOpset());
  m.model.set_ir_version(newestIrVersion() + 1);
  m.input("x", {2}).node("Relu", {"x"}, {"y"}).output("y");
  EXPECT_TRUE(says(importError(m.model), "the model's format is ONNX's"));
  // A newer format alone changes nothing.
  ModelBuilder old(13);
  old.model.set_ir_version(newestIrVersion());
  old.input("x", {2}).node("Relu", {"x"}, {"y"}).output("y");
  EXPECT_EQ(importError(old.model), "");
}

/// Dequantizes stored weights, to which an input is added.
Array dequantized(TensorProto stored, const Array &scales,
                  const std::vector<Attr> &attributes) {
  ModelBuilder m(23);
  m.input("x", {});
  stored.set_name("w");
  *m.model.mutable_graph()->add_initializer() = stored;
  m.weight("s", scales);
  m.node("DequantizeLinear", {"w", "s"}, {"d"}, attributes);
  m.node("Add", {"d", "x"}, {"y"}).output("y");
  return run(m.model, {{"x", {{}, {0}}}}).at("y");
}

TensorProto packed(int type, const Ints &shape, std::string bytes) {
  TensorProto tensor;
  tensor.set_data_type(type);
  for (std::int64_t extent : shape)
    tensor.add_dims(extent);
  tensor.set_raw_data(std::move(bytes));
  return tensor;
}

TEST(Forms, WeightsOfFewBitsAreStored) {
  constexpr int UInt4 = 21, Int4 = 22, Float8 = 17, Float4 = 23;
  const Array one{{}, {1}};
  // The first element is in the lowest bits.
  EXPECT_EQ(dequantized(packed(Int4, {3}, "\x7f\x08"), one, {}).values,
            (std::vector<double>{-1, 7, -8}));
  EXPECT_EQ(dequantized(packed(UInt4, {3}, "\x7f\x08"), one, {}).values,
            (std::vector<double>{15, 7, 8}));
  EXPECT_EQ(
      dequantized(packed(Float8, {4}, "\x38\xb9\x01\x7e"), one, {}).values,
      (std::vector<double>{1, -1.125, 1.0 / 512, 448}));
  EXPECT_EQ(dequantized(packed(Float4, {4}, "\x91\x7a"), one, {}).values,
            (std::vector<double>{0.5, -0.5, -1, 6}));
  // Blocks of two along the last axis.
  EXPECT_EQ(dequantized(packed(Int4, {2, 3}, "\x21\x43\x65"),
                        {{2, 2}, {1, 10, 100, 1000}},
                        {{"axis", 1}, {"block_size", 2}})
                .values,
            (std::vector<double>{1, 2, 30, 400, 500, 6000}));
}

TEST(Forms, SizesOfPackedWeightsAreChecked) {
  ModelBuilder m(23);
  m.input("x", {});
  TensorProto w = packed(22, {5}, "ab");
  w.set_name("w");
  *m.model.mutable_graph()->add_initializer() = w;
  m.node("Cast", {"w"}, {"d"}, {{"to", TensorProto::FLOAT}});
  m.node("Add", {"d", "x"}, {"y"}).output("y");
  EXPECT_TRUE(says(importError(m.model), "holds 2 bytes where its shape needs "
                                         "3"));
}

TEST(Forms, ResizeMovesElementsWhereTheExtentStays) {
  ModelBuilder m(18);
  m.input("x", {4});
  m.node(
      "Resize", {"x", "", "s"}, {"y"},
      {{"mode", "linear"}, {"coordinate_transformation_mode", "asymmetric"}});
  m.weight("s", {{1}, {1.2}}).output("y");
  const Array y = run(m.model, {{"x", {{4}, {0, 12, 24, 36}}}}).at("y");
  expectClose(y, {{4}, {0, 10, 20, 30}});
}

// Opset 10 has no attributes for it: onnxruntime, and the test data of that
// time (resize_downsample_nearest: 1 and 3 of 1 to 4 by 0.6), take the element
// behind the place where the result is smaller, and that before it where it is
// larger.
TEST(Forms, ResizeOfOpset10) {
  const auto resized = [](std::size_t extent, double scale) {
    ModelBuilder m(10);
    m.input("x", {std::int64_t(extent)}).weight("s", {{1}, {scale}});
    m.node("Resize", {"x", "s"}, {"y"}, {{"mode", "nearest"}}).output("y");
    Array x{{std::int64_t(extent)}, {}};
    for (std::size_t i = 0; i != extent; ++i)
      x.values.push_back(double(i));
    return run(m.model, {{"x", x}}).at("y").values;
  };
  EXPECT_EQ(resized(4, 0.6), (std::vector<double>{0, 2}));
  EXPECT_EQ(resized(10, 0.7), (std::vector<double>{0, 2, 3, 5, 6, 8, 9}));
  EXPECT_EQ(resized(20, 0.7), (std::vector<double>{0, 2, 3, 5, 6, 8, 9, 10, 12,
                                                   13, 15, 16, 18, 19}));
  EXPECT_EQ(resized(4, 1.5), (std::vector<double>{0, 0, 1, 2, 2, 3}));
}

TEST(Forms, SequencesAreGoneAfterTheImport) {
  ModelBuilder m(17);
  m.input("a", {2}).input("b", {2});
  m.ints("last", {-1}).ints("first", {0});
  for (onnx::TensorProto &tensor :
       *m.model.mutable_graph()->mutable_initializer())
    tensor.clear_dims();
  m.node("SequenceConstruct", {"a", "b"}, {"s"});
  m.node("Relu", {"a"}, {"c"});
  m.node("SequenceInsert", {"s", "c", "first"}, {"t"});
  m.node("SequenceErase", {"t", "last"}, {"u"});
  m.node("ConcatFromSequence", {"u"}, {"y"}, {{"axis", 0}, {"new_axis", 1}});
  m.output("y");
  const Array y =
      run(m.model, {{"a", {{2}, {-1, 2}}}, {"b", {{2}, {3, 4}}}}).at("y");
  EXPECT_EQ(y.shape, (Shape{2, 2}));
  EXPECT_EQ(y.values, (std::vector<double>{0, 2, -1, 2}));
}

TEST(Forms, InputsAreMadeConstants) {
  ModelBuilder m(21);
  m.input("x", {2, 3}).input("shape", {2}, TensorProto::INT64);
  m.node("Reshape", {"x", "shape"}, {"y"}).output("y");
  EXPECT_TRUE(says(importError(m.model), "--fix-input NAME=FILE|VALUE makes an "
                                         "input a constant: 'shape'"));
  ImportOptions options;
  options.fixed.values["shape"] = "3,2";
  const std::unique_ptr<Module> module = importModel(m.model, options);
  const Graph &graph = module->main();
  ASSERT_EQ(graph.arguments().size(), 1U);
  EXPECT_EQ(graph.results()[0].value->info.shape, (Shape{3, 2}));
  options.fixed.values["shape"] = "3,2,1";
  EXPECT_TRUE(says(importError(m.model, options), "another shape"));
}

} // namespace
} // namespace populus::popir::test
