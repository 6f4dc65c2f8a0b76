// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plan divides rows, columns and depth over tiles. Blocks of operands are
// copied in the order of their memory (a transposed view is multiplied as it
// is, not rearranged). A tile's workers divide its block, and partial sums are
// reduced across tiles.

#include "lib/PopLibs/poplin/matmul/DirectMatMul.h"

#include "lib/PopLibs/poplin/operands/BlockedResult.h"
#include "lib/PopLibs/poplin/operands/LocalOperands.h"

#include <poputil/VertexTemplates.hpp>

#include <algorithm>

using namespace poplar;
using namespace poplar::program;

namespace poplin {
namespace {

/// Columns that a vertex keeps in registers at a time.
constexpr std::size_t ColumnGrain = 2;

/// Returns true if the columns of a matrix are contiguous in memory and the
/// rows are not.
bool isTransposed(const Tensor &matrix) {
  constexpr std::size_t Sample = 8;
  const std::size_t rows = std::min(Sample, matrix.dim(0));
  const std::size_t columns = std::min(Sample, matrix.dim(1));
  const auto regions = [](const Tensor &t) {
    return t.flatten().getContiguousRegions().size();
  };
  return regions(matrix.slice({0, 0}, {1, columns})) > 1 &&
         regions(matrix.slice({0, 0}, {rows, 1})) == 1;
}

/// A matrix in the order of its memory, and how it lies there.
struct Matrix {
  Tensor inMemoryOrder;
  bool transposed;

  explicit Matrix(const Tensor &matrix) : transposed(isTransposed(matrix)) {
    inMemoryOrder = transposed ? matrix.transpose() : matrix;
  }
  Tensor block(const Interval &rows, const Interval &columns) const {
    return transposed ? inMemoryOrder.slice({columns.begin(), rows.begin()},
                                            {columns.end(), rows.end()})
                      : inMemoryOrder.slice({rows.begin(), columns.begin()},
                                            {rows.end(), columns.end()});
  }
};

/// A block of an operand on a tile.
struct LocalMatrix {
  Tensor flat;
  std::size_t rows, columns;
  bool transposed;

  std::size_t stride() const { return transposed ? rows : columns; }

  /// The memory from the first element of some rows and columns to the last.
  Tensor part(const Interval &r, const Interval &c) const {
    const Interval &outer = transposed ? c : r;
    const Interval &inner = transposed ? r : c;
    return flat.slice(outer.begin() * stride() + inner.begin(),
                      (outer.end() - 1) * stride() + inner.end());
  }
};

/// Halves are divided in words, if there are whole ones in all blocks.
ResultGrains grainsOf(const MatMulPlan &plan, const Type &type) {
  if (type != HALF)
    return {1, 1};
  const auto isEven = [](const Partition &partition) {
    for (std::size_t i = 0; i != partition.parts; ++i)
      if (partition.size(i) % 2 != 0)
        return false;
    return true;
  };
  return isEven(plan.rows) || isEven(plan.columns) ? ResultGrains{2, 2}
                                                   : ResultGrains{1, 1};
}

class MatMulBuilder {
public:
  MatMulBuilder(Graph &graph, const MatMulPlan &plan, const Tensor &A,
                const Tensor &B, const Type &outType, const DebugContext &dc)
      : graph(graph), plan(plan), debugContext(dc, "matMul"),
        result(graph, outType, FLOAT, grainsOf(plan, outType), debugContext),
        operands(graph, debugContext) {
    for (std::size_t g = 0; g != plan.groups; ++g) {
      as.emplace_back(A[g]);
      bs.emplace_back(B[g]);
    }
  }

  Tensor build(Sequence &prog) {
    addBlocks();
    const ComputeSet cs = graph.addComputeSet({debugContext, "Multiply"});
    for (std::size_t g = 0; g != plan.groups; ++g)
      for (std::size_t r = 0; r != plan.rows.parts; ++r)
        for (std::size_t c = 0; c != plan.columns.parts; ++c)
          for (std::size_t d = 0; d != plan.depth.parts; ++d)
            addTile(cs, g, r, c, d);
    operands.addCopies(prog);
    prog.add(Execute(cs, debugContext));
    result.addReduction(prog);
    return assemble();
  }

private:
  Graph &graph;
  const MatMulPlan &plan;
  const DebugContext debugContext;
  BlockedResult result;
  LocalOperands operands;
  std::vector<Matrix> as, bs;

  std::size_t blockIndex(std::size_t g, std::size_t r, std::size_t c) const {
    return (g * plan.rows.parts + r) * plan.columns.parts + c;
  }

  void addBlocks() {
    for (std::size_t g = 0; g != plan.groups; ++g)
      for (std::size_t r = 0; r != plan.rows.parts; ++r)
        for (std::size_t c = 0; c != plan.columns.parts; ++c) {
          std::vector<unsigned> tiles;
          for (std::size_t d = 0; d != plan.depth.parts; ++d)
            tiles.push_back(plan.tile(g, r, c, d));
          result.addBlock(plan.rows.size(r) * plan.columns.size(c),
                          std::move(tiles));
        }
    result.allocate();
  }

