// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One program with every kind of field, in one file with its codelets, on all
// three kinds of device: the same bits must come out.

#ifdef __POPC__

#include <poplar/Vertex.hpp>

using namespace poplar;

class SumEach : public Vertex {
public:
  Vector<Input<Vector<int>>> in;
  Output<Vector<int, VectorLayout::ONE_PTR>> out;
  Vector<unsigned short> factors;

  bool compute() {
    for (unsigned i = 0; i != in.size(); ++i) {
      int sum = 0;
      for (unsigned k = 0; k != in[i].size(); ++k)
        sum += in[i][k];
      out[i] = sum * factors[i];
    }
    return true;
  }
};

class AddOne : public Vertex {
public:
  InOut<Vector<unsigned char>> data;
  bool compute() {
    for (unsigned i = 0; i != data.size(); ++i)
      data[i] += 1;
    return true;
  }
};

class Positive : public Vertex {
public:
  Input<int> in;
  Output<bool> out;
  const int least;
  Positive();
  bool compute() {
    *out = *in >= least;
    return true;
  }
};

class SumScalars : public Vertex {
public:
  Vector<Input<int>> in;
  Output<int> out;
  bool compute() {
    int sum = 0;
    for (unsigned i = 0; i != in.size(); ++i)
      sum += *in[i];
    *out = sum;
    return true;
  }
};

template <typename T> class Double : public Vertex {
public:
  InOut<T> value;
  bool compute() {
    *value = *value + *value;
    return true;
  }
};
template class Double<int>;

#else

#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>

#include <iostream>
#include <memory>
#include <numeric>

using namespace poplar;
using namespace poplar::program;

static Device makeDevice(const std::string &kind) {
  if (kind == "cpu")
    return Device::createCPUDevice();
  if (kind == "ipu")
    return Device::createSimulatorDevice(Target::createIPUTarget(1, 8, "ipu2"));
  IPUModel model;
  model.tilesPerIPU = 8;
  return model.createDevice();
}

/// A variable whose elements are on all tiles in turn.
static Tensor scattered(Graph &graph, const Type &type,
                        std::vector<std::size_t> shape,
                        const std::string &name) {
  Tensor variable = graph.addVariable(type, shape, name);
  const Tensor flat = variable.flatten();
  for (unsigned i = 0; i != flat.numElements(); ++i)
    graph.setTileMapping(flat[i], (3 * i + 1) % 8);
  return variable;
}

template <typename T>
static void print(Engine &engine, const char *name, std::size_t count) {
  std::unique_ptr<T[]> values(new T[count]);
  engine.readTensor(name, values.get(), values.get() + count);
  std::cout << name << ":";
  for (std::size_t i = 0; i != count; ++i)
    std::cout << ' ' << +values[i];
  std::cout << '\n';
}

