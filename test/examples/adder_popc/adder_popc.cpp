// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds two numbers of the command line on a tile of the IPU Model. The codelet
// was compiled before, so that the program starts at once and mistakes in it
// are found early: Graph::addCodelets takes the file that popc wrote.
//
//   make && ./adder_popc 1.5 2.25

#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>

#include <cstdlib>
#include <iostream>

using namespace poplar;

int main(int argc, char **argv) {
  if (argc != 3) {
    std::cerr << "usage: adder_popc X Y\n";
    return 2;
  }
  IPUModel ipuModel;
  Device device = ipuModel.createDevice();
  Graph graph(device);
  graph.addCodelets("adder_codelets.gp");

  // Two numbers, their sum, and the vertex that computes it, all on tile 0.
  Tensor numbers = graph.addVariable(FLOAT, {2}, "numbers");
  Tensor sum = graph.addVariable(FLOAT, {}, "sum");
  ComputeSet adding = graph.addComputeSet("adding");
  VertexRef adder =
      graph.addVertex(adding, "AdderVertex",
                      {{"x", numbers[0]}, {"y", numbers[1]}, {"sum", sum}});
  graph.setTileMapping(numbers, 0);
  graph.setTileMapping(sum, 0);
  graph.setTileMapping(adder, 0);
  graph.setPerfEstimate(adder, 20);
  graph.createHostWrite("numbers", numbers);
  graph.createHostRead("sum", sum);

  Engine engine(graph, program::Execute(adding));
  engine.load(device);
  const float given[] = {std::strtof(argv[1], nullptr),
                         std::strtof(argv[2], nullptr)};
  engine.writeTensor("numbers", given, given + 2);
  engine.run();
  float result = 0;
  engine.readTensor("sum", &result, &result + 1);
  std::cout << given[0] << " + " << given[1] << " = " << result << "\n";
}
