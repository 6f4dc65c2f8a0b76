// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A first program with popops, in the manner of the user guide: additions of
// matrices, one of them transposed. Usage: elementwise model|cpu|ipu

#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <popops/ElementWise.hpp>
#include <popops/codelets.hpp>

#include <iostream>
#include <string>

using namespace poplar;
using namespace poplar::program;

static Device makeDevice(const std::string &kind) {
  if (kind == "cpu")
    return Device::createCPUDevice();
  if (kind == "ipu") {
    auto manager = DeviceManager::createDeviceManager();
    for (auto &device : manager.getDevices(TargetType::IPU, 1))
      if (device.attach())
        return static_cast<Device &&>(device);
  }
  IPUModel model;
  return model.createDevice();
}

int main(int, char **argv) {
  Device device = makeDevice(argv[1]);
  Graph graph(device.getTarget());
  popops::addCodelets(graph);

  Tensor v1 = graph.addVariable(FLOAT, {2, 2}, "v1");
  Tensor v2 = graph.addVariable(FLOAT, {2, 2}, "v2");
  const unsigned last = device.getTarget().getNumTiles() - 1;
  for (unsigned i = 0; i < 2; ++i) {
    graph.setTileMapping(v1[i], i < last ? i : last);
    graph.setTileMapping(v2[i], i < last ? i : last);
  }
  Tensor c1 = graph.addConstant<float>(FLOAT, {4}, {1.0, 1.5, 2.0, 2.5});
  Tensor c2 = graph.addConstant<float>(FLOAT, {4}, {4.0, 3.0, 2.0, 1.0});
  graph.setTileMapping(c1, 0);
  graph.setTileMapping(c2, 0);

  Sequence prog;
  prog.add(Copy(c1, v1.flatten()));
  prog.add(Copy(c2, v2.flatten()));
  Tensor v3 = popops::add(graph, v1, v2, prog, "Add");
  prog.add(PrintTensor("v3", v3));
  Tensor v4 = popops::add(graph, v3, v2, prog, "Add");
  prog.add(PrintTensor("v4", v4));
  Tensor v5 = popops::add(graph, v1, v2.transpose(), prog, "Add");
  prog.add(PrintTensor("v5", v5));

  Engine engine(graph, prog);
  engine.load(device);
  engine.run(0);
  return 0;
}
