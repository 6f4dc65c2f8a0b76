// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs vertices of PlantedMistakes.cpp, each in a compute set of its own:
//
//   planted-mistakes FILE.gp side|apart VERTEX...
//
// Variables lie side by side in memory, or apart.

#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#include <cstring>
#include <iostream>
#include <vector>

using namespace poplar;

int main(int argc, char **argv) {
  Device device = std::move(
      DeviceManager::createDeviceManager().getDevices(TargetType::IPU, 1)[0]);
  device.attach();
  Graph graph(device.getTarget());
  graph.addCodelets(argv[1]);
  const bool isApart = std::strcmp(argv[2], "apart") == 0;
  program::Sequence program;
  const auto add = [&](Type type, std::vector<std::size_t> shape,
                       const char *name, bool isSet = true) {
    Tensor tensor = graph.addVariable(type, shape, name);
    graph.setTileMapping(tensor, 0);
    if (isSet)
      graph.setInitialValue(tensor,
                            std::vector<float>(tensor.numElements(), 1.f));
    if (isApart) {
      Tensor other = graph.addVariable(FLOAT, {3}, "other");
      graph.setTileMapping(other, 0);
      graph.setInitialValue(other, std::vector<float>(3, 1.f));
      program.add(program::PrintTensor(other));
    }
    return tensor;
  };
  Tensor a = add(FLOAT, {20}, "a"), p = add(FLOAT, {6}, "p");
  Tensor h = add(HALF, {5}, "h"), r = add(FLOAT, {3, 8}, "r");
  Tensor o = add(FLOAT, {4}, "o", false);
  for (int i = 3; i != argc; ++i) {
    ComputeSet set = graph.addComputeSet(argv[i]);
    VertexRef vertex = graph.addVertex(set, argv[i]);
    graph.connect(vertex["in"], a);
    graph.connect(vertex["packed"], p);
    graph.connect(vertex["halves"], h);
    graph.connect(vertex["rows"], r);
    graph.connect(vertex["out"], o);
    graph.setTileMapping(vertex, 0);
    program.add(program::Execute(set));
  }
  Engine engine(graph, program);
  engine.setPrintTensorStream(std::cout);
  engine.load(device);
  engine.run(0);
}
