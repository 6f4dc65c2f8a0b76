// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix products: as a convolution on the matrix unit (MatrixConv.h) or by dot
// products (DirectMatMul.h), whichever is planned, in parts one after the other
// if memory wants that. Products of quarters are those of halves.

#include "lib/PopLibs/poplin/convolution/MatrixConv.h"
#include "lib/PopLibs/poplin/matmul/DirectMatMul.h"
#include "lib/PopLibs/poplin/operands/QuarterOperands.h"
#include "lib/PopLibs/poplin/planning/PlanningCacheImpl.h"
#include "lib/PopLibs/poputil/Log.h"

#include <poplin/MatMul.hpp>
#include <popops/ScaledAdd.hpp>
#include <popops/Zero.hpp>
#include <poputil/exceptions.hpp>

using namespace poplar;
using namespace poplar::program;
using poputil::poplibs_error;

namespace poplin {
namespace {

Tensor productOfQuarters(Graph &graph, const Tensor &A, const Tensor &B,
                         const Type &outputType, Sequence &prog,
                         const DebugContext &dc, const OptionFlags &options,
                         PlanningCache *cache) {
  const QuarterOperands operands(graph, A, B, outputType, prog,
                                 "poplin::matMul", dc);
  return operands.scaled(matMulGrouped(graph, operands.a, operands.b, prog,
                                       FLOAT, dc, options, cache));
}

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
  std::vector<Tensor> results;
  for (std::size_t i = 0; i != parts; ++i)
    results.push_back(
        plannedProduct(graph, partOf(shape, plan.serial), planOfPart(plan),
                       partOf(A, dims.a, i, parts), partOf(B, dims.b, i, parts),
                       outputType, prog, dc));
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
  return directMatMul(graph, plan, A, B, outputType, prog, dc);
}

} // namespace

Tensor matMulGrouped(Graph &graph, const Tensor &A, const Tensor &B,
                     Sequence &prog, const Type &outputType,
                     const DebugContext &dc, const OptionFlags &options,
                     PlanningCache *cache) {
  poputil::logCall("poplin::matMulGrouped", {&A, &B}, dc);
  const Options parsed = parseMatMulOptions(options, outputType);
  checkMatMulTypes(A.elementType(), B.elementType(), outputType);
  const MatMulShape shape = matMulShape(A.shape(), B.shape());
  if (A.elementType() == QUARTER)
    return productOfQuarters(graph, A, B, outputType, prog, dc, options, cache);
  if (shape.isEmpty())
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

Tensor transposeGroupedMatrix(const Tensor &A) {
  return A.dimShuffle({0, 2, 1});
}

} // namespace poplin
