// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A table in the layout of tableGrid (SliceGrid.h) is used where it lies;
// otherwise the cheapest division is taken and the graph compiler brings the
// blocks to their vertices.

#include "lib/PopLibs/popops/indexing/TableAccess.h"

#include "lib/PopLibs/popops/indexing/SliceGrid.h"

#include <popops/Zero.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>

#include <sstream>

using namespace poplar;
using namespace poplar::program;
using poputil::poplibs_error;

namespace popops {
namespace {

/// The unsigned type of the same size, for vertices that only move bits.
Type bitsType(const Graph &graph, const Type &type) {
  switch (graph.getTarget().getTypeSize(type)) {
  case 4:
    return UNSIGNED_INT;
  case 2:
    return UNSIGNED_SHORT;
  case 1:
    return UNSIGNED_CHAR;
  default:
    throw poplibs_error("popops: cannot slice elements of type " +
                        type.toString());
  }
}

Tensor block(const Tensor &t, const poplibs::Chunks &first, std::size_t i,
             const poplibs::Chunks &second, std::size_t j,
             const poplibs::Chunks &columns, std::size_t c) {
  return t.slice(first.begin(i), first.end(i), 0)
      .slice(second.begin(j), second.end(j), 1)
      .slice(columns.begin(c), columns.end(c), t.rank() - 1);
}

/// Measured costs of a vertex: fixed, per index, per row that it has, and per
/// element of such rows.
struct TableCosts {
  double index, row, element, start = 50;

  std::uint64_t bundles(std::size_t indices, double rows,
                        std::size_t width) const {
    const double elements = rows * static_cast<double>(width);
    return static_cast<std::uint64_t>(start + index * double(indices) +
                                      row * rows + element * elements);
  }
};

/// Returns true if narrow elements are copied as words (codelets/Words.h).
bool areWords(std::size_t bytes, std::size_t width) {
  return width * bytes % 4 == 0;
}
/// Costs of MultiSlice.
TableCosts sliceCosts(std::size_t bytes, std::size_t width) {
  return bytes == 4               ? TableCosts{7, 11, 2}
         : areWords(bytes, width) ? TableCosts{7, 11, double(bytes) / 2, 58}
                                  : TableCosts{7, 18, 8};
}
/// Costs of MultiUpdate.
TableCosts updateCosts(std::size_t bytes, std::size_t width) {
  return bytes == 4               ? TableCosts{7, 11, 3, 64}
         : areWords(bytes, width) ? TableCosts{7, 11, 0.75 * double(bytes), 80}
                                  : TableCosts{7, 18, 7.5, 64};
}
/// Costs of MultiUpdateOp.
TableCosts combineCosts(std::size_t bytes) {
  return bytes == 4 ? TableCosts{7, 33, 3.2} : TableCosts{7, 30, 14};
}
/// Costs of SelectParts, which divides to find the part of an index.
constexpr TableCosts SelectCosts = {17, 60, 4};

/// A variable for the results of vertices, one after the other.
class Results {
public:
  void add(std::size_t elements, unsigned tile) {
    pieces.emplace_back(total, total + elements);
    tiles.push_back(tile);
    total += elements;
  }
  std::vector<Tensor> allocate(Graph &graph, const Type &type,
                               const DebugContext &debugContext) const {
    const Tensor variable = graph.addVariable(type, {total}, debugContext);
    Graph::TileToTensorMapping mapping(graph.getTarget().getNumTiles());
    for (std::size_t i = 0; i != pieces.size(); ++i)
      mapping[tiles[i]].push_back(pieces[i]);
    graph.setTileMapping(variable, mapping);
    return variable.slices(pieces);
  }

private:
  std::vector<Interval> pieces;
  std::vector<unsigned> tiles;
  std::size_t total = 0;
};

class Reader {
public:
  Reader(Graph &graph, const Tensor &table, const Tensor &indices,
         const SliceShape &shape, const DebugContext &debugContext)
      : graph(graph), table(table), indices(indices), shape(shape),
        type(table.elementType()), debugContext(debugContext),
        grid(chooseGrid()) {}

  /// Every part of the rows has results for all indices, most of them unused:
  /// more indices at a time than this would need too much memory for them.
  std::size_t mostIndices() const {
    constexpr std::size_t MostResultBytes = 32768;
    if (grid.rows.parts() == 1 || grid.counts.parts() != 1)
      return shape.count;
    const std::size_t bytes = grid.groups.each * shape.size *
                              grid.columns.each *
                              graph.getTarget().getTypeSize(type);
    return std::max<std::size_t>(1, MostResultBytes / bytes);
  }

