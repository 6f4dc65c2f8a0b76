// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans of one program, good and wrong on purpose:
//
//   plans CODELETS good|ten-tiles|uneven|one-tile|spill|turns
//
// Numbers go through a polynomial. They are spread over all tiles and workers;
// or over ten tiles; or an eighth of them lies on the first tile; or they come
// from a tensor that lies on one tile; or go through a codelet that spills; or
// through one IPU, and then through another one.

#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>

#include <iostream>
#include <string>
#include <vector>

using namespace poplar;

namespace {

constexpr unsigned Workers = 6, Each = 120;

/// The elements of a vertex of each worker of each tile, on the tiles from
/// `first` on.
void addVertices(Graph &graph, ComputeSet set, const char *codelet, Tensor in,
                 Tensor out, unsigned tiles, bool isSum, unsigned first = 0) {
  const unsigned vertices = tiles * Workers;
  const std::size_t part = in.numElements() / vertices;
  for (unsigned i = 0; i != vertices; ++i) {
    const std::size_t begin = i * part;
    const Tensor result =
        isSum ? out.slice(i, i + 1) : out.slice(begin, begin + part);
    VertexRef vertex = graph.addVertex(
        set, codelet, {{"in", in.slice(begin, begin + part)}, {"out", result}});
    graph.setTileMapping(vertex, first + i / Workers);
    graph.setTileMapping(result, first + i / Workers);
  }
}

void spread(Graph &graph, Tensor tensor, unsigned tiles) {
  const std::size_t part = tensor.numElements() / tiles;
  for (unsigned tile = 0; tile != tiles; ++tile)
    graph.setTileMapping(tensor.slice(tile * part, (tile + 1) * part), tile);
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  const std::string plan = argv[2];
  Device device;
  for (Device &candidate : DeviceManager::createDeviceManager().getDevices(
           TargetType::IPU, plan == "turns" ? 2 : 1))
    if (candidate.attach()) {
      device = std::move(candidate);
      break;
    }
  Graph graph(device.getTarget());
  graph.addCodelets(argv[1]);
  const unsigned all = device.getTarget().getNumTiles();
  const unsigned tiles = plan == "ten-tiles" ? 10
                         : plan == "turns"   ? all / 2
                                             : all;
  const bool isSum = plan == "spill";
  const std::size_t count = std::size_t(all) * 10 * Workers * Each;
  Tensor in = graph.addVariable(FLOAT, {count}, "numbers");
  Tensor out =
      graph.addVariable(FLOAT, {isSum ? tiles * Workers : count}, "results");
  program::Sequence program;
  if (plan == "one-tile") {
    Tensor table = graph.addVariable(FLOAT, {count / 10}, "table");
    graph.setTileMapping(table, 5);
    graph.createHostWrite("table", table);
    for (unsigned i = 0; i != 10; ++i)
      program.add(program::Copy(
          table, in.slice(i * (count / 10), (i + 1) * (count / 10))));
  } else {
    graph.createHostWrite("numbers", in);
  }
  const std::size_t even = plan == "uneven" ? count / 8 * 7 : count;
  spread(graph, in.slice(0, even), tiles);
  ComputeSet set = graph.addComputeSet("model/polynomial");
  addVertices(graph, set, isSum ? "ManySums" : "Polynomial", in.slice(0, even),
              isSum ? out : out.slice(0, even), tiles, isSum);
  if (plan == "uneven") {
    spread(graph, in.slice(even, count), 1);
    addVertices(graph, set, "Polynomial", in.slice(even, count),
                out.slice(even, count), 1, false);
  }
  program.add(program::Execute(set));
  if (plan == "turns") {
    Tensor last = graph.addVariable(FLOAT, {count}, "last");
    ComputeSet second = graph.addComputeSet("model/again");
    addVertices(graph, second, "Polynomial", out, last, tiles, false, tiles);
    program.add(program::Execute(second));
    out = last;
  }
  graph.createHostRead("results", out);
  Engine engine(graph, program);
  engine.load(device);
  engine.run(0, "step");
  std::cout << plan << " ran\n";
}
