// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs PopLibs programs on the devices that every test is repeated on. A test
// builds its graph on a Program: inputs are variables that the host writes,
// outputs any tensors, and expected values come from references in double.

#ifndef POPULUS_TEST_UNIT_POPLIBS_HARNESS_H
#define POPULUS_TEST_UNIT_POPLIBS_HARNESS_H

#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplin/codelets.hpp>
#include <popnn/codelets.hpp>
#include <popops/codelets.hpp>
#include <poputil/TileMapping.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace test {

using Shape = std::vector<std::size_t>;
using Values = std::vector<double>;

inline std::size_t product(const Shape &shape) {
  std::size_t n = 1;
  for (std::size_t extent : shape)
    n *= extent;
  return n;
}

/// "cpu", or "model" or "ipu" and a number of tiles: "model7". The target is
/// ipu2, or what follows: "ipu7of21" has tiles of ipu21.
inline poplar::Device makeDevice(const std::string &name) {
  if (name == "cpu")
    return poplar::Device::createCPUDevice();
  const bool model = name.starts_with("model");
  const unsigned tiles = std::stoul(name.substr(model ? 5 : 3));
  const std::size_t of = name.find("of");
  const std::string target =
      "ipu" + (of == std::string::npos ? "2" : name.substr(of + 2));
  if (model) {
    poplar::IPUModel ipuModel(target.c_str());
    ipuModel.tilesPerIPU = tiles;
    return ipuModel.createDevice();
  }
  if (of != std::string::npos)
    return poplar::Device::createSimulatorDevice(
        poplar::Target::createIPUTarget(1, tiles, target));
  auto devices = poplar::DeviceManager::createDeviceManager().getDevices(
      poplar::TargetType::IPU, 1);
  return devices.at(0).createVirtualDevice(tiles);
}

/// A graph with its program and the data that goes in and comes out.
class Program {
public:
  explicit Program(const std::string &deviceName)
      : device(makeDevice(deviceName)), graph(device.getTarget()) {
    popops::addCodelets(graph);
    poplin::addCodelets(graph);
    popnn::addCodelets(graph);
  }

  poplar::Device device;
  poplar::Graph graph;
  poplar::program::Sequence prog;
  poplar::OptionFlags engineOptions;

  /// A variable spread linearly, with values.
  poplar::Tensor input(const poplar::Type &type, const Shape &shape,
                       const Values &values, unsigned firstTile = 0) {
    const poplar::Tensor t = graph.addVariable(type, shape, "input");
    poputil::mapTensorLinearlyWithOffset(graph, t, 1, 1, firstTile);
    write(t, values);
    return t;
  }
  poplar::Tensor input(const Shape &shape, const Values &values) {
    return input(poplar::FLOAT, shape, values);
  }

  /// Gives a mapped tensor its values.
  void write(const poplar::Tensor &t, const Values &values) {
    ASSERT_EQ(t.numElements(), values.size());
    if (values.empty())
      return;
    const std::string handle = "in" + std::to_string(inputs.size());
    graph.createHostWrite(handle, t);
    inputs[handle] = {t.elementType(), toBytes(t.elementType(), values)};
  }

  std::string output(const poplar::Tensor &t) {
    const std::string handle = "out" + std::to_string(outputs.size());
    if (t.numElements() != 0)
      graph.createHostRead(handle, t);
    outputs[handle] = {
        t.elementType(),
        std::vector<char>(t.numElements() * size(t.elementType()))};
    return handle;
  }

  void run() {
    poplar::Engine engine(graph, prog, engineOptions);
    start(engine);
    for (auto &[handle, data] : outputs)
      if (!data.bytes.empty())
        engine.readTensor(handle, data.bytes.data(),
                          data.bytes.data() + data.bytes.size());
  }

  /// Runs, and returns the cycles that the program took.
  std::uint64_t cycles() {
    poplar::Engine engine(graph, prog, engineOptions);
    start(engine);
    return engine.getExecutionProfile()["simulation"]["cycles"].asUint();
  }

  Values result(const std::string &handle) const {
    const Data &data = outputs.at(handle);
    return fromBytes(data.type, data.bytes);
  }

  /// Adds the output, runs, and returns its values.
  Values valuesOf(const poplar::Tensor &t) {
    const std::string handle = output(t);
    run();
    return result(handle);
  }

private:
  struct Data {
    poplar::Type type;
    std::vector<char> bytes;
  };
  std::map<std::string, Data> inputs, outputs;

