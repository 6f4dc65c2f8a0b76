// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tutorial 4 of the user guide, profiling output: where it starts. There are
// three matrices; the tutorial multiplies them and prints the profile.

#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplin/MatMul.hpp>
#include <poplin/codelets.hpp>
#include <popops/codelets.hpp>

#include <iostream>

using namespace poplar;
using namespace poplar::program;

int main() {
  // Create the IPU Model device
  IPUModel ipuModel;
  Device device = ipuModel.createDevice();

  Graph graph(device.getTarget());
  popops::addCodelets(graph);
  poplin::addCodelets(graph);

  // Add variables to the graph
  Tensor m1 = graph.addVariable(FLOAT, {90, 30}, "m1");
  Tensor m2 = graph.addVariable(FLOAT, {30, 15}, "m2");
  Tensor m3 = graph.addVariable(FLOAT, {15, 20}, "m3");
  graph.setTileMapping(m1, 0);
  graph.setTileMapping(m2, 0);
  graph.setTileMapping(m3, 0);

  // Create a control program that is a sequence of steps
  Sequence prog;

  // Add the products here

  // Create the engine
  Engine engine(graph, prog);
  engine.load(device);
  engine.run(0);

  // Print the profile here

  return 0;
}
