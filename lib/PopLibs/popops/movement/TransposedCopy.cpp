// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Both tensors are cut into matrices whose rows are contiguous in the source
// and whose columns are in the destination. Rows move as a whole to the tile
// that has the destination, and a vertex for each worker transposes there what
// has arrived; where there is more of that than a buffer may have, in several
// steps. What is left beside whole matrices is copied.

#include "lib/PopLibs/popops/movement/TransposedCopy.h"

#include "lib/PopLibs/popops/vertices/VertexCycles.h"
#include "lib/PopLibs/poputil/Partition.h"

#include <poputil/VertexTemplates.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

using namespace poplar;
using namespace poplar::program;

namespace popops {
namespace {

/// Cycles of an exchange for each piece, besides its bytes, and of one more
/// compute set.
constexpr double CyclesOfPiece = 2;
constexpr double CyclesOfStep = 300;

/// Longer sides of matrices save little.
constexpr std::size_t MostRows = 16, MostColumns = 64;
/// Limit for rows that reach from end to end of a contiguous part.
constexpr std::size_t LongestRun = 256;

/// An exchange of more single elements is avoided even where that takes some
/// cycles: pieces take time and memory to compile.
constexpr std::size_t ManyElements = std::size_t(1) << 16;
constexpr double WorthFewerPieces = 1.5;

/// Steps in which matrices are transposed whose buffers together would be too
/// large. What takes more of them takes much of a tile, too, which may be full.
constexpr std::size_t MostSteps = 2;

/// Parts of a tile's memory for buffers: the largest, and those that are small.
constexpr double LargestBuffer = 1 / 16.0, SmallBuffer = 1 / 64.0;

/// Along which dimension elements lie side by side, and how many do.
struct Grouping {
  unsigned dim = 0;
  std::size_t run = 1;
};

/// The elements along one dimension, in the middle of the others or where
/// \p place, from 0 to 1, says.
Tensor lineAt(Tensor t, unsigned dim, double place) {
  for (unsigned i = 0; i != t.rank(); ++i)
    if (i != dim) {
      const auto at = static_cast<std::size_t>(place * t.dim(i));
      t = t.slice(at, at + 1, i);
    }
  return t.flatten();
}

/// Seen at a few places, for at the edges there may be padding.
Grouping groupingOf(const Tensor &t) {
  Grouping best;
  for (unsigned dim = 0; dim != t.rank(); ++dim) {
    if (t.dim(dim) == 1)
      continue;
    for (double place : {0.5, 0.3, 0.8}) {
      const std::size_t runs =
          lineAt(t, dim, place).getContiguousRegions().size();
      const std::size_t run = poplibs::ceilDiv(t.dim(dim), runs);
      if (run > best.run)
        best = {dim, run};
    }
  }
  return best;
}

/// A transposition of matrices [rows][columns].
struct Matrices {
  unsigned rowDim, columnDim;
  std::size_t rows, columns;

  std::size_t elements() const { return rows * columns; }
  /// [matrices, elements of one] of what is made of whole ones, in the order
  /// of the source or of the destination.
  Tensor of(Tensor t, bool transposed) const;
};

Tensor Matrices::of(Tensor t, bool transposed) const {
  const std::size_t count = t.numElements() / elements();
  std::vector<unsigned> order;
  const unsigned split[] = {std::min(rowDim, columnDim),
                            std::max(rowDim, columnDim)};
  // The later dimension first: the earlier one keeps its number then.
  for (unsigned dim : {split[1], split[0]}) {
    const std::size_t side = dim == rowDim ? rows : columns;
    t = t.reshapePartial(dim, dim + 1, {t.dim(dim) / side, side});
  }
  const unsigned row = rowDim + (rowDim > columnDim);
  const unsigned column = columnDim + (columnDim > rowDim);
  for (unsigned dim = 0; dim != t.rank(); ++dim)
    if (dim != row && dim != row + 1 && dim != column && dim != column + 1)
      order.push_back(dim);
  order.insert(order.end(), {row, column});
  order.push_back(transposed ? column + 1 : row + 1);
  order.push_back(transposed ? row + 1 : column + 1);
  // In order, so that slices of it are simple.
  return t.dimShuffle(order).flatten().reshape({count, elements()});
}

/// Maps elements of a tensor to their tiles.
class TilesOfElements {
public:
  TilesOfElements(const Graph &graph, const Tensor &t) {
    const auto mapping = graph.getTileMapping(t);
    for (unsigned tile = 0; tile != mapping.size(); ++tile)
      for (const Interval &interval : mapping[tile])
        places.push_back({interval.begin(), tile});
    std::sort(places.begin(), places.end());
  }

