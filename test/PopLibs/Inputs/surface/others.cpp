// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every form of the functions of poprand, popsparse, popfloat, popsolver and
// gcl that programs call, once. The program is compiled and linked; its
// functions are not run.

#include <gcl/CollectiveBalancedReorder.hpp>
#include <gcl/Collectives.hpp>
#include <gcl/TileAllocation.hpp>
#include <popfloat/experimental/CastToGfloat.hpp>
#include <popfloat/experimental/codelets.hpp>
#include <popops/Collectives.hpp>
#include <poprand/RandomGen.hpp>
#include <poprand/codelets.hpp>
#include <popsolver/Model.hpp>
#include <popsparse/Embedding.hpp>
#include <popsparse/FullyConnected.hpp>
#include <popsparse/MatMul.hpp>
#include <popsparse/SparsePartitioner.hpp>
#include <popsparse/codelets.hpp>
#include <popsparse/experimental/BlockSparse.hpp>
#include <popsparse/experimental/BlockSparseMatMul.hpp>

#include <iostream>

using namespace poplar;
using namespace poplar::program;

void randoms(Graph &graph, const Tensor &seed, const Tensor &t,
             Sequence &prog) {
  using namespace poprand;
  addCodelets(graph);
  uniform(graph, &seed, 1, t, FLOAT, 0, 1, prog, "u");
  uniform(graph, nullptr, 0u, t, INT, -3, 3, prog);
  normal(graph, &seed, 1, t, FLOAT, 0.0, 1.0, prog, "n");
  truncatedNormal(graph, &seed, 1, t, HALF, 0.0, 1.0, 2.0, prog, "n");
  bernoulli(graph, &seed, 1, t, FLOAT, 0.5, prog, "b");
  logUniform(graph, &seed, 1, t, FLOAT, 1.0, 10.0, prog);
  logUniform(graph, &seed, 1, t, FLOAT, 1.0, 10.0, prog, 10.0, "l");
  dropout(graph, &seed, 1, t, t, 0.5, 2.0, prog, "d");
  dropout(graph, &seed, 1, t, t, 0.5, 2.0, true, prog, "d");
  shapedDropout(graph, &seed, 1, t, t, 0.5, 2.0, prog, "d");
  setSeed(graph, seed, 1, prog, "seed");
}

