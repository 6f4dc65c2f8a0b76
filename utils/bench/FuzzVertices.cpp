// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the vertices that fuzz-vertices makes: reads which fields they have,
// connects each to a tensor of its own somewhere on the tiles, runs them once
// and prints all tensors, byte by byte.
//
//   FuzzVertices cpu|model|ipu CODELETS.gp PLAN
//
// The plan has a line for each thing: "vertex NAME", "state FIELD VALUE",
// "values FIELD VALUE...", "edge FIELD TYPE SIZE", "list FIELD TYPE SIZE...".

#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>

#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <vector>

using namespace poplar;

namespace {

constexpr unsigned Tiles = 4;

Device makeDevice(const std::string &kind) {
  if (kind == "cpu")
    return Device::createCPUDevice();
  if (kind == "ipu")
    return Device::createSimulatorDevice(
        Target::createIPUTarget(1, Tiles, "ipu2"));
  IPUModel model;
  model.tilesPerIPU = Tiles;
  return model.createDevice();
}

Type typeOf(const std::string &name) {
  static const std::map<std::string, Type> Types = {
      {"float", FLOAT},
      {"half", HALF},
      {"int", INT},
      {"unsigned", UNSIGNED_INT},
      {"short", SHORT},
      {"unsigned short", UNSIGNED_SHORT},
      {"char", CHAR},
      {"signed char", SIGNED_CHAR},
      {"unsigned char", UNSIGNED_CHAR},
      {"bool", BOOL},
      {"long long", LONGLONG},
  };
  return Types.at(name);
}

class Runner {
public:
  Runner(const Device &device, const std::string &codelets)
      : device(device), graph(device.getTarget()),
        set(graph.addComputeSet("fuzz")) {
    graph.addCodelets(codelets);
  }

  void add(const std::string &line) {
    std::istringstream in(line);
    std::string what, name, type;
    in >> what >> name;
    if (what == "vertex") {
      vertex = graph.addVertex(set, name);
      graph.setTileMapping(vertex, tile = pick(Tiles));
      return;
    }
    if (what == "edge" || what == "list") {
      std::getline(in >> std::ws, type, ';');
      const std::vector<std::size_t> sizes{
          std::istream_iterator<std::size_t>(in), {}};
      std::vector<Tensor> regions;
      for (std::size_t size : sizes)
        regions.push_back(addTensor(typeOf(type), size));
      if (what == "list")
        graph.connect(vertex[name], regions);
      else
        graph.connect(vertex[name], regions[0]);
      return;
    }
    const std::vector<int> values{std::istream_iterator<int>(in), {}};
    if (what == "state")
      graph.setInitialValue(vertex[name], values[0]);
    else
      graph.setInitialValue(vertex[name], ArrayRef<int>(values));
  }

  void run() {
    for (std::size_t i = 0; i != variables.size(); ++i)
      graph.createHostRead("t" + std::to_string(i), variables[i]);
    Engine engine(graph, program::Execute(set));
    engine.load(device);
    engine.run();
    for (std::size_t i = 0; i != variables.size(); ++i) {
      const Tensor &tensor = variables[i];
      std::vector<unsigned char> bytes(
          tensor.numElements() *
          device.getTarget().getTypeSize(tensor.elementType()));
      engine.readTensor("t" + std::to_string(i), bytes.data(),
                        bytes.data() + bytes.size());
      std::printf("%zu:", i);
      for (unsigned char byte : bytes)
        std::printf(" %02x", byte);
      std::printf("\n");
    }
  }

private:
  unsigned pick(unsigned count) { return random() % count; }

  /// A part of a variable, so that neighbours can be overwritten by mistake: on
  /// the vertex's tile, on another one, or scattered.
  Tensor addTensor(const Type &type, std::size_t size) {
    const std::size_t before = pick(4), after = pick(3);
    const Tensor variable =
        graph.addVariable(type, {before + size + after + 1});
    const unsigned where = pick(3);
    for (std::size_t i = 0; i != variable.numElements(); ++i)
      graph.setTileMapping(variable[i], where == 0   ? tile
                                        : where == 1 ? (tile + 1) % Tiles
                                                     : pick(Tiles));
    std::vector<int> values;
    for (std::size_t i = 0; i != variable.numElements(); ++i)
      values.push_back(pick(type == BOOL ? 2 : 50));
    graph.setInitialValue(variable, ArrayRef<int>(values));
    variables.push_back(variable);
    return variable.slice(before, before + size);
  }

  std::mt19937 random{1};
  const Device &device;
  Graph graph;
  ComputeSet set;
  VertexRef vertex;
  unsigned tile = 0;
  std::vector<Tensor> variables;
};

} // namespace

int main(int argc, char **argv) {
  if (argc != 4)
    return 2;
  const Device device = makeDevice(argv[1]);
  Runner runner(device, argv[2]);
  std::ifstream plan(argv[3]);
  for (std::string line; std::getline(plan, line);)
    runner.add(line);
  runner.run();
}
