// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that needs headers and libraries of the package.

#include <poplar/Graph.hpp>
#include <poplar/Target.hpp>
#include <popops/codelets.hpp>

#include <iostream>

int main() {
  poplar::Graph graph(poplar::Target::createIPUTarget(1, "ipu2"));
  popops::addCodelets(graph);
  std::cout << graph.getTarget().getNumTiles() << " tiles\n";
}
