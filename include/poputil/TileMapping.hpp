// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mappings of tensors to tiles: the linear mapping that most code starts from,
// and queries of an existing mapping.

#ifndef POPULUS_POPUTIL_TILEMAPPING_HPP
#define POPULUS_POPUTIL_TILEMAPPING_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

namespace poputil {

/// Spreads \p shape over the tiles in whole grains of \p grainSize elements, at
/// least \p minElementsPerTile on each tile in use, beginning at tile \p offset
/// (wrapping round), upwards or downwards.
std::vector<std::vector<poplar::Interval>>
calcLinearTileMapping(const poplar::Target &target,
                      const std::vector<std::size_t> &shape,
                      unsigned minElementsPerTile, unsigned grainSize,
                      unsigned offset = 0, bool ascending = true);
std::vector<std::vector<poplar::Interval>>
calcLinearTileMapping(const poplar::Graph &graph,
                      const std::vector<std::size_t> &shape,
                      unsigned minElementsPerTile, unsigned grainSize,
                      unsigned offset = 0, bool ascending = true);

/// The same with the target's vector width of the type as the grain, and at
/// least 128 bytes on a tile.
std::vector<std::vector<poplar::Interval>> calcLinearTileMapping(
    const poplar::Target &target, const std::vector<std::size_t> &shape,
    const poplar::Type &type, unsigned offset = 0, bool ascending = true);
std::vector<std::vector<poplar::Interval>>
calcLinearTileMapping(const poplar::Graph &graph, const poplar::Tensor &t,
                      unsigned offset = 0, bool ascending = true);

/// Also gives the tile after the last one in use.
std::pair<std::vector<std::vector<poplar::Interval>>, unsigned>
calcLinearTileMappingAndNewOffset(const poplar::Graph &graph,
                                  const poplar::Tensor &t, unsigned offset = 0);

void mapTensorLinearly(poplar::Graph &graph, const poplar::Tensor &t);
void mapTensorLinearly(poplar::Graph &graph, const poplar::Tensor &t,
                       unsigned minElementsPerTile, unsigned grainSize);
void mapTensorLinearlyWithOffset(poplar::Graph &graph, const poplar::Tensor &t,
                                 unsigned offset = 0, bool ascending = true);
void mapTensorLinearlyWithOffset(poplar::Graph &graph, const poplar::Tensor &t,
                                 unsigned minElementsPerTile,
                                 unsigned grainSize, unsigned offset = 0,
                                 bool ascending = true);

/// A start tile that depends on the shape (and a seed) only: different tensors
/// begin on different tiles, the same program always on the same ones.
std::size_t chooseMappingOffset(std::size_t numTiles,
                                const std::vector<std::size_t> &shape,
                                std::size_t seed = 0);

/// Number of elements on the fullest tile beyond an even spread.
unsigned
getTileImbalance(const std::vector<std::vector<poplar::Interval>> &mapping,
                 unsigned minElementsPerTile = 0, unsigned grainSize = 1);
unsigned getTileImbalance(const poplar::Graph &graph, const poplar::Tensor &t,
                          unsigned minElementsPerTile = 0,
                          unsigned grainSize = 1);

/// Collects which tiles use which elements, and then maps each element to a
/// tile that uses it.
class TensorUseTracker {
public:
  enum class MappingMethod {
    /// An element used by several tiles goes to one of them if its neighbour is
    /// used by that tile alone.
    OptimizeHaloRegions,
    /// The same as None: an element only goes to tiles that use it.
    ConstrainMappingToUsedTiles,
    /// Elements used by several tiles are shared out among them.
    None
  };

  /// Elements used by several tiles are shared out from \p startTile upwards,
  /// or downwards.
  explicit TensorUseTracker(unsigned numTiles, unsigned startTile = 0,
                            bool ascending = true);

  void add(const poplar::Graph &graph, unsigned tile, const poplar::Tensor &t);
  /// All uses of another tracker for as many tiles.
  void add(TensorUseTracker other);
  bool empty() const;

