// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conway's Game of Life on a torus: each tile has some rows, and reads a row
// more above and below them. One file is host program and codelet, which the
// graph compiles from it; two boards take turns.

#ifdef __POPC__

#include <poplar/Vertex.hpp>

using namespace poplar;

class LifeVertex : public Vertex {
public:
  Vector<Input<Vector<unsigned char>>> in; // with the row above and below
  Vector<Output<Vector<unsigned char>>> out;

  bool compute() {
    for (unsigned r = 0; r < out.size(); ++r) {
      const unsigned width = out[r].size();
      for (unsigned c = 0; c < width; ++c) {
        const unsigned left = c == 0 ? width - 1 : c - 1;
        const unsigned right = c + 1 == width ? 0 : c + 1;
        unsigned neighbours = in[r][c] + in[r + 2][c];
        for (unsigned d = 0; d < 3; ++d)
          neighbours += in[r + d][left] + in[r + d][right];
        out[r][c] = neighbours == 3 || (neighbours == 2 && in[r + 1][c]);
      }
    }
    return true;
  }
};

#else

#include "device.hpp"

#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>

#include <algorithm>
#include <iostream>
#include <vector>

using namespace poplar;
using namespace poplar::program;

static const std::size_t Height = 27, Width = 40;
using Board = std::vector<unsigned char>;

static Execute addStep(Graph &graph, Tensor from, Tensor to,
                       const std::string &name) {
  auto cs = graph.addComputeSet(name);
  const std::size_t tiles = std::min(graph.getTarget().getNumTiles(), 8u);
  const std::size_t rowsPerTile = (Height + tiles - 1) / tiles;
  for (std::size_t t = 0; t * rowsPerTile < Height; ++t) {
    const std::size_t begin = t * rowsPerTile;
    const std::size_t end = std::min(begin + rowsPerTile, Height);
    std::vector<Tensor> in, out;
    for (auto r = begin; r != end + 2; ++r)
      in.push_back(from[(r + Height - 1) % Height]);
    for (auto r = begin; r != end; ++r)
      out.push_back(to[r]);
    auto v = graph.addVertex(cs, "LifeVertex", {{"in", in}, {"out", out}});
    graph.setTileMapping(v, t);
    graph.setPerfEstimate(v, 20 * Width * (end - begin));
    graph.setTileMapping(from.slice(begin, end), t);
    graph.setTileMapping(to.slice(begin, end), t);
  }
  return Execute(cs);
}

static Board hostStep(const Board &board) {
  Board next(board.size());
  for (std::size_t r = 0; r < Height; ++r)
    for (std::size_t c = 0; c < Width; ++c) {
      unsigned neighbours = 0;
      for (std::size_t dr : {Height - 1, std::size_t(0), std::size_t(1)})
        for (std::size_t dc : {Width - 1, std::size_t(0), std::size_t(1)})
          if (dr != 0 || dc != 0)
            neighbours += board[(r + dr) % Height * Width + (c + dc) % Width];
      next[r * Width + c] =
          neighbours == 3 || (neighbours == 2 && board[r * Width + c]);
    }
  return next;
}

int main(int argc, char **argv) {
  auto device = getDevice(argc, argv);
  Graph graph(device);
  graph.addCodelets(__FILE__, CodeletFileType::Auto, "-O3");
  auto a = graph.addVariable(UNSIGNED_CHAR, {Height, Width}, "a");
  auto b = graph.addVariable(UNSIGNED_CHAR, {Height, Width}, "b");
  Sequence twoSteps;
  twoSteps.add(addStep(graph, a, b, "even"));
  twoSteps.add(addStep(graph, b, a, "odd"));
  graph.createHostWrite("board", a);
  graph.createHostRead("board", a);

  const unsigned steps = 20;
  Engine engine(graph, Repeat(steps / 2, twoSteps),
                {{"debug.instrument", "true"}});
  engine.load(device);
  Board board(Height * Width), result(board.size());
  for (std::size_t i = 0; i < board.size(); ++i)
    board[i] = i * i % 7 == 2 || i % 11 == 5;
  engine.writeTensor("board", board.data(), board.data() + board.size());
  engine.run();
  engine.readTensor("board", result.data(), result.data() + result.size());

  for (unsigned i = 0; i < steps; ++i)
    board = hostStep(board);
  std::cout << std::count(result.begin(), result.end(), 1) << " cells, "
            << (result == board ? "right" : "wrong") << std::endl;
  return result != board;
}

#endif
