// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tutorial 6 of the user guide, a matrix times a vector: where it starts. The
// host's part is here; the tutorial fills buildMultiplyProgram. Usage:
// matrix-vector numRows numCols

#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>

#include <cstdlib>
#include <iostream>
#include <vector>

using namespace poplar;
using namespace poplar::program;

/// Adds vertices to the graph that multiply `matrix` by `in`, and returns the
/// program that runs them.
static Program buildMultiplyProgram(Graph &graph, Tensor matrix, Tensor in,
                                    Tensor out) {
  // Create a compute set to hold the vertices

  // The vertices are on the tiles of their rows; without them, all is on tile 0
  graph.setTileMapping(matrix, 0);
  graph.setTileMapping(in, 0);
  graph.setTileMapping(out, 0);

  // The returned program executes the compute set
  return Sequence();
}

int main(int argc, char **argv) {
  if (argc != 3) {
    std::cerr << "usage: " << argv[0] << " numRows numCols\n";
    return 1;
  }
  const unsigned numRows = std::strtoul(argv[1], nullptr, 10);
  const unsigned numCols = std::strtoul(argv[2], nullptr, 10);

  IPUModel ipuModel;
  Device device = ipuModel.createDevice();
  Graph graph(device.getTarget());
  graph.addCodelets("matrix-mul-codelets.cpp");

  Tensor matrix = graph.addVariable(FLOAT, {numRows, numCols}, "matrix");
  Tensor inputVector = graph.addVariable(FLOAT, {numCols}, "inputVector");
  Tensor outputVector = graph.addVariable(FLOAT, {numRows}, "outputVector");
  Program mulProg =
      buildMultiplyProgram(graph, matrix, inputVector, outputVector);

  DataStream inStreamV =
      graph.addHostToDeviceFIFO("inputVector", FLOAT, numCols);
  DataStream inStreamM =
      graph.addHostToDeviceFIFO("inputMatrix", FLOAT, numCols * numRows);
  DataStream outStream = graph.addDeviceToHostFIFO("out", FLOAT, numRows);
  Engine engine(graph,
                Sequence{Copy(inStreamV, inputVector), Copy(inStreamM, matrix),
                         mulProg, Copy(outputVector, outStream)});
  engine.load(device);

  // All ones, so that each result is the number of columns
  std::vector<float> hInput(numCols, 1), hMatrix(numRows * numCols, 1);
  std::vector<float> hOutput(numRows);
  engine.connectStream("inputVector", hInput.data());
  engine.connectStream("inputMatrix", hMatrix.data());
  engine.connectStream("out", hOutput.data());
  engine.run();
  for (float value : hOutput)
    if (value != static_cast<float>(numCols)) {
      std::cerr << "ERROR: multiplication result is wrong\n";
      return 1;
    }
  std::cout << "Multiplication result OK\n";
  return 0;
}
