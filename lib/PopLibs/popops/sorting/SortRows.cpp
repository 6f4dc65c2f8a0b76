// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A short row is sorted by one worker. A long row is cut into chunks, which are
// sorted separately and then merged in the order of Batcher's odd-even merge
// sort, with a chunk in place of each element. For example, four chunks:
//
//    sort      [0]   [1]   [2]   [3]
//    step 1    merge 0-1   merge 2-3
//    step 2    merge 0-2   merge 1-3
//    step 3    merge 1-2
//
// Merging two chunks puts the lower half of their keys into the first and the
// upper half into the second, as the network does with two elements. The merges
// of a step are independent: they are one compute set.

#include "lib/PopLibs/popops/sorting/SortRows.h"

#include "lib/PopLibs/poputil/Partition.h"

#include <poputil/TileMapping.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>

#include <bit>

using namespace poplar;
using namespace poplar::program;
using poplibs::ceilDiv;
using poplibs::Chunks;
using poputil::poplibs_error;
using poputil::templateVertex;

namespace popops {
namespace {

/// Rows of up to twice this are sorted by one worker.
constexpr std::size_t ChunkKeys = 256;

Type valueBits(const Graph &graph, const Type &type) {
  switch (graph.getTarget().getTypeSize(type)) {
  case 4:
    return UNSIGNED_INT;
  case 2:
    return UNSIGNED_SHORT;
  default:
    throw poplibs_error("popops: values of type " + type.toString() +
                        " cannot be sorted along with keys; cast them to a "
                        "type of 16 or 32 bits");
  }
}

void requireVertex(const Graph &graph, const std::string &name,
                   const Type &key) {
  if (!graph.hasCodelet(name))
    throw poplibs_error("popops: keys of type " + key.toString() +
                        " cannot be sorted, or popops::addCodelets(graph) has "
                        "not been called");
}

/// Division of the rows and chunks of a matrix between vertices.
struct Layout {
  Chunks rows, chunks;
  poplibs::TileGrid tiles;

  Layout(const Graph &graph, std::size_t numRows, std::size_t count,
         std::size_t chunk) {
    const Target &target = graph.getTarget();
    const std::size_t vertices =
        std::size_t(target.getNumTiles()) * target.getNumWorkerContexts();
    chunks = {count, std::min(chunk, count)};
    rows = Chunks::ofParts(numRows,
                           std::max<std::size_t>(1, vertices / chunks.parts()));
    tiles.pieces = rows.parts() * chunks.parts();
    tiles.tiles = target.getNumTiles();
    tiles.firstTile = poputil::chooseMappingOffset(target.getNumTiles(),
                                                   {numRows, count, chunk});
  }

  unsigned tile(std::size_t row, std::size_t chunk) const {
    return tiles.tile(row * chunks.parts() + chunk);
  }

  template <class F> void forEach(F visit) const {
    for (std::size_t r = 0; r != rows.parts(); ++r)
      for (std::size_t c = 0; c != chunks.parts(); ++c)
        visit(r, c);
  }

  Tensor piece(const Tensor &t, std::size_t r, std::size_t c) const {
    return t.slice(rows.begin(r), rows.end(r), 0)
        .slice(chunks.begin(c), chunks.end(c), 1)
        .flatten();
  }

