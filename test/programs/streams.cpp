// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Data that is larger than the device: batches come from a callback that may
// give them ahead of time, meet rows of weights in a remote buffer, which are
// changed there, and results go to another callback. The executable is saved
// and loaded in between.

#include "device.hpp"

#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <popops/codelets.hpp>
#include <poputil/TileMapping.hpp>

#include <cstring>
#include <iostream>
#include <memory>
#include <sstream>
#include <vector>

using namespace poplar;
using namespace poplar::program;
namespace pe = popops::expr;

static const std::size_t N = 30;
static const unsigned Rows = 4, Batches = 8;

static float inputAt(unsigned batch, std::size_t i) {
  return static_cast<float>(batch + i % 5);
}

class Batch : public StreamCallback {
public:
  Batch(unsigned &late) : late(late) {}
  Result prefetch(void *buffer) noexcept override {
    if (batch % 3 == 2)
      return Result::NotAvailable;
    fill(buffer);
    return Result::Success;
  }
  void fetch(void *buffer) noexcept override {
    fill(buffer);
    ++late;
  }
  void complete() noexcept override { ++batch; }

private:
  void fill(void *buffer) const {
    for (std::size_t i = 0; i != N; ++i)
      static_cast<float *>(buffer)[i] = inputAt(batch, i);
  }
  unsigned batch = 0;
  unsigned &late;
};

static Executable compile(const Device &device) {
  Graph graph(device.getTarget());
  popops::addCodelets(graph);
  auto weights = graph.addRemoteBuffer("weights", FLOAT, N, Rows, true);
  auto in =
      graph.addHostToDeviceFIFO("in", FLOAT, N, ReplicatedStreamMode::REPLICATE,
                                {{"bufferingDepth", "2"}});
  auto out = graph.addDeviceToHostFIFO("out", FLOAT, 1);
  auto row = graph.addVariable(FLOAT, {1, N}, "row");
  auto batch = graph.addVariable(FLOAT, {N}, "batch");
  poputil::mapTensorLinearly(graph, row);
  poputil::mapTensorLinearly(graph, batch);
  auto index = graph.addVariable(UNSIGNED_INT, {1}, "index");
  auto rows = graph.addConstant<unsigned>(UNSIGNED_INT, {1}, Rows);
  graph.setTileMapping(index, 0);
  graph.setTileMapping(rows, 0);
  graph.setInitialValue(index, 0u);

  Sequence body{Copy(in, batch, true, "fetch"), Copy(weights, row, index)};
  auto product = popops::mul(graph, batch, row[0], body, "product");
  auto sum =
      popops::reduce(graph, product, {0}, popops::Operation::ADD, body, "sum");
  body.add(Copy(sum, out));
  popops::addInPlace(graph, row[0], batch, body, "update");
  body.add(Copy(row, weights, index, "store"));
  popops::mapInPlace(graph, (pe::_1 + pe::Const(1u)) % pe::_2, {index, rows},
                     body, "next row");
  return compileGraph(graph, {Repeat(Batches / 2, body, "batches")},
                      {{"exchange.streamBufferOverlap", "none"}});
}

int main(int argc, char **argv) {
  auto device = getDevice(argc, argv);
  if (!device.supportsRemoteBuffers())
    return 1;
  std::stringstream file;
  compile(device).serialize(file);
  Engine engine(Executable::deserialize(file));

  unsigned late = 0;
  std::vector<float> sums;
  engine.connectStreamToCallback("in", std::unique_ptr<Batch>(new Batch(late)));
  engine.connectStreamToCallback("out", [&](void *buffer) {
    sums.push_back(0);
    std::memcpy(&sums.back(), buffer, sizeof(float));
  });
  engine.load(device);
  std::vector<std::vector<float>> weights;
  for (unsigned r = 0; r != Rows; ++r) {
    weights.emplace_back(N, static_cast<float>(r));
    engine.copyToRemoteBuffer(weights[r].data(), "weights", r);
  }
  engine.run();
  engine.run();

  bool isRight = sums.size() == Batches;
  for (unsigned b = 0; isRight && b != Batches; ++b) {
    float sum = 0;
    for (std::size_t i = 0; i != N; ++i) {
      sum += inputAt(b, i) * weights[b % Rows][i];
      weights[b % Rows][i] += inputAt(b, i);
    }
    isRight = sums[b] == sum;
  }
  for (unsigned r = 0; r != Rows; ++r) {
    std::vector<float> got(N);
    engine.copyFromRemoteBuffer("weights", got.data(), r);
    isRight = isRight && got == weights[r];
  }
  std::cout << sums.size() << " batches, " << late << " late, "
            << (isRight ? "right" : "wrong") << std::endl;
  return !isRight;
}