void sparseLayers(Graph &graph, const Tensor &t, Sequence &prog) {
  using namespace popsparse::dynamic;
  popsparse::addCodelets(graph);
  const OptionFlags options{{"availableMemoryProportion", "0.6"},
                            {"metaInfoBucketOversizeProportion", "0.3"},
                            {"doGradAPass", "true"},
                            {"doGradWPass", "true"},
                            {"partialsType", "float"},
                            {"sharedBuckets", "true"},
                            {"enableStructuredRearrangements", "false"},
                            {"partitioner.optimiseForSpeed", "true"},
                            {"partitioner.forceBucketSpills", "false"},
                            {"partitioner.useActualWorkerSplitCosts", "false"},
                            {"planConstraints", "{}"}};
  PlanningCache cache;
  SparsityParams elements,
      blocks(SparsityType::Block, SparsityStructure::Unstructured, {4, 4});
  std::cout << elements << blocks.type << blocks.structure;
  FullyConnectedParams params =
      FullyConnectedParams::createWithNzRatio(elements, 0.1, 2, 1, 8, 12);
  params =
      FullyConnectedParams::createWithNumNonZeroValues(blocks, 64, 2, 1, 8, 12);
  SparseTensor weights =
      createFullyConnectedWeights(graph, FLOAT, params, "w", options, &cache);
  createFullyConnectedInput(graph, FLOAT, params, "in", options, &cache);
  fullyConnectedFwd(graph, weights, t, params, prog, "fwd", options, &cache);
  fullyConnectedGradA(graph, weights, t, params, prog, "a", options, &cache);
  fullyConnectedSparseGradW(graph, weights.getMetaInfoTensor(), t, t, params,
                            prog, "w", options, &cache);
  std::tuple<unsigned, unsigned, unsigned> splits =
      fullyConnectedDenseGradWSerialSplits(graph, FLOAT, params, options,
                                           &cache);
  SparseTensor made(weights.getMetaInfoTensor(), weights.getNzValuesTensor());
  weights.getOpMetaData();
  MatMulParams matMul =
      MatMulParams::createWithNzRatio(elements, 0.1, 1, 8, 12, 4);
  matMul = MatMulParams::createWithNumNonZeroValues(elements, 10, 1, 8, 12, 4);
  SparseTensor lhs =
      createSparseDenseMatMulLHS(graph, FLOAT, matMul, "lhs", options, &cache);
  createSparseDenseMatMulRHS(graph, FLOAT, matMul, "rhs", options, &cache);
  sparseDenseMatMul(graph, lhs, t, prog, false, true, "product", options,
                    &cache);
  createIndicesTensor(graph, params, 5, options, "indices");
  createSliceTensor(graph, FLOAT, params, 5, "slices", options, &cache);
  embeddingSlice(graph, weights, t, prog, params, "slice", options, &cache);
  embeddingUpdateAdd(graph, weights, t, t, t, prog, params, "update", options,
                     &cache);
  Partitioner<float> partitioner(params, FLOAT, graph.getTarget(), options,
                                 &cache, "partitioner");
  popsparse::COOMatrix<float> coo({1, 2}, {0, 1}, {1, 0});
  popsparse::CSRMatrix<float> csr({1, 2}, {0, 1}, {0, 1, 2});
  popsparse::CSCMatrix<float> csc({1, 2}, {0, 1, 2}, {0, 1});
  SparsityDataImpl<float> data = partitioner.createSparsityDataImpl(coo);
  data = partitioner.createSparsityDataImpl(csr);
  data = partitioner.createSparsityDataImpl(csc);
  coo = partitioner.sparsityDataImplToCOOMatrix(data);
  csr = partitioner.sparsityDataImplToCSRMatrix(data);
  csc = partitioner.sparsityDataImplToCSCMatrix(data);
  std::cout << csr.numRows << csr.numColumns << csr.getBlockSize()
            << data.metaInfo.size() << data.nzValues.size();
  partitioner.getmetaInfoBucketElements();
  (void)splits;
}

void staticProducts(Graph &graph, const Tensor &t, Sequence &prog) {
  using namespace popsparse::static_;
  const OptionFlags options{{"numBands", "0"},
                            {"nSplit", "0"},
                            {"verboseLogging", "false"},
                            {"availableMemoryProportion", "0.6"},
                            {"enablePreProcessing", "true"}};
  popsparse::CSRMatrix<float> matrix(2, 2, {1, 2}, {0, 1}, {0, 1, 2});
  PlanningCache cache;
  MatMulParams left = MatMulParams::createForSparseDense(1, 2, 2, 3),
               right = MatMulParams::createForDenseSparse(1, 2, 2, 3);
  SparseTensor sparse = createSparseDenseMatMulLHS(graph, FLOAT, left, matrix,
                                                   "lhs", options, &cache);
  createSparseDenseMatMulRHS(graph, FLOAT, left, matrix, "rhs", options,
                             &cache);
  sparseDenseMatMul(graph, sparse, t, prog, false, false, "product", options,
                    &cache);
  SparseTensor other = createDenseSparseMatMulRHS(graph, FLOAT, right, matrix,
                                                  "rhs", options, &cache);
  createDenseSparseMatMulLHS(graph, FLOAT, right, matrix, "lhs", options,
                             &cache);
  denseSparseMatMul(graph, t, other, prog, false, false, "product", options,
                    &cache);
  sparse.getNzValuesTensor();
}

