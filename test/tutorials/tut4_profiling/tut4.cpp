// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tutorial 4 of the user guide, profiling output: (m1 * m2) * m3 with poplin,
// and the profile of the run.

#include "../device.hpp"

#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplin/MatMul.hpp>
#include <poplin/codelets.hpp>
#include <popops/codelets.hpp>

#include <iostream>
#include <vector>

using namespace poplar;
using namespace poplar::program;

int main() {
  Device device = getTutorialDevice();

  Graph graph(device.getTarget());
  popops::addCodelets(graph);
  poplin::addCodelets(graph);

  // Add variables to the graph
  Tensor m1 = graph.addVariable(FLOAT, {90, 30}, "m1");
  Tensor m2 = graph.addVariable(FLOAT, {30, 15}, "m2");
  Tensor m3 = graph.addVariable(FLOAT, {15, 20}, "m3");
  const unsigned numTiles = graph.getTarget().getNumTiles();
  const auto spread = [&](const Tensor &matrix) {
    for (unsigned row = 0; row < matrix.dim(0); ++row)
      graph.setTileMapping(matrix[row], row % numTiles);
  };
  spread(m1);
  spread(m2);
  spread(m3);

  Sequence prog;
  Tensor m4 = poplin::matMul(graph, m1, m2, prog, "m4");
  Tensor m5 = poplin::matMul(graph, m4, m3, prog, "m5");

  graph.createHostWrite("m1", m1);
  graph.createHostWrite("m2", m2);
  graph.createHostWrite("m3", m3);
  graph.createHostRead("m5", m5);

  Engine engine(graph, prog, {{"debug.instrument", "true"}});
  engine.load(device);
  const std::vector<float> ones(90 * 30, 1.0f);
  engine.writeTensor("m1", ones.data());
  engine.writeTensor("m2", ones.data());
  engine.writeTensor("m3", ones.data());

  engine.run(0);

  // Sums of 30 ones, and then of 15 of these.
  std::vector<float> result(90 * 20);
  engine.readTensor("m5", result.data());
  for (float value : result)
    if (value != 450.0f) {
      std::cerr << "wrong result: " << value << "\n";
      return 1;
    }

  engine.printProfileSummary(std::cout, {{"showExecutionSteps", "true"}});
  return 0;
}