  /// A matrix whose pieces lie in one run each.
  Tensor addMatrix(Graph &graph, const Type &type,
                   const DebugContext &debugContext) const {
    const Tensor variable =
        graph.addVariable(type, {rows.extent * chunks.extent}, debugContext);
    std::size_t at = 0;
    std::vector<Tensor> rowParts, chunkParts;
    forEach([&](std::size_t r, std::size_t c) {
      const std::size_t size = rows.size(r) * chunks.size(c);
      const Tensor part = variable.slice(at, at + size);
      at += size;
      graph.setTileMapping(part, tile(r, c));
      chunkParts.push_back(part.reshape({rows.size(r), chunks.size(c)}));
      if (c + 1 != chunks.parts())
        return;
      rowParts.push_back(concat(chunkParts, 1));
      chunkParts.clear();
    });
    return concat(rowParts, 0);
  }
};

/// Bundles to merge one key, with its value if it is \p paired.
std::uint64_t mergeBundles(const Type &key, bool paired) {
  return (key == HALF ? 39 : 28) + (paired ? 7 : 0);
}

std::uint64_t sortBundles(const Type &key, bool paired, std::size_t rows,
                          std::size_t count) {
  const std::uint64_t passes = count < 2 ? 0 : std::bit_width(count - 1);
  return 30 + rows * (20 + count * passes * mergeBundles(key, paired));
}

Tensor scratchOn(Graph &graph, const Type &type, std::size_t count,
                 unsigned tile, const DebugContext &debugContext) {
  const Tensor scratch =
      graph.addVariable(type, {count}, {debugContext, "scratch"});
  graph.setTileMapping(scratch, tile);
  return scratch;
}

/// Merges pairs of chunks (i, i + distance) of every row.
class MergeStep {
public:
  MergeStep(Graph &graph, const Layout &layout, const KeyRows &from,
            const KeyRows &to, bool descending,
            const DebugContext &debugContext)
      : graph(graph), layout(layout), from(from), to(to),
        descending(descending),
        cs(graph.addComputeSet({debugContext, "Merge"})),
        untouched(layout.chunks.parts(), true) {
    const Type key = from.keys.elementType();
    name = from.values.valid() ? templateVertex("popops::MergePairs", key,
                                                from.values.elementType())
                               : templateVertex("popops::MergeKeys", key);
  }

  void add(std::size_t low, std::size_t high) {
    untouched[low] = untouched[high] = false;
    for (std::size_t row = 0; row != layout.rows.extent; ++row) {
      const VertexRef v = graph.addVertex(cs, name);
      graph.connect(v["keys"], both(from.keys, row, low, high));
      graph.connect(v["outKeys"], both(to.keys, row, low, high));
      if (from.values.valid()) {
        graph.connect(v["values"], both(from.values, row, low, high));
        graph.connect(v["outValues"], both(to.values, row, low, high));
      }
      const std::size_t first = layout.chunks.size(low);
      const std::size_t count = first + layout.chunks.size(high);
      graph.setInitialValue(v["first"], first);
      graph.setInitialValue(v["count"], count);
      graph.setInitialValue(v["descending"], descending);
      graph.setPerfEstimate(v,
                            20 + count * mergeBundles(from.keys.elementType(),
                                                      from.values.valid()));
      graph.setTileMapping(v, layout.tile(row / layout.rows.each, low));
    }
  }

  void finish(Sequence &prog, const DebugContext &debugContext) {
    prog.add(Execute(cs, debugContext));
    for (std::size_t c = 0; c != untouched.size(); ++c)
      if (untouched[c]) {
        prog.add(Copy(columns(from.keys, c), columns(to.keys, c), false,
                      debugContext));
        if (from.values.valid())
          prog.add(Copy(columns(from.values, c), columns(to.values, c), false,
                        debugContext));
      }
  }

private:
  Graph &graph;
  const Layout &layout;
  const KeyRows &from, &to;
  const bool descending;
  const ComputeSet cs;
  std::vector<bool> untouched;
  std::string name;

