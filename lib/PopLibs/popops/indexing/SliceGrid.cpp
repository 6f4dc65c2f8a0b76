// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Searches coarse numbers of parts for the cheapest division, by estimates of
// the cycles. For example, four indices into a table of six rows, in two
// pieces:
//
//    divided    piece 0              piece 1              cost
//    columns    left half of each    right half of each   short rows
//               row, i0 to i3        row, i0 to i3
//    rows       rows 0-2, i0 to i3   rows 3-5, i0 to i3   a second step, which
//                                                         picks each result
//    indices    all rows, i0 i1      all rows, i2 i3      the table twice
//
// With divided rows every piece looks at all indices, and has a partial result
// for each; the second step takes it from the piece that had the row.

#include "lib/PopLibs/popops/indexing/SliceGrid.h"

#include <poputil/TileMapping.hpp>

#include <algorithm>

using namespace poplar;
using poplibs::ceilDiv;
using poplibs::Chunks;
using poplibs::coarseParts;

namespace popops {
namespace {

/// Rows of fewer bytes are not divided.
constexpr std::size_t MinRowBytes = 8;
/// A table is laid out in no more runs of memory than this, so that graphs with
/// large tables stay quick to compile.
constexpr std::size_t MaxRuns = 1 << 18;
constexpr double StepCycles = 200;
/// Rows are divided where a block would be larger than this: each division
/// makes another partial result.
constexpr std::size_t BlockBytes = 8192;
/// Cost of a contiguous run when a table is moved: cycles, and time to plan its
/// exchange.
constexpr double RunCycles = 2, AllRunsCycles = 0.02;

struct Machine {
  Machine(const Target &target, const Type &type)
      : tiles(std::max(1u, target.getNumTiles())),
        workers(std::max(1u, target.getNumWorkerContexts())),
        bytes(target.getTypeSize(type)),
        bandwidth(std::max(1u, target.getExchangeBytesPerCycle())),
        memory(target.getBytesPerTile()) {}

  std::size_t grain() const {
    return std::max<std::size_t>(1, MinRowBytes / bytes);
  }
  std::size_t vertices() const { return tiles * workers; }

