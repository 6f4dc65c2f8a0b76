// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times the graph library: building a graph, and compiling it. One measurement
// a process, so that the peak of memory is its own; utils/bench/graph runs them
// all and prints the table.
//
// usage: GraphSpeed vertices COUNT CODELETS.gp
//        GraphSpeed all-to-all TILES

#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

using namespace poplar;

namespace {

constexpr unsigned Tiles = 1472;

double seconds() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

double peakMiB() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

struct Built {
  Graph graph;
  program::Program program;
};

/// Vertices that each add four elements, in equal numbers on all tiles; a
/// quarter of the elements comes from the neighbouring tile.
Built buildVertices(std::size_t count, const char *codelets) {
  Graph graph(Target::createIPUTarget(1, Tiles, "ipu2"));
  graph.addCodelets(codelets);
  const Tensor in = graph.addVariable(FLOAT, {count, 4}, "in");
  const Tensor out = graph.addVariable(FLOAT, {count}, "out");
  const std::size_t perTile = (count + Tiles - 1) / Tiles;
  const Tensor last = in.dimShuffle({1, 0})[3];
  for (std::size_t begin = 0; begin < count; begin += perTile) {
    const std::size_t end = std::min(begin + perTile, count);
    const auto tile = static_cast<unsigned>(begin / perTile);
    graph.setTileMapping(in.slice(begin, end), tile);
    graph.setTileMapping(last.slice(begin, end), (tile + 1) % Tiles);
    graph.setTileMapping(out.slice(begin, end), tile);
  }
  const ComputeSet set = graph.addComputeSet("add");
  for (std::size_t i = 0; i != count; ++i) {
    const VertexRef vertex = graph.addVertex(set, "SumVertex");
    graph.connect(vertex["in"], in[i]);
    graph.connect(vertex["out"], out[i]);
    graph.setTileMapping(vertex, static_cast<unsigned>(i / perTile));
  }
  graph.createHostRead("out", out);
  return {std::move(graph), program::Execute(set)};
}

/// Each tile sends a word to every other.
Built buildAllToAll(unsigned tiles) {
  Graph graph(Target::createIPUTarget(1, tiles, "ipu2"));
  const Tensor from = graph.addVariable(INT, {tiles, tiles}, "from");
  const Tensor to = graph.addVariable(INT, {tiles, tiles}, "to");
  for (unsigned tile = 0; tile != tiles; ++tile) {
    graph.setTileMapping(from[tile], tile);
    graph.setTileMapping(to[tile], tile);
  }
  graph.createHostRead("to", to);
  return {std::move(graph), program::Copy(from.transpose(), to)};
}

} // namespace

int main(int argc, char **argv) {
  const bool isVertices = argc == 4 && std::strcmp(argv[1], "vertices") == 0;
  if (!isVertices && (argc != 3 || std::strcmp(argv[1], "all-to-all") != 0)) {
    std::fprintf(stderr,
                 "usage: %s vertices COUNT CODELETS.gp | %s all-to-all "
                 "TILES\n",
                 argv[0], argv[0]);
    return 2;
  }
  const unsigned long size = std::strtoul(argv[2], nullptr, 10);
  const double start = seconds();
  const Built built = isVertices ? buildVertices(size, argv[3])
                                 : buildAllToAll(static_cast<unsigned>(size));
  const double afterBuild = seconds();
  const double buildPeak = peakMiB();
  const Executable executable = compileGraph(built.graph, {built.program});
  const double afterCompile = seconds();
  std::printf("| %s | %lu | %.3f s | %.0f MiB | %.3f s | %.0f MiB |\n", argv[1],
              size, afterBuild - start, buildPeak, afterCompile - afterBuild,
              peakMiB());
  return 0;
}