  Tensor columns(const Tensor &t, std::size_t c) const {
    return t.slice(layout.chunks.begin(c), layout.chunks.end(c), 1);
  }
  Tensor both(const Tensor &t, std::size_t row, std::size_t low,
              std::size_t high) const {
    return concat(columns(t, low)[row], columns(t, high)[row]);
  }
};

} // namespace

KeyRows sortChunks(Graph &graph, const KeyRows &in, SortValues values,
                   std::size_t chunk, bool descending, Sequence &prog,
                   const DebugContext &debugContext) {
  const Layout layout(graph, in.keys.dim(0), in.keys.dim(1), chunk);
  const Type key = in.keys.elementType();
  const bool paired = values != SortValues::None;
  const Type value =
      values == SortValues::Given ? in.values.elementType() : UNSIGNED_INT;
  const Type bits = valueBits(graph, value);
  const std::string name = paired
                               ? templateVertex("popops::SortPairs", key, bits)
                               : templateVertex("popops::SortKeys", key);
  requireVertex(graph, name, key);
  KeyRows out;
  out.keys = layout.addMatrix(graph, key, {debugContext, "keys"});
  prog.add(Copy(in.keys, out.keys, false, debugContext));
  if (paired)
    out.values = layout.addMatrix(graph, value, {debugContext, "values"});
  if (values == SortValues::Given)
    prog.add(Copy(in.values, out.values, false, debugContext));
  const Tensor valueView = paired ? out.values.reinterpret(bits) : out.values;
  const ComputeSet cs = graph.addComputeSet({debugContext, "Sort"});
  layout.forEach([&](std::size_t r, std::size_t c) {
    const std::size_t rows = layout.rows.size(r), count = layout.chunks.size(c);
    const unsigned tile = layout.tile(r, c);
    const VertexRef v = graph.addVertex(cs, name);
    graph.connect(v["keys"], layout.piece(out.keys, r, c));
    graph.connect(v["scratchKeys"],
                  scratchOn(graph, key, count, tile, debugContext));
    if (paired) {
      graph.connect(v["values"], layout.piece(valueView, r, c));
      graph.connect(v["scratchValues"],
                    scratchOn(graph, bits, count, tile, debugContext));
      graph.setInitialValue(v["number"], values == SortValues::Places);
      graph.setInitialValue(v["firstPlace"], layout.chunks.begin(c));
    }
    graph.setInitialValue(v["rows"], rows);
    graph.setInitialValue(v["count"], count);
    graph.setInitialValue(v["descending"], descending);
    graph.setPerfEstimate(v, sortBundles(key, paired, rows, count));
    graph.setTileMapping(v, tile);
  });
  prog.add(Execute(cs, debugContext));
  return out;
}

KeyRows sortRows(Graph &graph, const KeyRows &in, SortValues values,
                 bool descending, Sequence &prog,
                 const DebugContext &debugContext) {
  const std::size_t count = in.keys.dim(1);
  const std::size_t chunk = count <= 2 * ChunkKeys ? count : ChunkKeys;
  KeyRows rows =
      sortChunks(graph, in, values, chunk, descending, prog, debugContext);
  const Layout layout(graph, in.keys.dim(0), count, chunk);
  const std::size_t chunks = layout.chunks.parts();
  if (chunks == 1)
    return rows;
  KeyRows other;
  other.keys = graph.clone(rows.keys, {debugContext, "keys"});
  Type value = UNSIGNED_INT;
  if (rows.values.valid()) {
    value = rows.values.elementType();
    other.values = graph.clone(rows.values, {debugContext, "values"})
                       .reinterpret(valueBits(graph, value));
    rows.values = rows.values.reinterpret(valueBits(graph, value));
  }
  for (std::size_t p = 1; p < chunks; p *= 2)
    for (std::size_t k = p; k >= 1; k /= 2) {
      MergeStep step(graph, layout, rows, other, descending, debugContext);
      for (std::size_t j = k % p; j + k < chunks; j += 2 * k)
        for (std::size_t i = 0; i < k && i + j + k < chunks; ++i)
          if ((i + j) / (2 * p) == (i + j + k) / (2 * p))
            step.add(i + j, i + j + k);
      step.finish(prog, debugContext);
      std::swap(rows, other);
    }
  if (rows.values.valid())
    rows.values = rows.values.reinterpret(value);
  return rows;
}

} // namespace popops