  /// Replaces the uses of each element by one, on the tile it is to lie on.
  /// Tiles share in grains, and get at least \p minElementsPerTile. With
  /// \p extendPartialUsage, elements of the same variables that no tile uses go
  /// with those before them.
  void resolve(const poplar::Graph &graph, unsigned grainSize,
               unsigned minElementsPerTile, bool extendPartialUsage = false,
               MappingMethod mappingMethod = MappingMethod::None);
  /// resolve, and sets the tile mapping.
  void mapTensorsByUse(poplar::Graph &graph, unsigned grainSize,
                       unsigned minElementsPerTile,
                       bool extendPartialUsage = false,
                       MappingMethod mappingMethod = MappingMethod::None);

private:
  /// By variable, then by tile.
  typedef std::map<unsigned, std::vector<poplar::Interval>> UsesByTile;
  std::map<unsigned, UsesByTile> uses;
  unsigned numTiles;
  unsigned startTile;
  bool ascending;
};

/// Returns true if some slice along \p dim lies on several tiles.
bool dimIsSplitOverTiles(const poplar::Graph &graph, const poplar::Tensor &t,
                         unsigned dim);
/// The same for IPUs.
bool dimIsSplitOverIPUs(const poplar::Graph &graph, const poplar::Tensor &t,
                        unsigned dim);

/// The place of a tile in the order of a linear mapping with that offset and
/// direction, and back.
unsigned transformTileIndex(unsigned tile, unsigned numTiles, unsigned offset,
                            bool ascending);
unsigned invTransformTileIndex(unsigned tile, unsigned numTiles,
                               unsigned offset, bool ascending);

/// A tensor like \p t on the same tiles of another IPU.
poplar::Tensor
cloneToIpu(poplar::Graph &graph, const poplar::Tensor &t, unsigned dstIPU,
           const poplar::DebugContext &debugContext = {},
           poplar::TensorCloneMethod method =
               poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
/// A tensor like \p t, in the same order in memory, on the same tiles of
/// another graph of the device. Aliases become elements of their own unless
/// \p method preserves them.
poplar::Tensor
cloneToGraph(poplar::Graph &srcGraph, poplar::Graph &dstGraph,
             const poplar::Tensor &t,
             const poplar::DebugContext &debugContext = {},
             poplar::TensorCloneMethod method =
                 poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
/// A tensor like \p t in which no element appears twice, and the tile after
/// its last one. If \p t has such elements, it is laid out linearly from tile
/// \p offset on; else it is a clone, and the offset stays.
std::pair<poplar::Tensor, unsigned>
cloneAndExpandAliasing(poplar::Graph &graph, const poplar::Tensor &t,
                       unsigned offset,
                       const poplar::DebugContext &debugContext = {});

/// cloneToIpu and a copy to it.
poplar::Tensor
copyToIpu(poplar::Graph &graph, const poplar::Tensor &t,
          poplar::program::Sequence &prog, unsigned dstIPU,
          const poplar::DebugContext &debugContext = {},
          poplar::TensorCloneMethod method =
              poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
/// The same as copyToIpu, but the caller adds Copy(copySrc, copyDst).
poplar::Tensor
createIpuCopy(poplar::Graph &graph, const poplar::Tensor &t, unsigned dstIpu,
              poplar::Tensor &copySrc, poplar::Tensor &copyDst,
              const poplar::DebugContext &debugContext = {},
              poplar::TensorCloneMethod method =
                  poplar::TensorCloneMethod::PRESERVE_ORDER_AND_ALIASES);

/// An operand with one element for each index of dimension \p dim, to be
/// broadcast over \p fullTensor. With \p ditherMapping it begins on a tile that
/// depends on the shape.
poplar::Tensor
createBroadcastOperand(poplar::Graph &graph, const poplar::Tensor &fullTensor,
                       const poplar::Type &type, unsigned dim,
                       bool ditherMapping = false,
                       const poplar::DebugContext &debugContext = {});

} // namespace poputil

#endif
