// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs CommonWords on 4,000 words, most of which are 123; prints its result and
// its cycles.
#include <poplar/CycleCount.hpp>
#include <poplar/Engine.hpp>

#include <iostream>

using namespace poplar;

int main(int argc, char **argv) {
  auto devices =
      DeviceManager::createDeviceManager().getDevices(TargetType::IPU, 1);
  Device device = std::move(devices.front());
  device.attach();
  Graph graph(device);
  graph.addCodelets(argv[1]);
  Tensor in = graph.addVariable(INT, {4000}, "in");
  Tensor out = graph.addVariable(INT, {}, "out");
  ComputeSet words = graph.addComputeSet("words");
  auto vertex =
      graph.addVertex(words, "CommonWords", {{"in", in}, {"out", out}});
  for (const Tensor &tensor : {in, out})
    graph.setTileMapping(tensor, 0);
  graph.setTileMapping(vertex, 0);
  program::Sequence program{program::Execute(words)};
  Tensor cycles = cycleCount(graph, program, 0, SyncType::INTERNAL, "cycles");
  graph.createHostWrite("in", in);
  graph.createHostRead("out", out);
  graph.createHostRead("cycles", cycles);
  Engine engine(graph, program);
  engine.load(device);

  std::vector<int> data(4000, 123);
  for (unsigned i = 0; i != data.size(); ++i)
    if (i % 50 == 1)
      data[i] = 10;
    else if (i % 70 == 3)
      data[i] = 70000;
  engine.writeTensor("in", data.data(), data.data() + data.size());
  engine.run();
  int sum;
  unsigned long long count;
  engine.readTensor("out", &sum, &sum + 1);
  engine.readTensor("cycles", &count, &count + 1);
  std::cout << "sum " << sum << ", cycles " << count << "\n";
}
