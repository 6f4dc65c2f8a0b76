// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two chained matrix products on a device of many tiles, checked on the host.
// Usage: matmul model|ipu

#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplin/MatMul.hpp>
#include <poplin/codelets.hpp>
#include <popops/codelets.hpp>
#include <poputil/TileMapping.hpp>

#include <cmath>
#include <cstddef>
#include <iostream>
#include <string>
#include <vector>

using namespace poplar;
using namespace poplar::program;

typedef std::vector<float> Matrix;

static Matrix make(std::size_t rows, std::size_t columns) {
  Matrix m(rows * columns);
  for (std::size_t i = 0; i < m.size(); ++i)
    m[i] = static_cast<float>(i * 7 % 11) - 5;
  return m;
}

static Matrix multiply(const Matrix &a, const Matrix &b, std::size_t rows,
                       std::size_t depth, std::size_t columns) {
  Matrix out(rows * columns);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t k = 0; k < depth; ++k)
      for (std::size_t j = 0; j < columns; ++j)
        out[i * columns + j] += a[i * depth + k] * b[k * columns + j];
  return out;
}

int main(int, char **argv) {
  const std::size_t m = 90, k = 60, n = 30, l = 20;
  Device device = IPUModel().createDevice();
  if (std::string(argv[1]) == "ipu")
    device = DeviceManager::createDeviceManager().getDevice(0);
  Graph graph(device.getTarget());
  popops::addCodelets(graph);
  poplin::addCodelets(graph);
  Tensor m1 = graph.addVariable(FLOAT, {m, k}, "m1");
  Tensor m2 = graph.addVariable(FLOAT, {k, n}, "m2");
  Tensor m3 = graph.addVariable(FLOAT, {n, l}, "m3");
  poputil::mapTensorLinearly(graph, m1);
  poputil::mapTensorLinearly(graph, m2);
  poputil::mapTensorLinearly(graph, m3);
  Sequence prog;
  Tensor m4 = poplin::matMul(graph, m1, m2, prog, "m4");
  Tensor m5 = poplin::matMul(graph, m4, m3, prog, "m5");
  graph.createHostWrite("m1", m1);
  graph.createHostWrite("m2", m2);
  graph.createHostWrite("m3", m3);
  graph.createHostRead("m5", m5);

  Engine engine(graph, prog);
  engine.load(device);
  const Matrix a = make(m, k), b = make(k, n), c = make(n, l);
  engine.writeTensor("m1", a.data(), a.data() + a.size());
  engine.writeTensor("m2", b.data(), b.data() + b.size());
  engine.writeTensor("m3", c.data(), c.data() + c.size());
  engine.run(0);
  Matrix actual(m * l);
  engine.readTensor("m5", actual.data(), actual.data() + actual.size());
  const Matrix expected = multiply(multiply(a, b, m, k, n), c, m, n, l);
  // All values are integers that a float holds exactly.
  for (std::size_t i = 0; i < actual.size(); ++i)
    if (actual[i] != expected[i]) {
      std::cout << "element " << i << " is " << actual[i] << ", not "
                << expected[i] << "\n";
      return 1;
    }
  std::cout << actual.size() << " elements agree\n";
  return 0;
}
