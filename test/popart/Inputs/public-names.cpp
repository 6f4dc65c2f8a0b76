// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of PopART's headers that programs use, each once.

#include <onnx/onnx.pb.h>
#include <popart/adam.hpp>
#include <popart/adaptive.hpp>
#include <popart/builder.hpp>
#include <popart/defaulttilecount.hpp>
#include <popart/graphcoreoperators.hpp>
#include <popart/half.hpp>
#include <popart/op/accumulate.hpp>
#include <popart/op/add.hpp>
#include <popart/op/collectives/collectives.hpp>
#include <popart/op/collectives/replicatedallgather.hpp>
#include <popart/op/collectives/replicatedallreduce.hpp>
#include <popart/op/collectives/replicatedreducescatter.hpp>
#include <popart/op/groupnorm.hpp>
#include <popart/op/identity.hpp>
#include <popart/op/identityloss.hpp>
#include <popart/op/l1.hpp>
#include <popart/op/loss.hpp>
#include <popart/op/nll.hpp>
#include <popart/op/slice.hpp>
#include <popart/opdebuginfo.hpp>
#include <popart/operators.hpp>
#include <popart/opidentifier.hpp>
#include <popart/popx/op/collectives/collectivesx.hpp>
#include <popart/popx/op/gatherx.hpp>
#include <popart/popx/popopx.hpp>
#include <popart/replicagrouping.hpp>
#include <popart/sgd.hpp>
#include <popart/tensordebuginfo.hpp>
#include <popart/tensorlocation.hpp>
#include <popart/tensors.hpp>
#include <popart/topocons.hpp>
#include <popart/transforms/transform.hpp>
#include <popart/util.hpp>
#include <poprithms/memory/inplace/proposal.hpp>

#include <array>
#include <iostream>
#include <sstream>
#include <typeinfo>

using namespace popart;

static int failures = 0;

static void check(bool good, const char *what) {
  if (!good) {
    std::cout << what << " is wrong\n";
    ++failures;
  }
}
#define CHECK(CONDITION) check(CONDITION, #CONDITION)

template <class E, class Function>
static bool throws(Function function, const std::string &text) {
  try {
    function();
  } catch (const E &error) {
    return std::string(error.what()).find(text) != std::string::npos;
  }
  return false;
}

