// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// gcl's collectives in all kinds of groups, against a reference that knows
// which replicas are together; and normalisations over a batch that replicas
// have between them.

#include "Harness.h"

#include <gcl/CollectiveBalancedReorder.hpp>
#include <gcl/Collectives.hpp>
#include <gcl/TileAllocation.hpp>
#include <popnn/BatchNorm.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <numeric>
#include <sstream>

using namespace poplar;
using namespace test;
using gcl::CollectiveOperator;
using gcl::CommGroup;
using gcl::CommGroupType;
using poputil::poplibs_error;

namespace {

constexpr unsigned Replicas = 4;

using Group = std::vector<unsigned>;
struct Grouping {
  CommGroup group;
  std::vector<Group> members;
};

const Grouping Groupings[] = {
    {{}, {{0, 1, 2, 3}}},
    {{CommGroupType::ALL, 0}, {{0, 1, 2, 3}}},
    {{CommGroupType::CONSECUTIVE, 2}, {{0, 1}, {2, 3}}},
    {{CommGroupType::CONSECUTIVE, 2, 2}, {{0, 2}, {1, 3}}},
    {{CommGroupType::CONSECUTIVE, 1}, {{0}, {1}, {2}, {3}}},
    {{CommGroupType::ORTHOGONAL, 2}, {{0, 2}, {1, 3}}},
    {{CommGroupType::ORTHOGONAL, 4}, {{0, 1, 2, 3}}},
};

class Gcl : public testing::TestWithParam<bool> {
protected:
  Device device = makeDevice();
  Graph graph{device, replication_factor(Replicas)};
  program::Sequence prog;
  std::map<std::string, std::vector<float>> inputs, outputs;

  void SetUp() override { popops::addCodelets(graph); }

  Device makeDevice() {
    if (!GetParam())
      return Device::createSimulatorDevice(
          Target::createIPUTarget(Replicas, 3, "ipu2"));
    IPUModel model;
    model.numIPUs = Replicas;
    model.tilesPerIPU = 3;
    return model.createDevice();
  }

  /// Replica r, element i: 10 r + i.
  Tensor input(const Shape &shape) {
    const Tensor t = graph.addVariable(FLOAT, shape);
    poputil::mapTensorLinearly(graph, t);
    const std::string handle = "in" + std::to_string(inputs.size());
    graph.createHostWrite(handle, t);
    std::vector<float> &values = inputs[handle];
    for (unsigned r = 0; r != Replicas; ++r)
      for (std::size_t i = 0; i != t.numElements(); ++i)
        values.push_back(value(r, i));
    return t;
  }
  static float value(unsigned replica, std::size_t element) {
    return 10.0f * replica + element;
  }

  std::string output(const Tensor &t) {
    const std::string handle = "out" + std::to_string(outputs.size());
    graph.createHostRead(handle, t);
    outputs[handle].resize(Replicas * t.numElements());
    return handle;
  }

  void run() {
    Engine engine(graph, prog);
    engine.load(device);
    for (auto &[handle, values] : inputs)
      engine.writeTensor(handle, values.data(), values.data() + values.size());
    engine.run();
    for (auto &[handle, values] : outputs)
      engine.readTensor(handle, values.data(), values.data() + values.size());
  }

  /// Element i of replica r of an output of n elements.
  float at(const std::string &handle, unsigned r, std::size_t n,
           std::size_t i) const {
    return outputs.at(handle).at(r * n + i);
  }
};

INSTANTIATE_TEST_SUITE_P(Devices, Gcl, testing::Bool(), [](const auto &info) {
  return info.param ? "model" : "ipu";
});

} // namespace

