// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sparse operations by way of a dense matrix: the blocks are rows of a table,
// which is the matrix in another order of its elements.

#include <popsparse/Embedding.hpp>
#include <popsparse/FullyConnected.hpp>
#include <popsparse/MatMul.hpp>
#include <popsparse/codelets.hpp>

#include "lib/PopLibs/popsparse/BlockGrid.h"

#include <poplin/MatMul.hpp>
#include <poplin/codelets.hpp>
#include <popops/Cast.hpp>
#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Zero.hpp>
#include <popops/codelets.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

using namespace poplar;
using namespace poplar::program;
using poputil::poplibs_error;

namespace popsparse {

void addCodelets(Graph &graph) {
  if (!graph.hasCodelet("popops::ScaledAdd1D<float>"))
    popops::addCodelets(graph);
  if (!graph.hasCodelet("poplin::ReduceAdd<float,float>"))
    poplin::addCodelets(graph);
}

namespace dynamic {
namespace {

void checkShape(const char *what, const Tensor &t,
                const std::vector<std::size_t> &shape) {
  if (t.shape() == shape)
    return;
  std::string wanted;
  for (std::size_t extent : shape)
    wanted += (wanted.empty() ? "{" : ",") + std::to_string(extent);
  throw poplibs_error("popsparse: " + std::string(what) + " of shape " +
                      t.shapeToString() + ", not " + wanted + "}");
}

/// The weights of one call.
class Weights {
public:
  Weights(Graph &graph, const FullyConnectedParams &params, Sequence &prog,
          const DebugContext &dc)
      : graph(graph), prog(prog), dc(dc), grid(params) {}

  /// [groups, rows, columns], with zeros where there are no values.
  Tensor dense(const SparseTensor &sparse) const {
    const Tensor &values = sparse.getNzValuesTensor();
    checkShape("values", values, {grid.places * grid.blockSize()});
    const Tensor table = popops::createSliceableTensor(
        graph, values.elementType(),
        {grid.rows * grid.columns, grid.blockSize()}, {0}, {1}, 0,
        {dc, "weights"});
    popops::zero(graph, table, prog, dc);
    if (grid.places != 0)
      popops::multiUpdate(graph, table,
                          values.reshape({grid.places, 1, grid.blockSize()}),
                          blockNumbers(sparse.getMetaInfoTensor()), {0}, {1},
                          prog, popops::SlicePlan(), {}, dc);
    return table
        .reshape({grid.rows, grid.columns, grid.blockRows, grid.blockColumns})
        .dimShuffle({0, 2, 1, 3})
        .reshape({grid.groups, grid.rows / grid.groups * grid.blockRows,
                  grid.columns * grid.blockColumns});
  }

  /// The values of dense matrices [groups, rows, columns] in the places of a
  /// sparse one.
  Tensor values(const Tensor &matrix, const Tensor &metaInfo) const {
    const Tensor table =
        matrix
            .reshape(
                {grid.rows, grid.blockRows, grid.columns, grid.blockColumns})
            .dimShuffle({0, 2, 1, 3})
            .reshape({grid.rows * grid.columns, grid.blockSize()});
    return popops::multiSlice(graph, table, blockNumbers(metaInfo), {0}, {1},
                              prog, popops::SlicePlan(), {}, dc)
        .flatten();
  }

private:
  /// The row of the table for each place, [places, 1]. A place that is not in
  /// use has one that the table does not have.
  Tensor blockNumbers(const Tensor &metaInfo) const {
    checkShape("metadata", metaInfo, {2 * grid.places});
    namespace pe = popops::expr;
    const Tensor numbers = popops::cast(graph, metaInfo, UNSIGNED_INT, prog, dc)
                               .reshape({grid.places, 2});
    return popops::map(
        graph, pe::_1 * pe::Const(static_cast<unsigned>(grid.columns)) + pe::_2,
        {numbers.slice(0, 1, 1), numbers.slice(1, 2, 1)}, prog, dc);
  }

