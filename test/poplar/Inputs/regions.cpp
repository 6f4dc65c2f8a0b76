// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A vertex with a field in interleaved memory beside a variable of more than
// either of a tile's two memory regions. One file for the codelet and the
// program.

#ifdef __POPC__

#include <poplar/Vertex.hpp>

using namespace poplar;

class Scale : public Vertex {
public:
  Input<Vector<float, VectorLayout::SPAN, 16, true>> factors;
  InOut<Vector<float>> data;

  void compute() {
    for (unsigned i = 0; i != data.size(); ++i)
      data[i] *= factors[i % factors.size()];
  }
};

#else

#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>

#include <cstdlib>
#include <iostream>

using namespace poplar;
using namespace poplar::program;

// regions CODELETS NUMBER: scales so many floats on one tile.
int main(int, char **argv) {
  const std::size_t number = std::strtoul(argv[2], nullptr, 10);
  const Device device =
      Device::createSimulatorDevice(Target::createIPUTarget(1, 1, "ipu2"));
  Graph graph(device.getTarget());
  graph.addCodelets(argv[1]);
  const Tensor factors =
      graph.addConstant<float>(FLOAT, {3}, {2.0f, 3.0f, 4.0f});
  const Tensor data = graph.addVariable(FLOAT, {number}, "data");
  graph.setTileMapping(factors, 0);
  graph.setTileMapping(data, 0);
  graph.createHostWrite("data", data);
  graph.createHostRead("data", data);
  const ComputeSet scale = graph.addComputeSet("scale");
  const VertexRef vertex =
      graph.addVertex(scale, "Scale", {{"factors", factors}, {"data", data}});
  graph.setTileMapping(vertex, 0);
  try {
    Engine engine(graph, Execute(scale));
    engine.load(device);
    std::vector<float> values(number, 1.0f);
    engine.writeTensor("data", values.data(), values.data() + number);
    engine.run();
    engine.readTensor("data", values.data(), values.data() + number);
    for (std::size_t i = 0; i != number; ++i)
      if (values[i] != static_cast<float>(2 + i % 3)) {
        std::cout << "wrong at " << i << '\n';
        return 1;
      }
    std::cout << "right\n";
  } catch (const poplar_error &error) {
    std::cout << error.what() << '\n';
    return 1;
  }
}

#endif
