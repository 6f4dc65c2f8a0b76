// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every form of the functions of popops that programs call, once; those of
// elementwise operations are in elementwise.cpp. The program is compiled and
// linked; its functions are not run.

#include <popops/AllTrue.hpp>
#include <popops/Cast.hpp>
#include <popops/CircBuf.hpp>
#include <popops/DynamicSlice.hpp>
#include <popops/Encoding.hpp>
#include <popops/EncodingConstants.hpp>
#include <popops/Fill.hpp>
#include <popops/Gather.hpp>
#include <popops/GatherStatistics.hpp>
#include <popops/HostSliceTensor.hpp>
#include <popops/Loop.hpp>
#include <popops/NaN.hpp>
#include <popops/NormaliseImage.hpp>
#include <popops/Pad.hpp>
#include <popops/Rearrange.hpp>
#include <popops/Reduce.hpp>
#include <popops/ScaledAdd.hpp>
#include <popops/Scatter.hpp>
#include <popops/SelectScalarFromRows.hpp>
#include <popops/SequenceSlice.hpp>
#include <popops/Sort.hpp>
#include <popops/SplineBasis.hpp>
#include <popops/SplineWeighting.hpp>
#include <popops/TopK.hpp>
#include <popops/UpdateScalarInRows.hpp>
#include <popops/Zero.hpp>
#include <popops/codelets.hpp>

#include <iostream>
#include <set>
#include <sstream>

using namespace poplar;
using namespace poplar::program;
using namespace popops;

void casts(Graph &graph, const Tensor &t, Sequence &prog, ComputeSet &set) {
  addCodelets(graph);
  cast(graph, t, HALF, prog);
  cast(graph, t, HALF, prog, "cast");
  castWithOutput(graph, t, t, prog, "cast");
  Program program = cast(graph, t, t, "cast");
  cast(graph, t, t, set);
  cast(graph, t, HALF, set, "cast");
  checkAccuracyWhenCast(graph, t, HALF, 1e-3, prog, "check");
}

void reductions(Graph &graph, const Tensor &t, const Tensor &scale,
                Sequence &prog, std::vector<ComputeSet> &sets) {
  for (Operation operation :
       {Operation::ADD, Operation::MUL, Operation::MIN, Operation::MAX,
        Operation::LOGICAL_AND, Operation::LOGICAL_OR, Operation::SQUARE_ADD,
        Operation::LOG_ADD})
    std::cout << operation;
  std::stringstream text("ADD");
  Operation read;
  text >> read;
  ReduceParams params(Operation::ADD), update(Operation::ADD, true),
      scaled(Operation::ADD, false, scale);
  std::cout << params.op << params.update << params.useScale
            << scaled.scale.valid();
  const OptionFlags options{{"accumType.interTile", "float"},
                            {"accumType.inVertex", "float"}};
  reduce(graph, t, {0}, Operation::ADD, prog);
  reduce(graph, t, {0, 1}, {Operation::ADD}, prog, "sum");
  reduce(graph, t, FLOAT, {0}, {Operation::ADD, false, scale}, prog, "sum",
         options);
  reduce(graph, t, {0}, Operation::ADD, sets);
  reduce(graph, t, FLOAT, {0}, Operation::ADD, sets, "sum", options);
  reduceWithOutput(graph, t, t, {0}, {Operation::ADD, true}, prog);
  reduceWithOutput(graph, t, t, {0}, {Operation::ADD}, sets, "sum", options);
  SingleReduceOp op{t, {0}, Operation::ADD, "sum"},
      typed{t, {0}, Operation::ADD, FLOAT, "sum"};
  std::vector<Tensor> outputs;
  reduceMany(graph, {op, typed}, outputs, prog);
  reduceMany(graph, {op}, outputs, prog, "sums", options);
  std::cout << op.dims.size() << op.useOutType << op.debugName;
}

