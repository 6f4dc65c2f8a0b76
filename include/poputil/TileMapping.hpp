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

/// Also returns the tile after the last one in use.
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

/// Returns a start tile that depends on the shape and a seed only. Different
/// tensors begin on different tiles, and the same program always uses the same
/// tiles.
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

/// Records the tiles that use each element, then maps each element to one of
/// them.
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
  /// Adds all uses of another tracker, which must have the same number of
  /// tiles.
  void add(TensorUseTracker other);
  bool empty() const;

  /// Reduces the uses of each element to one, on the tile to which the element
  /// will be mapped. Tiles share elements in grains and get at least \p
  /// minElementsPerTile. With \p extendPartialUsage, an unused element of the
  /// same variable goes to the tile of the element before it.
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

/// Converts a tile to its position in a linear mapping with that offset and
/// direction, and back.
unsigned transformTileIndex(unsigned tile, unsigned numTiles, unsigned offset,
                            bool ascending);
unsigned invTransformTileIndex(unsigned tile, unsigned numTiles,
                               unsigned offset, bool ascending);

/// Clones \p t to the same tiles of another IPU.
poplar::Tensor
cloneToIpu(poplar::Graph &graph, const poplar::Tensor &t, unsigned dstIPU,
           const poplar::DebugContext &debugContext = {},
           poplar::TensorCloneMethod method =
               poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
/// Clones \p t, with the same order in memory, to the same tiles of another
/// graph of the device. Aliased elements become separate unless \p method
/// preserves them.
poplar::Tensor
cloneToGraph(poplar::Graph &srcGraph, poplar::Graph &dstGraph,
             const poplar::Tensor &t,
             const poplar::DebugContext &debugContext = {},
             poplar::TensorCloneMethod method =
                 poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
/// Returns a tensor like \p t without repeated elements, and the tile after its
/// last one. If \p t has repeated elements, the result is mapped linearly from
/// tile \p offset; otherwise it is a clone, and the offset is returned
/// unchanged.
std::pair<poplar::Tensor, unsigned>
cloneAndExpandAliasing(poplar::Graph &graph, const poplar::Tensor &t,
                       unsigned offset,
                       const poplar::DebugContext &debugContext = {});

/// cloneToIpu, followed by a copy.
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

/// Creates an operand with one element for each index of dimension \p dim, to
/// be broadcast over \p fullTensor. With \p ditherMapping its first tile
/// depends on the shape.
poplar::Tensor
createBroadcastOperand(poplar::Graph &graph, const poplar::Tensor &fullTensor,
                       const poplar::Type &type, unsigned dim,
                       bool ditherMapping = false,
                       const poplar::DebugContext &debugContext = {});

} // namespace poputil

#endif
