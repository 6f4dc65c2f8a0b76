// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that draw random numbers: their distribution, that operators and
// batches differ, and that devices agree.

#include "lib/PopART/Support/Error.h"
#include "test/unit/PopART/ModelBuilder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace populus::popir::test {
namespace {

const MachineOptions Ipu{"ipu2", "ipu", 1, 3};

struct Moments {
  double mean = 0, deviation = 0, least = 0, most = 0;
};

Moments momentsOf(const Array &x) {
  const auto count = static_cast<double>(x.values.size());
  Moments m;
  for (double value : x.values)
    m.mean += value / count;
  for (double value : x.values)
    m.deviation += (value - m.mean) * (value - m.mean) / count;
  m.deviation = std::sqrt(m.deviation);
  m.least = *std::ranges::min_element(x.values);
  m.most = *std::ranges::max_element(x.values);
  return m;
}

const std::vector<std::int64_t> Extents = {40, 50};

/// A sum with the input, which is zero: a model needs one.
onnx::ModelProto model(const std::vector<Attr> &attributes,
                       const std::string &type) {
  ModelBuilder m;
  m.input("x", Extents);
  std::vector<std::string> operands;
  if (type.ends_with("Like"))
    operands = {"x"};
  m.node(type, operands, {"a"}, attributes)
      .node(type, operands, {"b"}, attributes);
  m.node("Add", {"a", "x"}, {"y"}).node("Add", {"b", "x"}, {"z"});
  return m.output("y").output("z").model;
}

std::map<std::string, Array>
draw(const std::string &type, std::vector<Attr> attributes,
     const MachineOptions &machine = {"cpu", "cpu"}) {
  if (!type.ends_with("Like"))
    attributes.emplace_back("shape", Extents);
  return run(model(attributes, type),
             {{"x", {Extents, std::vector<double>(2000)}}}, machine);
}

TEST(Random, Distributions) {
  for (const char *type : {"RandomUniform", "RandomUniformLike"}) {
    const Moments m =
        momentsOf(draw(type, {{"low", -1.0F}, {"high", 3.0F}}).at("y"));
    EXPECT_NEAR(m.mean, 1, 0.1) << type;
    EXPECT_NEAR(m.deviation, 4 / std::sqrt(12), 0.1) << type;
    EXPECT_GE(m.least, -1) << type;
    EXPECT_LT(m.most, 3) << type;
  }
  for (const char *type : {"RandomNormal", "RandomNormalLike"}) {
    const Moments m =
        momentsOf(draw(type, {{"mean", 2.0F}, {"scale", 0.5F}}).at("y"));
    EXPECT_NEAR(m.mean, 2, 0.05) << type;
    EXPECT_NEAR(m.deviation, 0.5, 0.03) << type;
  }
}

TEST(Random, OperatorsDifferAndDevicesAgree) {
  for (const char *type : {"RandomUniform", "RandomNormalLike"}) {
    auto cpu = draw(type, {}), ipu = draw(type, {}, Ipu);
    EXPECT_NE(cpu.at("y").values, cpu.at("z").values) << type;
    expectClose(ipu.at("y"), cpu.at("y"));
    expectClose(ipu.at("z"), cpu.at("z"));
    auto seeded = draw(type, {{"seed", 7.0F}});
    EXPECT_NE(seeded.at("y").values, cpu.at("y").values) << type;
  }
}

TEST(Random, RefusesOtherTypes) {
  EXPECT_THROW(draw("RandomUniform", {{"dtype", 6}}), Error);
}

} // namespace
} // namespace populus::popir::test
