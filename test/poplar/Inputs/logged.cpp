// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A product of matrices on four tiles; with an argument beside a variable that
// is larger than the tiles' memory.

#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplin/MatMul.hpp>
#include <poplin/codelets.hpp>
#include <popops/codelets.hpp>
#include <poputil/TileMapping.hpp>

using namespace poplar;
using namespace poplar::program;

int main(int argc, char **) {
  IPUModel model;
  model.tilesPerIPU = 4;
  Device device = model.createDevice();
  Graph graph(device.getTarget());
  poplin::addCodelets(graph);
  popops::addCodelets(graph);
  Sequence prog;
  Tensor a = poplin::createMatMulInputLHS(graph, FLOAT, {4, 8}, {8, 4}, "a");
  Tensor b = poplin::createMatMulInputRHS(graph, FLOAT, {4, 8}, {8, 4}, "b");
  poplin::matMul(graph, a, b, prog, "product");
  OptionFlags options;
  if (argc > 1) {
    Tensor large = graph.addVariable(FLOAT, {1 << 20}, "large");
    graph.setTileMapping(large, 0);
    graph.createHostWrite("large", large);
    options.set("debug.allowOutOfMemory", "true");
  }
  compileGraph(graph, {prog}, options);
}
