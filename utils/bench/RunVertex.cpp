// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts the cycles of one vertex on one tile of an emulated IPU, for
// utils/bench/code-quality:
//
//     run-vertex CODELETS.gp VERTEX FIELD=TYPE:COUNT... FIELD=VALUE...
//
// The fields with a type are connected to tensors of that many elements, which
// hold zeros; the others get an initial value.

#include <cstdio>
#include <cstdlib>
#include <map>
#include <poplar/CycleCount.hpp>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <string>
#include <vector>

using namespace poplar;
using namespace poplar::program;

static void setField(Graph &graph, VertexRef vertex, const std::string &text) {
  static const std::map<std::string, Type> types = {
      {"float", FLOAT}, {"half", HALF}, {"int", INT}, {"char", SIGNED_CHAR}};
  std::size_t equals = text.find('='), colon = text.find(':');
  std::string name = text.substr(0, equals);
  if (colon == std::string::npos) {
    graph.setInitialValue(vertex[name], std::stof(text.substr(equals + 1)));
    return;
  }
  Type type = types.at(text.substr(equals + 1, colon - equals - 1));
  std::size_t count = std::stoul(text.substr(colon + 1));
  Tensor tensor = graph.addVariable(type, {count}, name);
  graph.setTileMapping(tensor, 0);
  // A field that is one element takes the element itself.
  graph.connect(vertex[name], count == 1 ? tensor[0] : tensor);
}

int main(int argc, char **argv) {
  std::vector<Device> devices =
      DeviceManager::createDeviceManager().getDevices(TargetType::IPU, 1);
  Device &device = devices.front();
  device.attach();
  Graph graph(device.getTarget());
  graph.addCodelets(argv[1]);
  ComputeSet set = graph.addComputeSet("set");
  VertexRef vertex = graph.addVertex(set, argv[2]);
  graph.setTileMapping(vertex, 0);
  for (int i = 3; i < argc; ++i)
    setField(graph, vertex, argv[i]);
  Sequence program;
  program.add(Execute(set));
  graph.createHostRead("cycles", cycleCount(graph, program, 0));
  Engine engine(graph, program);
  engine.load(device);
  engine.run(0);
  unsigned cycles[2];
  engine.readTensor("cycles", cycles, cycles + 2);
  std::printf("%u\n", cycles[0]);
}
