// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles two sources of codelets and one of assembly with debug information,
// uses one vertex type of each of the first, and writes the program to a file:
// FILE [OPTION FOR DEBUG INFORMATION].

#include <fstream>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>

using namespace poplar;

namespace {

void addVertex(Graph &graph, ComputeSet set, const char *type,
               unsigned numInputs) {
  static const char *const Fields[] = {"x", "y"};
  VertexRef vertex = graph.addVertex(set, type);
  graph.setTileMapping(vertex, 0);
  for (unsigned i = 0; i != numInputs; ++i) {
    Tensor tensor = graph.addVariable(FLOAT, {8}, Fields[i]);
    graph.setTileMapping(tensor, 0);
    graph.connect(vertex[Fields[i]], tensor);
  }
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 2)
    return 2;
  const std::string debug = argc > 2 ? argv[2] : "-g";
  Graph graph(Target::createIPUTarget(1, 4, "ipu2"));
  graph.addCodelets("axpy.cpp", CodeletFileType::Auto, debug + " -O2");
  graph.addCodelets("other.cpp", CodeletFileType::Auto, debug + " -O0");
  graph.addCodelets("helpers.S", CodeletFileType::Auto, debug);
  ComputeSet set = graph.addComputeSet("both");
  addVertex(graph, set, "Axpy", 2);
  addVertex(graph, set, "Double", 1);
  Executable executable = compileGraph(graph, {program::Execute(set)});
  std::ofstream file(argv[1], std::ios::binary);
  executable.serialize(file);
}