  Tensor read(Sequence &prog) const {
    std::vector<Tensor> parts = readBlocks(prog);
    if (grid.rows.parts() > 1)
      parts = selectParts(parts, prog);
    return assemble(parts);
  }

private:
  Graph &graph;
  const Tensor table, indices;
  const SliceShape shape;
  const Type type;
  const DebugContext &debugContext;
  const SliceGrid grid;

  SliceGrid chooseGrid() const {
    const SliceGrid created = tableGrid(graph.getTarget(), type, shape);
    return liesOnGrid(graph, table, created)
               ? created
               : planSlice(graph.getTarget(), type, shape);
  }

  template <class F> void forEachResult(F visit) const {
    for (std::size_t g = 0; g != grid.groups.parts(); ++g)
      for (std::size_t c = 0; c != grid.columns.parts(); ++c)
        for (std::size_t k = 0; k != grid.counts.parts(); ++k)
          visit(g, c, k);
  }

  std::size_t resultSize(std::size_t g, std::size_t c, std::size_t k) const {
    return grid.groups.size(g) * grid.counts.size(k) * shape.size *
           grid.columns.size(c);
  }

  Tensor indicesOf(std::size_t g, std::size_t k) const {
    return indices.slice(grid.groups.begin(g), grid.groups.end(g), 0)
        .slice(grid.counts.begin(k), grid.counts.end(k), 1)
        .flatten();
  }

  /// The results of every block of the table; of a result those of all parts of
  /// the rows follow each other.
  std::vector<Tensor> readBlocks(Sequence &prog) const {
    Results results;
    forEachResult([&](std::size_t g, std::size_t c, std::size_t k) {
      for (std::size_t r = 0; r != grid.rows.parts(); ++r)
        results.add(resultSize(g, c, k), grid.tile(g, c, k, r));
    });
    const auto outs = results.allocate(graph, type, {debugContext, "slices"});
    const ComputeSet cs = graph.addComputeSet({debugContext, "Slice"});
    const std::string name =
        poputil::templateVertex("popops::MultiSlice", type);
    std::size_t at = 0;
    forEachResult([&](std::size_t g, std::size_t c, std::size_t k) {
      for (std::size_t r = 0; r != grid.rows.parts(); ++r, ++at) {
        const VertexRef v = graph.addVertex(cs, name);
        graph.connect(v["table"], block(table, grid.groups, g, grid.rows, r,
                                        grid.columns, c)
                                      .flatten());
        graph.connect(v["indices"], indicesOf(g, k));
        graph.connect(v["out"], outs[at]);
        graph.setInitialValue(v["groups"], grid.groups.size(g));
        graph.setInitialValue(v["firstRow"], grid.rows.begin(r));
        graph.setInitialValue(v["rows"], grid.rows.size(r));
        graph.setInitialValue(v["width"], grid.columns.size(c));
        graph.setInitialValue(v["count"], grid.counts.size(k));
        graph.setInitialValue(v["size"], shape.size);
        graph.setInitialValue(v["clear"], grid.rows.parts() == 1);
        const std::size_t looked = grid.groups.size(g) * grid.counts.size(k);
        graph.setPerfEstimate(v, sliceCosts(graph.getTarget().getTypeSize(type),
                                            grid.columns.size(c))
                                     .bundles(looked,
                                              double(looked * shape.size) /
                                                  double(grid.rows.parts()),
                                              grid.columns.size(c)));
        graph.setTileMapping(v, grid.tile(g, c, k, r));
      }
    });
    prog.add(Execute(cs, debugContext));
    return outs;
  }