TEST_P(Gcl, Groups) {
  struct Outs {
    std::string sum, mean, gathered, scattered, exchanged, broadcast, kept;
  };
  std::vector<Outs> all;
  for (const Grouping &grouping : Groupings) {
    const CommGroup &group = grouping.group;
    const unsigned members = grouping.members[0].size();
    Outs outs;
    outs.sum = output(gcl::allReduceCrossReplica(
        graph, input({5}), CollectiveOperator::ADD, prog, group));
    const Tensor mean = input({5});
    gcl::allReduceInPlaceCrossReplica(graph, mean, CollectiveOperator::MEAN,
                                      prog, group);
    outs.mean = output(mean);
    const Tensor gathered =
        gcl::allGatherCrossReplica(graph, input({2, 1}), prog, group);
    EXPECT_EQ(gathered.shape(), Shape({members, 2, 1}));
    outs.gathered = output(gathered);
    const Tensor scattered = gcl::reduceScatterCrossReplica(
        graph, input({5}), CollectiveOperator::MAX, prog, group);
    EXPECT_EQ(scattered.shape(), Shape({(5 + members - 1) / members}));
    outs.scattered = output(scattered);
    outs.kept = output(gcl::reduceScatterCrossReplica(
        graph, input({4}), CollectiveOperator::LOCAL, prog, group));
    outs.exchanged = output(
        gcl::allToAllCrossReplica(graph, input({members, 2}), prog, group));
    outs.broadcast =
        output(gcl::broadcastCrossReplica(graph, input({3}), prog, group));
    all.push_back(outs);
  }
  run();
  for (std::size_t g = 0; g != std::size(Groupings); ++g)
    for (const Group &group : Groupings[g].members) {
      const unsigned members = group.size();
      const std::size_t share = (5 + members - 1) / members;
      const double mean =
          std::accumulate(group.begin(), group.end(), 0.0) / members;
      const unsigned last = *std::max_element(group.begin(), group.end());
      for (unsigned m = 0; m != members; ++m) {
        const unsigned r = group[m];
        const auto where = [&] {
          return "grouping " + std::to_string(g) + ", replica " +
                 std::to_string(r);
        };
        for (std::size_t i = 0; i != 5; ++i) {
          EXPECT_EQ(at(all[g].sum, r, 5, i), members * (10 * mean + i))
              << where();
          EXPECT_EQ(at(all[g].mean, r, 5, i), 10 * mean + i) << where();
        }
        for (unsigned k = 0; k != members; ++k)
          for (unsigned i = 0; i != 2; ++i) {
            EXPECT_EQ(at(all[g].gathered, r, 2 * members, 2 * k + i),
                      value(group[k], i))
                << where();
            EXPECT_EQ(at(all[g].exchanged, r, 2 * members, 2 * k + i),
                      value(group[k], 2 * m + i))
                << where();
          }
        for (std::size_t i = 0; i != share; ++i)
          EXPECT_EQ(at(all[g].scattered, r, share, i),
                    m * share + i < 5 ? value(last, m * share + i) : 0)
              << where();
        const std::size_t kept = 4 / members;
        for (std::size_t i = 0; i != kept; ++i)
          EXPECT_EQ(at(all[g].kept, r, kept, i), value(r, m * kept + i))
              << where();
        for (std::size_t i = 0; i != 3; ++i)
          EXPECT_EQ(at(all[g].broadcast, r, 3, i), value(group[0], i))
              << where();
      }
    }
}

TEST_P(Gcl, Destinations) {
  const Tensor gathered = graph.addVariable(FLOAT, {Replicas, 2});
  const Tensor scattered = graph.addVariable(FLOAT, {2});
  const Tensor reduced = graph.addVariable(FLOAT, {2});
  for (const Tensor &t : {gathered, scattered, reduced})
    graph.setTileMapping(t, 2);
  gcl::allGatherToDestinationCrossReplica(graph, input({2}), gathered, prog);
  gcl::reduceScatterToDestinationCrossReplica(graph, input({8}), scattered,
                                              CollectiveOperator::ADD, prog);
  gcl::allReduceToDestinationCrossReplica(graph, input({2}), reduced,
                                          CollectiveOperator::SQUARE_ADD, prog);
  const auto several = gcl::allReduceCrossReplica(
      graph, std::vector<Tensor>{input({1}), input({2})},
      CollectiveOperator::MIN, prog);
  const auto g = output(gathered), s = output(scattered), r = output(reduced);
  const auto first = output(several.at(0)), second = output(several.at(1));
  run();
  for (unsigned replica = 0; replica != Replicas; ++replica) {
    EXPECT_EQ(at(g, replica, 8, 5), value(2, 1));
    EXPECT_EQ(at(s, replica, 2, 1), 60 + 4 * (2 * replica + 1));
    EXPECT_EQ(at(r, replica, 2, 1), 1 + 11 * 11 + 21 * 21 + 31 * 31);
    EXPECT_EQ(at(first, replica, 1, 0), 0);
    EXPECT_EQ(at(second, replica, 2, 1), 1);
  }
}

TEST_P(Gcl, Refusals) {
  const Tensor t = input({4});
  EXPECT_THROW(
      gcl::allReduceCrossReplica(graph, t, CollectiveOperator::ADD, prog,
                                 CommGroup(CommGroupType::CONSECUTIVE, 3)),
      poplibs_error);
  EXPECT_THROW(
      gcl::allReduceCrossReplica(graph, t, CollectiveOperator::ADD, prog,
                                 CommGroup(CommGroupType::CONSECUTIVE, 2, 3)),
      poplibs_error);
  EXPECT_THROW(gcl::reduceScatterCrossReplica(graph, t.reshape({2, 2}),
                                              CollectiveOperator::ADD, prog),
               poplibs_error);
  EXPECT_THROW(gcl::reduceScatterCrossReplica(graph, t.broadcast(2, 0),
                                              CollectiveOperator::ADD, prog),
               poplibs_error);
  EXPECT_THROW(gcl::allToAllCrossReplica(graph, t.slice(0, 3), prog),
               poplibs_error);
  EXPECT_THROW(gcl::allReduceCrossReplica(
                   graph, t, CollectiveOperator::LOGICAL_AND, prog),
               poplibs_error);
  EXPECT_THROW(gcl::allReduceCrossReplica(graph, t, CollectiveOperator::ADD,
                                          prog, "all", {{"method", "pigeon"}}),
               invalid_option);
}

