// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collectives on graphs of several replicas, of IPU Models and emulated IPUs.

#include "Harness.h"

#include <popops/Collectives.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <tuple>

using namespace poplar;
using namespace test;
using popops::Operation;

namespace {

constexpr std::size_t Count = 10;

Device devicesOf(bool model, unsigned replicas) {
  if (model) {
    IPUModel ipuModel;
    ipuModel.numIPUs = replicas;
    ipuModel.tilesPerIPU = 3;
    return ipuModel.createDevice();
  }
  auto devices = DeviceManager::createDeviceManager().getDevices(
      TargetType::IPU, replicas);
  return devices.at(0).createVirtualDevice(3);
}

double combine(Operation op, double a, double b) {
  switch (op) {
  case Operation::MUL:
    return a * b;
  case Operation::MIN:
    return std::min(a, b);
  case Operation::MAX:
    return std::max(a, b);
  default:
    return a + b;
  }
}

class Collectives : public testing::TestWithParam<std::tuple<bool, unsigned>> {
protected:
  const unsigned replicas = std::get<1>(GetParam());
  Device device = devicesOf(std::get<0>(GetParam()), replicas);
  Graph graph{device, replication_factor(replicas)};
  program::Sequence prog;
  Tensor data;
  std::vector<float> in;
  std::vector<std::string> handles;
  std::vector<std::size_t> sizes;

  void SetUp() override {
    popops::addCodelets(graph);
    data = graph.addVariable(FLOAT, {2, Count / 2}, "data");
    poputil::mapTensorLinearly(graph, data);
    graph.createHostWrite("data", data);
    for (double x : randomIntegers(Count * replicas, -3, 3))
      in.push_back(static_cast<float>(x));
  }

  void output(const Tensor &t) {
    handles.push_back("out" + std::to_string(handles.size()));
    sizes.push_back(t.numElements() * replicas);
    graph.createHostRead(handles.back(), t);
  }

  std::vector<std::vector<float>> run() {
    Engine engine(graph, prog);
    engine.load(device);
    engine.writeTensor("data", in.data(), in.data() + in.size());
    engine.run();
    std::vector<std::vector<float>> results;
    for (std::size_t i = 0; i != handles.size(); ++i) {
      results.emplace_back(sizes[i]);
      engine.readTensor(handles[i], results[i].data(),
                        results[i].data() + sizes[i]);
    }
    return results;
  }
};

INSTANTIATE_TEST_SUITE_P(Devices, Collectives,
                         testing::Combine(testing::Bool(),
                                          testing::Values(1, 2, 3, 4)));

} // namespace

TEST_P(Collectives, AllReduce) {
  const Operation operations[] = {Operation::ADD, Operation::SQUARE_ADD,
                                  Operation::MUL, Operation::MIN,
                                  Operation::MAX};
  for (Operation op : operations)
    output(popops::replicatedAllReduce(graph, data, op, prog));
  popops::replicatedAllReduceInPlace(graph, data, Operation::ADD, prog);
  output(data);
  const auto results = run();
  for (std::size_t o = 0; o != 6; ++o)
    for (std::size_t i = 0; i != Count; ++i) {
      const Operation op = o < 5 ? operations[o] : Operation::ADD;
      const auto term = [&](std::size_t replica) {
        const double x = in[replica * Count + i];
        return op == Operation::SQUARE_ADD ? x * x : x;
      };
      double expected = term(0);
      for (unsigned r = 1; r != replicas; ++r)
        expected = combine(op, expected, term(r));
      for (unsigned r = 0; r != replicas; ++r)
        ASSERT_EQ(results[o][r * Count + i], expected) << o << " " << r;
    }
}

TEST_P(Collectives, GatherAndScatter) {
  output(popops::replicatedAllGather(graph, data, prog));
  const Tensor part =
      popops::replicatedReduceScatter(graph, data, Operation::ADD, prog);
  output(part);
  const auto results = run();
  for (unsigned r = 0; r != replicas; ++r)
    for (std::size_t i = 0; i != in.size(); ++i)
      ASSERT_EQ(results[0][r * in.size() + i], in[i]);
  const std::size_t each = part.numElements();
  EXPECT_EQ(each, (Count + replicas - 1) / replicas);
  for (std::size_t i = 0; i != each * replicas; ++i) {
    double sum = 0;
    for (unsigned r = 0; r != replicas && i < Count; ++r)
      sum += in[r * Count + i];
    ASSERT_EQ(results[1][i], sum);
  }
}

TEST_P(Collectives, Errors) {
  EXPECT_THROW(
      popops::replicatedAllReduce(graph, data, Operation::LOG_ADD, prog),
      poputil::poplibs_error);
  EXPECT_THROW(popops::replicatedAllGather(graph, data, prog, {},
                                           {{"method", "square"}}),
               poplar::invalid_option);
  EXPECT_THROW(popops::replicatedAllReduceWithOutput(
                   graph, data, data.flatten(), Operation::ADD, prog),
               poputil::poplibs_error);
}
