// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Seeds the workers' random generators: each word of their states is a hash of
// its number and the seed.

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

/// The numbers of all words, mapped to their tiles: [tiles, workers, 4].
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

/// A bijective hash of 32-bit numbers: each output bit depends on all input
/// bits.
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

poplar::program::Sequence
keepGenerators(poplar::Graph &graph, bool roundsStochastically,
               const poplar::program::Sequence &step) {
  const poplar::Tensor kept =
      graph.clone(poplar::UNSIGNED_INT, wordNumbers(graph), GeneratorsHandle);
  graph.createHostWrite(GeneratorsHandle, kept);
  graph.createHostRead(GeneratorsHandle, kept);
  poplar::program::Sequence program;
  poplar::setHwSeeds(graph, kept, program, {Name});
  poplar::setStochasticRounding(graph, program, roundsStochastically, {Name});
  program.add(step);
  const poplar::Tensor left = poplar::getHwSeeds(graph, program, {Name});
  program.add(
      poplar::program::Copy(left.flatten(), kept.flatten(), false, {Name}));
  return program;
}

/// The same hash on the host.
static std::uint32_t mixed(std::uint32_t x) {
  x = (x ^ (x >> 16)) * 0x7feb352dU;
  x = (x ^ (x >> 15)) * 0x846ca68bU;
  return x ^ (x >> 16);
}

std::vector<std::uint32_t> generatorsOf(std::uint64_t seed, std::size_t tiles,
                                        std::size_t workers) {
  const auto low = static_cast<std::uint32_t>(seed);
  const auto high = static_cast<std::uint32_t>(seed >> 32);
  const std::uint32_t key = mixed(low + mixed(high + 1));
  std::vector<std::uint32_t> words(tiles * workers * 4);
  for (std::uint32_t i = 0; i != words.size(); ++i)
    words[i] = mixed(i ^ key);
  return words;
}

} // namespace populus::popir