TEST(GclParts, WithinReplica) {
  IPUModel model;
  model.numIPUs = 2;
  model.tilesPerIPU = 2;
  const Device device = model.createDevice();
  Graph graph(device.getTarget());
  popops::addCodelets(graph);
  program::Sequence prog;
  const Tensor t = graph.addVariable(FLOAT, {2, 3});
  graph.setTileMapping(t[0], 0);
  graph.setTileMapping(t[1], 3);
  graph.setInitialValue(t, std::vector<float>{1, 2, 3, 10, 20, 30});
  const Tensor sum =
      gcl::allReduceWithinReplica(graph, t, CollectiveOperator::ADD, prog);
  const gcl::Chunks chunks =
      gcl::reduceScatterWithinReplica(graph, t, CollectiveOperator::MEAN, prog);
  ASSERT_EQ(chunks.chunks.size(), 2u);
  const Tensor mean = gcl::allGatherWithinReplica(graph, chunks, prog);
  EXPECT_EQ(graph.getTileMapping(sum), graph.getTileMapping(t));
  EXPECT_EQ(graph.getTileMapping(mean), graph.getTileMapping(t));
  graph.createHostRead("sum", sum);
  graph.createHostRead("mean", mean);
  Engine engine(graph, prog);
  engine.loadAndRun(device);
  std::vector<float> values(6);
  engine.readTensor("sum", values.data(), values.data() + 6);
  EXPECT_EQ(values, std::vector<float>({11, 22, 33, 11, 22, 33}));
  engine.readTensor("mean", values.data(), values.data() + 6);
  EXPECT_EQ(values, std::vector<float>({5.5, 11, 16.5, 5.5, 11, 16.5}));
}

TEST(GclParts, Tiles) {
  IPUModel model;
  model.tilesPerIPU = 64;
  model.numIPUs = 2;
  Graph graph(model.createDevice().getTarget());
  EXPECT_EQ(gcl::getMinIoTiles(graph), 32u);
  const auto io = gcl::perIPUTiles(graph, 0, 32);
  const auto compute = gcl::perIPUTiles(graph, 32, 32);
  EXPECT_EQ(io.size(), 32u);
  EXPECT_EQ(compute.front(), io.back() + 1);
  // The tiles of each IPU.
  EXPECT_EQ(graph.createVirtualGraph(io).getTarget().getNumTiles(), 64u);
  EXPECT_THROW(gcl::perIPUTiles(graph, 40, 32), poplibs_error);
  EXPECT_THROW(gcl::perIPUTiles(graph, 1, 2), poplibs_error);
  EXPECT_EQ(gcl::perIPUTiles(graph, 1, 3, true, false),
            std::vector<unsigned>({1, 2, 3}));
}

TEST(GclParts, BalancedReorder) {
  IPUModel model;
  model.tilesPerIPU = 4;
  Graph graph(model.createDevice().getTarget());
  for (const std::size_t grain : {1, 4}) {
    const Tensor t = graph.addVariable(FLOAT, {5, 2, 3});
    poputil::mapTensorLinearly(graph, t, 1, 1);
    const gcl::CollectiveBalancedReorder reorder(graph, t, 4, {}, false, grain);
    const auto &host = reorder.getHostRearrangement();
    EXPECT_EQ(host.getTotalElementsPerReplica(), 8u);
    EXPECT_EQ(host.getNumRearrangedTensorElems(), 32u);
    const Tensor slice = reorder.createReplicaSlice(HALF, "slice");
    const Tensor whole = reorder.createCollectivesTensor(HALF, "whole");
    EXPECT_EQ(slice.shape(), Shape({8}));
    EXPECT_EQ(whole.shape(), Shape({32}));
    for (unsigned r = 0; r != 4; ++r)
      EXPECT_EQ(graph.getTileMapping(whole.slice(8 * r, 8 * r + 8)),
                graph.getTileMapping(slice));
    EXPECT_EQ(reorder.undoRearrangeForCollective(whole).shape(), t.shape());
    std::vector<float> in(30), gathered(32), back(30);
    std::iota(in.begin(), in.end(), 1.0f);
    const auto bytes = [](auto &list) {
      return reinterpret_cast<char *>(list.data());
    };
    host.rearrangeForCollective(bytes(in), 120, bytes(gathered), 128, 4);
    host.undoRearrangeForCollective(bytes(gathered), 128, bytes(back), 120, 4);
    EXPECT_EQ(back, in);
    EXPECT_EQ(gathered[30] + gathered[31], 0);
    EXPECT_THROW(
        host.rearrangeForCollective(bytes(in), 116, bytes(gathered), 128, 4),
        poplibs_error);
  }
}