  unsigned at(std::size_t element) const {
    return std::prev(std::upper_bound(places.begin(), places.end(),
                                      std::pair(element, ~0u)))
        ->second;
  }

private:
  std::vector<std::pair<std::size_t, unsigned>> places;
};

class TransposedCopy {
public:
  TransposedCopy(Graph &graph, const Tensor &from, const Tensor &to,
                 double spareMemory, const DebugContext &dc)
      : graph(graph), from(from), to(to), spareMemory(spareMemory),
        debugContext(dc, "Transposed"),
        bytes(graph.getTarget().getTypeSize(from.elementType())) {}

  /// False if a plain copy is better.
  bool add(Sequence &prog) {
    const std::optional<Matrices> matrices = choose();
    if (!matrices)
      return false;
    addVertices(prog, *matrices, whole(from, *matrices), whole(to, *matrices));
    addRest(prog, *matrices);
    return true;
  }

private:
  Graph &graph;
  const Tensor &from, &to;
  const double spareMemory;
  const DebugContext debugContext;
  const std::size_t bytes;

  std::string vertex() const {
    return poputil::templateVertex("popops::TransposeBlocks", bits());
  }
  Type bits() const { return bytes == 2 ? UNSIGNED_SHORT : UNSIGNED_INT; }
  /// Grain of the number of rows. The number of columns must be even.
  std::size_t rowGrain() const { return 8 / bytes; }

  bool isPossible() const {
    return graph.getTarget().getTargetType() != TargetType::CPU &&
           (bytes == 2 || bytes == 4) && graph.hasCodelet(vertex());
  }

  /// The elements of the tile that has the most of the destination.
  std::size_t largestShare() const {
    std::size_t largest = 0;
    for (const auto &intervals : graph.getTileMapping(to)) {
      std::size_t elements = 0;
      for (const Interval &interval : intervals)
        elements += interval.size();
      largest = std::max(largest, elements);
    }
    return largest;
  }

  double bytesOfTile(double part) const {
    return graph.getTarget().getBytesPerTile() * part;
  }
  bool hasSpareMemory() const {
    return spareMemory >= bytesOfTile(LargestBuffer);
  }
  double mostBytes() const {
    return std::clamp(spareMemory, bytesOfTile(SmallBuffer),
                      bytesOfTile(LargestBuffer));
  }

  /// For so many elements of the fullest tile.
  std::size_t numSteps(std::size_t elements) const {
    return static_cast<std::size_t>(
        std::ceil(static_cast<double>(elements * bytes) / mostBytes()));
  }

  std::optional<Matrices> choose() const {
    if (!isPossible() || from.numElements() == 0)
      return std::nullopt;
    const Grouping in = groupingOf(from), out = groupingOf(to);
    if (in.dim == out.dim)
      return std::nullopt;
    std::optional<Matrices> best;
    const std::size_t elements = largestShare();
    const std::size_t steps = numSteps(elements);
    if (steps > (hasSpareMemory() ? MostSteps : 1))
      return std::nullopt;
    const double share = static_cast<double>(elements);
    double least = share * exchangeCycles(1);
    if (from.numElements() > ManyElements)
      least *= WorthFewerPieces;
    const std::size_t mostColumns = std::min(MostColumns, from.dim(in.dim));
    for (std::size_t rows : candidateRows(std::min(out.run, from.dim(out.dim))))
      for (std::size_t columns = 2; columns <= mostColumns; columns *= 2) {
        const Matrices matrices = {out.dim, in.dim, rows, columns};
        const double cycles =
            static_cast<double>(steps) * CyclesOfStep +
            estimate(matrices, share, std::min(in.run, columns)) +
            (rows < out.run ? CyclesOfStep + share * exchangeCycles(rows) : 0);
        if (cycles < least) {
          least = cycles;
          best = matrices;
        }
      }
    return best;
  }

  /// Numbers of rows for destinations that lie in runs of \p run elements.
  /// Whole runs can be written where they are.
  std::vector<std::size_t> candidateRows(std::size_t run) const {
    std::vector<std::size_t> candidates;
    for (std::size_t rows = rowGrain(); rows <= std::min(MostRows, run);
         rows *= 2)
      candidates.push_back(rows);
    if (run > MostRows && run <= LongestRun && run % rowGrain() == 0)
      candidates.push_back(run);
    return candidates;
  }

  /// For each element, in pieces of so many.
  double exchangeCycles(std::size_t piece) const {
    return CyclesOfPiece / static_cast<double>(piece) +
           static_cast<double>(bytes) /
               graph.getTarget().getExchangeBytesPerCycle();
  }

