// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lays out results and partial sums block by block, so that vertices write
// contiguous memory of their own tile.

#include "lib/PopLibs/poplin/operands/BlockedResult.h"

#include "lib/PopLibs/poplin/planning/CostModel.h"

#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>

using namespace poplar;
using namespace poplar::program;

namespace poplin {

namespace {

/// Fewer results are not worth another tile, or another vertex.
constexpr std::size_t MinResultsPerTile = 4;
constexpr std::size_t MinResultsPerVertex = 2;
/// Steps between partial sums have 10 bits, of 8 bytes.
constexpr std::size_t MaxResultsPerVertex = 1020;

} // namespace

Partition BlockedResult::shares(const Block &block) const {
  const std::size_t least = std::max(grains.tile, MinResultsPerTile);
  return {
      block.elements / grains.tile,
      std::clamp<std::size_t>(block.elements / least, 1, block.tiles.size())};
}

void BlockedResult::addBlock(std::size_t elements,
                             std::vector<unsigned> tiles) {
  const std::size_t depth = tiles.size();
  blocks.push_back({elements, std::move(tiles), numResults, numPartials});
  numResults += elements;
  numPartials += elements * depth;
}

void BlockedResult::allocate() {
  const unsigned numTiles = graph.getTarget().getNumTiles();
  direct = type == sumsType && numPartials == numResults;
  Graph::TileToTensorMapping resultMapping(numTiles), partialMapping(numTiles);
  for (const Block &block : blocks) {
    const Partition parts = shares(block);
    for (std::size_t i = 0; i != parts.parts; ++i)
      resultMapping[block.tiles[i]].emplace_back(
          block.firstResult + parts.begin(i) * grains.tile,
          block.firstResult + parts.end(i) * grains.tile);
    for (std::size_t i = 0; i != block.tiles.size(); ++i) {
      const std::size_t begin = block.firstPartial + i * block.elements;
      partialMapping[block.tiles[i]].emplace_back(begin,
                                                  begin + block.elements);
    }
  }
  results = graph.addVariable(type, {numResults}, {debugContext, "out"});
  graph.setTileMapping(results, resultMapping);
  if (direct)
    return;
  partials =
      graph.addVariable(sumsType, {numPartials}, {debugContext, "partials"});
  graph.setTileMapping(partials, partialMapping);
}

Tensor BlockedResult::partial(std::size_t index, std::size_t tileIndex) const {
  if (direct)
    return result(index);
  const Block &block = blocks[index];
  const std::size_t begin = block.firstPartial + tileIndex * block.elements;
  return partials.slice(begin, begin + block.elements);
}

Tensor BlockedResult::result(std::size_t index) const {
  const Block &block = blocks[index];
  return results.slice(block.firstResult, block.firstResult + block.elements);
}

void BlockedResult::addVertex(ComputeSet cs, const Tensor &in,
                              const Tensor &out, std::size_t depth,
                              unsigned tile) const {
  const std::size_t results = out.numElements();
  const bool halves = sumsType == HALF;
  const bool vector = grains.vertex % 4 == 0;
  const VertexRef v = graph.addVertex(
      cs, halves ? "poplin::ReduceAddHalves"
                 : poputil::templateVertex(vector ? "poplin::ReduceAddVector"
                                                  : "poplin::ReduceAdd",
                                           type, FLOAT));
  graph.connect(v["partials"], in.flatten());
  graph.connect(v["out"], out);
  // Sums that a vector vertex has in the accumulators at a time.
  const std::size_t atOnce = halves ? 8 : 4;
  if (vector) {
    const std::size_t rowBytes =
        results * graph.getTarget().getTypeSize(sumsType);
    const std::size_t blockBytes =
        atOnce * graph.getTarget().getTypeSize(sumsType);
    graph.setInitialValue(v[halves ? "eightsLessOne" : "foursLessOne"],
                          results / atOnce - 1);
    graph.setInitialValue(v["depthLessOne"], depth - 1);
    graph.setInitialValue(v["step"], rowBytes / 8);
    graph.setInitialValue(v["stepBack"],
                          static_cast<int>(blockBytes) -
                              static_cast<int>(rowBytes * depth));
  } else {
    graph.setInitialValue(v["depth"], depth);
  }
  const double bundles = halves ? reduceHalvesBundles(results / atOnce, depth)
                         : vector
                             ? reduceVectorBundles(results / atOnce, depth)
                             : reducePairBundles(ceilDiv(results, 2), depth);
  graph.setPerfEstimate(v, static_cast<std::uint64_t>(bundles),
                        results * depth);
  graph.setTileMapping(v, tile);
}

std::size_t BlockedResult::verticesFor(std::size_t results,
                                       std::size_t depth) const {
  const std::size_t workers = graph.getTarget().getNumWorkerContexts();
  const std::size_t least = std::max(grains.vertex, MinResultsPerVertex);
  // Sums of a single tile have no steps between them.
  const std::size_t rounds =
      depth == 1 ? 1 : ceilDiv(results, workers * MaxResultsPerVertex);
  return std::clamp<std::size_t>(results / least, 1, rounds * workers);
}

void BlockedResult::addReductionOf(const Block &block, ComputeSet cs) const {
  const std::size_t depth = block.tiles.size();
  const Tensor in = partials
                        .slice(block.firstPartial,
                               block.firstPartial + depth * block.elements)
                        .reshape({depth, block.elements});
  const Partition parts = shares(block);
  for (std::size_t i = 0; i != parts.parts; ++i) {
    const std::size_t first = parts.begin(i) * grains.tile;
    const std::size_t results = parts.size(i) * grains.tile;
    const Partition pieces{results / grains.vertex,
                           verticesFor(results, depth)};
    for (std::size_t j = 0; j != pieces.parts; ++j) {
      const std::size_t begin = first + pieces.begin(j) * grains.vertex;
      const std::size_t end = first + pieces.end(j) * grains.vertex;
      addVertex(cs, in.slice(begin, end, 1),
                this->results.slice(block.firstResult + begin,
                                    block.firstResult + end),
                depth, block.tiles[i]);
    }
  }
}

void BlockedResult::addReduction(Sequence &prog) const {
  if (direct)
    return;
  const ComputeSet cs = graph.addComputeSet({debugContext, "Reduce"});
  for (const Block &block : blocks)
    addReductionOf(block, cs);
  prog.add(Execute(cs, debugContext));
}

} // namespace poplin