  /// Picks every result from the part that had its row; the tiles of the parts
  /// share the work.
  std::vector<Tensor> selectParts(const std::vector<Tensor> &parts,
                                  Sequence &prog) const {
    const std::size_t numParts = grid.rows.parts();
    Results results;
    forEachShare([&](std::size_t, const Share &share) {
      results.add((share.end - share.begin) * shape.size *
                      grid.columns.size(share.c),
                  grid.tile(share.g, share.c, share.k, share.index));
    });
    const auto outs = results.allocate(graph, type, {debugContext, "out"});
    const ComputeSet cs = graph.addComputeSet({debugContext, "Select"});
    const std::string name =
        poputil::templateVertex("popops::SelectParts", type);
    std::size_t at = 0;
    std::vector<Tensor> joined(parts.size() / numParts);
    std::vector<std::vector<Tensor>> pieces(joined.size());
    forEachShare([&](std::size_t result, const Share &share) {
      const std::size_t row = shape.size * grid.columns.size(share.c);
      std::vector<Tensor> sources;
      for (std::size_t r = 0; r != numParts; ++r)
        sources.push_back(parts[result * numParts + r].slice(share.begin * row,
                                                             share.end * row));
      const VertexRef v = graph.addVertex(cs, name);
      graph.connect(v["in"], concat(sources));
      graph.connect(v["indices"],
                    indicesOf(share.g, share.k).slice(share.begin, share.end));
      graph.connect(v["out"], outs[at]);
      graph.setInitialValue(v["rows"], shape.rows);
      graph.setInitialValue(v["rowsPerPart"], grid.rows.each);
      graph.setInitialValue(v["count"], share.end - share.begin);
      graph.setInitialValue(v["size"], shape.size);
      graph.setInitialValue(v["width"], grid.columns.size(share.c));
      const std::size_t chosen = share.end - share.begin;
      graph.setPerfEstimate(v, SelectCosts.bundles(chosen,
                                                   double(chosen * shape.size),
                                                   grid.columns.size(share.c)));
      graph.setTileMapping(v,
                           grid.tile(share.g, share.c, share.k, share.index));
      pieces[result].push_back(outs[at++]);
    });
    prog.add(Execute(cs, debugContext));
    for (std::size_t i = 0; i != joined.size(); ++i)
      joined[i] = concat(pieces[i]);
    return joined;
  }

  /// Indices [begin, end), groups and indices taken together, of a result.
  struct Share {
    std::size_t g, c, k, index, begin, end;
  };
  template <class F> void forEachShare(F visit) const {
    std::size_t result = 0;
    forEachResult([&](std::size_t g, std::size_t c, std::size_t k) {
      const auto shares = poplibs::Chunks::ofParts(
          grid.groups.size(g) * grid.counts.size(k), grid.rows.parts());
      for (std::size_t i = 0; i != shares.parts(); ++i)
        visit(result, Share{g, c, k, i, shares.begin(i), shares.end(i)});
      ++result;
    });
  }

