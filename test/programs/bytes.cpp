// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes and shorts of which several share a word, while a tile can only store
// words: vertices that have a few each, and the workers of one vertex, which
// divide them at multiples of four bytes. None may undo what another one wrote.

#ifdef __POPC__

#include <poplar/Vertex.hpp>

using namespace poplar;

class Count : public Vertex {
public:
  InOut<Vector<unsigned char>> bytes;
  InOut<short> number;

  bool compute() {
    for (unsigned char &byte : bytes)
      byte += 3;
    for (int i = 0; i != 7; ++i)
      *number -= 500;
    return true;
  }
};

class Invert : public MultiVertex {
public:
  InOut<Vector<unsigned char, VectorLayout::SPAN, 4>> x;

  bool compute(unsigned worker) {
    for (unsigned word = 4 * worker; word < x.size(); word += 4 * numWorkers())
      for (unsigned i = word; i != x.size() && i != word + 4; ++i)
        x[i] = 255 - x[i];
    return true;
  }
};

#else

#include "device.hpp"

#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>

#include <iostream>
#include <numeric>
#include <vector>

using namespace poplar;
using namespace poplar::program;

int main(int argc, char **argv) {
  const std::vector<std::size_t> cuts = {0, 3, 7, 8, 21, 38, 53};
  const std::size_t size = cuts.back(), numbers = cuts.size() - 1;
  Device device = getDevice(argc, argv);
  Graph graph(device);
  graph.addCodelets(__FILE__);
  const Tensor bytes = graph.addVariable(UNSIGNED_CHAR, {size}, "bytes");
  const Tensor shorts = graph.addVariable(SHORT, {numbers}, "shorts");
  graph.setTileMapping(bytes, 0);
  graph.setTileMapping(shorts, 0);
  const ComputeSet count = graph.addComputeSet("count");
  for (std::size_t i = 0; i != numbers; ++i) {
    const VertexRef vertex = graph.addVertex(
        count, "Count",
        {{"bytes", bytes.slice(cuts[i], cuts[i + 1])}, {"number", shorts[i]}});
    graph.setTileMapping(vertex, 0);
  }
  const ComputeSet invert = graph.addComputeSet("invert");
  const VertexRef vertex = graph.addVertex(invert, "Invert", {{"x", bytes}});
  graph.setTileMapping(vertex, 0);
  graph.createHostWrite("bytes", bytes);
  graph.createHostRead("bytes", bytes);
  graph.createHostWrite("shorts", shorts);
  graph.createHostRead("shorts", shorts);

  Engine engine(graph, Sequence{Execute(count), Execute(invert)});
  engine.load(device);
  std::vector<unsigned char> someBytes(size);
  std::iota(someBytes.begin(), someBytes.end(), 100);
  std::vector<short> someShorts(numbers);
  std::iota(someShorts.begin(), someShorts.end(), 1);
  engine.writeTensor("bytes", someBytes.data(), someBytes.data() + size);
  engine.writeTensor("shorts", someShorts.data(), someShorts.data() + numbers);
  engine.run();
  engine.readTensor("bytes", someBytes.data(), someBytes.data() + size);
  engine.readTensor("shorts", someShorts.data(), someShorts.data() + numbers);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i != size; ++i)
    wrong += someBytes[i] != 255 - (100 + i + 3);
  for (std::size_t i = 0; i != numbers; ++i)
    wrong += someShorts[i] != static_cast<int>(1 + i) - 3500;
  std::cout << "wrong: " << wrong << "\n";
}

#endif