void scaledAdds(Graph &graph, const Tensor &a, const Tensor &b, const Tensor &s,
                Sequence &prog) {
  const OptionFlags options{{"optimizeForSpeed", "true"},
                            {"scaleFloatToHalfTolerance", "1e-6"}};
  scaledAddTo(graph, a, b, 2.0f, prog);
  scaledAddTo(graph, a, b, 1, prog, "add", options);
  scaledAddTo(graph, a, b, s, prog, "add", options);
  scaledAddTo(graph, a, 0.5f, b, 2.0f, prog, "add", options);
  scaledAddTo(graph, a, s, b, s, prog);
  scaledAddTo(graph, a, s, b, s, prog,
              ScaledAddSpecialisation::X_MINUS_AX_PLUS_BY, "add", options);
  scaledAddTo(graph, a, 0.5f, b, 0.5f, prog,
              ScaledAddSpecialisation::X_MINUS_AX_PLUS_BY);
  scaledSubtractFrom(graph, a, b, 2.0f, prog);
  scaledSubtractFrom(graph, a, b, s, prog, "subtract", options);
  scaledSubtractFrom(graph, a, s, b, s, prog, "subtract", options);
  scaledSubtractFrom(graph, a, 0.5f, b, 0.5f, prog);
}

void fills(Graph &graph, const Tensor &t, Sequence &prog, ComputeSet set) {
  std::vector<Interval> regions;
  Graph::TileToTensorMapping mapping;
  zero(graph, t, prog);
  zero(graph, t, prog, "zero");
  zero(graph, t, regions, 0, set);
  zero(graph, t, 0, set);
  zero(graph, t, mapping, set);
  fill(graph, t, prog, 1.0f);
  fill<float>(graph, t, prog, 1, "fill");
  fill(graph, t, prog, 3u);
  fill(graph, t, prog, 3);
  fill(graph, t, prog, true);
  fill(graph, t, regions, 0, set, 1.0f);
  fill(graph, t, 0, set, 1.0f);
  fill(graph, t, mapping, set, 1.0f);
}

void encodings(Graph &graph, const Tensor &t, Sequence &prog) {
  encodeOneHot(graph, t, t, prog);
  encodeOneHot(graph, t, t, prog, "hot");
  encodeOneHot(graph, t, t, prog, t, t, "hot");
  iota(graph, t, 0u, prog);
  iota(graph, t, -4, prog, "iota");
  std::cout << MASKED_LABEL_CODE << EPS_LOG_N_FLOAT << EPS_LOG_N_HALF;
}

void slices(Graph &graph, Tensor t, const Tensor &offset, Sequence &prog) {
  const OptionFlags options{{"usedForSlice", "true"},
                            {"usedForUpdate", "true"},
                            {"operationForUpdate", "add"},
                            {"partialType", "float"},
                            {"availableMemoryProportion", "0.6"},
                            {"indicesDistribution", "uniform"},
                            {"indicesAreSorted", "false"}};
  dynamicSlice(graph, t, offset, {0}, {1}, prog);
  dynamicSlice(graph, t, offset, {0, 1}, {1, 2}, prog, "slice", {});
  dynamicSliceWithOutput(graph, t, t, offset, {0}, {1}, prog, "slice");
  createDynamicSliceOutput(graph, t, {0}, {1}, "slice");
  dynamicUpdate(graph, t, t, offset, {0}, {1}, prog);
  dynamicUpdate(graph, t, t, offset, {0}, {1}, prog, "update", {});
  SlicePlan none, plan = embedding::plan(graph, FLOAT, 100, 8, {4, 4}, options);
  plan = embedding::plan(graph, FLOAT, 2, 100, 8, {4}, options);
  std::cout << plan << (plan == none) << (plan != none);
  std::set<SlicePlan> plans{plan, none};
  createSliceableTensor(graph, FLOAT, {10, 4}, {0}, {1});
  createSliceableTensor(graph, FLOAT, {10, 4}, {0}, {1}, 4, "table");
  createSliceableTensor(graph, FLOAT, {10, 4}, {0}, {1}, plan, options,
                        "table");
  createSliceTensor(graph, t, {0}, {1}, 5, "slices");
  createSliceTensor(graph, FLOAT, {10, 4}, {0}, {1}, 5, plan, options,
                    "slices");
  createSliceableTensorFromSlice(graph, t, {0}, {10}, "table");
  createIndicesTensor(graph, {0}, 5, plan, options, "indices");
  getSliceMapping(graph, t, {0}, {1});
  multiSlice(graph, t, offset, {0}, {1}, prog, plan, options, "slices");
  multiSlice(graph, t, {0, 3, 5}, 0, prog, "slices", {});
  std::vector<unsigned> fixed{0, 3};
  multiSlice(graph, t, fixed, 0, prog);
  multiUpdate(graph, t, t, offset, {0}, {1}, prog, plan, options, "update");
  multiUpdateAdd(graph, t, t, offset, t, {0}, {1}, prog, plan, options, "add");
  multiUpdateAdd(graph, t, t, fixed, t, 0, prog, "add", {});
  multiUpdateMax(graph, t, t, offset, {0}, {1}, prog, plan, options, "max");
  multiUpdateMul(graph, t, t, offset, {0}, {1}, prog, plan, options, "mul");
  createGroupedSliceableTensor(graph, FLOAT, 2, {10, 4}, {0}, {1}, plan,
                               options, "table");
  createGroupedSliceTensor(graph, FLOAT, 2, {10, 4}, {0}, {1}, 5, plan, options,
                           "slices");
  createGroupedIndicesTensor(graph, 2, {0}, 5, plan, options, "indices");
  groupedMultiSlice(graph, t, offset, {0}, {1}, prog, plan, options, "slices");
  groupedMultiUpdate(graph, t, t, offset, {0}, {1}, prog, plan, options, "u");
  groupedMultiUpdateAdd(graph, t, t, offset, t, {0}, {1}, prog, plan, options,
                        "add");
  groupedMultiUpdateMax(graph, t, t, offset, {0}, {1}, prog, plan, options,
                        "max");
  groupedMultiUpdateMul(graph, t, t, offset, {0}, {1}, prog, plan, options,
                        "mul");
}