  WorkerGrid workerGrid(std::size_t r, std::size_t c) const {
    return divideBetweenWorkers(
        plan.rows.size(r), plan.columns.size(c),
        plan.workersPerBlock(graph.getTarget().getNumWorkerContexts()),
        ColumnGrain);
  }

  /// Adds a tile's vertices; each writes its rows and columns of the block as a
  /// block of its own, one after the other.
  void addTile(ComputeSet cs, std::size_t g, std::size_t r, std::size_t c,
               std::size_t d) {
    const unsigned tile = plan.tile(g, r, c, d);
    const WorkerGrid grid = workerGrid(r, c);
    const std::size_t users = grid.outer * grid.inner;
    const Interval rows = plan.rows.interval(r);
    const Interval columns = plan.columns.interval(c);
    const Interval depth = plan.depth.interval(d);
    const LocalMatrix a{
        operands.get(as[g].block(rows, depth), key(g, r, d, 0), tile, users),
        rows.size(), depth.size(), as[g].transposed};
    const LocalMatrix b{
        operands.get(bs[g].block(depth, columns), key(g, d, c, 1), tile, users),
        depth.size(), columns.size(), bs[g].transposed};
    const Tensor out = result.partial(blockIndex(g, r, c), d);
    const Partition workerRows{rows.size(), grid.outer};
    const Partition workerColumns{columns.size(), grid.inner};
    std::size_t at = 0;
    for (std::size_t i = 0; i != grid.outer; ++i)
      for (std::size_t j = 0; j != grid.inner; ++j) {
        const Interval wr = workerRows.interval(i);
        const Interval wc = workerColumns.interval(j);
        const std::size_t size = wr.size() * wc.size();
        addVertex(cs, tile, a, b, wr, wc, out.slice(at, at + size));
        at += size;
      }
  }

  /// Names a block of an operand.
  std::size_t key(std::size_t g, std::size_t i, std::size_t j,
                  std::size_t operand) const {
    const std::size_t parts =
        std::max({plan.rows.parts, plan.columns.parts, plan.depth.parts});
    return ((g * parts + i) * parts + j) * 2 + operand;
  }

  void addVertex(ComputeSet cs, unsigned tile, const LocalMatrix &a,
                 const LocalMatrix &b, const Interval &rows,
                 const Interval &columns, const Tensor &out) {
    const std::size_t depth = a.columns;
    const VertexRef v = graph.addVertex(
        cs,
        poputil::templateVertex("poplin::MatMulPartial", a.flat.elementType(),
                                a.transposed, b.transposed));
    graph.connect(v["a"], a.part(rows, {0, depth}));
    graph.connect(v["b"], b.part({0, depth}, columns));
    graph.connect(v["out"], out);
    graph.setInitialValue(v["rows"], rows.size());
    graph.setInitialValue(v["columns"], columns.size());
    graph.setInitialValue(v["depth"], depth);
    graph.setInitialValue(v["strideA"], a.stride());
    graph.setInitialValue(v["strideB"], b.stride());
    const std::size_t results = rows.size() * columns.size();
    graph.setPerfEstimate(v,
                          static_cast<std::uint64_t>(
                              matMulBundles(a.flat.elementType() == HALF,
                                            rows.size(), columns.size(), depth,
                                            !a.transposed && b.transposed)),
                          2 * results * depth);
    graph.setTileMapping(v, tile);
  }

  /// A block of the result as a matrix: the workers' blocks put together.
  Tensor assembleBlock(std::size_t g, std::size_t r, std::size_t c) const {
    const Tensor flat = result.result(blockIndex(g, r, c));
    const WorkerGrid grid = workerGrid(r, c);
    const Partition rows{plan.rows.size(r), grid.outer};
    const Partition columns{plan.columns.size(c), grid.inner};
    std::size_t at = 0;
    std::vector<Tensor> rowParts;
    for (std::size_t i = 0; i != grid.outer; ++i) {
      std::vector<Tensor> columnParts;
      for (std::size_t j = 0; j != grid.inner; ++j) {
        const std::size_t size = rows.size(i) * columns.size(j);
        columnParts.push_back(
            flat.slice(at, at + size).reshape({rows.size(i), columns.size(j)}));
        at += size;
      }
      rowParts.push_back(concat(columnParts, 1));
    }
    return concat(rowParts, 0);
  }

  Tensor assemble() const {
    std::vector<Tensor> groups;
    for (std::size_t g = 0; g != plan.groups; ++g) {
      std::vector<Tensor> rowParts;
      for (std::size_t r = 0; r != plan.rows.parts; ++r) {
        std::vector<Tensor> columnParts;
        for (std::size_t c = 0; c != plan.columns.parts; ++c)
          columnParts.push_back(assembleBlock(g, r, c));
        rowParts.push_back(concat(columnParts, 1));
      }
      groups.push_back(concat(rowParts, 0).expand({0}));
    }
    return concat(groups, 0);
  }
};

} // namespace

Tensor directMatMul(Graph &graph, const MatMulPlan &plan, const Tensor &A,
                    const Tensor &B, const Type &outputType, Sequence &prog,
                    const DebugContext &dc) {
  return MatMulBuilder(graph, plan, A, B, outputType, dc).build(prog);
}

} // namespace poplin
