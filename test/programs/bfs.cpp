// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Breadth first search: each tile has some rows of the adjacency matrix, as
// bits, and gives their nodes the next level if a neighbour has the current
// one. A loop goes on while any tile has changed something.

#ifdef __POPC__

#include <poplar/Vertex.hpp>

using namespace poplar;

class NextLevel : public Vertex {
public:
  Input<Vector<unsigned>> adjacency; // row by row
  Input<Vector<int>> levels;         // of all nodes
  Input<int> current;
  InOut<Vector<int>> mine;
  Output<bool> changed;
  const unsigned wordsPerRow;

  NextLevel();

  void compute() {
    bool any = false;
    for (unsigned r = 0; r < mine.size(); ++r)
      for (unsigned n = 0; mine[r] < 0 && n < levels.size(); ++n)
        if (levels[n] == *current &&
            (adjacency[r * wordsPerRow + n / 32] >> (n % 32) & 1)) {
          mine[r] = *current + 1;
          any = true;
        }
    *changed = any;
  }
};

#else

#include "device.hpp"

#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <popops/codelets.hpp>

#include <algorithm>
#include <iostream>
#include <queue>
#include <vector>

using namespace poplar;
using namespace poplar::program;

static const unsigned Nodes = 96, Words = Nodes / 32;

struct HostGraph {
  std::vector<unsigned> bits = std::vector<unsigned>(Nodes * Words);
  void connect(unsigned a, unsigned b) {
    bits[a * Words + b / 32] |= 1u << (b % 32);
    bits[b * Words + a / 32] |= 1u << (a % 32);
  }
  bool areConnected(unsigned a, unsigned b) const {
    return bits[a * Words + b / 32] >> (b % 32) & 1;
  }

  std::vector<int> search(unsigned start) const {
    std::vector<int> levels(Nodes, -1);
    levels[start] = 0;
    std::queue<unsigned> next({start});
    for (; !next.empty(); next.pop())
      for (unsigned n = 0; n < Nodes; ++n)
        if (levels[n] < 0 && areConnected(next.front(), n)) {
          levels[n] = levels[next.front()] + 1;
          next.push(n);
        }
    return levels;
  }
};

int main(int argc, char **argv) {
  HostGraph host;
  for (unsigned i = 0; i < Nodes - 6; ++i) { // six cannot be reached
    host.connect(i, (i * 5 + 3) % (Nodes - 6));
    if (i % 4 == 0)
      host.connect(i, i + 1);
  }

  auto device = getDevice(argc, argv);
  Graph graph(device.getTarget());
  popops::addCodelets(graph);
  graph.addCodelets(__FILE__);
  auto adjacency = graph.addVariable(UNSIGNED_INT, {Nodes, Words}, "adjacency");
  auto levels = graph.addVariable(INT, {Nodes}, "levels");
  auto all = graph.addVariable(INT, {Nodes}, "copy of all levels");
  auto current = graph.addVariable(INT, {}, "current level");
  graph.setTileMapping(all, 0);
  graph.setTileMapping(current, 0);

  const unsigned perTile = 12, parts = Nodes / perTile;
  auto changed = graph.addVariable(BOOL, {parts}, "changed");
  auto cs = graph.addComputeSet("next level");
  for (unsigned p = 0; p < parts; ++p) {
    const Interval rows(p * perTile, (p + 1) * perTile);
    const unsigned tile = p % graph.getTarget().getNumTiles();
    graph.setTileMapping(adjacency.slice(rows), tile);
    graph.setTileMapping(levels.slice(rows), tile);
    graph.setTileMapping(changed[p], tile);
    auto v = graph.addVertex(cs, "NextLevel",
                             {{"adjacency", adjacency.slice(rows).flatten()},
                              {"levels", all},
                              {"current", current},
                              {"mine", levels.slice(rows)},
                              {"changed", changed[p]},
                              {"wordsPerRow", Words}});
    graph.setTileMapping(v, tile);
  }

  Sequence search{Copy(levels, all), Execute(cs)};
  auto any = popops::reduce(graph, changed, BOOL, {0},
                            popops::Operation::LOGICAL_OR, search, "any");
  Sequence advance;
  popops::mapInPlace(graph, popops::expr::_1 + popops::expr::Const(1),
                     {current}, advance, "advance");

  auto bits = graph.addHostToDeviceFIFO("bits", UNSIGNED_INT, Nodes * Words);
  auto start = graph.addHostToDeviceFIFO("start", INT, Nodes + 1);
  auto result = graph.addDeviceToHostFIFO("result", INT, Nodes);
  Sequence setUp{Copy(bits, adjacency),
                 Copy(start, concat(levels, current.expand({0})))};
  Engine engine(graph, {setUp, RepeatWhileTrue(search, any, advance),
                        Copy(levels, result)});
  std::vector<int> first(Nodes + 1, -1), got(Nodes);
  first[0] = 0;     // the node to start from
  first[Nodes] = 0; // the current level
  engine.connectStream("bits", host.bits.data());
  engine.connectStream("start", first.data(), first.data() + first.size());
  engine.connectStream("result", got.data());
  engine.load(device);
  for (unsigned program : {0, 1, 2})
    engine.run(program);

  const bool isRight = got == host.search(0);
  std::cout << "levels: " << *std::max_element(got.begin(), got.end()) + 1
            << ", " << (isRight ? "right" : "wrong") << std::endl;
  return !isRight;
}

#endif