void gathers(Graph &graph, const Tensor &t, const Tensor &indices,
             Sequence &prog) {
  GatherParams params, sized(100);
  params.maxElementsPerTile = 10;
  createGatherInput(graph, FLOAT, {4, 3}, 0);
  createGatherInput(graph, FLOAT, {4, 3}, 0u, params, "table");
  gather(graph, t, indices, 0, prog, params);
  gather(graph, t, indices, 0u, prog, params, "gather", {});
  createGatherInput(graph, FLOAT, {4, 3}, {1, 3}, {0}, "table");
  gather(graph, t, indices, 1, {1}, {1, 3}, {0}, {0}, prog);
  gather(graph, t, indices, 1, {1}, {1, 3}, {0}, std::vector<unsigned>{0}, prog,
         "gather", {});
  scatter(graph, t, indices, t, 1, {1}, {0}, {0}, prog);
  scatter(graph, t, indices, t, 1, {1}, {0}, {0}, prog, "scatter", {});
  UpdateComputationFunc update = [](Graph &g, Tensor &a, Tensor &b,
                                    Sequence &p) -> Tensor {
    (void)g, (void)b, (void)p;
    return a;
  };
  scatter(graph, t, indices, t, 1, {1}, {0}, {0}, update, prog);
  scatter(graph, t, indices, t, 1, {1}, {0}, {0}, update, prog, "scatter", {});
}

void sorts(Graph &graph, const Tensor &t, Sequence &prog) {
  TopKParams params(3, true, SortOrder::DESCENDING),
      stable(3, false, SortOrder::NONE, true);
  std::cout << params << params.k << params.largest << stable.stableSort
            << (params.sortOrder == SortOrder::ASCENDING);
  createTopKInput(graph, FLOAT, {2, 8}, params, "in");
  topK(graph, prog, t, params, "top");
  std::pair<Tensor, Tensor> pair =
      topKKeyValue(graph, prog, t, t, params, "top");
  pair = topKWithPermutation(graph, prog, t, params);
  sort(graph, t, 0, prog, "sort");
  sortInPlace(graph, t, 0, prog, "sort");
  sortKeyValue(graph, t, t, 0, prog, "sort");
  sortKeyValueInPlace(graph, t, t, 0, prog, "sort");
}

