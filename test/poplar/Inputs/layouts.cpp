// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fields of every layout, in one file with the program that connects them.

#ifdef __POPC__

#include <poplar/Vertex.hpp>

using namespace poplar;

class Vectors : public Vertex {
public:
  Input<Vector<int, VectorLayout::SHORT_SPAN>> shortSpan;
  Input<Vector<int, VectorLayout::SCALED_PTR32>> scaled32;
  InOut<Vector<int, VectorLayout::SCALED_PTR64>> scaled64;
  Input<Vector<int, VectorLayout::SCALED_PTR128>> scaled128;
  Input<Vector<int, VectorLayout::COMPACT_PTR, 8>> compact;
  Vector<unsigned char, VectorLayout::SHORT_SPAN> bytes;
  Output<Vector<unsigned, VectorLayout::ONE_PTR>> remainders;
  Vector<unsigned short, VectorLayout::SCALED_PTR32> values;

  bool compute() {
    unsigned i = 0;
    for (int value : shortSpan) {
      scaled64[i] += value + scaled32[i] + scaled128[i] + compact[i] +
                     bytes[i] + values[i];
      ++i;
    }
    remainders[0] = reinterpret_cast<__UINTPTR_TYPE__>(&scaled64[0]) % 8;
    remainders[1] = reinterpret_cast<__UINTPTR_TYPE__>(scaled128.data()) % 16;
    return bytes.size() == shortSpan.size();
  }
};

class Lists : public Vertex {
public:
  Vector<Input<Vector<int, VectorLayout::ONE_PTR>>, VectorLayout::SHORT_SPAN>
      shortList;
  Vector<Input<Vector<short, VectorLayout::SCALED_PTR64>>,
         VectorLayout::SCALED_PTR32>
      scaledList;
  Input<VectorList<float, VectorListLayout::DELTAN>> deltas;
  InOut<VectorList<half, VectorListLayout::DELTANELEMENTS>> elements;
  Input<VectorList<unsigned char, VectorListLayout::COMPACT_DELTAN>> plain;
  Output<Vector<int>> out;

  bool compute() {
    for (unsigned i = 0; i != shortList.size(); ++i)
      out[0] += shortList[i][0];
    for (unsigned i = 0; i != 2; ++i)
      out[1] += scaledList[i][0] * scaledList[i][1];
    for (const auto &region : deltas)
      for (float value : region)
        out[2] += static_cast<int>(value);
    out[2] += static_cast<int>(deltas[0].back() + deltas.size()) - 6;
    for (unsigned i = 0; i != elements.size(); ++i)
      for (unsigned k = 0; k != elements[i].size(); ++k)
        elements[i][k] += half(1);
    out[3] = 200 + plain.size();
    for (unsigned i = 0; i != plain.size(); ++i)
      for (unsigned char value : plain[i])
        out[4] += value;
    return true;
  }
};

#else

#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>

#include <cstdint>
#include <iostream>
#include <vector>

using namespace poplar;

Device getDevice(const std::string &kind) {
  if (kind == "cpu")
    return Device::createCPUDevice();
  if (kind == "model") {
    IPUModel model;
    model.tilesPerIPU = 4;
    return model.createDevice();
  }
  return Device::createSimulatorDevice(Target::createIPUTarget(1, 4, "ipu2"));
}

static Tensor add(Graph &graph, const Type &type, std::vector<int> values,
                  unsigned tile) {
  Tensor tensor = graph.addVariable(type, {values.size()});
  graph.setTileMapping(tensor, tile);
  graph.setInitialValue(tensor, ArrayRef<int>(values));
  return tensor;
}

int main(int argc, char **argv) {
  Device device = getDevice(argv[1]);
  Graph graph(device.getTarget());
  graph.addCodelets(argv[2]);
  const std::vector<int> values = {1, 2, 3, 4, 5, 6};

  ComputeSet set = graph.addComputeSet("layouts");
  VertexRef vertex = graph.addVertex(set, "Vectors");
  graph.setTileMapping(vertex, 1);
  // Off its natural place by a word, so that alignment needs a buffer.
  Tensor inOut = add(graph, INT, {9, 1, 2, 3, 4, 5, 6}, 1).slice(1, 7);
  const bool isTooLong = argc > 3;
  graph.connect(vertex["shortSpan"],
                isTooLong ? add(graph, INT, std::vector<int>(5000), 1)
                          : add(graph, INT, values, 1));
  graph.connect(vertex["scaled32"], add(graph, INT, values, 2));
  graph.connect(vertex["scaled64"], inOut);
  graph.connect(vertex["scaled128"], add(graph, INT, values, 1));
  graph.connect(vertex["compact"], add(graph, INT, values, 1));
  Tensor remainders = add(graph, UNSIGNED_INT, {9, 9}, 1);
  graph.connect(vertex["remainders"], remainders);
  graph.setInitialValue(vertex["bytes"],
                        std::vector<unsigned char>{1, 2, 3, 4, 5, 6});
  graph.setInitialValue(vertex["values"],
                        std::vector<unsigned short>{5, 10, 15, 20, 25, 30});

  VertexRef lists = graph.addVertex(set, "Lists");
  graph.setTileMapping(lists, 3);
  Tensor ints = add(graph, INT, values, 3);
  graph.connect(lists["shortList"],
                {ints.slice(0, 1), ints.slice(1, 3), ints.slice(2, 6)});
  Tensor shorts = add(graph, SHORT, values, 0);
  graph.connect(lists["scaledList"], {shorts.slice(1, 3), shorts.slice(2, 5)});
  Tensor floats = add(graph, FLOAT, values, 3);
  graph.connect(lists["deltas"],
                {floats.slice(2, 4), floats.slice(0, 0), floats.slice(0, 3)});
  Tensor halves = add(graph, HALF, {1, 2, 3, 4, 5}, 2);
  graph.connect(lists["elements"], {halves.slice(3, 5), halves.slice(0, 3)});
  Tensor bytes = add(graph, UNSIGNED_CHAR, {10, 20, 30}, 3);
  graph.connect(lists["plain"],
                {bytes.slice(2, 3), bytes.slice(0, 1), bytes.slice(1, 1)});
  Tensor out = add(graph, INT, {0, 0, 0, 0, 0}, 3);
  graph.connect(lists["out"], out);

  Tensor results[] = {inOut, remainders, out};
  const char *names[] = {"vectors", "aligned", "lists"};
  for (unsigned i = 0; i != 3; ++i)
    graph.createHostRead(names[i], results[i]);
  graph.createHostRead("halves", halves);
  if (isTooLong) {
    try {
      Engine engine(graph, program::Execute(set));
    } catch (const poplar_error &error) {
      std::cout << error.what() << '\n';
    }
    return 0;
  }
  Engine engine(graph, program::Execute(set));
  engine.load(device);
  engine.run();
  for (unsigned i = 0; i != 3; ++i) {
    std::vector<int> data(results[i].numElements());
    engine.readTensor(names[i], data.data(), data.data() + data.size());
    std::cout << names[i] << ":";
    for (int value : data)
      std::cout << ' ' << value;
    std::cout << '\n';
  }
  std::vector<std::uint16_t> bits(5);
  engine.readTensor("halves", bits.data(), bits.data() + bits.size());
  std::vector<float> numbers(5);
  copyDeviceHalfToFloat(device.getTarget(), bits.data(), numbers.data(), 5);
  std::cout << "halves:";
  for (float value : numbers)
    std::cout << ' ' << value;
  std::cout << '\n';
}

#endif
