// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quarters on the host: conversions against the definition of the formats in
// double precision, metadata of tensors and their views, and what is refused.
// Codelets with quarters are in test/poplar/quarter.test.

#include "DeviceKinds.h"

#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/MetadataCreation.hpp>
#include <poplar/TypeConversion.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

using namespace poplar;
using Format = QuarterMetadata::Format;

namespace {

constexpr double Nan = std::numeric_limits<double>::quiet_NaN();
constexpr double Infinity = std::numeric_limits<double>::infinity();

/// Decodes a number: sign, exponent and fraction of the format.
double meaning(unsigned code, QuarterMetadata metadata) {
  const bool is143 = metadata.getFormat() == Format::F143;
  const unsigned steps = is143 ? 8 : 4; // of a power of two
  const int bias = is143 ? 8 : 16;
  if (code == 0x80)
    return Nan;
  const unsigned exponent = (code & 0x7f) / steps, fraction = code % steps;
  const double magnitude =
      exponent == 0
          ? std::ldexp(static_cast<double>(fraction) / steps, 1 - bias)
          : std::ldexp(1 + static_cast<double>(fraction) / steps,
                       static_cast<int>(exponent) - bias);
  return std::ldexp(code & 0x80 ? -magnitude : magnitude, metadata.getScale());
}

/// The code whose meaning is nearest, the even one of two.
unsigned nearest(double value, QuarterMetadata metadata) {
  if (std::isnan(value))
    return 0x80;
  unsigned best = 0;
  for (unsigned code = 1; code != 0x80; ++code) {
    const double error = std::fabs(meaning(code, metadata) - std::fabs(value));
    const double least = std::fabs(meaning(best, metadata) - std::fabs(value));
    if (error < least || (error == least && code % 2 == 0))
      best = code;
  }
  return best == 0 || value > 0 ? best : best | 0x80;
}

template <typename T> unsigned char encode(T value, QuarterMetadata metadata) {
  unsigned char code = 0;
  convertToDeviceType(QUARTER, metadata, ArrayRef<T>(value), &code);
  return code;
}

double decode(unsigned char code, QuarterMetadata metadata) {
  double value = 0;
  convertFromDeviceType(QUARTER, metadata, &code, ArrayRef<double>(value));
  return value;
}

std::vector<QuarterMetadata> someMetadata() {
  std::vector<QuarterMetadata> list;
  for (Format format : {Format::F143, Format::F152})
    for (int scale : {-32, -7, 0, 1, 31})
      list.emplace_back(format, scale);
  return list;
}

TEST(Quarter, AllCodes) {
  for (QuarterMetadata metadata : someMetadata())
    for (unsigned code = 0; code != 0x100; ++code) {
      const double expected = meaning(code, metadata);
      const double actual = decode(static_cast<unsigned char>(code), metadata);
      if (code == 0x80) {
        EXPECT_TRUE(std::isnan(actual));
      } else {
        EXPECT_EQ(actual, expected) << metadata << ' ' << code;
        EXPECT_EQ(encode(expected, metadata), code) << metadata;
        EXPECT_EQ(encode(static_cast<float>(expected), metadata), code);
      }
    }
}

TEST(Quarter, RoundingToNearest) {
  std::mt19937 random(7);
  for (QuarterMetadata metadata : someMetadata()) {
    const auto check = [&](double value) {
      EXPECT_EQ(encode(value, metadata), nearest(value, metadata))
          << metadata << ' ' << value;
    };
    for (unsigned code = 0; code != 0x7f; ++code) {
      const double middle =
          (meaning(code, metadata) + meaning(code + 1, metadata)) / 2;
      // Beyond the precision of a float, too.
      for (double factor : {1.0, 1 - 1e-15, 1 + 1e-15, 0.9, 1.1})
        check(middle * factor), check(-middle * factor);
    }
    for (int i = 0; i != 200; ++i)
      check(std::ldexp(static_cast<double>(random()) / random.max() - 0.5,
                       static_cast<int>(random() % 30) - 20 +
                           metadata.getScale()));
    check(Nan);
    check(0.0);
    check(-0.0);
  }
}

TEST(Quarter, Limits) {
  const QuarterMetadata f143(Format::F143, 0), f152(Format::F152, 0);
  EXPECT_EQ(decode(0x7f, f143), 240);
  EXPECT_EQ(decode(0x7f, f152), 57344);
  EXPECT_EQ(decode(0x01, f143), std::ldexp(1, -10));
  EXPECT_EQ(decode(0x01, f152), std::ldexp(1, -17));
  for (double large : {1e4, 1e300, Infinity}) {
    EXPECT_EQ(encode(large, f143), 0x7f);
    EXPECT_EQ(encode(-large, f143), 0xff);
    unsigned char code = 0;
    convertToDeviceType(QUARTER, f143, ArrayRef<double>(large), &code, true);
    EXPECT_EQ(code, 0x80);
  }
}

TEST(Quarter, OfIntegersAndToThem) {
  const QuarterMetadata metadata(Format::F143, 1);
  EXPECT_EQ(decode(encode(-96, metadata), metadata), -96);
  const unsigned char code = encode(5.0f, metadata);
  int number = 0;
  convertFromDeviceType(QUARTER, metadata, &code, ArrayRef<int>(number));
  EXPECT_EQ(number, 5);
  // Other types take no notice of metadata.
  int device = 0;
  convertToDeviceType(INT, metadata, ArrayRef<int>(7), &device);
  EXPECT_EQ(device, 7);
  EXPECT_THROW(convertToDeviceType(QUARTER, ArrayRef<int>(number), &device),
               type_error);
}

TEST(Quarter, Metadata) {
  const QuarterMetadata metadata(Format::F152, -3);
  EXPECT_EQ(metadata.toString(), "F152 scaled by 2^-3");
  EXPECT_EQ(metadata.getBinary(), 0x3d);
  EXPECT_EQ(QuarterMetadata(Format::F143, 31).getBinary(), 0x9f);
  for (unsigned scale = 0; scale != 64; ++scale)
    for (unsigned format : {0u, 0x80u}) {
      const QuarterMetadata read(static_cast<unsigned char>(format | scale));
      EXPECT_EQ(QuarterMetadata(read.getFormat(), read.getScale()), read);
    }
  EXPECT_EQ(QuarterMetadata(), QuarterMetadata(Format::F143, 0));
  EXPECT_THROW(QuarterMetadata(Format::F143, 32), poplar_error);
  EXPECT_THROW(QuarterMetadata(Format::F143, -33), poplar_error);
}

TEST(Quarter, BestScale) {
  const std::vector<float> small = {1e-5f, -2e-5f, 3.1e-5f};
  const QuarterMetadata forSmall = calculateMetadataForConversion(
      QUARTER, small, Format::F143, CostMetric::MEAN_SQUARE_ERROR);
  EXPECT_EQ(forSmall.getFormat(), Format::F143);
  for (float value : small)
    EXPECT_NEAR(decode(encode(value, forSmall), forSmall), value,
                std::fabs(value) / 16);
  const QuarterMetadata forLarge = calculateMetadataForConversion(
      QUARTER, std::vector<double>{1e7, Nan, Infinity}, Format::F152);
  EXPECT_NEAR(decode(encode(1e7, forLarge), forLarge), 1e7, 1e7 / 8);
  EXPECT_EQ(calculateMetadataForConversion(QUARTER, std::vector<float>(),
                                           Format::F152),
            QuarterMetadata(Format::F152, 0));
  EXPECT_THROW(calculateMetadataForConversion(HALF, small, Format::F143),
               type_error);
}

TEST(Quarter, Types) {
  EXPECT_EQ(QUARTER.toString(), "quarter");
  EXPECT_EQ(QUARTER_METADATA.toString(), "quarter_metadata");
  EXPECT_TRUE(QUARTER.requiresMetadata());
  EXPECT_FALSE(QUARTER_METADATA.requiresMetadata());
  EXPECT_FALSE(HALF.requiresMetadata());
  EXPECT_TRUE(QUARTER.isFloatingPoint());
  EXPECT_FALSE(QUARTER.isIntegral());
  EXPECT_EQ(Graph().getTarget().getTypeSize(QUARTER), 1u);
}

class QuarterTensors : public ::testing::Test {
protected:
  Graph graph;
  Tensor metadata = createConstantMetadataTensor(graph, Format::F143, 3);
  Tensor other = createVariableMetadataTensor(graph, Format::F143, 3);
  Tensor t = graph.addVariable(QUARTER, metadata, {4, 6}, "t");
  program::Sequence prog;
};

TEST_F(QuarterTensors, ViewsKeepMetadata) {
  EXPECT_EQ(metadata.elementType(), QUARTER_METADATA);
  EXPECT_FALSE(metadata.hasMetadata());
  const std::vector<unsigned> rows = {0, 2};
  const std::vector<std::vector<Interval>> parts = {
      {Interval(0, 2), Interval(5, 7)}};
  const std::vector<Tensor> views = {
      t,
      t[1],
      t.slice(1, 3),
      t.transpose().flatten(),
      t.reshape({2, 12}),
      t.broadcast(2, 1),
      t.reverse(0),
      t.subSample(2, 1),
      concat(t.slice(0, 1), t.slice(2, 4)),
      t.dimRoll(1).slices(rows)[1],
      t.flatten().slices(parts)[0],
      graph.clone(t),
      graph.cloneN(t, 2),
      t.reinterpret(QUARTER),
      graph.getVariable(t.getVarRegions()[0].var)};
  for (const Tensor &view : views) {
    ASSERT_TRUE(view.hasMetadata());
    EXPECT_EQ(view.getMetadata(), metadata);
  }
  const Tensor bytes = t.reinterpret(UNSIGNED_CHAR);
  EXPECT_FALSE(bytes.hasMetadata());
  EXPECT_THROW(bytes.getMetadata(), poplar_error);
}

TEST_F(QuarterTensors, ClonesWithOtherMetadata) {
  EXPECT_EQ(graph.clone(other, t).getMetadata(), other);
  EXPECT_EQ(graph.clone(QUARTER, other, t).getMetadata(), other);
  EXPECT_FALSE(graph.clone(HALF, t).hasMetadata());
  const Tensor half = graph.addVariable(HALF, {3});
  EXPECT_EQ(graph.clone(QUARTER, metadata, half).getMetadata(), metadata);
  EXPECT_FALSE(graph.clone(HALF, Tensor(), half).hasMetadata());
}

TEST_F(QuarterTensors, Errors) {
  const auto message = [](auto &&call) -> std::string {
    try {
      call();
    } catch (const poplar_error &error) {
      return error.what();
    }
    return "";
  };
  const auto contains = [&](auto &&call, const char *text) {
    const std::string said = message(call);
    EXPECT_NE(said.find(text), std::string::npos) << said;
  };
  const Tensor u = graph.addVariable(QUARTER, other, {4, 6}, "u");
  contains([&] { concat(t, u); }, "other metadata than the first");
  contains([&] { program::Copy(t, u); }, "differ, or may differ");
  contains([&] { graph.addVariable(FLOAT, metadata, {2}); },
           "given metadata, which it does not have");
  contains([&] { graph.addVariable(QUARTER, t, {2}); },
           "one element of type quarter_metadata");
  contains([&] { program::PrintTensor("title", t); }, "no place for their");
  contains([&] { graph.addRemoteBuffer("r", QUARTER, 4); },
           "remote buffer 'r'");
  contains([&] { graph.addConstant(QUARTER_METADATA, {1}, 3); },
           "createConstantMetadataTensor");
  const Tensor none = graph.addVariable(QUARTER, {4, 6}, "none");
  EXPECT_FALSE(none.hasMetadata());
  contains([&] { none.getMetadata(); }, "made without metadata");
  contains([&] { graph.setInitialValue(none, 1.0f); }, "without metadata");
  contains([&] { graph.createHostRead("none", none); }, "without metadata");
  contains([&] { program::Copy(t, none); }, "differ, or may differ");
  const DataStream in = graph.addHostToDeviceFIFO("in", QUARTER, 24);
  prog.add(program::Copy(in, u));
  contains([&] { program::Copy(in, t); }, "only some are constant");
  graph.createHostWrite("t", t);
  Engine engine(graph, prog);
  engine.load(Device::createCPUDevice());
  std::vector<unsigned char> bytes(24);
  contains([&] { engine.connectStream("in", bytes.data(), &bytes[0] + 24); },
           "mean nothing without metadata");
  contains([&] { engine.writeTensor("t", bytes.data(), &bytes[0] + 24); },
           "mean nothing without metadata");
  for (const char *target : {"ipu1", "ipu2"}) {
    Graph early(Target::createIPUTarget(1, 2, target));
    contains([&] { early.addVariable(QUARTER, {2}, "x"); },
             "'x': elements of type quarter (8-bit floats) need the target "
             "ipu21 or cpu");
    contains([&] { early.addHostToDeviceFIFO("s", QUARTER, 2); }, target);
  }
}

TEST_F(QuarterTensors, ConstantsAndInitialValues) {
  const Tensor constant = graph.addConstant(QUARTER, metadata, {2, 2}, 1.5f);
  double value = 0;
  EXPECT_TRUE(constant[0][1].getConstantValue(&value));
  EXPECT_EQ(value, 1.5);
  const Tensor list = graph.addConstant(QUARTER, metadata, {3},
                                        std::vector<double>{8, -16, 24});
  const Tensor u = graph.addVariable(QUARTER, other, {3});
  graph.setInitialValue(u, std::vector<float>{8, -16, 24});
  for (const Tensor &tensor : {list, u})
    graph.setTileMapping(tensor, 0);
  graph.createHostRead("list", list);
  graph.createHostRead("u", u);
  Engine engine(graph, prog);
  engine.load(Device::createCPUDevice());
  const QuarterMetadata expected(Format::F143, 3);
  for (const char *handle : {"list", "u"}) {
    std::vector<unsigned char> bytes(3);
    engine.readTensor(handle, expected, bytes.data(), &bytes[0] + 3);
    EXPECT_EQ(decode(bytes[0], expected), 8);
    EXPECT_EQ(decode(bytes[1], expected), -16);
    EXPECT_EQ(decode(bytes[2], expected), 24);
  }
}

} // namespace