  /// For pieces of so many elements, and \p share of them on a tile.
  double estimate(const Matrices &matrices, double share,
                  std::size_t piece) const {
    const unsigned workers = graph.getTarget().getNumWorkerContexts();
    const auto onTile =
        static_cast<std::size_t>(std::ceil(share / matrices.elements()));
    return share * exchangeCycles(piece) +
           workers * transposeCycles(bytes, matrices.rows, matrices.columns,
                                     poplibs::ceilDiv(onTile, workers));
  }

  /// The part of a tensor that consists of whole matrices.
  static Tensor whole(const Tensor &t, const Matrices &matrices) {
    return firstOf(firstOf(t, matrices.rowDim, matrices.rows),
                   matrices.columnDim, matrices.columns);
  }
  static Tensor firstOf(const Tensor &t, unsigned dim, std::size_t side) {
    return t.slice(0, t.dim(dim) / side * side, dim);
  }
  static Tensor restOf(const Tensor &t, unsigned dim, std::size_t side) {
    return t.slice(t.dim(dim) / side * side, t.dim(dim), dim);
  }

  void addRest(Sequence &prog, const Matrices &matrices) const {
    const auto rest = [&](const Tensor &t) {
      return concat(restOf(t, matrices.rowDim, matrices.rows).flatten(),
                    restOf(firstOf(t, matrices.rowDim, matrices.rows),
                           matrices.columnDim, matrices.columns)
                        .flatten());
    };
    const Tensor source = rest(from);
    if (source.numElements() != 0)
      prog.add(Copy(source, rest(to), false, {debugContext, "Rest"}));
  }

  void addVertices(Sequence &prog, const Matrices &matrices,
                   const Tensor &wholeFrom, const Tensor &wholeTo) {
    const Tensor in = matrices.of(wholeFrom, false).reinterpret(bits());
    const Tensor out = matrices.of(wholeTo, true).reinterpret(bits());
    const TilesOfElements tiles(graph, out);
    std::vector<std::vector<std::size_t>> ofTile(
        graph.getTarget().getNumTiles());
    for (std::size_t i = 0; i != out.dim(0); ++i)
      ofTile[tiles.at(i * matrices.elements())].push_back(i);
    const std::size_t steps = numSteps(largestShare());
    for (std::size_t step = 0; step != steps; ++step) {
      const ComputeSet cs = graph.addComputeSet(debugContext);
      for (unsigned tile = 0; tile != ofTile.size(); ++tile) {
        const poplibs::Partition parts{ofTile[tile].size(), steps};
        if (parts.size(step) == 0)
          continue;
        const std::vector<Interval> part =
            joined(std::span(ofTile[tile])
                       .subspan(parts.begin(step), parts.size(step)));
        addTile(cs, matrices, concat(in.slices(part)), concat(out.slices(part)),
                tile);
      }
      prog.add(Execute(cs, debugContext));
    }
  }

  /// Numbers in ascending order as intervals.
  static std::vector<Interval> joined(std::span<const std::size_t> numbers) {
    std::vector<Interval> list;
    for (std::size_t i : numbers)
      if (!list.empty() && list.back().end() == i)
        list.back() = Interval(list.back().begin(), i + 1);
      else
        list.emplace_back(i, i + 1);
    return list;
  }

  /// Divides the matrices of a tile between its workers.
  void addTile(ComputeSet cs, const Matrices &matrices, const Tensor &in,
               const Tensor &out, unsigned tile) {
    const std::size_t count = in.dim(0);
    const poplibs::Partition parts{
        count,
        std::min<std::size_t>(count, graph.getTarget().getNumWorkerContexts())};
    for (std::size_t i = 0; i != parts.parts; ++i) {
      const auto part = [&](const Tensor &t) {
        return t.slice(parts.begin(i), parts.end(i)).flatten();
      };
      const VertexRef v =
          graph.addVertex(cs, vertex(), {{"in", part(in)}, {"out", part(out)}});
      graph.setInitialValue(v["matrices"], parts.size(i));
      graph.setInitialValue(v["rows"], matrices.rows / rowGrain());
      graph.setInitialValue(v["columns"], matrices.columns / 2);
      graph.setPerfEstimate(
          v, static_cast<std::uint64_t>(transposeCycles(
                 bytes, matrices.rows, matrices.columns, parts.size(i))));
      graph.setTileMapping(v, tile);
    }
  }
};

} // namespace

void addTransposedCopy(Graph &graph, const Tensor &from, const Tensor &to,
                       double spareMemory, Sequence &prog,
                       const DebugContext &dc) {
  if (!TransposedCopy(graph, from, to, spareMemory, dc).add(prog))
    prog.add(Copy(from, to, false, dc));
}

} // namespace popops
