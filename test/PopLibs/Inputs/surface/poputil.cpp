// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every form of the functions of poputil that programs call, once. The program
// is compiled and linked; its functions are not run.

#include <poputil/Broadcast.hpp>
#include <poputil/DebugInfo.hpp>
#include <poputil/GraphFunction.hpp>
#include <poputil/OptionParsing.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/Util.hpp>
#include <poputil/VarStructure.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>

#include <popnn/NonLinearityDefUtil.hpp>
#include <popops/ExprOpUtils.hpp>
#include <popops/Operation.hpp>

#include <iostream>

using namespace poplar;
using namespace poplar::program;
using namespace poputil;

void mapping(Graph &graph, const Tensor &t, Sequence &prog,
             const std::vector<std::size_t> &shape) {
  std::vector<std::vector<Interval>> places =
      calcLinearTileMapping(graph, shape, 32, 4);
  const Target &target = graph.getTarget();
  calcLinearTileMapping(graph, shape, 32, 4, 5u, false);
  calcLinearTileMapping(target, shape, 32, 4);
  calcLinearTileMapping(target, shape, 32, 4, 5u, false);
  calcLinearTileMapping(graph, t);
  calcLinearTileMapping(graph, t, 3u, true);
  calcLinearTileMapping(target, shape, FLOAT, 3u, true);
  std::pair<Graph::TileToTensorMapping, unsigned> next =
      calcLinearTileMappingAndNewOffset(graph, t, 3);
  mapTensorLinearly(graph, t);
  mapTensorLinearly(graph, t, 32, 4);
  mapTensorLinearlyWithOffset(graph, t);
  mapTensorLinearlyWithOffset(graph, t, 3, false);
  mapTensorLinearlyWithOffset(graph, t, 32, 4, 3, false);
  std::size_t offset = chooseMappingOffset(64, shape);
  chooseMappingOffset(64, shape, 7);
  unsigned imbalance = getTileImbalance(places);
  getTileImbalance(places, 4, 2);
  getTileImbalance(graph, t);
  getTileImbalance(graph, t, 4, 2);
  TensorUseTracker tracker(64), other(64, 3, false);
  tracker.add(graph, 0, t);
  tracker.add(std::move(other));
  tracker.resolve(graph, 1, 4);
  tracker.resolve(graph, 1, 4, true);
  tracker.mapTensorsByUse(graph, 1, 4);
  tracker.mapTensorsByUse(graph, 1, 4, true,
                          TensorUseTracker::MappingMethod::OptimizeHaloRegions);
  tracker.mapTensorsByUse(
      graph, 1, 4, false,
      TensorUseTracker::MappingMethod::ConstrainMappingToUsedTiles);
  bool empty = tracker.empty();
  cloneToIpu(graph, t, 1);
  cloneToIpu(graph, t, 1, "clone",
             TensorCloneMethod::PRESERVE_ORDER_AND_ALIASES);
  Graph copy;
  cloneToGraph(graph, copy, t, "clone");
  cloneToGraph(graph, copy, t, {},
               TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
  std::pair<Tensor, unsigned> expanded = cloneAndExpandAliasing(graph, t, 0);
  copyToIpu(graph, t, prog, 1);
  copyToIpu(graph, t, prog, 1, "copy",
            TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
  Tensor source, destination;
  createIpuCopy(graph, t, 1, source, destination, "copy");
  createIpuCopy(graph, t, 1, source, destination, {},
                TensorCloneMethod::PRESERVE_ORDER_AND_ALIASES);
  bool split =
      dimIsSplitOverTiles(graph, t, 0) || dimIsSplitOverIPUs(graph, t, 0);
  createBroadcastOperand(graph, t, FLOAT, 1);
  createBroadcastOperand(graph, t, FLOAT, 1, true, "biases");
  transformTileIndex(3, 64, 5, true);
  invTransformTileIndex(3, 64, 5, true);
  (void)offset, (void)imbalance, (void)empty, (void)split;
}

void broadcasts(Tensor a, Tensor b, Tensor c) {
  expandToMatchRanks(a, b);
  broadcastToMatch(a, {2, 3});
  broadcastToMatch(a, b.shape());
  broadcastToMatch(a, b);
  broadcastToMatch(a, b, c);
  bool can = canBroadcastToMatch(a, b);
  (void)can;
}

void utilities(Graph &graph, Tensor t, Sequence &prog,
               std::vector<std::vector<Interval>> places) {
  const Target &target = graph.getTarget();
  std::vector<Interval> regions = places[0];
  mergeAdjacentRegions(regions);
  mergeAdjacentRegions(places);
  flattenIntervals(places);
  std::size_t elements = intervalSequenceNumElements(regions);
  splitRegions(regions, 4, 6);
  splitRegions(regions, 4, 6, 1, 100, 50);
  splitRegions(places, 4, 6);
  splitRegions(places, 4, 6, 1, 100, 50);
  splitRegionsBetweenWorkers(target, regions, 4);
  splitRegionsBetweenWorkers(target, regions, 4, 1, 100, 50);
  splitRegionsBetweenWorkers(target, places, 4);
  splitRegionsBetweenWorkers(target, places, 4, 1);
  std::vector<std::size_t> shape{2, 3};
  unflattenIndex(shape, std::size_t(4));
  unflattenIndex<std::size_t>({2, 3}, 4);
  flattenIndex(shape, shape);
  flattenIndex<std::size_t>({2, 3}, {1, 1});
  duplicate(graph, t, prog);
  duplicate(graph, t, prog, "copy",
            TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
  cloneN(graph, t, 3);
  cloneN(graph, t, 3, "clones",
         TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
  std::vector<int> parts = balancedPartition(7, 3);
  factorDims(t, {2, 2});
  factorDims(t, {2, 2}, 1);
  unfactorDims(t, 2);
  unfactorDims(t, 2, 1);
  double rounded = castToDeviceHalfValue(target, 0.1);
  bool exact = checkAccuracyWhenCast(target, 0.1, FLOAT, HALF, 1e-3);
  calculateUnshufflingIntervals(regions);
  (void)elements, (void)rounded, (void)exact;
}

void names() {
  std::string name = templateVertex("ns::Name");
  name = templateVertex("ns::Name", FLOAT, true, 3u, "text",
                        popops::Operation::ADD, popnn::NonLinearityType::RELU,
                        popops::expr::BinaryOpType::ADD);
  name = templateVertexParams(true, HALF, false);
  name = VertexTemplateToString<StringRef>::to_string("text");
}

void structures(Graph &graph, const Tensor &t) {
  unsigned grouping = detectInnermostGrouping(graph, t);
  std::vector<GroupingInfo> groupings = detectDimGroupings(graph, t);
  Tensor made = createPartitionableTensor(graph, FLOAT, {4, 6}, {2, 3});
  createPartitionableTensor(graph, FLOAT, t.shape(), {2, 3}, "parts");
  iterateTensorPartitions(
      made, {2, 3}, [](const std::vector<std::size_t> &, const Tensor &) {});
  (void)grouping;
}

void functions(Graph &graph, Tensor &a, Tensor &b, Sequence &prog) {
  using namespace poputil::graphfn;
  Signature signature{input(a, "a"), inout(b, "b"), output(a, "c"),
                      created("d")};
  VoidFunction nothing(graph, signature,
                       [](std::vector<Tensor> &, Sequence &) {});
  VoidFunction named(
      graph, {input(a)},
      [](std::vector<Tensor> &, Sequence &, const DebugNameAndId &) {}, true,
      "named");
  std::vector<Tensor> arguments{a, b, a, b};
  nothing(arguments, prog);
  nothing(arguments, prog, "call");
  TensorFunction makes(
      graph, {input(a, "a")},
      [](std::vector<Tensor> &args, Sequence &) { return args[0]; });
  Tensor made = makes(arguments, prog);
  ProgramFunction program(graph, {input(a, "a")},
                          [](std::vector<Tensor> &) { return Sequence(); });
  Program called = program(arguments);
  ArgSig sig{InputArg, a, "a"};
}

void debugging(const DebugContext &dc, const Tensor &t) {
  PoplibsOpDebugInfo di(dc, DI_ARGS(t));
  di.add("more", DI_ARGS(t));
  di.addOutput(t);
  di.addOutputs(DI_ARGS(t));
  di.addOutputs({{"t", toProfileValue(t)}});
  PoplibsOpDebugInfo none(dc);
  toProfileValue(FLOAT);
  toProfileValue(3u);
  toProfileValue(std::vector<Tensor>{t});
  toProfileValue(OptionFlags());
  Tensor inner(t);
  Copy(t, t, false, {di});
  Copy(t, t, false, {di, "copy"});
}

enum class Kind { A, B };
void options(const OptionFlags &flags) {
  Kind kind = Kind::A;
  unsigned count = 0;
  bool on = false;
  double share = 0;
  std::string text;
  using poplibs::OptionHandler;
  const poplibs::OptionSpec spec{
      {"kind",
       OptionHandler::createWithEnum(kind, {{"a", Kind::A}, {"b", Kind::B}})},
      {"count", OptionHandler::createWithInteger(count)},
      {"on", OptionHandler::createWithBool(on)},
      {"share", OptionHandler::createWithDouble(share)},
      {"text", OptionHandler::createWithString(text)}};
  for (const auto &entry : flags)
    spec.parse(entry.first, entry.second);
  spec.parse("kind", "a", true);
  int number = poplibs::parse::asInteger("3");
  double real = poplibs::parse::asFloatingPoint("0.5");
  bool flag = poplibs::parse::asBool("true");
  (void)number, (void)real, (void)flag;
  throw poplibs_error("no");
}

int main() { return 0; }