int main(int, char **argv) {
  const Device device = makeDevice(argv[1]);
  Graph graph(device);
  graph.addCodelets(argv[2], CodeletFileType::Auto, "-O2");
  Sequence prog;

  // A list of vectors, one of them empty, and a vector of values.
  const Tensor numbers = scattered(graph, INT, {10}, "numbers");
  const Tensor sums = scattered(graph, INT, {3}, "sums");
  const ComputeSet lists = graph.addComputeSet("lists");
  VertexRef vertex = graph.addVertex(lists, "SumEach");
  graph.connect(vertex["in"], {numbers.slice(0, 4), numbers.slice(4, 4),
                               numbers.slice(2, 10)});
  graph.connect(vertex["out"], sums);
  graph.setInitialValue(vertex["factors"], std::vector<int>{1, 2, 3});
  graph.setTileMapping(vertex, 5);
  prog.add(Execute(lists));

  // Bytes of one word for several vertices.
  const Tensor bytes = graph.addVariable(UNSIGNED_CHAR, {12}, "bytes");
  graph.setTileMapping(bytes, 2);
  const ComputeSet byteSet = graph.addComputeSet("bytes");
  for (unsigned i = 0; i != 4; ++i) {
    vertex = graph.addVertex(byteSet, "AddOne",
                             {{"data", bytes.slice(3 * i, 3 * i + 3)}});
    graph.setTileMapping(vertex, 2);
  }
  prog.add(Execute(byteSet));

  // Copies of halves that are not whole words.
  const Tensor halves = graph.addVariable(HALF, {3}, "halves");
  graph.setTileMapping(halves, 1);
  const Tensor constants =
      graph.addConstant<float>(HALF, {4}, {1.5, 2.5, 3.5, 4.5});
  graph.setTileMapping(constants, 6);
  prog.add(Copy(constants.slice(1, 4), halves));

  // Booleans from vertices on one tile.
  const Tensor flags = graph.addVariable(BOOL, {4}, "flags");
  graph.setTileMapping(flags, 0);
  const Tensor tested =
      graph.addConstant<int>(INT, {4}, {5, -5, 4, 100}, "tested");
  graph.setTileMapping(tested, 3);
  const ComputeSet flagSet = graph.addComputeSet("flags");
  for (unsigned i = 0; i != 4; ++i) {
    vertex =
        graph.addVertex(flagSet, "Positive",
                        {{"in", tested[i]}, {"out", flags[i]}, {"least", 4}});
    graph.setTileMapping(vertex, 0);
  }
  prog.add(Execute(flagSet));

  // A list of single elements.
  const Tensor parts = graph.addConstant<int>(INT, {3}, {1, 20, 300});
  graph.setTileMapping(parts, 4);
  const Tensor scalars = scattered(graph, INT, {}, "scalars");
  const ComputeSet scalarSet = graph.addComputeSet("scalars");
  vertex = graph.addVertex(scalarSet, "SumScalars",
                           {{"in", parts.reverse(0)}, {"out", scalars}});
  graph.setTileMapping(vertex, 7);
  prog.add(Execute(scalarSet));

  // A transposed copy of a variable onto itself.
  const Tensor matrix = scattered(graph, INT, {3, 3}, "matrix");
  prog.add(Copy(matrix.transpose(), matrix));

  // A loop over a vertex whose element is on another tile.
  const Tensor looped = graph.addVariable(INT, {}, "looped");
  graph.setTileMapping(looped, 0);
  graph.setInitialValue(looped, 1);
  const ComputeSet loopSet = graph.addComputeSet("loop");
  vertex = graph.addVertex(loopSet, "Double<int>", {{"value", looped}});
  graph.setTileMapping(vertex, 1);
  prog.add(Repeat(7, Execute(loopSet)));

  graph.createHostWrite("numbers", numbers);
  graph.createHostWrite("bytes", bytes);
  graph.createHostWrite("matrix", matrix);
  graph.createHostRead("sums", sums);
  graph.createHostRead("bytes", bytes);
  graph.createHostRead("halves", halves);
  graph.createHostRead("flags", flags);
  graph.createHostRead("scalars", scalars);
  graph.createHostRead("matrix", matrix.slice(2, 3));
  graph.createHostRead("looped", looped);

  Engine engine(graph, prog);
  engine.load(device);
  std::vector<int> numbersIn(10), matrixIn{1, 4, 7, 2, 5, 8, 3, 6, 9};
  std::iota(numbersIn.begin(), numbersIn.end(), 1);
  std::vector<unsigned char> bytesIn(12);
  std::iota(bytesIn.begin(), bytesIn.end(), 100);
  engine.writeTensor("numbers", numbersIn.data());
  engine.writeTensor("bytes", bytesIn.data());
  engine.writeTensor("matrix", matrixIn.data());
  engine.run();

  print<int>(engine, "sums", 3);
  print<unsigned char>(engine, "bytes", 12);
  char raw[6];
  float floats[3];
  engine.readTensor("halves", raw, raw + 6);
  copyDeviceHalfToFloat(device.getTarget(), raw, floats, 3);
  std::cout << "halves: " << floats[0] << ' ' << floats[1] << ' ' << floats[2]
            << '\n';
  print<bool>(engine, "flags", 4);
  print<int>(engine, "scalars", 1);
  print<int>(engine, "matrix", 3);
  print<int>(engine, "looped", 1);
}

#endif