  /// Loads the program, writes its inputs and runs it.
  void start(poplar::Engine &engine) {
    engine.load(device);
    for (auto &[handle, data] : inputs)
      engine.writeTensor(handle, data.bytes.data(),
                         data.bytes.data() + data.bytes.size());
    engine.run();
  }

  std::size_t size(const poplar::Type &type) const {
    return graph.getTarget().getTypeSize(type);
  }

  template <class T> static std::vector<char> pack(const Values &values) {
    std::vector<char> bytes(values.size() * sizeof(T));
    for (std::size_t i = 0; i != values.size(); ++i) {
      const T value = static_cast<T>(values[i]);
      std::memcpy(&bytes[i * sizeof(T)], &value, sizeof(T));
    }
    return bytes;
  }
  template <class T> static Values unpack(const std::vector<char> &bytes) {
    Values values(bytes.size() / sizeof(T));
    for (std::size_t i = 0; i != values.size(); ++i) {
      T value;
      std::memcpy(&value, &bytes[i * sizeof(T)], sizeof(T));
      values[i] = static_cast<double>(value);
    }
    return values;
  }

  std::vector<char> toBytes(const poplar::Type &type,
                            const Values &values) const {
    if (type == poplar::FLOAT)
      return pack<float>(values);
    if (type == poplar::INT)
      return pack<int>(values);
    if (type == poplar::UNSIGNED_INT)
      return pack<unsigned>(values);
    if (type == poplar::BOOL)
      return pack<bool>(values);
    std::vector<char> bytes(values.size() * 2);
    poplar::copyDoubleToDeviceHalf(graph.getTarget(), values.data(),
                                   bytes.data(), values.size());
    return bytes;
  }
  Values fromBytes(const poplar::Type &type,
                   const std::vector<char> &bytes) const {
    if (type == poplar::FLOAT)
      return unpack<float>(bytes);
    if (type == poplar::INT)
      return unpack<int>(bytes);
    if (type == poplar::UNSIGNED_INT)
      return unpack<unsigned>(bytes);
    if (type == poplar::BOOL)
      return unpack<bool>(bytes);
    Values values(bytes.size() / 2);
    poplar::copyDeviceHalfToDouble(graph.getTarget(), bytes.data(),
                                   values.data(), values.size());
    return values;
  }
};

/// Tests that run on all devices.
class OnDevices : public testing::TestWithParam<const char *> {};

#define POPLIBS_INSTANTIATE_ON(...)                                            \
  INSTANTIATE_TEST_SUITE_P(                                                    \
      Devices, OnDevices, testing::Values(__VA_ARGS__),                        \
      [](const auto &info) { return std::string(info.param); })
#define POPLIBS_INSTANTIATE()                                                  \
  POPLIBS_INSTANTIATE_ON("cpu", "model1", "model7", "model64", "model1472",    \
                         "ipu1", "ipu7", "ipu64")

/// Values that a float holds exactly, the same in every run.
inline Values randomValues(std::size_t count, double low = -2, double high = 2,
                           unsigned seed = 1) {
  std::mt19937 engine(seed);
  Values values(count);
  for (double &value : values)
    value = static_cast<float>(low + (high - low) * (engine() / 4294967296.0));
  return values;
}

/// Small integers, exact in every type.
inline Values randomIntegers(std::size_t count, int low = -4, int high = 4,
                             unsigned seed = 1) {
  std::mt19937 engine(seed);
  Values values(count);
  for (double &value : values)
    value = low + static_cast<int>(engine() % (high - low + 1));
  return values;
}

inline void expectNear(const Values &actual, const Values &expected,
                       double relative = 1e-5, double absolute = 1e-6) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i != actual.size(); ++i) {
    if (std::isnan(expected[i]) || std::isinf(expected[i])) {
      ASSERT_EQ(std::isnan(actual[i]), std::isnan(expected[i])) << i;
      if (std::isinf(expected[i])) {
        ASSERT_EQ(actual[i], expected[i]) << i;
      }
      continue;
    }
    ASSERT_NEAR(actual[i], expected[i],
                absolute + relative * std::abs(expected[i]))
        << "element " << i;
  }
}

/// Applies a function to every multi-dimensional index of a shape, in order.
template <class F> void forEachIndex(const Shape &shape, F visit) {
  const std::size_t count = product(shape);
  Shape index(shape.size());
  for (std::size_t i = 0; i != count; ++i) {
    std::size_t rest = i;
    for (std::size_t d = shape.size(); d-- != 0;) {
      index[d] = rest % shape[d];
      rest /= shape[d];
    }
    visit(index);
  }
}

} // namespace test

#endif