template <class T> static std::string text(const T &value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

struct RemoveIdentities : Transform {
  bool apply(Graph &graph) const override {
    const std::vector<Op *> ops = graph.getOpSchedule();
    for (Op *op : ops)
      if (op->isConvertibleTo<IdentityOp>())
        graph.eraseOp(op->id);
    return true;
  }
  static std::size_t id() { return typeid(RemoveIdentities).hash_code(); }
  std::size_t getId() const override { return id(); }
  std::string getName() const override { return "RemoveIdentities"; }
};
static const bool registered =
    Transform::registerTransform(new RemoveIdentities);

static void graphs() {
  Ir ir;
  Graph &graph = ir.getMainGraph();
  CHECK(graph.id == GraphId::root() && ir.hasGraph(GraphId::root()));
  Graph &other = ir.createGraph(GraphId("other"));
  CHECK(&ir.getGraph("other") == &other && ir.getAllGraphs().size() == 2);
  CHECK(throws<error>([&] { ir.getGraph("none"); }, "no graph 'none'"));

  const TensorInfo pair(DataType::FLOAT, Shape{2, 4});
  const float ones[8] = {1, 1, 1, 1, 1, 1, 1, 1};
  graph.addInput("x", pair);
  graph.getTensors().addVarInit("w", pair, ones);
  graph.getTensors().addConstInit("c", pair, ones);
  graph.getTensors().addStream("s", pair);
  CHECK(graph.getTensors().getIds(TensorType::Variable) ==
        std::vector<TensorId>{"w"});
  CHECK(graph.getTensors().get("w")->tensorData()->copyDataAs<float>(8)[7] ==
        1);
  CHECK(throws<error>([&] { graph.getTensors().addActGrad("x"); }, "'x'"));
  graph.getTensors().remove("s");
  CHECK(!graph.getTensors().contains("s"));

  const Op::Settings settings(graph, "named");
  auto *sum = graph.createConnectedOp<AddOp>({{0, "x"}, {1, "w"}}, {{0, "sum"}},
                                             Onnx::Operators::Add_7, settings);
  CHECK(sum->outInfo(0) == pair && sum->inTensorCount() == 2);
  auto *first = graph.createConnectedOp<IdentityOp>(
      {{0, "x"}}, {{0, "first"}}, Onnx::Operators::Identity_1, settings);
  graph.topoCons->insert(first, sum);
  CHECK(graph.getOpSchedule() == (std::vector<Op *>{first, sum}));
  CHECK(graph.topoCons->contains(first, sum) &&
        graph.topoCons->getAfters(first) == std::vector<Op *>{sum});
  graph.markAsOutput("sum");
  CHECK(graph.getOutputId(0) == "sum" && graph.hasInputId("x"));

  const TensorDebugInfo info("layer", "x", pair, TensorType::Stream);
  CHECK(info.getValue("shape") == "(2,4)" &&
        info.getValue("type") == "Stream" && info.getPathName() == "layer");
  const OpDebugInfo opInfo(DebugContext(info, "sum"), *sum);
  CHECK(opInfo.getValue("opid") == "ai.onnx.Add:7" &&
        opInfo.getPathName() == "layer/sum" && opInfo.getId() != info.getId());

  ir.applyTransform(RemoveIdentities::id(), graph);
  CHECK(graph.getOpSchedule() == std::vector<Op *>{sum});
  CHECK(throws<error>([&] { ir.applyTransform(1, graph); }, "no transform 1"));
}

static void operators() {
  Ir ir;
  Graph &graph = ir.getMainGraph();
  const Op::Settings settings(graph, "");
  graph.addInput("x", TensorInfo(DataType::FLOAT, Shape{2, 4}));
  graph.addInput("c", TensorInfo(DataType::FLOAT, Shape{4}));
  using Onnx::CustomOperators::GroupNormalization_1;
  using Onnx::CustomOperators::L1_1;
  auto *loss = graph.createConnectedOp<L1Op>(
      {{L1Op::getInIndex(), "x"}}, {{L1Op::getOutIndex(), "loss"}}, L1_1, 0.5F,
      ReductionType::Sum, settings);
  CHECK(loss->outShape(0).empty() && loss->getLambda() == 0.5F &&
        loss->isConvertibleTo<LossOp>() &&
        loss->getReductionType() == ReductionType::Sum);
  auto *norm = graph.createConnectedOp<GroupNormOp>(
      {{0, "x"}, {1, "c"}, {2, "c"}}, {{0, "n"}, {1, "mean"}, {2, "dev"}},
      GroupNormalization_1, 2, 1e-3F, settings);
  CHECK(norm->outShape(GroupNormOp::getYOutIndex()) == (Shape{2, 4}) &&
        norm->outShape(GroupNormOp::getMeanOutIndex()) == Shape{4} &&
        norm->getNumGroups() == 2);
  auto *part = graph.createConnectedOp<SliceOp>(
      {{0, "x"}}, {{0, "part"}}, Onnx::Operators::Add_7,
      std::vector<std::int64_t>{1}, std::vector<std::int64_t>{3},
      std::vector<std::int64_t>{1}, settings);
  CHECK(part->outShape(0) == (Shape{2, 2}) && part->getStarts()[0] == 1);
  auto *gradient = graph.createConnectedOp<IdentityGradOp>(
      {{0, "x"}}, {{0, "dx"}}, Onnx::GradOperators::IdentityGrad, settings);
  CHECK(gradient->outShape(0) == (Shape{2, 4}) &&
        gradient->getNonGradInIndex(0) == 0);
  auto *added = graph.createConnectedOp<AccumulateOp>(
      {{VarUpdateOp::getVarToUpdateInIndex(), "x"},
       {VarUpdateWithUpdaterOp::getUpdaterInIndex(), "dx"}},
      {{0, "updated"}}, AccumulationType::MovingAverage,
      OptimizerValue(0.9F, true), settings);
  CHECK(added->outShape(0) == (Shape{2, 4}) && added->modifiesIndex(0) &&
        !added->modifiesIndex(1) && added->getFactor().val() == 0.9F);
  CHECK(graph.getTensors().get("x")->isModified());

  const ReplicaGrouping groups(8, 2, 2);
  using Onnx::CustomOperators::ReplicatedAllReduce_1;
  ReplicatedAllReduceOp reduce(ReplicatedAllReduce_1, CollectiveOperator::Max,
                               groups, settings);
  CHECK(reduce.getCommSize() == 2 && reduce.getCommStride() == 2 &&
        reduce.getCollectiveOp() == CollectiveOperator::Max);
  auto *scattered = graph.createConnectedOp<ReplicatedReduceScatterOp>(
      {{0, "x"}}, {{0, "scattered"}},
      Onnx::CustomOperators::ReplicatedReduceScatter_1, CollectiveOperator::Add,
      groups, settings);
  CHECK(scattered->outShape(0) == Shape{4});
  auto *gathered = graph.createConnectedOp<ReplicatedAllGatherOp>(
      {{0, "scattered"}}, {{0, "gathered"}},
      Onnx::CustomOperators::ReplicatedAllGather_1, groups, settings);
  CHECK(gathered->outShape(0) == Shape{8});
  CHECK(added->isConvertibleTo<VarUpdateOp>() &&
        (gathered->isConvertibleToAny<AddOp, CollectivesBaseOp>()));
  const AliasModel model;
  CHECK(loss->mapInplaceProposalGate0(model, L1_1) ==
        poprithms::memory::inplace::Proposal(model.getGate(loss->id), 0));
  CHECK(throws<error>([&] { loss->mapInplaceProposal(model, L1_1); }, "L1"));
  const nonstd::optional<float> lambda = NllOp::getProbsInIndex() + 0.5F;
  const L1Loss old("x", "loss", *lambda, ReductionType::Mean);
  CHECK(old.getReductionType() == ReductionType::Mean);
}

static void groups() {
  const ReplicaGrouping some(8, 2, 2);
  CHECK(some.getNumGroups() == 4 && some.getGroupAt(6) == 2 &&
        some.getIndexInGroupAt(6) == 1 && some.getReplicaAt(2, 1) == 6);
  for (unsigned replica = 0; replica != 8; ++replica)
    CHECK(some.getReplicaAt(some.getGroupAt(replica),
                            some.getIndexInGroupAt(replica)) == replica);
  CHECK(ReplicaGrouping(8, 1, 4).getTranspose() == ReplicaGrouping(8, 4, 2));
  CHECK(throws<error>([] { ReplicaGrouping(8, 3, 2); }, "stride of 3"));
  CHECK(popx::toGclCommGroup(some) ==
        gcl::CommGroup(gcl::CommGroupType::CONSECUTIVE, 2, 2));
  CHECK(popx::toGclCollectiveOperator(CollectiveOperator::SquareAdd) ==
        gcl::CollectiveOperator::SQUARE_ADD);
}

static void optimizers() {
  CHECK(SGD::getUnsetLearningRate() == OptimizerValue(0.1F, true) &&
        SGD::getUnsetVelocityScaling().val() == 1 &&
        Adam::getUnsetBeta2().val() == 0.999F &&
        Adaptive::getUnsetAlpha().val() == 0.99F);
  const SGD changing({{"defaultLearningRate", {0.1F, false}}});
  const SGD faster({{"defaultLearningRate", {0.2F, false}}});
  const SGD fixed({{"defaultLearningRate", {0.1F, true}}});
  CHECK(changing.validReplacement(faster));
  CHECK(throws<optimizer_replacement_error>(
      [&] { changing.validReplacement(fixed); }, "not constant"));
  CHECK(throws<optimizer_replacement_error>(
      [&] { changing.validReplacement(Adam({})); }, "SGD"));
  SGD own({{"defaultLearningRate", {0.1F, false}}});
  own.insertSpecific("w", {{"learningRate", {1, false}}});
  CHECK(throws<optimizer_replacement_error>(
      [&] { changing.validReplacement(own); }, "numbers of their own"));
}

static void values() {
  CHECK(text(std::array<int, 2>{{1, 2}}) == "[1 2]");
  CHECK(text(std::map<std::string, std::set<int>>{{"a", {3, 4}}}) ==
        "[(a, [3 4])]");
  CHECK(floatToHalf(1.5F).bit16() == 0x3E00 &&
        halfToFloat(floatToHalf(0.1F)) == 0.0999755859375F);
  const TensorLocation location(TensorStorage::OffChip, TileSet::Compute,
                                TileSet::IO, ReplicatedTensorSharding::On,
                                CommGroup(CommGroupType::Consecutive, 2));
  CHECK(location.isRemote() && location.storageTileSet == TileSet::IO &&
        location.shardingDomain.replicaGroupSize == 2 &&
        text(location) == "(OffChip, Compute, IO, On)" &&
        location != TensorLocation());
  CHECK(defaultFewTiles > 1 && defaultManyTiles > defaultFewTiles);
  CHECK(OperatorIdentifier("", "Add", 7).domain == Domain::ai_onnx);
  onnx::ModelProto model;
  CHECK(model.ParseFromString(Builder::create()->getModelProto()));
  logging::ir::debug("{} operators", 1);
  logging::liveness::trace("nothing");
}

int main() {
  graphs();
  operators();
  groups();
  optimizers();
  values();
  std::cout << (failures ? "failed\n" : "all names are right\n");
  return failures != 0;
}
