// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floating point behaviour, the seeds of the tiles' random number generators,
// and the numbers of the tiles. One file is both program and codelets.
//
// usage: tile-state cpu|ipu CODELETS.gp

#ifdef __POPC__

#include <poplar/Vertex.hpp>

class Divide : public poplar::Vertex {
public:
  poplar::Input<float> a;
  poplar::Input<float> b;
  poplar::Output<float> out;

  void compute() { *out = *a / *b; }
};

class WhichTile : public poplar::Vertex {
public:
  poplar::Output<unsigned> out;

  void compute() {
#ifdef __IPU__
    *out = __builtin_ipu_get_tile_id();
#else
    *out = 0;
#endif
  }
};

#else

#include <poplar/CSRFunctions.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/RandomSeed.hpp>

#include <algorithm>
#include <iostream>
#include <numeric>
#include <string>
#include <vector>

using namespace poplar;
using namespace poplar::program;

int main(int, char **argv) {
  const bool isIpu = std::string(argv[1]) == "ipu";
  const Device device =
      isIpu
          ? Device::createSimulatorDevice(Target::createIPUTarget(1, 2, "ipu2"))
          : Device::createCPUDevice();
  Graph graph(device.getTarget());
  graph.addCodelets(argv[2]);
  const Tensor a = graph.addConstant(FLOAT, {}, 1.0f);
  const Tensor zero = graph.addConstant(FLOAT, {}, 0.0f);
  const Tensor out = graph.addVariable(FLOAT, {}, "out");
  const unsigned last = graph.getTarget().getNumTiles() - 1;
  for (const Tensor &tensor : {a, zero, out})
    graph.setTileMapping(tensor, last);
  const ComputeSet set = graph.addComputeSet("divide");
  const VertexRef vertex =
      graph.addVertex(set, "Divide", {{"a", a}, {"b", zero}, {"out", out}});
  graph.setTileMapping(vertex, last);
  graph.createHostRead("out", out);

  // 0: exceptions on. 1: what is there saved, division let through, restored.
  // 4: an exception.
  Sequence on, between;
  setFloatingPointBehaviour(graph, on, {true, true, true, false, false});
  const Tensor before = getAndModifyFloatingPointBehaviour(
      graph, between, {false, true, false, false, false},
      {false, false, false, true, false});
  const Tensor during = getAndModifyFloatingPointBehaviour(
      graph, between, {false, false, false, false, false},
      {false, false, false, false, false});
  between.add(Execute(set));
  setFloatingPointBehaviour(graph, between, before);
  setStochasticRounding(graph, between, true);
  setStochasticRounding(graph, between, false);
  const Tensor after = getAndModifyFloatingPointBehaviour(
      graph, between, {false, false, false, false, false},
      {false, false, false, false, false});
  graph.createHostRead("before", before);
  graph.createHostRead("during", during);
  graph.createHostRead("after", after);

  // 2: seeds read. 3: seeds set.
  Sequence readSeeds, writeSeeds;
  const Tensor seeds = getHwSeeds(graph, readSeeds, "seeds");
  const Tensor given = graph.addVariable(UNSIGNED_INT, seeds.shape(), "given");
  graph.setTileMapping(given, 0);
  setHwSeeds(graph, given, writeSeeds, "seeds");
  graph.createHostRead("seeds", seeds);
  graph.createHostWrite("given", given);

  // 5: what workers read as their tile.
  const ComputeSet asking = graph.addComputeSet("asking");
  const Tensor tiles = graph.addVariable(UNSIGNED_INT, {last + 1}, "tiles");
  for (unsigned tile = 0; tile <= last; ++tile) {
    graph.setTileMapping(tiles[tile], tile);
    graph.setTileMapping(
        graph.addVertex(asking, "WhichTile", {{"out", tiles[tile]}}), tile);
  }
  graph.createHostRead("tiles", tiles);

  Engine engine(graph, {on, between, readSeeds, writeSeeds, Execute(set),
                        Execute(asking)});
  engine.load(device);
  engine.run(0);
  engine.run(1);
  float quotient;
  engine.readTensor("out", &quotient, &quotient + 1);
  std::cout << "quotient " << quotient << "\n";
  for (const char *name : {"before", "during", "after"}) {
    unsigned bits;
    engine.readTensor(name, &bits, &bits + 1);
    std::cout << name << " 0x" << std::hex << bits << std::dec << "\n";
  }

  const std::size_t count = seeds.numElements();
  std::vector<unsigned> first(count), next(count);
  engine.run(2);
  engine.readTensor("seeds", first.data(), first.data() + count);
  std::iota(next.begin(), next.end(), 1u);
  engine.writeTensor("given", next.data(), next.data() + count);
  engine.run(3);
  engine.run(2);
  std::vector<unsigned> got(count);
  engine.readTensor("seeds", got.data(), got.data() + count);
  std::cout << "seeds " << seeds.shapeToString() << ", "
            << (got == next ? "as set" : "WRONG") << "\n";
  // Each worker of the tile with code has another state to begin with.
  const std::size_t perTile = count / (last + 1);
  std::vector<std::vector<unsigned>> states;
  for (std::size_t i = last * perTile; i != count; i += 4)
    states.emplace_back(first.begin() + i, first.begin() + i + 4);
  std::sort(states.begin(), states.end());
  std::cout << "different workers: "
            << (std::unique(states.begin(), states.end()) == states.end())
            << "\n";
  std::vector<unsigned> numbers(last + 1);
  engine.run(5);
  engine.readTensor("tiles", numbers.data(), numbers.data() + numbers.size());
  std::cout << "last tile " << numbers.back() << "\n";
  try {
    engine.run(4);
    std::cout << "no exception\n";
  } catch (const application_runtime_error &error) {
    std::cout << error.what() << "\n";
  }
  return 0;
}

#endif
