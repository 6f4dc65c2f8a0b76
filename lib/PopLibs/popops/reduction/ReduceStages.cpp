// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans and builds the stages of a reduction. A stage is a list of blocks, each
// the work of one vertex: elements [rows][depth][width] that become rows *
// width neighbouring results. For example, the sums of the columns of a matrix
// [4][6], whose elements lie in order on three tiles:
//
//               columns 0-3   columns 4-5     partials (results, tile)
//    rows 0-1   tile 0        tile 0          P 0-5, tile 0: block [1][2][6]
//    row 2      tile 1        tile 1          Q 0-5, tile 1: block [1][1][6]
//    row 3      tile 1        tile 2          R 0-3, tile 1; S 4-5, tile 2
//
// The first stage reduces the elements of each tile. The ends of all partials
// cut the results into cells, whose results come from the same partials:
//
//    cell 0-3   P, Q, R          cell 4-5   P, Q, S
//
// The last stage reduces each cell, in blocks on tiles that have one of its
// partials. If a cell has more than MaxDepth partials, a stage before combines
// groups of about sqrt(n) of its n partials.

#include "lib/PopLibs/popops/reduction/ReduceStages.h"

#include "lib/PopLibs/popops/vertices/VertexCycles.h"

#include <popops/Operation.hpp>
#include <poputil/Util.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

using namespace poplar;

namespace popops {
namespace {

/// More partial results than this are brought together in several steps.
constexpr std::size_t MaxDepth = 48;
/// Elements that are worth a vertex.
constexpr std::size_t MinElementsPerVertex = 32;

std::size_t ceilDiv(std::size_t a, std::size_t b) { return (a + b - 1) / b; }

/// Elements of the vertices' vectors.
std::size_t grainOf(const Type &type) {
  return type == HALF ? 4 : type == FLOAT ? 2 : 1;
}

/// The work of a vertex.
struct Block {
  unsigned tile;
  Tensor in; // flat
  std::size_t rows, depth, width, stride;
  std::size_t firstResult;