TEST(GclParts, Names) {
  std::stringstream text("MEAN none");
  CollectiveOperator op;
  EXPECT_TRUE(text >> op);
  EXPECT_EQ(op, CollectiveOperator::MEAN);
  EXPECT_FALSE(text >> op);
  std::ostringstream out;
  out << CollectiveOperator::LOCAL << " "
      << CommGroup(CommGroupType::ORTHOGONAL, 4);
  EXPECT_EQ(out.str(), "LOCAL CommGroup(ORTHOGONAL, 4, 1)");
}

TEST_P(Gcl, DistributedBatchNorm) {
  constexpr std::size_t Batch = 2, Channels = 3, Field = 4;
  constexpr std::size_t PerReplica = Batch * Channels * Field;
  constexpr double Epsilon = 0.01;
  unsigned calls = 0;
  const auto sumOver = [&](Graph &g, const std::vector<Tensor> &tensors,
                           program::Sequence &p, unsigned groupSize,
                           const DebugContext &dc, const OptionFlags &) {
    ++calls;
    EXPECT_EQ(groupSize, 2u);
    return gcl::allReduceCrossReplica(
        g, tensors, CollectiveOperator::ADD, p,
        CommGroup(CommGroupType::CONSECUTIVE, groupSize), dc);
  };
  const Tensor acts = input({Batch, Channels, Field});
  const Tensor grads = input({Batch, Channels, Field});
  const Tensor gamma = graph.addConstant(FLOAT, {Channels}, 2.0f);
  graph.setTileMapping(gamma, 0);
  std::vector<std::string> results;
  for (bool stable : {false, true}) {
    const auto statistics = popnn::bn::distributedBatchNormStatistics(
        graph, acts, Epsilon, prog, false, sumOver, 2 * Batch, stable);
    results.push_back(output(statistics.first));
    results.push_back(output(statistics.second));
    results.push_back(output(popnn::bn::distributedBatchNormGradients(
        graph, acts, grads, statistics.first, statistics.second, gamma, prog,
        sumOver, 2 * Batch)));
  }
  // Two for the stable statistics, one for the others and for gradients each.
  EXPECT_EQ(calls, 5u);
  // A batch of one replica is an ordinary one.
  popnn::bn::distributedBatchNormStatistics(graph, acts, Epsilon, prog, false,
                                            sumOver, Batch);
  EXPECT_EQ(calls, 5u);
  EXPECT_THROW(popnn::bn::distributedBatchNormStatistics(
                   graph, acts, Epsilon, prog, false, sumOver, Batch + 1),
               poplibs_error);
  run();
  for (unsigned r = 0; r != Replicas; ++r)
    for (std::size_t c = 0; c != Channels; ++c) {
      double sum = 0, squares = 0, products = 0;
      const auto forElements = [&](auto visit) {
        for (unsigned member = r / 2 * 2; member != r / 2 * 2 + 2; ++member)
          for (std::size_t b = 0; b != Batch; ++b)
            for (std::size_t f = 0; f != Field; ++f)
              visit(value(member, (b * Channels + c) * Field + f));
      };
      const double count = 2 * Batch * Field;
      forElements([&](double x) { sum += x; });
      const double mean = sum / count;
      forElements([&](double x) { squares += (x - mean) * (x - mean); });
      const double inverse = 1 / std::sqrt(squares / count + Epsilon);
      // The gradients of the activations are the activations.
      forElements([&](double x) { products += 2 * x * (x - mean) * inverse; });
      for (std::size_t form = 0; form != 6; form += 3) {
        EXPECT_NEAR(at(results[form], r, Channels, c), mean, 1e-4);
        EXPECT_NEAR(at(results[form + 1], r, Channels, c), inverse,
                    1e-3 * inverse);
        for (std::size_t b = 0; b != Batch; ++b)
          for (std::size_t f = 0; f != Field; ++f) {
            const std::size_t i = (b * Channels + c) * Field + f;
            const double x = value(r, i);
            const double whitened = (x - mean) * inverse;
            EXPECT_NEAR(at(results[form + 2], r, PerReplica, i),
                        inverse *
                            (2 * x - 2 * mean - whitened * products / count),
                        5e-3);
          }
      }
    }
}
