// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that needs headers and libraries of the package.

#include <poplar/Graph.hpp>
#include <poplar/Target.hpp>
#include <popops/codelets.hpp>

#include <iostream>

int main(int, char **argv) {
  poplar::Graph graph(poplar::Target::createIPUTarget(1, "ipu2"));
  popops::addCodelets(graph);
  graph.addCodelets(argv[1]);
  std::cout << graph.getTarget().getNumTiles() << " tiles, "
            << (graph.hasCodelet("Scale") ? "with" : "without") << " Scale\n";
}
