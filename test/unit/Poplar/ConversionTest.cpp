// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers of the host to elements of a device and back; printed forms; clones
// of several.

#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IeeeHalf.hpp>
#include <poplar/TypeConversion.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <sstream>

using namespace poplar;

namespace {

TEST(TypeConversion, ThereAndBack) {
  const std::vector<float> values = {0.0f, 1.5f, -2.0f, 100.0f};
  for (Type type : {FLOAT, HALF, INT, SHORT, SIGNED_CHAR, LONGLONG}) {
    std::vector<char> device(values.size() * 8);
    convertToDeviceType(type, ArrayRef<float>(values), device.data());
    std::vector<double> back(values.size());
    convertFromDeviceType(type, device.data(), ArrayRef<double>(back));
    for (std::size_t i = 0; i != values.size(); ++i)
      EXPECT_EQ(back[i], type == FLOAT || type == HALF ? values[i]
                                                       : std::trunc(values[i]))
          << type;
  }
}

TEST(TypeConversion, HalvesOfTheHost) {
  EXPECT_EQ(IeeeHalf(1.5f).bit16(), 0x3e00);
  EXPECT_EQ(float(IeeeHalf::fromBits(0xc000)), -2.0f);
  EXPECT_LT(IeeeHalf(-1.0f), IeeeHalf(0.5f));
}

TEST(TypeConversion, AllBitsOfLargeIntegers) {
  const std::vector<std::int64_t> values = {
      std::numeric_limits<std::int64_t>::max(),
      std::numeric_limits<std::int64_t>::min(), -1};
  std::vector<std::int64_t> device(3), back(3);
  convertToDeviceType(LONGLONG, ArrayRef<std::int64_t>(values), device.data());
  convertFromDeviceType(LONGLONG, device.data(), ArrayRef<std::int64_t>(back));
  EXPECT_EQ(back, values);
}

TEST(TypeConversion, Overflow) {
  const float large = 1e6f;
  std::uint16_t half = 0;
  convertToDeviceType(HALF, ArrayRef<float>(large), &half);
  EXPECT_EQ(half, 0x7c00);
  convertToDeviceType(HALF, ArrayRef<float>(large), &half, true);
  EXPECT_EQ(half, 0x7e00);
}

std::string printed(const Type &type, std::vector<std::size_t> shape,
                    const std::vector<float> &values,
                    const PrintTensorFmt &format) {
  Graph graph;
  const Tensor tensor = graph.addConstant(type, shape, values);
  Engine engine(graph, program::PrintTensor("t", tensor, format));
  std::ostringstream out;
  engine.setPrintTensorStream(out);
  engine.load(Device::createCPUDevice());
  engine.run();
  return out.str();
}

TEST(PrintTensorFmt, Forms) {
  using Format = PrintTensorFmt::FloatFormat;
  EXPECT_EQ(printed(FLOAT, {2}, {1, -0.5f}, PrintTensorFmt(10, 3, 75, 2)),
            "t: [ 1.00 -0.50]\n");
  EXPECT_EQ(printed(FLOAT, {2}, {1, 2e9f}, PrintTensorFmt(10, 3, 75, 1)),
            "t: [1.0e+00 2.0e+09]\n");
  EXPECT_EQ(printed(FLOAT, {2}, {1, 0.5f},
                    PrintTensorFmt(10, 3, 75, 1, Format::None, ',', '{', '}')),
            "t: {  1,0.5}\n");
  EXPECT_EQ(printed(INT, {2, 2}, {1, 20, 3, 4}, PrintTensorFmt()),
            "t: [[ 1 20]\n    [ 3  4]]\n");
  EXPECT_EQ(printed(INT, {}, {7}, PrintTensorFmt()), "t: 7\n");
}

// The option changes prints without a format of their own.
TEST(PrintTensorFmt, AsAnOption) {
  Graph graph;
  const Tensor tensor = graph.addConstant<float>(FLOAT, {2}, {1, 2.5});
  const PrintTensorFmt own(10, 3, 75, 2);
  const program::Sequence prog({program::PrintTensor("plain", tensor),
                                program::PrintTensor("own", tensor, own)});
  const auto printedWith = [&](const OptionFlags &options) {
    Engine engine(graph, prog, options);
    std::ostringstream out;
    engine.setPrintTensorStream(out);
    engine.load(Device::createCPUDevice());
    engine.run();
    return out.str();
  };
  const std::string ownText = "own: [1.00 2.50]\n";
  EXPECT_EQ(printedWith({}), "plain: {1,2.5}\n" + ownText);
  EXPECT_EQ(printedWith({{"debug.printTensorStyle", "braces"}}),
            "plain: {1,2.5}\n" + ownText);
  EXPECT_EQ(printedWith({{"debug.printTensorStyle", "format"}}),
            "plain: [1.00000000 2.50000000]\n" + ownText);
  EXPECT_THROW(printedWith({{"debug.printTensorStyle", "poem"}}),
               invalid_option);
}

TEST(PrintTensorFmt, LongOnes) {
  EXPECT_EQ(printed(INT, {6}, {1, 2, 3, 4, 5, 6}, PrintTensorFmt(5, 2)),
            "t: [1 2 ... 5 6]\n");
  EXPECT_EQ(printed(INT, {4}, {1, 2, 3, 4}, PrintTensorFmt(9, 2, 8)),
            "t: [1 2\n    3 4]\n");
}

TEST(CloneN, NewOuterDimension) {
  Graph graph(Target::createIPUTarget(1, 4, "ipu2"));
  const Tensor tensor =
      graph.addVariable(FLOAT, {4}, VariableMappingMethod::LINEAR);
  const Tensor clones = graph.cloneN(HALF, tensor, 3, "clones");
  EXPECT_EQ(clones.shape(), (std::vector<std::size_t>{3, 4}));
  EXPECT_EQ(clones.elementType(), HALF);
  EXPECT_FALSE(clones.containsAliases());
  for (unsigned i = 0; i != 3; ++i)
    EXPECT_EQ(graph.getTileMapping(clones[i]), graph.getTileMapping(tensor));
  EXPECT_THROW(graph.cloneN(tensor, 0), tensor_creation_error);
}

TEST(FindUnbroadcastTensor, DropsRepetition) {
  Graph graph(Target::createIPUTarget(1, 4, "ipu2"));
  const Tensor tensor = graph.addVariable(FLOAT, {3, 1, 2});
  const Tensor repeated = tensor.broadcast(5, 1);
  EXPECT_EQ(graph.findUnbroadcastTensor(repeated), tensor);
  EXPECT_EQ(graph.findUnbroadcastTensor(tensor), tensor);
}

} // namespace
