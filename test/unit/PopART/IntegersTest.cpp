// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Norms and products of integers are exact beyond what float32 holds; and the
// scale of DynamicQuantizeLinear.

#include "test/unit/PopART/ModelBuilder.h"

#include <gtest/gtest.h>

namespace populus::popir::test {
namespace {

using onnx::TensorProto;

const MachineOptions Model = {"ipu2", "ipu-model", 1, 4};

/// The norm of each row.
std::vector<double> norms(int type, const std::vector<double> &values,
                          std::int64_t columns) {
  const auto rows = static_cast<std::int64_t>(values.size()) / columns;
  ModelBuilder m(13);
  m.input("x", {rows, columns}, type);
  m.node("ReduceL2", {"x"}, {"y"},
         {{"axes", std::vector<std::int64_t>{1}}, {"keepdims", 0}});
  m.output("y", type);
  return run(m.model, {{"x", {{rows, columns}, values}}}, Model).at("y").values;
}

TEST(IntegerNorms, AreRoundedDown) {
  EXPECT_EQ(norms(TensorProto::INT32, {1, 2, 3, 3, 4, 0, -2, 2, -1}, 3),
            (std::vector<double>{3, 5, 3}));
  EXPECT_EQ(norms(TensorProto::INT64, {0, 0, -7, 0}, 2),
            (std::vector<double>{0, 7}));
}

// Sums of squares that are one less than a square, which float32 takes for it.
TEST(IntegerNorms, AreExactWhereFloatsAreNot) {
  EXPECT_EQ(norms(TensorProto::INT32, {46339, 299, 54, 19, 46340, 0, 0, 0}, 4),
            (std::vector<double>{46339, 46340}));
  EXPECT_EQ(
      norms(TensorProto::UINT32, {65280, 5632, 1280, 0, 65535, 361, 0, 0}, 4),
      (std::vector<double>{65534, 65535}));
}

/// The product and its shape.
Array product(const Array &a, const Array &b, Shape shape) {
  ModelBuilder m(13);
  m.input("a", a.shape, TensorProto::INT32);
  m.input("b", b.shape, TensorProto::INT32);
  m.node("MatMul", {"a", "b"}, {"y"}).output("y", TensorProto::INT32);
  Array y = run(m.model, {{"a", a}, {"b", b}}, Model).at("y");
  EXPECT_EQ(y.shape, shape);
  return y;
}

TEST(IntegerProducts, OfMatricesAreExact) {
  const Array a = {{2, 3}, {1, 2, 3, -4, 5, 16777217}};
  const Array b = {{3, 2}, {1, 0, 0, 1, 1, 1}};
  EXPECT_EQ(product(a, b, {2, 2}).values,
            (std::vector<double>{4, 5, 16777213, 16777222}));
}

TEST(IntegerProducts, OfVectorsAndBatches) {
  const Array v = {{3}, {1, 2, 3}};
  EXPECT_EQ(product(v, v, {}).values, std::vector<double>{14});
  const Array m = {{3, 2}, {1, 0, 0, 1, 1, 1}};
  EXPECT_EQ(product(v, m, {2}).values, (std::vector<double>{4, 5}));
  const Array batch = {{2, 1, 3}, {1, 2, 3, 4, 5, 6}};
  EXPECT_EQ(product(batch, m, {2, 1, 2}).values,
            (std::vector<double>{4, 5, 10, 11}));
  EXPECT_EQ(product(batch, v, {2, 1}).values, (std::vector<double>{14, 32}));
}

TEST(DynamicQuantizeLinear, ZerosHaveTheScaleOne) {
  ModelBuilder m(11);
  m.input("x", {3});
  m.node("DynamicQuantizeLinear", {"x"}, {"y", "scale", "zero"});
  m.output("y", TensorProto::UINT8).output("scale");
  m.output("zero", TensorProto::UINT8);
  const auto quantized = [&](const std::vector<double> &x) {
    return run(m.model, {{"x", {{3}, x}}}, Model);
  };
  auto zeros = quantized({0, 0, 0});
  EXPECT_EQ(zeros.at("y").values, (std::vector<double>{0, 0, 0}));
  EXPECT_EQ(zeros.at("scale").values, std::vector<double>{1});
  EXPECT_EQ(zeros.at("zero").values, std::vector<double>{0});
  auto others = quantized({-51, 0, 204});
  EXPECT_EQ(others.at("y").values, (std::vector<double>{0, 51, 255}));
  EXPECT_EQ(others.at("scale").values, std::vector<double>{1});
  EXPECT_EQ(others.at("zero").values, std::vector<double>{51});
}

} // namespace
} // namespace populus::popir::test
