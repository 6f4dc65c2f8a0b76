// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of a table are looked up and added up in a loop; the largest sums and
// their places are printed, after a dropout that keeps all of them.

#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Loop.hpp>
#include <popops/TopK.hpp>
#include <popops/Zero.hpp>
#include <popops/codelets.hpp>
#include <poprand/RandomGen.hpp>
#include <poprand/codelets.hpp>
#include <poputil/TileMapping.hpp>

#include <iostream>
#include <string>
#include <utility>
#include <vector>

using namespace poplar;
using namespace poplar::program;

int main(int argc, char **argv) {
  const std::string kind = argc > 1 ? argv[1] : "model";
  Device device;
  if (kind == "cpu") {
    device = Device::createCPUDevice();
  } else if (kind == "model") {
    IPUModel model;
    model.tilesPerIPU = 5;
    device = model.createDevice();
  } else {
    device = DeviceManager::createDeviceManager()
                 .getDevices(TargetType::IPU, 1)
                 .at(0)
                 .createVirtualDevice(5);
  }
  Graph graph(device);
  popops::addCodelets(graph);
  poprand::addCodelets(graph);

  // Row i of the table is i, 2 i, 3 i, ...
  std::vector<float> rows;
  for (int i = 0; i != 100; ++i)
    for (int j = 1; j != 7; ++j)
      rows.push_back(static_cast<float>(i * j % 17));
  const Tensor table =
      popops::createSliceableTensor(graph, FLOAT, {100, 6}, {0}, {1});
  graph.setInitialValue<float>(table, rows);
  const Tensor indices =
      popops::createIndicesTensor(graph, {0}, 3, popops::SlicePlan(), {});
  graph.setInitialValue<unsigned>(indices, {7u, 99u, 42u});

  Sequence prog;
  const Tensor slices = popops::multiSlice(graph, table, indices, {0}, {1},
                                           prog, popops::SlicePlan(), {});
  const Tensor sums = graph.addVariable(FLOAT, {6}, "sums");
  poputil::mapTensorLinearly(graph, sums);
  popops::zero(graph, sums, prog);
  prog.add(popops::countedLoop(graph, 3, [&](const Tensor &i) {
    Sequence body;
    const Tensor row =
        popops::dynamicSlice(graph, slices, i.reshape({1}), {0}, {1}, body);
    popops::addInPlace(graph, sums, row.flatten(), body);
    return body;
  }));
  const std::pair<Tensor, Tensor> largest = popops::topKWithPermutation(
      graph, prog, sums,
      popops::TopKParams(2, true, popops::SortOrder::DESCENDING));
  const Tensor kept = poprand::dropout(graph, nullptr, 0, largest.first,
                                       largest.first, 1.0, 1.0, prog);
  prog.add(PrintTensor("sums", sums));
  prog.add(PrintTensor("largest", kept));
  prog.add(PrintTensor("places", largest.second));

  Engine engine(graph, prog);
  engine.load(device);
  engine.run();
  return 0;
}