void pads(Graph &graph, const Tensor &t) {
  std::vector<std::ptrdiff_t> lower{1, -1}, upper{0, 2};
  pad(graph, t, lower, upper, 0.0f);
  pad(graph, t, {1, 1}, {0, 0}, 1.0f, padding::MappingMethod::ZERO);
  pad(graph, t, lower, upper, 3, padding::MappingMethod::EDGE);
  pad(graph, t, lower, upper, t, padding::MappingMethod::NONE);
  pad(graph, t, 1, 2, 0);
  pad(graph, t, 1, 2, 0, 1.0f, padding::MappingMethod::ZERO);
  pad(graph, t, 1, 2, 0, t);
  pad(t, lower, upper, padding::Type::EDGE);
  pad(t, lower, upper, padding::Type::REFLECT);
  pad(t, 1, 2, 0, padding::Type::EDGE);
}

void loops(Graph &graph, const Tensor &t, const Tensor &limit) {
  Sequence loop =
      countedLoop(graph, 0, 10, 2, [&](const Tensor &) { return Sequence(); });
  countedLoop(
      graph, 10, [&](const Tensor &i) -> Program { return Copy(i, t); },
      "loop");
  countedForLoop(graph, 0, limit, 1, loop);
  countedForLoop(graph, t, 0, limit, 1, loop, "loop");
  addForLoopCounterVertex(graph, t, limit, 1, 0, loop, "counter");
}

void predicates(Graph &graph, Tensor t, Sequence &prog) {
  allTrue(graph, t, prog, "all");
  hasNaN(graph, t, prog, "nan");
  hasNaNOrInf(graph, t, prog, "nan");
  histogram(graph, t, t, false, prog);
  histogram(graph, t, t, true, prog, "histogram",
            {{"useFloatArithmeticWithUnsignedIntOutput", "false"}});
  histogram(graph, t, t, true, t, true, prog, "histogram");
}

void others(Graph &graph, Tensor t, Sequence &prog) {
  sequenceSlice(graph, t, t, t, t, t, true, prog, "slice");
  createNormaliseImageInput(graph, UNSIGNED_CHAR, {1, 4, 4, 3}, "image");
  normaliseImage(graph, prog, t, 1.0f, t, t, "normalise");
  IndicesAndTensor both =
      createHostSliceableTensor(graph, FLOAT, {4, 8}, true, "host");
  createHostSliceableTensor(graph, FLOAT, {4, 8}, true, 3u, "host");
  std::cout << both.indices.valid() << both.tensor.valid();
  createHostTransferableTensor(graph, FLOAT, {8}, true, "host");
  createHostTransferableTensor(graph, FLOAT, {8}, true, 3u, "host");
  selectScalarFromRows(graph, t, t, prog, "select");
  updateScalarInRows(graph, t, t, prog, "update");
  splineBasis(graph, t, t, t, t, t, 1, prog, "basis");
  splineWeighting(graph, t, t, t, t, prog, "weighting");
  CircBuf buffer(graph, FLOAT, 4, {2, 3}, "buffer");
  buffer.prev(1, prog, "previous");
  buffer.add(t, prog, "add");
  buffer.getIndex();
  unsigned size = buffer.size();
  buffer.getTileMapping();
  (void)size;
}

void rearrangements(Graph &graph, Tensor t, Sequence &prog, ComputeSet set,
                    std::vector<Copy> &copies) {
  using namespace popops::rearrange;
  bool fast = canUseFastTranspose(graph.getTarget(), HALF, 16, 16, 4);
  partialTranspose(graph, t, set, "transpose");
  addTransposeVertices(
      graph, set, HALF, 4, 4, {{{0, 1}}},
      [&](std::size_t i) {
        return std::pair<const Tensor, const Tensor>(t[i], t[i]);
      },
      "transpose");
  unsigned grain = getMinimumRegroupGrainSize(HALF);
  regroupTensor(graph, t, prog, set, {0, 4}, {1, 4}, "regroup");
  regroupTensor(graph, t, copies, set, {0, 4}, {1, 4}, "regroup");
  regroupIfPossible(graph, t, prog, {0, 4}, {1, 4});
  regroupIfBeneficial(graph, t, t, prog, "regroup");
  regroupIfBeneficial(graph, t, 4, prog, "regroup");
  (void)fast, (void)grain;
}

int main() { return 0; }
