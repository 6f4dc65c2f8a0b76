// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the codelet of Overrun.cpp and prints what the engine throws.

#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#include <iostream>

using namespace poplar;

int main(int, char **argv) {
  Device device = std::move(
      DeviceManager::createDeviceManager().getDevices(TargetType::IPU, 1)[0]);
  device.attach();
  Graph graph(device.getTarget());
  graph.addCodelets(argv[1]);
  Tensor in = graph.addVariable(FLOAT, {5}, "in");
  Tensor out = graph.addVariable(FLOAT, {5}, "out");
  graph.setTileMapping(in, 0);
  graph.setTileMapping(out, 0);
  ComputeSet set = graph.addComputeSet("overrun");
  VertexRef vertex =
      graph.addVertex(set, "Overrun", {{"in", in}, {"out", out}});
  graph.setTileMapping(vertex, 0);
  Engine engine(graph, program::Execute(set));
  try {
    engine.load(device);
    engine.run(0);
  } catch (const std::exception &error) {
    std::cout << error.what() << "\n";
  }
}
