// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of integers are exact, however long the sums and whatever the
// precision of floats.

#include "test/unit/PopART/ModelBuilder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace populus::popir::test {
namespace {

using onnx::TensorProto;

const MachineOptions Model = {"ipu2", "ipu-model", 1, 16};

/// Integers in [least, most].
Array integers(Shape shape, unsigned seed, int least, int most) {
  std::mt19937 generator(seed);
  Array result{shape, std::vector<double>(numElements(shape))};
  for (double &value : result.values)
    value = least + static_cast<int>(generator() % (most - least + 1));
  return result;
}

ModelBuilder &weight(ModelBuilder &m, const std::string &name,
                     const Array &value, int type) {
  TensorProto &tensor = *m.model.mutable_graph()->add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(type);
  for (std::int64_t extent : value.shape)
    tensor.add_dims(extent);
  for (double element : value.values) {
    if (type == TensorProto::FLOAT)
      tensor.add_float_data(static_cast<float>(element));
    else
      tensor.add_int32_data(static_cast<int>(element));
  }
  return m;
}

std::map<std::string, Array> runHalf(const onnx::ModelProto &model,
                                     const std::map<std::string, Array> &inputs,
                                     bool isHalf) {
  const std::unique_ptr<Module> module = importModel(model);
  if (isHalf)
    test::runPass(*module, "HalfPrecision");
  return run(*module, inputs, Model);
}

TEST(IntegerProducts, LongSumsAreExact) {
  constexpr std::int64_t Rows = 3, Depth = 1000, Columns = 5;
  const Array a = integers({Rows, Depth}, 1, 0, 255);
  const Array b = integers({Depth, Columns}, 2, -128, 127);
  ModelBuilder m(10);
  m.input("a", a.shape, TensorProto::UINT8);
  weight(m, "b", b, TensorProto::INT8);
  weight(m, "az", {{}, {3}}, TensorProto::UINT8);
  weight(m, "bz", {{Columns}, {-128, -5, 0, 7, 127}}, TensorProto::INT8);
  m.node("MatMulInteger", {"a", "b", "az", "bz"}, {"y"});
  m.output("y", TensorProto::INT32);
  for (bool isHalf : {false, true}) {
    const Array y = runHalf(m.model, {{"a", a}}, isHalf).at("y");
    const double zeros[] = {-128, -5, 0, 7, 127};
    for (std::int64_t i = 0; i != Rows; ++i)
      for (std::int64_t j = 0; j != Columns; ++j) {
        double sum = 0;
        for (std::int64_t k = 0; k != Depth; ++k)
          sum += (a({i, k}) - 3) * (b({k, j}) - zeros[j]);
        EXPECT_EQ(y({i, j}), sum) << i << " " << j << " half: " << isHalf;
      }
  }
}

TEST(IntegerProducts, ConvolutionsOfManyChannelsAreExact) {
  constexpr std::int64_t Channels = 96, Field = 5;
  const Array x = integers({1, 2 * Channels, Field, Field}, 3, 0, 255);
  const Array w = integers({4, Channels, 3, 3}, 4, 0, 255);
  ModelBuilder m(10);
  m.input("x", x.shape, TensorProto::UINT8);
  m.input("w", w.shape, TensorProto::UINT8);
  weight(m, "xz", {{}, {255}}, TensorProto::UINT8);
  weight(m, "wz", {{}, {0}}, TensorProto::UINT8);
  m.node("ConvInteger", {"x", "w", "xz", "wz"}, {"y"},
         {{"group", 2},
          {"pads", std::vector<std::int64_t>{1, 1, 1, 1}},
          {"kernel_shape", std::vector<std::int64_t>{3, 3}}});
  m.output("y", TensorProto::INT32);
  const Array y = runHalf(m.model, {{"x", x}, {"w", w}}, false).at("y");
  for (std::int64_t o = 0; o != 4; ++o)
    for (std::int64_t i = 0; i != Field; ++i)
      for (std::int64_t j = 0; j != Field; ++j) {
        double sum = 0;
        for (std::int64_t c = 0; c != Channels; ++c)
          for (std::int64_t k = 0; k != 9; ++k) {
            const std::int64_t row = i + k / 3 - 1, column = j + k % 3 - 1;
            if (row >= 0 && row < Field && column >= 0 && column < Field)
              sum += (x({0, o / 2 * Channels + c, row, column}) - 255) *
                     w({o, c, k / 3, k % 3});
          }
        EXPECT_EQ(y({0, o, i, j}), sum) << o << " " << i << " " << j;
      }
}

TEST(IntegerProducts, ResultsAreRoundedToEvenAndHeldToTheirRange) {
  const Array a{{1, 2}, {1, 3}};
  const Array b{{2, 4}, {1, 3, 127, -127, 0, 0, 127, -127}};
  ModelBuilder m(10);
  m.input("a", a.shape, TensorProto::UINT8);
  weight(m, "b", b, TensorProto::INT8);
  weight(m, "half", {{}, {0.5}}, TensorProto::FLOAT);
  weight(m, "one", {{}, {1}}, TensorProto::FLOAT);
  weight(m, "az", {{}, {0}}, TensorProto::UINT8);
  weight(m, "bz", {{}, {0}}, TensorProto::INT8);
  weight(m, "yz", {{}, {3}}, TensorProto::INT8);
  m.node("QLinearMatMul", {"a", "half", "az", "b", "one", "bz", "one", "yz"},
         {"y"});
  m.output("y", TensorProto::INT8);
  // 0.5 and 1.5 are rounded to even before the zero point is added.
  EXPECT_EQ(runHalf(m.model, {{"a", a}}, false).at("y").values,
            (std::vector<double>{3, 5, 127, -128}));
}

} // namespace
} // namespace populus::popir::test