  Graph &graph;
  Sequence &prog;
  const DebugContext &dc;
  const BlockGrid grid;
};

/// An embedding's table is one matrix.
void checkTable(const FullyConnectedParams &params) {
  if (params.getNumGroups() != 1)
    throw poplibs_error("popsparse: an embedding of " +
                        std::to_string(params.getNumGroups()) +
                        " groups is not supported, only of one");
}

/// [batch, groups * size] as [groups, batch, size], and back.
Tensor byGroups(const Tensor &t, std::size_t groups) {
  return t.reshapePartial(1, 2, {groups, t.dim(1) / groups}).dimRoll(1, 0);
}
Tensor fromGroups(const Tensor &t) { return t.dimRoll(0, 1).flatten(1, 3); }

Tensor transposed(const Tensor &t) { return t.dimShuffle({0, 2, 1}); }

} // namespace

SparseTensor createFullyConnectedWeights(Graph &graph, const Type &inputType,
                                         const FullyConnectedParams &params,
                                         const DebugContext &debugContext,
                                         const OptionFlags &options,
                                         PlanningCache *) {
  const BlockGrid grid(params);
  matMulOptions(options);
  const DebugContext dc(debugContext, "SparseWeights");
  const Tensor metaInfo =
      graph.addVariable(UNSIGNED_SHORT, {2 * grid.places}, {dc, "metaInfo"});
  const Tensor values = graph.addVariable(
      inputType, {grid.places * grid.blockSize()}, {dc, "nzValues"});
  poputil::mapTensorLinearly(graph, metaInfo);
  poputil::mapTensorLinearly(graph, values);
  return {metaInfo, values,
          std::make_shared<const FullyConnectedParams>(params)};
}

Tensor createFullyConnectedInput(Graph &graph, const Type &inputType,
                                 const FullyConnectedParams &params,
                                 const DebugContext &debugContext,
                                 const OptionFlags &options, PlanningCache *) {
  const std::size_t groups = params.getNumGroups();
  const std::size_t inputs = params.getInputChannelsPerGroup();
  return fromGroups(poplin::createMatMulGroupedInputLHS(
      graph, inputType, inputType, {groups, params.getBatchSize(), inputs},
      {groups, inputs, params.getOutputChannelsPerGroup()}, debugContext,
      matMulOptions(options)));
}

Tensor fullyConnectedFwd(Graph &graph, const SparseTensor &weights,
                         const Tensor &activations,
                         const FullyConnectedParams &params, Sequence &prog,
                         const DebugContext &debugContext,
                         const OptionFlags &options, PlanningCache *) {
  const DebugContext dc(debugContext, "SparseFullyConnectedFwd");
  checkShape("activations", activations,
             {params.getBatchSize(), params.getInputChannels()});
  const Tensor dense = Weights(graph, params, prog, dc).dense(weights);
  return fromGroups(poplin::matMulGrouped(
      graph, byGroups(activations, params.getNumGroups()), transposed(dense),
      prog, activations.elementType(), dc, matMulOptions(options)));
}

Tensor fullyConnectedGradA(Graph &graph, const SparseTensor &weights,
                           const Tensor &gradients,
                           const FullyConnectedParams &params, Sequence &prog,
                           const DebugContext &debugContext,
                           const OptionFlags &options, PlanningCache *) {
  const DebugContext dc(debugContext, "SparseFullyConnectedGradA");
  checkShape("gradients", gradients,
             {params.getBatchSize(), params.getOutputChannels()});
  const Tensor dense = Weights(graph, params, prog, dc).dense(weights);
  return fromGroups(poplin::matMulGrouped(
      graph, byGroups(gradients, params.getNumGroups()), dense, prog,
      gradients.elementType(), dc, matMulOptions(options)));
}

Tensor fullyConnectedSparseGradW(Graph &graph, const Tensor sparsityMetaInfo,
                                 const Tensor &gradients,
                                 const Tensor &activations,
                                 const FullyConnectedParams &params,
                                 Sequence &prog,
                                 const DebugContext &debugContext,
                                 const OptionFlags &options, PlanningCache *) {
  const DebugContext dc(debugContext, "SparseFullyConnectedGradW");
  checkShape("gradients", gradients,
             {params.getBatchSize(), params.getOutputChannels()});
  checkShape("activations", activations,
             {params.getBatchSize(), params.getInputChannels()});
  const std::size_t groups = params.getNumGroups();
  const Tensor dense = poplin::matMulGrouped(
      graph, transposed(byGroups(gradients, groups)),
      byGroups(activations, groups), prog, gradients.elementType(), dc,
      matMulOptions(options));
  return Weights(graph, params, prog, dc).values(dense, sparsityMetaInfo);
}

std::tuple<unsigned, unsigned, unsigned> fullyConnectedDenseGradWSerialSplits(
    const Graph &, const Type &, const FullyConnectedParams &params,
    const OptionFlags &options, PlanningCache *) {
  const BlockGrid check(params);
  matMulOptions(options);
  return std::make_tuple(1u, 1u, 1u);
}

Tensor createIndicesTensor(Graph &graph, const FullyConnectedParams &params,
                           std::size_t numIndices, const OptionFlags &options,
                           const DebugContext &debugContext) {
  const BlockGrid check(params);
  matMulOptions(options);
  return graph.addVariable(UNSIGNED_INT, {numIndices},
                           VariableMappingMethod::LINEAR,
                           {debugContext, "indices"});
}

Tensor createSliceTensor(Graph &graph, const Type &dataType,
                         const FullyConnectedParams &params,
                         std::size_t numIndices,
                         const DebugContext &debugContext,
                         const OptionFlags &options, PlanningCache *) {
  const BlockGrid check(params);
  matMulOptions(options);
  return graph.addVariable(dataType, {numIndices, params.getInputChannels()},
                           VariableMappingMethod::LINEAR,
                           {debugContext, "slices"});
}

Tensor embeddingSlice(Graph &graph, const SparseTensor &t,
                      const Tensor &indices, Sequence &prog,
                      const FullyConnectedParams &params,
                      const DebugContext &debugContext,
                      const OptionFlags &options, PlanningCache *) {
  const DebugContext dc(debugContext, "EmbeddingSlice");
  matMulOptions(options);
  checkTable(params);
  const Tensor table = Weights(graph, params, prog, dc).dense(t)[0];
  return popops::multiSlice(graph, table, indices.flatten().expand({1}), {0},
                            {1}, prog, popops::SlicePlan(), {}, dc)
      .squeeze({1});
}

void embeddingUpdateAdd(Graph &graph, const SparseTensor &t,
                        const Tensor &slices, const Tensor &indices,
                        const Tensor &scale, Sequence &prog,
                        const FullyConnectedParams &params,
                        const DebugContext &debugContext,
                        const OptionFlags &options, PlanningCache *) {
  const DebugContext dc(debugContext, "EmbeddingUpdateAdd");
  matMulOptions(options);
  checkTable(params);
  const std::size_t columns = params.getInputChannels();
  checkShape("slices", slices, {indices.numElements(), columns});
  const Tensor sums = popops::createSliceableTensor(
      graph, slices.elementType(), {params.getOutputChannels(), columns}, {0},
      {1}, 0, {dc, "sums"});
  popops::zero(graph, sums, prog, dc);
  popops::multiUpdateAdd(graph, sums, slices.expand({1}),
                         indices.flatten().expand({1}), scale, {0}, {1}, prog,
                         popops::SlicePlan(), {}, dc);
  const Tensor updates = Weights(graph, params, prog, dc)
                             .values(sums.expand({0}), t.getMetaInfoTensor());
  popops::addInPlace(graph, t.getNzValuesTensor(), updates, prog, dc);
}

SparseTensor createSparseDenseMatMulLHS(Graph &graph, const Type &inputType,
                                        const MatMulParams &params,
                                        const DebugContext &debugContext,
                                        const OptionFlags &options,
                                        PlanningCache *cache) {
  return createFullyConnectedWeights(graph, inputType,
                                     params.asFullyConnected(), debugContext,
                                     options, cache);
}

Tensor createSparseDenseMatMulRHS(Graph &graph, const Type &inputType,
                                  const MatMulParams &params,
                                  const DebugContext &debugContext,
                                  const OptionFlags &options, PlanningCache *) {
  const std::size_t groups = params.getNumGroups();
  return poplin::createMatMulGroupedInputRHS(
      graph, inputType, inputType, {groups, params.getM(), params.getK()},
      {groups, params.getK(), params.getN()}, debugContext,
      matMulOptions(options));
}

Tensor sparseDenseMatMul(Graph &graph, const SparseTensor &lhs,
                         const Tensor &rhs, Sequence &prog, bool transposeLHS,
                         bool transposeRHS, const DebugContext &debugContext,
                         const OptionFlags &options, PlanningCache *) {
  const DebugContext dc(debugContext, "SparseDenseMatMul");
  if (!lhs.getOpMetaData())
    throw poplibs_error("popsparse::sparseDenseMatMul: the sparse matrix is "
                        "not one of createSparseDenseMatMulLHS, nor has it the "
                        "metadata of one");
  const FullyConnectedParams &params = *lhs.getOpMetaData();
  Tensor dense = Weights(graph, params, prog, dc).dense(lhs);
  if (transposeLHS)
    dense = transposed(dense);
  if (rhs.rank() != 3 || rhs.dim(0) != dense.dim(0) ||
      rhs.dim(transposeRHS ? 2 : 1) != dense.dim(2))
    throw poplibs_error(
        "popsparse::sparseDenseMatMul: a dense matrix of shape " +
        rhs.shapeToString() + " for a sparse one of shape " +
        dense.shapeToString());
  const Tensor right = transposeRHS ? transposed(rhs) : rhs;
  return poplin::matMulGrouped(graph, dense, right, prog, rhs.elementType(), dc,
                               matMulOptions(options));
}

} // namespace dynamic
} // namespace popsparse
