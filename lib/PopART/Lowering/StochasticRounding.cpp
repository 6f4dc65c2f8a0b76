// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each word of the generators' states has a number. Its hash with the seed is
// the word.

#include "lib/PopART/Lowering/StochasticRounding.h"

#include <poplar/CSRFunctions.hpp>
#include <poplar/RandomSeed.hpp>
#include <popops/ElementWise.hpp>

#include <numeric>
#include <vector>

namespace populus::popir {

namespace {

namespace expr = popops::expr;

constexpr const char *Name = "stochasticRounding";

/// Numbers of all words, each tile's on the tile: [tiles, workers, 4].
poplar::Tensor wordNumbers(poplar::Graph &graph) {
  const poplar::Target &target = graph.getTarget();
  const std::size_t tiles = target.getNumTiles();
  const std::size_t workers = target.getNumWorkerContexts();
  std::vector<unsigned> numbers(tiles * workers * 4);
  std::iota(numbers.begin(), numbers.end(), 0U);
  const poplar::Tensor words = graph.addConstant<unsigned>(
      poplar::UNSIGNED_INT, {tiles, workers, 4}, numbers, {Name});
  for (std::size_t tile = 0; tile != tiles; ++tile)
    graph.setTileMapping(words[tile], static_cast<unsigned>(tile));
  return words;
}

/// A bijection of 32-bit numbers in which each bit depends on all of the given
/// ones.
expr::Any mixed(const expr::Any &number) {
  auto step = [](const expr::Any &x, unsigned shift, unsigned factor) {
    return expr::Any((x ^ (x >> expr::Const(shift))) * expr::Const(factor));
  };
  const expr::Any once = step(number, 16, 0x7feb352dU);
  const expr::Any twice = step(once, 15, 0x846ca68bU);
  return twice ^ (twice >> expr::Const(16U));
}

} // namespace

void roundStochastically(poplar::Graph &graph, const poplar::Tensor &seed,
                         poplar::program::Sequence &program) {
  const poplar::Tensor words = wordNumbers(graph);
  const expr::Any key =
      mixed(expr::Any(expr::_2 + mixed(expr::Any(expr::_3 + expr::Const(1U)))));
  const poplar::Tensor states =
      popops::map(graph, mixed(expr::Any(expr::_1 ^ key)),
                  {words, seed.slice(0, 1).reshape({1, 1, 1}),
                   seed.slice(1, 2).reshape({1, 1, 1})},
                  program, {Name});
  poplar::setHwSeeds(graph, states, program, {Name});
  poplar::setStochasticRounding(graph, program, true, {Name});
}

} // namespace populus::popir
