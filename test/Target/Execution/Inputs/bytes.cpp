// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stores of bytes and halves beside one another: by vertices of one compute
// set, which may run at the same time, and by the six workers of one vertex,
// each of which has words of its own.

#ifdef __POPC__

#include <poplar/Vertex.hpp>

using namespace poplar;

template <typename T> class One : public Vertex {
public:
  InOut<T> place;
  bool compute() {
    *place = *place * 3 + 1;
    return true;
  }
};

template class One<unsigned char>;
template class One<unsigned short>;

class Workers : public MultiVertex {
public:
  InOut<Vector<unsigned char, VectorLayout::SPAN, 4>> data;
  bool compute(unsigned worker) {
    for (unsigned i = 4 * worker; i < data.size(); i += 4 * numWorkers())
      for (unsigned j = i; j < i + 4 && j < data.size(); ++j)
        data[j] = data[j] * 3 + 1;
    return true;
  }
};

#else

#include "test/tutorials/device.hpp"
#include <cstdio>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <vector>

using namespace poplar;
using namespace poplar::program;

const unsigned Size = 53;

template <typename T> class Data {
public:
  Data(Graph &graph, Type type, const char *name)
      : name(name), tensor(graph.addVariable(type, {Size}, name)) {
    graph.setTileMapping(tensor, 0);
    graph.createHostWrite(std::string(name) + "-in", tensor);
    graph.createHostRead(std::string(name) + "-out", tensor);
  }

  void oneVertexEach(Graph &graph, ComputeSet set, const char *vertex) {
    for (unsigned i = 0; i < Size; ++i)
      graph.setTileMapping(graph.addVertex(set, vertex, {{"place", tensor[i]}}),
                           0);
  }

  void write(Engine &engine) {
    std::vector<T> values(Size);
    for (unsigned i = 0; i < Size; ++i)
      values[i] = 1000 * i + 7;
    engine.writeTensor(name + "-in", values.data(), values.data() + Size);
  }

  bool check(Engine &engine) {
    std::vector<T> values(Size);
    engine.readTensor(name + "-out", values.data(), values.data() + Size);
    unsigned wrong = 0;
    for (unsigned i = 0; i < Size; ++i)
      wrong += values[i] != static_cast<T>(T(1000 * i + 7) * 3 + 1);
    std::printf("%s: %u wrong\n", name.c_str(), wrong);
    return wrong == 0;
  }

  std::string name;
  Tensor tensor;
};

int main(int, char **argv) {
  Device device = getTutorialDevice();
  Graph graph(device.getTarget());
  graph.addCodelets(argv[1]);
  Data<unsigned char> bytes(graph, UNSIGNED_CHAR, "bytes");
  Data<unsigned short> halves(graph, UNSIGNED_SHORT, "halves");
  Data<unsigned char> shared(graph, UNSIGNED_CHAR, "shared");
  ComputeSet set = graph.addComputeSet("set");
  bytes.oneVertexEach(graph, set, "One<unsigned char>");
  halves.oneVertexEach(graph, set, "One<unsigned short>");
  graph.setTileMapping(
      graph.addVertex(set, "Workers", {{"data", shared.tensor}}), 0);
  Engine engine(graph, Execute(set));
  engine.load(device);
  bytes.write(engine);
  halves.write(engine);
  shared.write(engine);
  engine.run(0);
  bool right = bytes.check(engine);
  right &= halves.check(engine);
  right &= shared.check(engine);
  return right ? 0 : 1;
}

#endif