  std::size_t results() const { return rows * width; }
};

/// Results of an earlier stage, to be combined with others.
struct Partial {
  std::size_t begin, end; // of the results
  unsigned tile;
  Tensor data;
};

std::string vertexName(Operation op, const Type &in, const Type &out) {
  std::ostringstream text;
  text << "popops::Operation::" << op;
  return poputil::templateVertex("popops::Reduce", text.str(), in, out);
}

/// Operation that combines partial results.
Operation laterOperation(Operation op) {
  return op == Operation::SQUARE_ADD ? Operation::ADD : op;
}

Type partialType(Operation op, const Type &in) {
  const bool order = op == Operation::MAX || op == Operation::MIN;
  return in == HALF && !order ? FLOAT : in;
}

/// Adds a vertex for each block; `outs` are what they write.
void addVertices(Graph &graph, const std::vector<Block> &blocks,
                 const std::vector<Tensor> &outs, Operation op, Stages &stages,
                 const DebugContext &debugContext) {
  if (blocks.empty())
    return;
  const std::string name =
      vertexName(op, blocks[0].in.elementType(), outs[0].elementType());
  if (!graph.hasCodelet(name))
    throw poputil::poplibs_error("popops::reduce: there is no vertex " + name +
                                 "; call popops::addCodelets(graph) first, or "
                                 "cast the input to another type");
  const ComputeSet cs = graph.addComputeSet(debugContext);
  for (std::size_t i = 0; i != blocks.size(); ++i) {
    const Block &block = blocks[i];
    const VertexRef v = graph.addVertex(cs, name);
    graph.connect(v["in"], block.in);
    graph.connect(v["out"], outs[i]);
    graph.setInitialValue(v["depth"], block.depth);
    graph.setInitialValue(v["width"], block.width);
    graph.setInitialValue(v["stride"], block.stride);
    graph.setPerfEstimate(v,
                          reduceCycles(op, block.in.elementType(), block.rows,
                                       block.depth, block.width, block.stride),
                          block.results() * block.depth);
    graph.setTileMapping(v, block.tile);
  }
  stages.push_back(cs);
}

/// A variable with the results of the blocks, one after the other, each on its
/// block's tile.
std::vector<Tensor> addResults(Graph &graph, const std::vector<Block> &blocks,
                               const Type &type,
                               const DebugContext &debugContext) {
  std::size_t total = 0;
  Graph::TileToTensorMapping mapping(graph.getTarget().getNumTiles());
  std::vector<Interval> intervals;
  for (const Block &block : blocks) {
    intervals.emplace_back(total, total + block.results());
    mapping[block.tile].push_back(intervals.back());
    total += block.results();
  }
  const Tensor variable = graph.addVariable(type, {total}, debugContext);
  graph.setTileMapping(variable, mapping);
  return variable.slices(intervals);
}

// The first stage.

/// Divides whole rows between workers, or a few long ones into parts.
void addRowBlocks(const Tensor &flat, unsigned tile, std::size_t firstElement,
                  std::size_t rows, std::size_t depth, std::size_t firstResult,
                  unsigned workers, std::vector<Block> &blocks) {
  const std::size_t vertices =
      std::clamp<std::size_t>(rows * depth / MinElementsPerVertex, 1, workers);
  const std::size_t rowsEach = ceilDiv(rows, vertices);
  const std::size_t partsEach =
      rows >= vertices ? 1 : std::max<std::size_t>(1, vertices / rows);
  for (std::size_t row = 0; row < rows; row += rowsEach) {
    const std::size_t count = std::min(rowsEach, rows - row);
    const std::size_t depthEach = ceilDiv(depth, partsEach);
    for (std::size_t at = 0; at < depth; at += depthEach) {
      const std::size_t d = std::min(depthEach, depth - at);
      const std::size_t begin = firstElement + row * depth + at;
      blocks.push_back({tile,
                        flat.slice(begin, begin + (count - 1) * depth + d),
                        count, d, 1, 1, firstResult + row});
    }
  }
}

/// Divides a tile's part of a matrix [kept, reduced] into runs of whole rows,
/// and parts of rows at their ends.
void divideRows(const Tensor &flat, std::size_t reduced, unsigned tile,
                const std::vector<Interval> &regions, unsigned workers,
                std::vector<Block> &blocks) {
  for (const Interval &region : regions) {
    std::size_t at = region.begin();
    while (at != region.end()) {
      const std::size_t row = at / reduced, offset = at % reduced;
      const std::size_t left = region.end() - at;
      if (offset == 0 && left >= reduced) {
        addRowBlocks(flat, tile, at, left / reduced, reduced, row, workers,
                     blocks);
        at += left / reduced * reduced;
      } else {
        const std::size_t depth = std::min(reduced - offset, left);
        addRowBlocks(flat, tile, at, 1, depth, row, workers, blocks);
        at += depth;
      }
    }
  }
}

/// Divides a block of columns between workers.
void addColumnBlocks(const Tensor &flat, unsigned tile,
                     const std::vector<Interval> &segments,
                     std::size_t firstColumn, unsigned workers,
                     std::vector<Block> &blocks) {
  const std::size_t depth = segments.size(), width = segments[0].size();
  const std::size_t vertices =
      std::clamp<std::size_t>(width * depth / MinElementsPerVertex, 1,
                              std::min<std::size_t>(workers, width));
  // Whole blocks of the vertices' vectors, so that all begin aligned.
  const std::size_t grain = grainOf(flat.elementType());
  const std::size_t each = ceilDiv(ceilDiv(width, vertices), grain) * grain;
  const bool dense =
      segments.back().end() - segments[0].begin() == depth * width;
  for (std::size_t column = 0; column < width; column += each) {
    const std::size_t w = std::min(each, width - column);
    Block block{tile, {}, 1, depth, w, width, firstColumn + column};
    if (dense) {
      const std::size_t begin = segments[0].begin() + column;
      block.in = flat.slice(begin, begin + (depth - 1) * width + w);
    } else {
      std::vector<Interval> parts;
      for (const Interval &segment : segments)
        parts.emplace_back(segment.begin() + column,
                           segment.begin() + column + w);
      block.in = concat(flat.slices(parts));
      block.stride = w;
    }
    blocks.push_back(block);
  }
}

/// Divides a tile's part of a matrix [reduced, kept] into segments of rows, and
/// joins segments with the same columns.
void divideColumns(const Tensor &flat, std::size_t kept, unsigned tile,
                   const std::vector<Interval> &regions, unsigned workers,
                   std::vector<Block> &blocks) {
  std::map<std::pair<std::size_t, std::size_t>, std::vector<Interval>> groups;
  for (const Interval &region : regions)
    for (std::size_t at = region.begin(); at != region.end();) {
      const std::size_t end = std::min(region.end(), (at / kept + 1) * kept);
      groups[{at % kept, at % kept + (end - at)}].emplace_back(at, end);
      at = end;
    }
  for (const auto &[columns, segments] : groups)
    addColumnBlocks(flat, tile, segments, columns.first, workers, blocks);
}

std::vector<Block> divideMatrix(const Graph &graph,
                                const ReduceMatrix &matrix) {
  const unsigned workers = graph.getTarget().getNumWorkerContexts();
  const Tensor flat = matrix.in.flatten();
  std::vector<Block> blocks;
  auto mapping = graph.getTileMapping(flat);
  poputil::mergeAdjacentRegions(mapping);
  for (unsigned tile = 0; tile != mapping.size(); ++tile)
    if (!mapping[tile].empty()) {
      if (matrix.byColumns)
        divideColumns(flat, matrix.kept(), tile, mapping[tile], workers,
                      blocks);
      else
        divideRows(flat, matrix.reduced(), tile, mapping[tile], workers,
                   blocks);
    }
  return blocks;
}

// Later stages.

/// Results between two neighbouring cuts, with all partials that contribute.
struct Cell {
  std::size_t begin, end;
  std::vector<const Partial *> partials;
};

std::vector<Cell> findCells(const std::vector<Partial> &partials) {
  std::vector<std::size_t> cuts;
  for (const Partial &partial : partials) {
    cuts.push_back(partial.begin);
    cuts.push_back(partial.end);
  }
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  std::vector<Cell> cells;
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i)
    cells.push_back({cuts[i], cuts[i + 1], {}});
  for (const Partial &partial : partials) {
    auto cell = std::lower_bound(
        cells.begin(), cells.end(), partial.begin,
        [](const Cell &cell, std::size_t at) { return cell.begin < at; });
    for (; cell != cells.end() && cell->begin < partial.end; ++cell)
      cell->partials.push_back(&partial);
  }
  return cells;
}

/// The part of a cell's results [begin, end) made from partials [first, last).
Block cellBlock(const Cell &cell, std::size_t first, std::size_t last,
                std::size_t begin, std::size_t end) {
  std::vector<Tensor> sources;
  for (std::size_t i = first; i != last; ++i) {
    const Partial &p = *cell.partials[i];
    sources.push_back(p.data.slice(begin - p.begin, end - p.begin));
  }
  // Neighbouring blocks go to different tiles where they can.
  const std::size_t pick = first + (begin / (end - begin)) % (last - first);
  const std::size_t width = end - begin;
  return {cell.partials[pick]->tile,
          concat(sources),
          1,
          last - first,
          width,
          width,
          begin};
}

/// Combines groups of the partials of each cell that has too many. Neighbouring
/// results go to different tiles, since one vertex of a tile keeps one worker
/// busy.
std::vector<Block> narrowCells(const std::vector<Cell> &cells) {
  std::vector<Block> blocks;
  for (const Cell &cell : cells) {
    const std::size_t count = cell.partials.size();
    const std::size_t group =
        count > MaxDepth
            ? std::max<std::size_t>(2, std::lround(std::sqrt(double(count))))
            : count;
    const std::size_t grain = grainOf(cell.partials[0]->data.elementType());
    const std::size_t each =
        ceilDiv(ceilDiv(MinElementsPerVertex, group), grain) * grain;
    for (std::size_t first = 0; first < count; first += group)
      for (std::size_t at = cell.begin; at < cell.end; at += each)
        blocks.push_back(cellBlock(cell, first, std::min(first + group, count),
                                   at, std::min(at + each, cell.end)));
  }
  return blocks;
}

/// Single results with as many partials each, one after the other, are the rows
/// of one block.
bool joins(const Block &last, const Block &next) {
  return last.width == 1 && next.width == 1 && last.depth == next.depth &&
         last.tile == next.tile &&
         last.firstResult + last.rows == next.firstResult;
}

std::vector<Block> finalBlocks(const Graph &graph,
                               const std::vector<Cell> &cells) {
  std::size_t total = 0;
  for (const Cell &cell : cells)
    total += (cell.end - cell.begin) * cell.partials.size();
  const Target &target = graph.getTarget();
  const std::size_t perVertex = std::max<std::size_t>(
      MinElementsPerVertex,
      ceilDiv(total, target.getNumTiles() * target.getNumWorkerContexts()));
  std::vector<Block> blocks;
  for (const Cell &cell : cells) {
    const std::size_t depth = cell.partials.size();
    const std::size_t each = std::max<std::size_t>(1, perVertex / depth);
    for (std::size_t at = cell.begin; at < cell.end; at += each) {
      Block block =
          cellBlock(cell, 0, depth, at, std::min(at + each, cell.end));
      if (!blocks.empty() && joins(blocks.back(), block)) {
        blocks.back().in = concat(blocks.back().in, block.in);
        ++blocks.back().rows;
      } else {
        blocks.push_back(block);
      }
    }
  }
  return blocks;
}

std::vector<Partial> toPartials(const std::vector<Block> &blocks,
                                const std::vector<Tensor> &results) {
  std::vector<Partial> partials;
  for (std::size_t i = 0; i != blocks.size(); ++i)
    partials.push_back({blocks[i].firstResult,
                        blocks[i].firstResult + blocks[i].results(),
                        blocks[i].tile, results[i]});
  return partials;
}

std::size_t largestDepth(const std::vector<Cell> &cells) {
  std::size_t depth = 0;
  for (const Cell &cell : cells)
    depth = std::max(depth, cell.partials.size());
  return depth;
}

/// Returns true if each result comes from one block.
bool isComplete(const std::vector<Block> &blocks, std::size_t results) {
  std::size_t total = 0;
  for (const Block &block : blocks)
    total += block.results();
  return total == results;
}

/// Adds the last stage; each result comes from one block.
Tensor addFinalStage(Graph &graph, std::vector<Block> blocks, Operation op,
                     const Type &outType, Tensor out, Stages &stages,
                     const DebugContext &debugContext) {
  std::stable_sort(blocks.begin(), blocks.end(),
                   [](const Block &a, const Block &b) {
                     return a.firstResult < b.firstResult;
                   });
  std::vector<Tensor> results;
  if (out.valid()) {
    std::vector<Interval> intervals;
    for (const Block &block : blocks)
      intervals.emplace_back(block.firstResult,
                             block.firstResult + block.results());
    results = out.slices(intervals);
  } else {
    results = addResults(graph, blocks, outType, {debugContext, "out"});
    out = concat(results);
  }
  addVertices(graph, blocks, results, op, stages, {debugContext, "Reduce"});
  return out;
}

} // namespace

