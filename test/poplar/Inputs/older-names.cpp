// The names of Graph that the user guide's last tutorial uses beside the later
// ones.
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/exceptions.hpp>

#include <iostream>

using namespace poplar;
using namespace poplar::program;

int main() {
  Device device = Device::createCPUDevice();
  Graph graph(device.getTarget());
  const unsigned numRows = 2, colAxisSplit = 3;
  auto partials = graph.addTensor("float", {numRows, colAxisSplit}, "partials");
  graph.setTileMapping(partials, 0);
  Tensor values =
      graph.addConstant<float>(FLOAT, partials.shape(), {1, 2, 3, 4, 5, 6});
  graph.setTileMapping(values, 0);
  auto reduceCS = graph.createComputeSet("reduceCS");
  Engine engine(graph, Sequence{Copy(values, partials), Execute(reduceCS),
                                PrintTensor("partials", partials)});
  engine.load(device);
  engine.run();
  try {
    graph.addTensor("flaot", {1});
  } catch (const type_error &error) {
    std::cerr << error.what() << "\n";
  }
}
