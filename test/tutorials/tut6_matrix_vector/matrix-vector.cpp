// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tutorial 6 of the user guide: a matrix is multiplied by a vector, with one
// vertex for each row. Usage: matrix-vector numRows numCols

#include "../matrix-vector.hpp"
#include "../device.hpp"

#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>

#include <iostream>
#include <vector>

using namespace poplar;
using namespace poplar::program;

/// Adds vertices to the graph that multiply `matrix` by `in`, and returns the
/// program that runs them.
static Program buildMultiplyProgram(Graph &graph, Tensor matrix, Tensor in,
                                    Tensor out) {
  const unsigned numTiles = graph.getTarget().getNumTiles();
  const unsigned numRows = static_cast<unsigned>(matrix.dim(0));
  const unsigned numCols = static_cast<unsigned>(matrix.dim(1));
  ComputeSet mulCS = graph.addComputeSet("mulCS");
  graph.setTileMapping(in, 0);
  for (unsigned row = 0; row < numRows; ++row) {
    VertexRef v =
        graph.addVertex(mulCS, "DotProductVertex",
                        {{"a", matrix[row]}, {"b", in}, {"out", out[row]}});
    const unsigned tile =
        static_cast<unsigned>(std::size_t(row) * numTiles / numRows);
    graph.setTileMapping(matrix[row], tile);
    graph.setTileMapping(out[row], tile);
    graph.setTileMapping(v, tile);
    graph.setCycleEstimate(v, 20 + numCols);
  }
  return Execute(mulCS);
}

int main(int argc, char **argv) {
  const MatrixSize size = readSize(argc, argv);

  std::cout << "Creating environment (compiling vertex programs)\n";
  Device device = getTutorialDevice();
  Graph graph(device.getTarget());
  graph.addCodelets("matrix-mul-codelets.cpp");

  std::cout << "Constructing compute graph and control program\n";
  const unsigned numRows = size.rows, numCols = size.cols;
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
  Sequence prog;
  prog.add(Copy(inStreamV, inputVector));
  prog.add(Copy(inStreamM, matrix));
  prog.add(mulProg);
  prog.add(Copy(outputVector, outStream));

  Engine engine(graph, prog);
  engine.load(device);
  const std::vector<float> hMatrix =
      makeNumbers(std::size_t(numRows) * numCols, 1);
  const std::vector<float> hInput = makeNumbers(numCols, 2);
  std::vector<float> hOutput(numRows);
  engine.connectStream("inputVector", const_cast<float *>(hInput.data()));
  engine.connectStream("inputMatrix", const_cast<float *>(hMatrix.data()));
  engine.connectStream("out", hOutput.data());

  std::cout << "Running graph program to multiply matrix by vector\n";
  engine.run();
  return checkResult(size, hMatrix, hInput, hOutput);
}
