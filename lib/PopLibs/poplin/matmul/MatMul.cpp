// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix products. A plan divides rows, columns and depth over tiles; the
// operands' blocks are brought to the tiles in the order in which they lie in
// memory (a transposed view is multiplied as it is, not rearranged), a tile's
// workers divide its block, and partial sums are added up across tiles.

#include "lib/PopLibs/poplin/convolution/MatrixConv.h"
#include "lib/PopLibs/poplin/matmul/BlockedResult.h"
#include "lib/PopLibs/poplin/matmul/LocalOperands.h"
#include "lib/PopLibs/poplin/matmul/QuarterOperands.h"
#include "lib/PopLibs/poplin/planning/PlanningCacheImpl.h"

#include <poplin/MatMul.hpp>
#include <popops/ScaledAdd.hpp>
#include <popops/Zero.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>

using namespace poplar;
using namespace poplar::program;
using poputil::poplibs_error;

namespace poplin {
namespace {

/// Columns that a vertex keeps in registers at a time.
constexpr std::size_t ColumnGrain = 2;

std::string text(const std::vector<std::size_t> &shape) {
  std::string result = "{";
  for (std::size_t i = 0; i != shape.size(); ++i)
    result += (i ? "," : "") + std::to_string(shape[i]);
  return result + "}";
}

MatMulShape matMulShape(const std::vector<std::size_t> &a,
                        const std::vector<std::size_t> &b) {
  if (a.size() != 3 || b.size() != 3 || a[0] != b[0] || a[2] != b[1])
    throw poplibs_error("poplin::matMul: shapes " + text(a) + " and " +
                        text(b) +
                        " do not go together; they must be [G,M,K] and "
                        "[G,K,N]");
  return {a[0], a[1], a[2], b[2]};
}

void checkTypes(const Type &a, const Type &b, const Type &out) {
  const auto real = [](const Type &t) { return t == FLOAT || t == HALF; };
  if (a == QUARTER && b == QUARTER && out == HALF)
    return;
  if (a != b || !real(a) || !real(out))
    throw poplibs_error(
        "poplin::matMul: operands of types " + a.toString() + " and " +
        b.toString() + " with a result of type " + out.toString() +
        "; the operands must both be half or float, or both quarter "
        "for a result of half");
}

Tensor productOfQuarters(Graph &graph, const Tensor &A, const Tensor &B,
                         const Type &outputType, Sequence &prog,
                         const DebugContext &dc, const OptionFlags &options,
                         PlanningCache *cache) {
  const QuarterOperands operands(graph, A, B, outputType, prog,
                                 "poplin::matMul", dc);
  return operands.scaled(matMulGrouped(graph, operands.a, operands.b, prog,
                                       FLOAT, dc, options, cache));
}

/// Whether the rows of a matrix are not contiguous in memory, but its columns
/// are.
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

Interval intervalOf(const Partition &partition, std::size_t part) {
  return {partition.begin(part), partition.end(part)};
}

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
    const Interval rows = intervalOf(plan.rows, r);
    const Interval columns = intervalOf(plan.columns, c);
    const Interval depth = intervalOf(plan.depth, d);
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
        const Interval wr = intervalOf(workerRows, i);
        const Interval wc = intervalOf(workerColumns, j);
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

/// Products of no elements are zero.
Tensor emptyProduct(Graph &graph, const MatMulShape &shape, const Type &type,
                    Sequence &prog, const DebugContext &dc) {
  const Tensor out =
      graph.addVariable(type, {shape.groups, shape.rows, shape.columns},
                        VariableMappingMethod::LINEAR, dc);
  if (out.numElements() != 0)
    popops::zero(graph, out, prog, dc);
  return out;
}

/// The product on the matrix unit.
Tensor matrixProduct(Graph &graph, const MatMulShape &shape,
                     const ConvPlan &plan, const Tensor &A, const Tensor &B,
                     const Type &outType, Sequence &prog,
                     const DebugContext &dc) {
  return matrixConvolution(graph, convolutionOf(shape), plan,
                           A.dimShuffle({0, 2, 1}).expand({0, 3}),
                           B.dimShuffle({0, 2, 1}).expand({3, 3}), Tensor(),
                           outType, prog, dc)
      .reshape({shape.groups, shape.columns, shape.rows})
      .dimShuffle({0, 2, 1});
}

/// The dimensions of operands and results that a split divides, or \ref Whole.
constexpr unsigned Whole = ~0u;
struct SplitDims {
  unsigned a, b, out;
};
SplitDims dimsOf(SerialSplit::Dim dim) {
  switch (dim) {
  case SerialSplit::Groups:
    return {0, 0, 0};
  case SerialSplit::OutChannels:
    return {Whole, 2, 2};
  default:
    return {1, Whole, 1};
  }
}

/// Part \p part of an operand of which \p dim is divided.
Tensor partOf(const Tensor &t, unsigned dim, std::size_t part,
              std::size_t parts) {
  if (dim == Whole)
    return t;
  const std::size_t each = t.dim(dim) / parts;
  return t.slice(part * each, (part + 1) * each, dim);
}

Tensor plannedProduct(Graph &graph, const MatMulShape &shape,
                      const MatMulPlan &plan, const Tensor &A, const Tensor &B,
                      const Type &outputType, Sequence &prog,
                      const DebugContext &dc);

/// One product after the other.
Tensor serialProduct(Graph &graph, const MatMulShape &shape,
                     const MatMulPlan &plan, const Tensor &A, const Tensor &B,
                     const Type &outputType, Sequence &prog,
                     const DebugContext &dc) {
  const SplitDims dims = dimsOf(plan.serial.dim);
  const std::size_t parts = plan.serial.parts;
  MatMulPlan ofPart = plan;
  ofPart.serial = {};
  std::vector<Tensor> results;
  for (std::size_t i = 0; i != parts; ++i)
    results.push_back(plannedProduct(
        graph, partOf(shape, plan.serial), ofPart, partOf(A, dims.a, i, parts),
        partOf(B, dims.b, i, parts), outputType, prog, dc));
  return concat(results, dims.out);
}

Tensor plannedProduct(Graph &graph, const MatMulShape &shape,
                      const MatMulPlan &plan, const Tensor &A, const Tensor &B,
                      const Type &outputType, Sequence &prog,
                      const DebugContext &dc) {
  if (plan.serial.parts != 1)
    return serialProduct(graph, shape, plan, A, B, outputType, prog, dc);
  if (plan.convolution.method == ConvMethod::Matrix)
    return matrixProduct(graph, shape, plan.convolution, A, B, outputType, prog,
                         {dc, "matMul"});
  return MatMulBuilder(graph, plan, A, B, outputType, dc).build(prog);
}

} // namespace

Tensor matMulGrouped(Graph &graph, const Tensor &A, const Tensor &B,
                     Sequence &prog, const Type &outputType,
                     const DebugContext &dc, const OptionFlags &options,
                     PlanningCache *cache) {
  const Options parsed = parseMatMulOptions(options, outputType);
  checkTypes(A.elementType(), B.elementType(), outputType);
  const MatMulShape shape = matMulShape(A.shape(), B.shape());
  if (A.elementType() == QUARTER)
    return productOfQuarters(graph, A, B, outputType, prog, dc, options, cache);
  if (shape.groups * shape.rows * shape.columns * shape.depth == 0)
    return emptyProduct(graph, shape, outputType, prog, dc);
  if (!graph.hasCodelet("poplin::ReduceAdd<float,float>"))
    throw poplibs_error("poplin::matMul: the codelets are missing; call "
                        "poplin::addCodelets(graph) first");
  return plannedProduct(
      graph, shape, getMatMulPlan(graph, shape, A.elementType(), parsed, cache),
      A, B, outputType, prog, dc);
}

void matMulGroupedWithOutput(Graph &graph, const Tensor &A, const Tensor &B,
                             Tensor &out, Sequence &prog,
                             const DebugContext &dc, const OptionFlags &options,
                             PlanningCache *cache) {
  const Tensor product =
      matMulGrouped(graph, A, B, prog, out.elementType(), dc, options, cache);
  if (product.shape() != out.shape())
    throw poplibs_error("poplin::matMul: the output has shape " +
                        out.shapeToString() + ", the product " +
                        product.shapeToString());
  prog.add(Copy(product, out, false, dc));
}

Tensor matMul(Graph &graph, const Tensor &A, const Tensor &B, Sequence &prog,
              const Type &outputType, const DebugContext &dc,
              const OptionFlags &options, PlanningCache *cache) {
  if (A.rank() != 2 || B.rank() != 2)
    throw poplibs_error("poplin::matMul: shapes " + A.shapeToString() +
                        " and " + B.shapeToString() +
                        " are not those of matrices; use matMulGrouped for "
                        "several");
  return matMulGrouped(graph, A.expand({0}), B.expand({0}), prog, outputType,
                       dc, options, cache)[0];
}

Tensor matMul(Graph &graph, const Tensor &A, const Tensor &B, Sequence &prog,
              const DebugContext &dc, const OptionFlags &options,
              PlanningCache *cache) {
  return matMul(graph, A, B, prog, productType(A.elementType()), dc, options,
                cache);
}

void matMulWithOutput(Graph &graph, const Tensor &A, const Tensor &B,
                      Tensor &out, Sequence &prog, const DebugContext &dc,
                      const OptionFlags &options, PlanningCache *cache) {
  const Tensor product =
      matMul(graph, A, B, prog, out.elementType(), dc, options, cache);
  if (product.shape() != out.shape())
    throw poplibs_error("poplin::matMul: the output has shape " +
                        out.shapeToString() + ", the product " +
                        product.shapeToString());
  prog.add(Copy(product, out, false, dc));
}

void matMulAcc(Graph &graph, const Tensor &C, float k, const Tensor &A,
               const Tensor &B, Sequence &prog, const DebugContext &dc,
               const OptionFlags &options, PlanningCache *cache) {
  const Tensor product =
      matMul(graph, A, B, prog, C.elementType(), dc, options, cache);
  popops::scaledAddTo(graph, C, product, k, prog, dc);
}

void matMulAcc(Graph &graph, const Tensor &C, const Tensor &k, const Tensor &A,
               const Tensor &B, Sequence &prog, const DebugContext &dc,
               const OptionFlags &options, PlanningCache *cache) {
  const Tensor product =
      matMul(graph, A, B, prog, C.elementType(), dc, options, cache);
  popops::scaledAddTo(graph, C, product, k, prog, dc);
}

void matMulGroupedAcc(Graph &graph, const Tensor &C, float k, const Tensor &A,
                      const Tensor &B, Sequence &prog, const DebugContext &dc,
                      const OptionFlags &options, PlanningCache *cache) {
  const Tensor product =
      matMulGrouped(graph, A, B, prog, C.elementType(), dc, options, cache);
  popops::scaledAddTo(graph, C, product, k, prog, dc);
}

void matMulGroupedAcc(Graph &graph, const Tensor &C, const Tensor &k,
                      const Tensor &A, const Tensor &B, Sequence &prog,
                      const DebugContext &dc, const OptionFlags &options,
                      PlanningCache *cache) {
  const Tensor product =
      matMulGrouped(graph, A, B, prog, C.elementType(), dc, options, cache);
  popops::scaledAddTo(graph, C, product, k, prog, dc);
}

// Operands.

Tensor createMatMulGroupedOutput(Graph &graph, const Type &inputType,
                                 const Type &outputType,
                                 const std::vector<std::size_t> &aShape,
                                 const std::vector<std::size_t> &bShape,
                                 const DebugContext &dc,
                                 const OptionFlags &options, PlanningCache *) {
  parseMatMulOptions(options);
  checkTypes(inputType, inputType, outputType);
  matMulShape(aShape, bShape);
  return graph.addVariable(outputType, {aShape[0], aShape[1], bShape[2]},
                           VariableMappingMethod::LINEAR, dc);
}

Tensor createMatMulGroupedInputLHS(Graph &graph, const Type &inputType,
                                   const Type &outputType,
                                   const std::vector<std::size_t> &aShape,
                                   const std::vector<std::size_t> &bShape,
                                   const DebugContext &dc,
                                   const OptionFlags &options,
                                   PlanningCache *) {
  parseMatMulOptions(options);
  checkTypes(inputType, inputType, outputType);
  matMulShape(aShape, bShape);
  const Tensor t = graph.addVariable(inputType, aShape, dc);
  // In vectors, which is how what computes it works.
  poputil::mapTensorLinearly(graph, t, 1,
                             graph.getTarget().getVectorWidth(inputType));
  return t;
}

namespace {

Tensor plannedRHS(Graph &graph, const MatMulShape &shape,
                  const MatMulPlan &plan, const Type &inputType,
                  const DebugContext &dc);

/// The right operands of one product after the other. Those that differ in
/// their rows only share it.
Tensor serialRHS(Graph &graph, const MatMulShape &shape, const MatMulPlan &plan,
                 const Type &inputType, const DebugContext &dc) {
  const unsigned dim = dimsOf(plan.serial.dim).b;
  MatMulPlan ofPart = plan;
  ofPart.serial = {};
  std::vector<Tensor> parts;
  for (std::size_t i = 0; i != (dim == Whole ? 1 : plan.serial.parts); ++i)
    parts.push_back(
        plannedRHS(graph, partOf(shape, plan.serial), ofPart, inputType, dc));
  return concat(parts, dim == Whole ? 0 : dim);
}

Tensor plannedRHS(Graph &graph, const MatMulShape &shape,
                  const MatMulPlan &plan, const Type &inputType,
                  const DebugContext &dc) {
  if (plan.serial.parts != 1)
    return serialRHS(graph, shape, plan, inputType, dc);
  if (plan.convolution.method == ConvMethod::Matrix) {
    const Tensor weights = createMatrixWeights(graph, convolutionOf(shape),
                                               plan.convolution, inputType, dc);
    if (weights.valid())
      return weights.squeeze({3, 4}).dimShuffle({0, 2, 1});
  }
  const Tensor variable = graph.addVariable(
      inputType, {shape.groups * shape.depth * shape.columns}, dc);
  std::size_t at = 0;
  std::vector<Tensor> groups;
  for (std::size_t g = 0; g != plan.groups; ++g) {
    std::vector<Tensor> depthParts;
    for (std::size_t d = 0; d != plan.depth.parts; ++d) {
      std::vector<Tensor> columnParts;
      for (std::size_t c = 0; c != plan.columns.parts; ++c) {
        const std::size_t size = plan.depth.size(d) * plan.columns.size(c);
        const Tensor block = variable.slice(at, at + size);
        graph.setTileMapping(block, plan.tile(g, 0, c, d));
        columnParts.push_back(
            block.reshape({plan.depth.size(d), plan.columns.size(c)}));
        at += size;
      }
      depthParts.push_back(concat(columnParts, 1));
    }
    groups.push_back(concat(depthParts, 0).expand({0}));
  }
  return concat(groups, 0);
}
} // namespace

/// Every block lies on a tile that multiplies it, contiguous in memory.
Tensor createMatMulGroupedInputRHS(Graph &graph, const Type &inputType,
                                   const Type &outputType,
                                   const std::vector<std::size_t> &aShape,
                                   const std::vector<std::size_t> &bShape,
                                   const DebugContext &dc,
                                   const OptionFlags &options,
                                   PlanningCache *cache) {
  const Options parsed = parseMatMulOptions(options, outputType);
  checkTypes(inputType, inputType, outputType);
  const MatMulShape shape = matMulShape(aShape, bShape);
  if (shape.groups * shape.rows * shape.columns * shape.depth == 0)
    return graph.addVariable(inputType, bShape, VariableMappingMethod::LINEAR,
                             dc);
  return plannedRHS(graph, shape,
                    getMatMulPlan(graph, shape, inputType, parsed, cache),
                    inputType, dc);
}

namespace {

std::vector<std::size_t> grouped(std::vector<std::size_t> shape) {
  shape.insert(shape.begin(), 1);
  return shape;
}

} // namespace

Tensor createMatMulOutput(Graph &graph, const Type &inputType,
                          const Type &outputType,
                          const std::vector<std::size_t> &aShape,
                          const std::vector<std::size_t> &bShape,
                          const DebugContext &dc, const OptionFlags &options,
                          PlanningCache *cache) {
  return createMatMulGroupedOutput(graph, inputType, outputType,
                                   grouped(aShape), grouped(bShape), dc,
                                   options, cache)
      .squeeze({0});
}

Tensor createMatMulOutput(Graph &graph, const Type &dataType,
                          const std::vector<std::size_t> &aShape,
                          const std::vector<std::size_t> &bShape,
                          const DebugContext &dc, const OptionFlags &options,
                          PlanningCache *cache) {
  return createMatMulOutput(graph, dataType, dataType, aShape, bShape, dc,
                            options, cache);
}

Tensor createMatMulInputLHS(Graph &graph, const Type &inputType,
                            const Type &outputType,
                            const std::vector<std::size_t> &aShape,
                            const std::vector<std::size_t> &bShape,
                            const DebugContext &dc, const OptionFlags &options,
                            PlanningCache *cache) {
  return createMatMulGroupedInputLHS(graph, inputType, outputType,
                                     grouped(aShape), grouped(bShape), dc,
                                     options, cache)[0];
}

Tensor createMatMulInputLHS(Graph &graph, const Type &dataType,
                            const std::vector<std::size_t> &aShape,
                            const std::vector<std::size_t> &bShape,
                            const DebugContext &dc, const OptionFlags &options,
                            PlanningCache *cache) {
  return createMatMulInputLHS(graph, dataType, dataType, aShape, bShape, dc,
                              options, cache);
}

Tensor createMatMulInputRHS(Graph &graph, const Type &inputType,
                            const Type &outputType,
                            const std::vector<std::size_t> &aShape,
                            const std::vector<std::size_t> &bShape,
                            const DebugContext &dc, const OptionFlags &options,
                            PlanningCache *cache) {
  return createMatMulGroupedInputRHS(graph, inputType, outputType,
                                     grouped(aShape), grouped(bShape), dc,
                                     options, cache)[0];
}

Tensor createMatMulInputRHS(Graph &graph, const Type &dataType,
                            const std::vector<std::size_t> &aShape,
                            const std::vector<std::size_t> &bShape,
                            const DebugContext &dc, const OptionFlags &options,
                            PlanningCache *cache) {
  return createMatMulInputRHS(graph, dataType, dataType, aShape, bShape, dc,
                              options, cache);
}

Tensor preArrangeMatMulGroupedInputRHS(
    Graph &graph, const std::vector<std::size_t> &aShape, const Tensor &B,
    Sequence &prog, const Type &outputType, const DebugContext &dc,
    const OptionFlags &options, PlanningCache *cache) {
  const Tensor arranged =
      createMatMulGroupedInputRHS(graph, B.elementType(), outputType, aShape,
                                  B.shape(), dc, options, cache);
  if (B.numElements() != 0)
    prog.add(Copy(B, arranged, false, {dc, "preArrange"}));
  return arranged;
}

Tensor preArrangeMatMulInputRHS(Graph &graph,
                                const std::vector<std::size_t> &aShape,
                                const Tensor &B, Sequence &prog,
                                const Type &outputType, const DebugContext &dc,
                                const OptionFlags &options,
                                PlanningCache *cache) {
  return preArrangeMatMulGroupedInputRHS(graph, grouped(aShape), B.expand({0}),
                                         prog, outputType, dc, options,
                                         cache)[0];
}

Tensor preArrangeMatMulInputRHS(Graph &graph,
                                const std::vector<std::size_t> &aShape,
                                const Tensor &B, Sequence &prog,
                                const DebugContext &dc,
                                const OptionFlags &options,
                                PlanningCache *cache) {
  return preArrangeMatMulInputRHS(graph, aShape, B, prog, B.elementType(), dc,
                                  options, cache);
}

Tensor transposeGroupedMatrix(const Tensor &A) {
  return A.dimShuffle({0, 2, 1});
}

} // namespace poplin
