// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One codelet for each thing that it needs from the device library or the
// linker, and the program that runs them.

#ifdef __POPC__

#include <algorithm>
#include <cstring>
#include <functional>
#include <poplar/Vertex.hpp>

using namespace poplar;

class Sort : public Vertex {
public:
  InOut<Vector<float>> ascending;
  InOut<Vector<short>> descending;
  bool compute() {
    std::sort(ascending.begin(), ascending.end());
    std::sort(descending.begin(), descending.end(), std::greater<short>());
    return true;
  }
};

// The device library has functions of these names.
extern "C" std::size_t strlen(const char *) { return 7; }

struct Scaled {
  int value;
  constexpr explicit Scaled(int value) : value(value * 6) {}
};
static Scaled answer(7);

static int increment(int x) { return x + 1; }
static int twice(int x) { return 2 * x; }
typedef int (*Operation)(int);
static const Operation operations[] = {increment, twice};

__attribute__((noinline)) static int apply(Operation operation, int x) {
  return operation(x) + operation(x + 1);
}

class Others : public Vertex {
public:
  Output<Vector<int>> out;
  int which;
  bool compute() {
    const char *volatile text = "abc";
    out[0] = static_cast<int>(strlen(text));
    out[1] = operations[which](6);
    out[2] = answer.value;
    out[3] = apply(operations[which], 6);
    return true;
  }
};

// Loops and copies that become memset() and memcpy(), which move eight bytes at
// once from wherever an address is a multiple of eight.
class Blocks : public Vertex {
public:
  Input<Vector<unsigned>> words;
  Output<Vector<unsigned>> cleared;
  Output<Vector<unsigned>> copied;
  bool compute() {
    for (unsigned &word : cleared)
      word = 0;
    std::memcpy(&copied[0], &words[0], words.size() * sizeof(unsigned));
    return true;
  }
};

#else

#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>

#include <iostream>
#include <vector>

using namespace poplar;

static Device getDevice(const std::string &kind) {
  if (kind == "cpu")
    return Device::createCPUDevice();
  if (kind == "ipu")
    return Device::createSimulatorDevice(Target::createIPUTarget(1, 2, "ipu2"));
  IPUModel model;
  model.tilesPerIPU = 2;
  return model.createDevice();
}

template <typename T> static void print(Engine &engine, const char *name) {
  const std::string all = name;
  std::vector<T> values(all == "others" ? 4 : 20);
  engine.readTensor(name, values.data(), values.data() + values.size());
  std::cout << name << ":";
  for (T value : values)
    std::cout << ' ' << value;
  std::cout << '\n';
}

int main(int, char **argv) {
  Device device = getDevice(argv[1]);
  Graph graph(device);
  graph.addCodelets(argv[2]);
  std::vector<int> mixed(20);
  for (int i = 0; i != 20; ++i)
    mixed[i] = (i * 7 + 3) % 20;
  Tensor ascending = graph.addVariable(FLOAT, {20});
  Tensor descending = graph.addVariable(SHORT, {20});
  Tensor others = graph.addVariable(INT, {4});
  Tensor blocks = graph.addVariable(UNSIGNED_INT, {60});
  graph.setInitialValue(blocks.slice(0, 20), ArrayRef<int>(mixed));
  graph.setInitialValue(ascending, ArrayRef<int>(mixed));
  graph.setInitialValue(descending, ArrayRef<int>(mixed));
  ComputeSet set = graph.addComputeSet("set");
  VertexRef sort = graph.addVertex(
      set, "Sort", {{"ascending", ascending}, {"descending", descending}});
  VertexRef other =
      graph.addVertex(set, "Others", {{"out", others}, {"which", 1}});
  VertexRef block = graph.addVertex(set, "Blocks",
                                    {{"words", blocks.slice(0, 20)},
                                     {"cleared", blocks.slice(20, 39)},
                                     {"copied", blocks.slice(39, 59)}});
  for (VertexRef vertex : {sort, other, block})
    graph.setTileMapping(vertex, 0);
  for (const Tensor &tensor : {ascending, descending, others, blocks})
    graph.setTileMapping(tensor, 0);
  graph.createHostRead("ascending", ascending);
  graph.createHostRead("descending", descending);
  graph.createHostRead("others", others);
  graph.createHostRead("cleared", blocks.slice(20, 40));
  graph.createHostRead("copied", blocks.slice(39, 59));
  Engine engine(graph, program::Execute(set));
  engine.load(device);
  engine.run();
  print<float>(engine, "ascending");
  print<short>(engine, "descending");
  print<int>(engine, "others");
  print<unsigned>(engine, "cleared");
  print<unsigned>(engine, "copied");
}

#endif
