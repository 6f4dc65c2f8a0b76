// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operands and results of products as variables. The right operand lies as
// the plan of the product wants it, each block on a tile that multiplies it, so
// that using it moves nothing; everything else is divided evenly over the
// tiles.

#include "lib/PopLibs/poplin/convolution/MatrixConv.h"
#include "lib/PopLibs/poplin/planning/MatMulShape.h"
#include "lib/PopLibs/poplin/planning/PlanningCacheImpl.h"

#include <poplin/MatMul.hpp>
#include <poputil/TileMapping.hpp>

using namespace poplar;
using namespace poplar::program;

namespace poplin {

Tensor createMatMulGroupedOutput(Graph &graph, const Type &inputType,
                                 const Type &outputType,
                                 const std::vector<std::size_t> &aShape,
                                 const std::vector<std::size_t> &bShape,
                                 const DebugContext &dc,
                                 const OptionFlags &options, PlanningCache *) {
  parseMatMulOptions(options);
  checkMatMulTypes(inputType, inputType, outputType);
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
  checkMatMulTypes(inputType, inputType, outputType);
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
  std::vector<Tensor> parts;
  for (std::size_t i = 0; i != (dim == Whole ? 1 : plan.serial.parts); ++i)
    parts.push_back(plannedRHS(graph, partOf(shape, plan.serial),
                               planOfPart(plan), inputType, dc));
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
  checkMatMulTypes(inputType, inputType, outputType);
  const MatMulShape shape = matMulShape(aShape, bShape);
  if (shape.isEmpty())
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

} // namespace poplin
