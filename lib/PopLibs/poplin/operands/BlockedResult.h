// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Result of a product that is computed in blocks on many tiles. If several
// tiles compute partial sums of a block, each of them then adds up a share of
// the block's results.

#ifndef POPULUS_LIB_POPLIBS_POPLIN_OPERANDS_BLOCKEDRESULT_H
#define POPULUS_LIB_POPLIBS_POPLIN_OPERANDS_BLOCKEDRESULT_H

#include "lib/PopLibs/poputil/Partition.h"

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#include <vector>

namespace poplin {

using namespace poplibs; // Partition.h

/// Grains of the division of a block's results between tiles, and between the
/// vertices of a tile.
struct ResultGrains {
  std::size_t tile, vertex;
};
/// Grains of results with channels in groups.
constexpr ResultGrains GroupedGrains{8, 4};
/// Grains of such results with half sums.
constexpr ResultGrains GroupedHalfGrains{8, 8};

class BlockedResult {
public:
  BlockedResult(poplar::Graph &graph, const poplar::Type &type,
                const poplar::Type &sumsType, const ResultGrains &grains,
                const poplar::DebugContext &debugContext)
      : graph(graph), type(type), sumsType(sumsType), grains(grains),
        debugContext(debugContext) {}

  /// Adds a block of results with partial sums on each of \p tiles; a multiple
  /// of the grains.
  void addBlock(std::size_t elements, std::vector<unsigned> tiles);
  /// Makes the variables, after the last block has been added.
  void allocate();

  /// Output tensor of a tile's vertices, of the sums' type, flat.
  poplar::Tensor partial(std::size_t block, std::size_t tileIndex) const;
  /// Adds up the partial sums.
  void addReduction(poplar::program::Sequence &prog) const;
  /// A block of the result, flat.
  poplar::Tensor result(std::size_t block) const;

private:
  struct Block {
    std::size_t elements;
    std::vector<unsigned> tiles;
    std::size_t firstResult;
    std::size_t firstPartial;
  };

  /// The shares of tiles in adding up the block's results, in grains.
  Partition shares(const Block &block) const;
  /// Number of vertices of a tile that add up that many results: the number of
  /// workers, or a multiple of it if a vertex would exceed its limit.
  std::size_t verticesFor(std::size_t results, std::size_t depth) const;
  void addReductionOf(const Block &block, poplar::ComputeSet cs) const;
  void addVertex(poplar::ComputeSet cs, const poplar::Tensor &in,
                 const poplar::Tensor &out, std::size_t depth,
                 unsigned tile) const;

  poplar::Graph &graph;
  poplar::Type type, sumsType;
  ResultGrains grains;
  const poplar::DebugContext &debugContext;
  std::vector<Block> blocks;
  bool direct = false; // vertices write the result itself
  std::size_t numResults = 0, numPartials = 0;
  poplar::Tensor results, partials;
};

} // namespace poplin

#endif
