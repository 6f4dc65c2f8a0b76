// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes a program for ipu-dbg: program TILES CODELETS [wild].

#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <vector>

using namespace poplar;

int main(int, char **argv) {
  const unsigned tiles = static_cast<unsigned>(std::atoi(argv[1]));
  const bool isWild = argv[3] != nullptr;
  Graph graph(Target::createIPUTarget(1, tiles, "ipu2"));
  graph.addCodelets(argv[2]);

  Tensor data = graph.addVariable(FLOAT, {tiles, 4}, "data");
  Tensor squares = graph.addVariable(FLOAT, {tiles, 4}, "squares");
  Tensor counts = graph.addVariable(INT, {12}, "counts");
  Tensor ratio = graph.addVariable(FLOAT, {3}, "ratio");
  Tensor address = graph.addVariable(UNSIGNED_INT, {}, "address");
  Tensor value = graph.addVariable(INT, {}, "value");
  std::vector<float> values(tiles * 4);
  for (unsigned i = 0; i != values.size(); ++i)
    values[i] = static_cast<float>(i % 100 + 1);
  graph.setInitialValue(counts, ArrayRef<int>(std::vector<int>(12, 100)));
  graph.setInitialValue(ratio, ArrayRef<float>({0, 0, 5}));
  graph.setInitialValue(address, 0x10u);
  for (const Tensor &t : {counts, ratio, address, value})
    graph.setTileMapping(t, 0);

  ComputeSet first = graph.addComputeSet("squares");
  for (unsigned tile = 0; tile != tiles; ++tile) {
    graph.setTileMapping(data[tile], tile);
    graph.setTileMapping(squares[tile], tile);
    VertexRef v = graph.addVertex(first, "Squares",
                                  {{"in", data[tile]}, {"out", squares[tile]}});
    graph.setInitialValue(v["bias"], 0.5f);
    graph.setTileMapping(v, tile);
  }
  ComputeSet second = graph.addComputeSet("shares");
  graph.setTileMapping(graph.addVertex(second, "Shares", {{"data", counts}}),
                       0);
  ComputeSet third = graph.addComputeSet("ratio");
  graph.setTileMapping(
      graph.addVertex(
          third, "Ratio",
          {{"above", ratio[0]}, {"below", ratio[1]}, {"quotient", ratio[2]}}),
      0);
  ComputeSet fourth = graph.addComputeSet("wild");
  graph.setTileMapping(
      graph.addVertex(fourth, "Wild", {{"address", address}, {"value", value}}),
      0);

  DataStream in = graph.addHostToDeviceFIFO("in", FLOAT, data.numElements());
  DataStream out =
      graph.addDeviceToHostFIFO("out", FLOAT, squares.numElements());
  program::Sequence steps;
  steps.add(program::Copy(in, data));
  // Syncs keep the compute sets apart, which are independent.
  for (const ComputeSet &set : {first, second, third}) {
    steps.add(program::Execute(set));
    steps.add(program::Sync(SyncType::INTERNAL));
  }
  if (isWild)
    steps.add(program::Execute(fourth));
  steps.add(program::Copy(squares, out));
  // A compilation is enough: the option writes the executable.
  try {
    compileGraph(graph, {steps}, {{"debug.executable", "program.ipux"}});
  } catch (const poplar_error &error) {
    std::cerr << "error: " << error.what() << "\n";
    return 1;
  }
  std::ofstream file("in.bin", std::ios::binary);
  file.write(reinterpret_cast<const char *>(values.data()),
             static_cast<std::streamsize>(values.size() * sizeof(float)));
  return file ? 0 : 1;
}