  std::size_t tiles, workers, bytes;
  double bandwidth, memory;
};

Chunks columnChunks(std::size_t width, std::size_t parts, std::size_t grain) {
  Chunks chunks = Chunks::ofParts(width, parts);
  chunks.each = std::min(std::max<std::size_t>(1, width),
                         ceilDiv(chunks.each, grain) * grain);
  return chunks;
}

void placeOnTiles(SliceGrid &grid, const Machine &machine,
                  const SliceShape &shape) {
  grid.tiles.pieces = grid.pieces();
  grid.tiles.tiles = machine.tiles;
  grid.tiles.firstTile = poputil::chooseMappingOffset(
      machine.tiles, {shape.groups, shape.rows, shape.width});
}

/// Blocks of whole rows are one run of memory each.
double runCost(const SliceGrid &grid, const SliceShape &s) {
  if (grid.columns.parts() <= 1)
    return 0;
  return RunCycles * grid.groups.each * grid.rows.each +
         AllRunsCycles * s.groups * s.rows * grid.columns.parts();
}

double sliceCost(const SliceGrid &grid, const SliceShape &s, const Machine &m) {
  const double perTile = grid.tiles.piecesPerTile();
  const double groups = grid.groups.each, count = grid.counts.each;
  const double width = grid.columns.each;
  const double results = groups * count * s.size * width;
  const double tables = grid.blocksPerTile();
  const double block = groups * grid.rows.each * width * m.bytes;
  const double indices = groups * count * 4;
  const double hits = groups * count * s.size;
  double cycles =
      StepCycles + (tables * block + perTile * indices) / m.bandwidth +
      runCost(grid, s) +
      ceilDiv(static_cast<std::size_t>(perTile), m.workers) * m.workers *
          (20 + groups * count * 6 + hits * (8 + 2 * width));
  const std::size_t parts = grid.rows.parts();
  if (parts > 1) {
    const double all = double(s.groups) * s.count * s.size * s.width / m.tiles;
    cycles += StepCycles + parts * all * m.bytes / m.bandwidth + 20 * all;
  }
  const double used = tables * block + perTile * results * m.bytes;
  if (m.memory != 0 && used > m.memory * 0.3)
    cycles += 1e6 * used / m.memory;
  return cycles;
}

double updateCost(const SliceGrid &grid, const SliceShape &s,
                  const Machine &m) {
  const double perTile = grid.tiles.piecesPerTile();
  const double groups = grid.groups.each, width = grid.columns.each;
  const double block = groups * grid.rows.each * width * m.bytes;
  const double updates = groups * s.count * s.size * width;
  const double incoming = 2 * block + updates * m.bytes + groups * s.count * 4;
  double cycles = StepCycles + perTile * incoming / m.bandwidth +
                  ceilDiv(static_cast<std::size_t>(perTile), m.workers) *
                      m.workers *
                      (20 + groups * s.count * (6 + s.size * 8) + 6 * updates);
  if (m.memory != 0 && perTile * incoming > m.memory * 0.3)
    cycles += 1e6 * perTile * incoming / m.memory;
  return cycles;
}

template <class Cost>
SliceGrid search(const SliceShape &shape, const Machine &machine,
                 bool divideCounts, Cost costOf) {
  const std::size_t limit = machine.vertices();
  SliceGrid best;
  double bestCost = -1;
  const auto within = [&](std::size_t used) {
    return std::max<std::size_t>(1, limit / used);
  };
  for (std::size_t g : coarseParts(shape.groups, limit))
    for (std::size_t c :
         coarseParts(ceilDiv(shape.width, machine.grain()), within(g)))
      for (std::size_t r : coarseParts(shape.rows, within(g * c)))
        for (std::size_t k :
             coarseParts(divideCounts ? shape.count : 1, within(g * c * r))) {
          SliceGrid grid;
          grid.groups = Chunks::ofParts(shape.groups, g);
          grid.columns = columnChunks(shape.width, c, machine.grain());
          grid.rows = Chunks::ofParts(shape.rows, r);
          grid.counts = Chunks::ofParts(shape.count, k);
          grid.tiles.pieces = grid.pieces();
          grid.tiles.tiles = machine.tiles;
          const double cost = costOf(grid, shape, machine);
          if (bestCost < 0 || cost < bestCost) {
            best = grid;
            bestCost = cost;
          }
        }
  placeOnTiles(best, machine, shape);
  return best;
}

} // namespace

/// Unless all tiles begin with a block, one may have the last piece of a block
/// and the first ones of the next.
std::size_t SliceGrid::blocksPerTile() const {
  const std::size_t most = tiles.piecesPerTile(), ofBlock = counts.parts();
  if (most == 1)
    return 1;
  const bool beginWithBlocks = pieces() % tiles.tiles == 0 &&
                               (most % ofBlock == 0 || ofBlock % most == 0);
  return beginWithBlocks ? ceilDiv(most, ofBlock) : (most - 2) / ofBlock + 2;
}

SliceGrid tableGrid(const Target &target, const Type &type,
                    const SliceShape &shape) {
  const Machine machine(target, type);
  const std::size_t limit = machine.vertices();
  SliceGrid grid;
  grid.groups = Chunks::ofParts(shape.groups, std::min(shape.groups, limit));
  const std::size_t left = std::max<std::size_t>(
      1, limit / std::max<std::size_t>(1, grid.groups.parts()));
  const std::size_t rows = std::max<std::size_t>(1, shape.groups * shape.rows);
  const std::size_t columns =
      std::min({ceilDiv(shape.width, machine.grain()), left,
                std::max<std::size_t>(1, MaxRuns / rows)});
  grid.columns = columnChunks(shape.width, columns, machine.grain());
  const std::size_t block =
      grid.groups.each * shape.rows * grid.columns.each * machine.bytes;
  // Every piece looks at all indices and has room for all results, so that more
  // pieces of rows than tiles would cost memory and save nothing.
  const std::size_t rowParts = std::min(
      machine.tiles /
          std::max<std::size_t>(1, grid.groups.parts() * grid.columns.parts()),
      ceilDiv(block, BlockBytes));
  grid.rows = Chunks::ofParts(shape.rows, std::max<std::size_t>(1, rowParts));
  grid.counts = Chunks::ofParts(shape.count, 1);
  placeOnTiles(grid, machine, shape);
  return grid;
}

SliceGrid planSlice(const Target &target, const Type &type,
                    const SliceShape &shape) {
  return search(shape, Machine(target, type), true, sliceCost);
}

SliceGrid planUpdate(const Target &target, const Type &type,
                     const SliceShape &shape) {
  return search(shape, Machine(target, type), false, updateCost);
}

Tensor addTable(Graph &graph, const Type &type, const SliceShape &shape,
                const DebugContext &debugContext) {
  const std::size_t elements = shape.groups * shape.rows * shape.width;
  if (elements == 0)
    return graph.addVariable(type, {shape.groups, shape.rows, shape.width},
                             VariableMappingMethod::LINEAR, debugContext);
  const SliceGrid grid = tableGrid(graph.getTarget(), type, shape);
  const Tensor variable = graph.addVariable(type, {elements}, debugContext);
  Graph::TileToTensorMapping mapping(graph.getTarget().getNumTiles());
  std::size_t at = 0;
  std::vector<Tensor> groups;
  for (std::size_t g = 0; g != grid.groups.parts(); ++g) {
    std::vector<Tensor> columns;
    for (std::size_t c = 0; c != grid.columns.parts(); ++c) {
      std::vector<Tensor> rows;
      for (std::size_t r = 0; r != grid.rows.parts(); ++r) {
        const std::size_t extents[] = {grid.groups.size(g), grid.rows.size(r),
                                       grid.columns.size(c)};
        const std::size_t end = at + extents[0] * extents[1] * extents[2];
        mapping[grid.tile(g, c, 0, r)].emplace_back(at, end);
        rows.push_back(variable.slice(at, end).reshape(
            {extents[0], extents[1], extents[2]}));
        at = end;
      }
      columns.push_back(concat(rows, 1));
    }
    groups.push_back(concat(columns, 2));
  }
  graph.setTileMapping(variable, mapping);
  return concat(groups, 0);
}

namespace {

bool blockLies(const Graph &graph, const Tensor &table, const SliceGrid &grid,
               std::size_t g, std::size_t c, std::size_t r) {
  const Tensor block =
      table.slice(grid.groups.begin(g), grid.groups.end(g), 0)
          .slice(grid.rows.begin(r), grid.rows.end(r), 1)
          .slice(grid.columns.begin(c), grid.columns.end(c), 2);
  if (!block.flatten().isContiguous())
    return false;
  const auto mapping = graph.getTileMapping(block, false);
  std::size_t elements = 0;
  for (const Interval &interval : mapping[grid.tile(g, c, 0, r)])
    elements += interval.size();
  return elements == block.numElements();
}

} // namespace

bool liesOnGrid(const Graph &graph, const Tensor &table,
                const SliceGrid &grid) {
  const std::size_t g = grid.groups.parts(), c = grid.columns.parts(),
                    r = grid.rows.parts();
  return blockLies(graph, table, grid, 0, 0, 0) &&
         blockLies(graph, table, grid, g / 2, c / 2, r / 2) &&
         blockLies(graph, table, grid, g - 1, c - 1, r - 1);
}

} // namespace popops
