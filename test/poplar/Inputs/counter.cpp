// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vertices that count with one variable, in one file with the program:
// `counter FILE.gp` prints how far the last one came.

#ifdef __POPC__

#include <poplar/Vertex.hpp>

static volatile unsigned counter;

class Count : public poplar::Vertex {
public:
  poplar::Output<unsigned> reached;
  bool compute() {
    for (unsigned i = 0; i != 100000; ++i)
      counter = counter + 1;
    *reached = counter;
    return true;
  }
};

#else

#include <poplar/Device.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>

#include <algorithm>
#include <iostream>

using namespace poplar;

int main(int, char **argv) {
  constexpr unsigned Vertices = 16;
  Device device = Device::createCPUDevice();
  Graph graph(device.getTarget());
  graph.addCodelets(argv[1]);
  ComputeSet set = graph.addComputeSet();
  Tensor reached = graph.addVariable(UNSIGNED_INT, {Vertices});
  graph.setTileMapping(reached, 0);
  for (unsigned i = 0; i != Vertices; ++i)
    graph.setTileMapping(
        graph.addVertex(set, "Count", {{"reached", reached[i]}}), 0);
  graph.createHostRead("reached", reached);
  Engine engine(graph, program::Execute(set));
  engine.load(device);
  engine.run();
  unsigned numbers[Vertices];
  engine.readTensor("reached", numbers, numbers + Vertices);
  std::cout << *std::max_element(numbers, numbers + Vertices) << "\n";
  return 0;
}

#endif
