// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cycles of a compute set by tile in a report: measured, and estimated.

#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <pva/pva.hpp>

#include <iostream>
#include <sstream>

using namespace poplar;

static void run(const char *name, const Device &device) {
  Graph graph(device.getTarget());
  std::stringstream codelet(R"(
    #include <poplar/Vertex.hpp>
    struct Count : poplar::Vertex {
      poplar::Output<int> out;
      int rounds;
      bool compute() {
        int sum = 0;
        for (int i = 0; i != rounds; ++i) {
          sum ^= i * rounds;
          __asm__ volatile("");
        }
        *out = sum;
        return true;
      }
    };)");
  graph.addCodelets(codelet);
  const ComputeSet set = graph.addComputeSet("counts");
  const Tensor out = graph.addVariable(INT, {2}, "out");
  for (unsigned i = 0; i != 2; ++i) {
    const VertexRef vertex = graph.addVertex(set, "Count", {{"out", out[i]}});
    graph.setInitialValue(vertex["rounds"], i == 0 ? 10 : 100);
    graph.setPerfEstimate(vertex, i == 0 ? 50 : 500);
    graph.setTileMapping(vertex, 2 * i);
    graph.setTileMapping(out[i], 2 * i);
  }
  Engine engine(graph, program::Repeat(3, program::Execute(set)));
  engine.load(device);
  const auto cycles = [&] {
    return engine.getReport().compilation().computeSets()[0].cyclesByTile();
  };
  std::cout << name << " before:";
  for (const std::uint64_t tile : cycles())
    std::cout << " " << tile;
  engine.run();
  const auto measured = cycles();
  const auto estimated =
      engine.getReport().compilation().computeSets()[0].estimatedCyclesByTile();
  std::cout << "; idle " << measured[1] << " " << measured[3] << "; ratio "
            << (measured[2] > 5 * measured[0] && measured[0] > 0)
            << "; estimated";
  for (const std::uint64_t tile : estimated)
    std::cout << " " << tile;
  std::cout << "; equal " << (measured == estimated) << "\n";
}

int main() {
  IPUModel model;
  model.tilesPerIPU = 4;
  run("model", model.createDevice());
  run("ipu",
      Device::createSimulatorDevice(Target::createIPUTarget(1, 4, "ipu2")));
}