  Tensor assemble(const std::vector<Tensor> &parts) const {
    std::vector<Tensor> groups, columns, counts;
    std::size_t at = 0;
    forEachResult([&](std::size_t g, std::size_t c, std::size_t k) {
      counts.push_back(
          parts[at++].reshape({grid.groups.size(g), grid.counts.size(k),
                               shape.size, grid.columns.size(c)}));
      if (k + 1 != grid.counts.parts())
        return;
      columns.push_back(concat(counts, 1));
      counts.clear();
      if (c + 1 != grid.columns.parts())
        return;
      groups.push_back(concat(columns, 3));
      columns.clear();
    });
    return concat(groups, 0);
  }
};

SliceShape shapeOf(const Graph &graph, const Tensor &table,
                   const Tensor &indices, std::size_t size) {
  if (!graph.hasCodelet("popops::MultiSlice<unsigned int>"))
    throw poplibs_error("popops: the codelets are missing; call "
                        "popops::addCodelets(graph) first");
  return {table.dim(0), table.dim(1), table.dim(2), indices.dim(1), size};
}

/// Adds the vertices named \p vertex for an update.
void addUpdate(Graph &graph, const Tensor &table, const Tensor &updates,
               const Tensor &indices, const std::string &vertex,
               const TableCosts &costs, Sequence &prog,
               const DebugContext &debugContext) {
  const SliceShape shape = shapeOf(graph, table, indices, updates.dim(2));
  if (!graph.hasCodelet(vertex))
    throw poplibs_error("popops: there is no update of rows with elements of "
                        "type " +
                        table.elementType().toString() + " (" + vertex + ")");
  SliceGrid grid = tableGrid(graph.getTarget(), table.elementType(), shape);
  if (!liesOnGrid(graph, table, grid))
    grid = planUpdate(graph.getTarget(), table.elementType(), shape);
  const ComputeSet cs = graph.addComputeSet({debugContext, "Update"});
  for (std::size_t g = 0; g != grid.groups.parts(); ++g)
    for (std::size_t c = 0; c != grid.columns.parts(); ++c) {
      const poplibs::Chunks all{shape.count, shape.count};
      const Tensor rows =
          block(updates, grid.groups, g, all, 0, grid.columns, c).flatten();
      const Tensor index =
          indices.slice(grid.groups.begin(g), grid.groups.end(g)).flatten();
      for (std::size_t r = 0; r != grid.rows.parts(); ++r) {
        const VertexRef v = graph.addVertex(cs, vertex);
        graph.connect(v["table"], block(table, grid.groups, g, grid.rows, r,
                                        grid.columns, c)
                                      .flatten());
        graph.connect(v["indices"], index);
        graph.connect(v["updates"], rows);
        graph.setInitialValue(v["groups"], grid.groups.size(g));
        graph.setInitialValue(v["firstRow"], grid.rows.begin(r));
        graph.setInitialValue(v["rows"], grid.rows.size(r));
        graph.setInitialValue(v["width"], grid.columns.size(c));
        graph.setInitialValue(v["count"], shape.count);
        graph.setInitialValue(v["size"], shape.size);
        graph.setPerfEstimate(
            v, costs.bundles(index.numElements(),
                             double(index.numElements() * shape.size) /
                                 double(grid.rows.parts()),
                             grid.columns.size(c)));
        graph.setTileMapping(v, grid.tile(g, c, 0, r));
      }
    }
  prog.add(Execute(cs, debugContext));
}

bool isEmpty(const Tensor &table, const Tensor &updates) {
  return table.numElements() == 0 || updates.numElements() == 0;
}

void checkWritable(const Tensor &table) {
  if (!table.isParallelWriteable())
    throw poplibs_error("popops: the tensor to be updated, of shape " +
                        table.shapeToString() +
                        ", has constant elements or some that appear twice");
}

} // namespace

Tensor readRows(Graph &graph, const Tensor &table, const Tensor &indices,
                std::size_t size, Sequence &prog,
                const DebugContext &debugContext) {
  const SliceShape shape = shapeOf(graph, table, indices, size);
  const std::vector<std::size_t> result{shape.groups, shape.count, size,
                                        shape.width};
  if (shape.groups * shape.count * size * shape.width == 0 || shape.rows == 0) {
    const Tensor none =
        graph.addVariable(table.elementType(), result,
                          VariableMappingMethod::LINEAR, debugContext);
    if (none.numElements() != 0)
      zero(graph, none, prog, debugContext);
    return none;
  }
  const Type type = table.elementType();
  const Tensor bits = table.reinterpret(bitsType(graph, type));
  const Reader reader(graph, bits, indices, shape, debugContext);
  const std::size_t most = reader.mostIndices();
  if (shape.count <= most)
    return reader.read(prog).reinterpret(type);
  std::vector<Tensor> parts;
  for (std::size_t begin = 0; begin < shape.count; begin += most) {
    const std::size_t end = std::min(shape.count, begin + most);
    parts.push_back(readRows(graph, table, indices.slice(begin, end, 1), size,
                             prog, debugContext));
  }
  return concat(parts, 1);
}

void writeRows(Graph &graph, const Tensor &table, const Tensor &updates,
               const Tensor &indices, Sequence &prog,
               const DebugContext &debugContext) {
  checkWritable(table);
  if (isEmpty(table, updates))
    return;
  const Type bits = bitsType(graph, table.elementType());
  addUpdate(graph, table.reinterpret(bits), updates.reinterpret(bits), indices,
            poputil::templateVertex("popops::MultiUpdate", bits),
            updateCosts(graph.getTarget().getTypeSize(bits), table.dim(2)),
            prog, debugContext);
}

void combineRows(Graph &graph, const Tensor &table, const Tensor &updates,
                 const Tensor &indices, Operation op, Sequence &prog,
                 const DebugContext &debugContext) {
  checkWritable(table);
  if (isEmpty(table, updates))
    return;
  std::ostringstream name;
  name << "popops::Operation::" << op;
  addUpdate(graph, table, updates, indices,
            poputil::templateVertex("popops::MultiUpdateOp", name.str(),
                                    table.elementType()),
            combineCosts(graph.getTarget().getTypeSize(table.elementType())),
            prog, debugContext);
}

} // namespace popops