void blocks(Graph &graph, const Tensor &t, Sequence &prog) {
  using namespace popsparse::experimental;
  const std::vector<unsigned char> mask{1, 0, 0, 1};
  const OptionFlags options{{"memoryCycleRatio", "0.2"},
                            {"numberOfPass", "1"},
                            {"partitionMethod", "strip"}};
  BSMatMulParams sparseRight({{8, 8, 8}}, {{4, 4, 4}}, mask, false, FLOAT,
                             FLOAT, FLOAT),
      sparseResult({{8, 8, 8}}, {{4, 4, 4}}, mask, FLOAT, FLOAT, FLOAT,
                   SubBlockMask::None);
  createBSMatMulInputLHS(graph, sparseRight, "lhs", options);
  createBSMatMulInputRHS(graph, sparseRight, "rhs", options);
  bsMatMul(graph, sparseResult, prog, t, t, options, "product");
  bsSoftmax(graph, t, {{8, 8}}, {{4, 4}}, mask, SubBlockMask::ZeroUpperTriangle,
            1, prog, "softmax");
  bsSoftmaxInPlace(graph, t, {{8, 8}}, {{4, 4}}, mask,
                   SubBlockMask::ZeroLowerTriangle, 1, prog, "softmax");
  bsSoftmaxGrad(graph, t, t, {{8, 8}}, {{4, 4}}, mask, prog, "gradient");
}

void floats(Graph &graph, Tensor t, Sequence &prog) {
  using namespace popfloat::experimental;
  addCodelets(graph);
  GfloatCast::FormatConfig format(4, 3, 7, true, true);
  GfloatCast::RoundConfig rounding(RoundType::RN);
  GfloatCast cast(format, rounding, true, SpecType::FP32),
      plain(format, rounding);
  Tensor out = cast.castNativeToGfloat(graph, t, prog, "cast");
  cast.castNativeToGfloatInPlace(graph, t, prog, "cast");
  cast.castGfloatToNative(graph, out, FLOAT, prog, "cast");
}

void solver() {
  popsolver::Model model;
  popsolver::Variable a = model.addVariable(1, 10, "a"),
                      b = model.addVariable(), c = model.addConstant(3, "c");
  model.zero();
  model.one();
  model.product({a, b}, "p");
  model.sum({a, b}, "s");
  model.max({a, b});
  model.min({a, b});
  model.floordiv(a, c);
  model.ceildiv(a, c);
  model.ceildivConstrainDivisor(a, b);
  model.mod(a, c);
  model.sub(a, c);
  model.less(a, b);
  model.lessOrEqual(a, 5);
  model.lessOrEqual(1, a);
  model.equal(a, c);
  model.factorOf(12, a);
  model.factorOf(a, b);
  popsolver::Solution solution = model.minimize(a);
  solution = model.minimize(std::vector<popsolver::Variable>{a, b});
  std::cout << solution.validSolution() << solution[a];
}

void collectives(Graph &graph, Tensor t, Sequence &prog) {
  using namespace gcl;
  const CollectiveOperator add = CollectiveOperator::ADD;
  CommGroup all, some(CommGroupType::CONSECUTIVE, 2),
      strided(CommGroupType::ORTHOGONAL, 2, 1);
  allReduceCrossReplica(graph, t, add, prog);
  allReduceCrossReplica(graph, t, add, prog, some, "reduce", {});
  allReduceInPlaceCrossReplica(graph, t, add, prog, some, "reduce", {});
  allReduceToDestinationCrossReplica(graph, t, t, add, prog, all, "reduce", {});
  reduceScatterCrossReplica(graph, t, add, prog, some, "scatter", {});
  reduceScatterToDestinationCrossReplica(graph, t, t, add, prog, all, "s", {});
  allGatherCrossReplica(graph, t, prog, some, "gather", {});
  allGatherToDestinationCrossReplica(graph, t, t, prog, all, "gather", {});
  allToAllCrossReplica(graph, t, prog, all, "exchange", {});
  broadcastCrossReplica(graph, t, prog, all, "broadcast", {});
  Chunks chunks = reduceScatterWithinReplica(graph, t, add, prog, "s", {});
  allGatherWithinReplica(graph, chunks, prog, "gather", {});
  allReduceWithinReplica(graph, t, add, prog, "reduce", {});
  perIPUTiles(graph, 0, 4);
  perIPUTiles(graph, 0, 4, true);
  getMinIoTiles(graph);
  popops::replicatedAllReduce(graph, t, popops::Operation::ADD, prog);
  popops::replicatedAllGather(graph, t, prog);
  popops::replicatedReduceScatter(graph, t, popops::Operation::ADD, prog);
}

int main() { return 0; }