Tensor reduceMatrix(Graph &graph, const ReduceMatrix &matrix, Operation op,
                    const Type &outType, Tensor out, Stages &stages,
                    const DebugContext &debugContext) {
  std::vector<Block> blocks = divideMatrix(graph, matrix);
  if (isComplete(blocks, matrix.kept()))
    return addFinalStage(graph, blocks, op, outType, out, stages, debugContext);

  const Type partial = partialType(op, matrix.in.elementType());
  const DebugContext partialsContext(debugContext, "ReducePartials");
  // If no tile has two elements of a result, the first stage is only an
  // exchange.
  const bool isApart = std::all_of(blocks.begin(), blocks.end(),
                                   [](const Block &b) { return b.depth == 1; });
  std::vector<Partial> partials;
  if (isApart) {
    for (const Block &block : blocks)
      partials.push_back({block.firstResult,
                          block.firstResult + block.results(), block.tile,
                          block.in});
  } else {
    const auto results = addResults(graph, blocks, partial, partialsContext);
    addVertices(graph, blocks, results, op, stages, partialsContext);
    partials = toPartials(blocks, results);
    op = laterOperation(op);
  }
  auto cells = findCells(partials);
  while (largestDepth(cells) > MaxDepth) {
    const auto groups = narrowCells(cells);
    const auto results = addResults(graph, groups, partial, partialsContext);
    addVertices(graph, groups, results, op, stages, partialsContext);
    op = laterOperation(op);
    partials = toPartials(groups, results);
    cells = findCells(partials);
  }
  return addFinalStage(graph, finalBlocks(graph, cells), op, outType, out,
                       stages, debugContext);
}

} // namespace popops
