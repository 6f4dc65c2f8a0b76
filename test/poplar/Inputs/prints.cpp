// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Codelets that print, in one file with the program: `prints KIND VERTEX
// FILE.gp` runs them twice on a kind of device and prints the error where there
// is one.

#ifdef __POPC__

#include <poplar/Vertex.hpp>
#include <print.h>
class Print : public poplar::Vertex {
public:
  poplar::Input<float> x;
  unsigned number;
  bool compute() {
    printf("vertex %u has %.2f\n", number, *x);
    return true;
  }
};
extern "C" void exit(int);
class Exit : public poplar::Vertex {
public:
  bool compute() {
    printf("before\n");
    exit(3);
    return true;
  }
};

#else

#include <poplar/Device.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>

#include <cstdio>
#include <iostream>
#include <string>

using namespace poplar;

static Device deviceOf(const std::string &kind) {
  if (kind == "cpu")
    return Device::createCPUDevice();
  if (kind == "model") {
    IPUModel model;
    model.tilesPerIPU = 4;
    return model.createDevice();
  }
  return Device::createSimulatorDevice(Target::createIPUTarget(1, 4, "ipu2"));
}

int main(int, char **argv) {
  const std::string kind = argv[1], vertex = argv[2];
  Device device = deviceOf(kind);
  Graph graph(device.getTarget());
  graph.addCodelets(argv[3]);
  ComputeSet set = graph.addComputeSet();
  const unsigned tiles = kind == "cpu" ? 1 : 4;
  for (unsigned i = 0; i != 6; ++i) {
    VertexRef v = graph.addVertex(set, vertex);
    graph.setTileMapping(v, i % tiles);
    if (vertex == "Exit")
      break;
    Tensor x = graph.addConstant<float>(FLOAT, {}, i + 0.25f);
    graph.setTileMapping(x, i % tiles);
    graph.connect(v["x"], x);
    graph.setInitialValue(v["number"], i);
  }
  Engine engine(graph, program::Repeat(2, program::Execute(set)));
  engine.load(device);
  try {
    engine.run();
  } catch (const std::exception &error) {
    std::fflush(stdout);
    std::cout << error.what() << std::endl;
  }
  return 0;
}

#endif
