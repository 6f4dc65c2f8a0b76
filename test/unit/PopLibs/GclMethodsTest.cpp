// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Methods of gcl's collectives: the order in which each adds up, bit by bit and
// alike on all kinds of devices, and the time that they take on emulated IPUs
// beside what the links need for the data alone.

#include "Harness.h"

#include <gcl/Collectives.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <random>

using namespace poplar;
using namespace test;
using gcl::CollectiveOperator;
using gcl::CommGroup;
using gcl::CommGroupType;

namespace {

using Floats = std::vector<float>;

/// Results by replica, one behind the other, of a collective that all replicas
/// of one IPU each run. Also the largest clock.
struct Outcome {
  Floats values;
  std::uint64_t cycles = 0;
};

struct Call {
  std::size_t elements; // of each replica's data
  std::function<Tensor(Graph &, const Tensor &, program::Sequence &)> apply;
};

/// Runs each call as a program of its own, with the first elements of each
/// replica's part of \p input.
std::vector<Outcome> runOn(const Device &device, unsigned replicas,
                           const Floats &input,
                           const std::vector<Call> &calls) {
  Graph graph(device, replication_factor(replicas));
  popops::addCodelets(graph);
  std::vector<program::Program> programs;
  std::vector<Outcome> outcomes;
  for (const auto &[elements, apply] : calls) {
    const std::string number = std::to_string(programs.size());
    program::Sequence prog;
    const Tensor data = graph.addVariable(FLOAT, {elements});
    poputil::mapTensorLinearly(graph, data);
    const Tensor result = apply(graph, data, prog);
    graph.createHostWrite("in" + number, data);
    graph.createHostRead("out" + number, result);
    programs.push_back(prog);
    outcomes.push_back({Floats(replicas * result.numElements())});
  }
  Engine engine(graph, programs, {{"debug.instrument", "true"}});
  engine.load(device);
  for (std::size_t i = 0; i != calls.size(); ++i) {
    const std::string number = std::to_string(i);
    Floats data;
    for (unsigned r = 0; r != replicas; ++r) {
      const auto begin = input.begin() + r * (input.size() / replicas);
      data.insert(data.end(), begin, begin + calls[i].elements);
    }
    engine.writeTensor("in" + number, data.data(), data.data() + data.size());
    engine.resetExecutionProfile();
    engine.run(i);
    Floats &values = outcomes[i].values;
    engine.readTensor("out" + number, values.data(),
                      values.data() + values.size());
    outcomes[i].cycles =
        engine.getExecutionProfile()["cycles"]["total"].asUint();
  }
  return outcomes;
}

Device emulated(unsigned ipus, unsigned tiles = 1472) {
  return Device::createSimulatorDevice(
      Target::createIPUTarget(ipus, tiles, "ipu2"));
}

Device model(unsigned ipus, unsigned tiles) {
  IPUModel model;
  model.numIPUs = ipus;
  model.tilesPerIPU = tiles;
  return model.createDevice();
}

// ---- Orders of sums ---------------------------------------------------------

/// Sums of neighbours first.
float tree(Floats terms) {
  for (std::size_t distance = 1; distance < terms.size(); distance *= 2)
    for (std::size_t i = 0; i + distance < terms.size(); i += 2 * distance)
      terms[i] += terms[i + distance];
  return terms[0];
}

/// The sum along a ring that ends at the member \p owner.
float chain(const Floats &terms, std::size_t owner, bool backwards) {
  const std::size_t n = terms.size();
  const std::size_t step = backwards ? n - 1 : 1;
  float sum = 0;
  for (std::size_t i = 1; i <= n; ++i) {
    const float term = terms[(owner + i * step) % n];
    sum = i == 1 ? term : sum + term;
  }
  return sum;
}

/// From both sides to the owner.
float meeting(const Floats &terms, std::size_t owner) {
  const std::size_t n = terms.size(), behind = (n - 1) - (n - 1) / 2;
  const auto at = [&](std::size_t i) { return terms[i % n]; };
  float left = at(owner + n - behind);
  for (std::size_t i = behind; i-- != 0;)
    left += at(owner + n - i);
  if (n == 2)
    return left;
  float right = at(owner + (n - 1) / 2);
  for (std::size_t i = (n - 1) / 2; i-- > 1;)
    right += at(owner + i);
  return left + right;
}

constexpr std::size_t Elements = 24; // of each replica

/// Element \p i of the sum over \p terms.
float expected(const std::string &method, const Floats &terms, std::size_t i) {
  const std::size_t share = Elements / terms.size();
  const std::size_t owner = i / share;
  if (method == "clockwise_ring" || method == "anticlockwise_ring")
    return chain(terms, owner, method[0] == 'a');
  if (method == "bidirectional_ring_pair")
    return chain(terms, owner, i % share >= (share + 1) / 2);
  if (method == "meet_in_middle_ring")
    return meeting(terms, owner);
  return tree(terms);
}

/// \p sum has to be element \p i of the sum over \p terms. Two of the four
/// rings go up one side of a ladder and down the other.
void check(const std::string &method, float sum, const Floats &terms,
           std::size_t i) {
  if (method != "quad_directional_ring") {
    ASSERT_EQ(sum, expected(method, terms, i)) << method << ", " << i;
    return;
  }
  double exact = 0, size = 0;
  for (float term : terms) {
    exact += term;
    size += std::abs(term);
  }
  ASSERT_NEAR(sum, exact, size * 1e-6) << i;
}

struct Grouping {
  unsigned replicas, size, stride;
};

class Methods : public testing::TestWithParam<Grouping> {
protected:
  Floats input;

  void SetUp() override {
    std::mt19937 random(7);
    std::uniform_real_distribution<float> some(-1, 1);
    for (std::size_t i = 0; i != GetParam().replicas * Elements; ++i)
      input.push_back(some(random) *
                      std::ldexp(1.0f, static_cast<int>(random() % 20)));
  }

  CommGroup group() const {
    return {CommGroupType::CONSECUTIVE, GetParam().size, GetParam().stride};
  }

  /// Element \p i of all members of the group of \p replica.
  Floats termsOf(unsigned replica, std::size_t i) const {
    const auto [replicas, size, stride] = GetParam();
    const unsigned first = replica - replica / stride % size * stride;
    Floats terms;
    for (unsigned m = 0; m != size; ++m)
      terms.push_back(input[(first + m * stride) * Elements + i]);
    return terms;
  }

  using Apply = std::function<Tensor(Graph &, const Tensor &,
                                     program::Sequence &, const OptionFlags &)>;

  /// The results by method on the emulator and on the IPU Model, which have to
  /// agree.
  std::map<std::string, Floats>
  byMethod(const std::vector<std::string> &methods, const Apply &apply) const {
    std::vector<Call> calls;
    for (const std::string &method : methods)
      calls.push_back({Elements, [&](Graph &graph, const Tensor &data,
                                     program::Sequence &prog) {
                         return apply(graph, data, prog, {{"method", method}});
                       }});
    const unsigned replicas = GetParam().replicas;
    const auto there = runOn(emulated(replicas, 3), replicas, input, calls);
    const auto here = runOn(model(replicas, 3), replicas, input, calls);
    std::map<std::string, Floats> results;
    for (std::size_t i = 0; i != methods.size(); ++i) {
      EXPECT_EQ(there[i].values, here[i].values) << methods[i];
      results[methods[i]] = there[i].values;
    }
    return results;
  }
};

INSTANTIATE_TEST_SUITE_P(Groupings, Methods,
                         testing::Values(Grouping{2, 2, 1}, Grouping{3, 3, 1},
                                         Grouping{8, 4, 2}),
                         [](const auto &info) {
                           return std::to_string(info.param.size) + "of" +
                                  std::to_string(info.param.replicas);
                         });

const std::vector<std::string> Names = {"auto",
                                        "broadcast",
                                        "clockwise_ring",
                                        "anticlockwise_ring",
                                        "bidirectional_ring_pair",
                                        "meet_in_middle_ring",
                                        "quad_directional_ring"};

} // namespace

TEST_P(Methods, SumsHaveTheOrderOfTheMethod) {
  const auto sums =
      byMethod(Names, [&](Graph &graph, const Tensor &data,
                          program::Sequence &prog, const OptionFlags &options) {
        return gcl::allReduceCrossReplica(graph, data, CollectiveOperator::ADD,
                                          prog, group(), "", options);
      });
  for (const auto &[method, values] : sums)
    for (std::size_t i = 0; i != values.size(); ++i)
      check(method, values[i], termsOf(i / Elements, i % Elements),
            i % Elements);
}

TEST_P(Methods, SharesAreThoseOfTheWholeSum) {
  const auto [replicas, size, stride] = GetParam();
  const std::size_t share = Elements / size;
  const auto shares =
      byMethod(Names, [&](Graph &graph, const Tensor &data,
                          program::Sequence &prog, const OptionFlags &options) {
        return gcl::reduceScatterCrossReplica(
            graph, data, CollectiveOperator::ADD, prog, group(), "", options);
      });
  for (const auto &[method, values] : shares)
    for (std::size_t i = 0; i != values.size(); ++i) {
      const unsigned replica = i / share;
      const std::size_t at = replica / stride % size * share + i % share;
      check(method, values[i], termsOf(replica, at), at);
    }
}

TEST_P(Methods, GatheringsAreTheSameByAllMethods) {
  const unsigned size = GetParam().size;
  const auto gathered = byMethod(Names, [&](Graph &graph, const Tensor &data,
                                            program::Sequence &prog,
                                            const OptionFlags &options) {
    return gcl::allGatherCrossReplica(graph, data, prog, group(), "", options);
  });
  for (const auto &[method, all] : gathered)
    for (std::size_t i = 0; i != all.size(); ++i)
      ASSERT_EQ(all[i], termsOf(i / (Elements * size),
                                i % Elements)[i / Elements % size])
          << method << ", " << i;
}

// A share of zero elements, and shares that the data does not fill.
TEST(GclMethods, DataThatDoesNotDivide) {
  Floats input;
  for (unsigned r = 0; r != 4; ++r)
    for (unsigned i = 0; i != 5; ++i)
      input.push_back(10.0f * r + i);
  std::vector<Call> calls;
  for (const std::string &method : Names)
    for (std::size_t elements : {1, 5})
      calls.push_back({elements, [&](Graph &graph, const Tensor &data,
                                     program::Sequence &prog) {
                         gcl::allReduceInPlaceCrossReplica(
                             graph, data, CollectiveOperator::MEAN, prog, "",
                             {{"method", method}});
                         return data;
                       }});
  const auto means = runOn(emulated(4, 3), 4, input, calls);
  for (std::size_t k = 0; k != calls.size(); ++k)
    for (std::size_t i = 0; i != means[k].values.size(); ++i)
      EXPECT_EQ(means[k].values[i], 15.0f + i % calls[k].elements) << k;
}

// ---- Time -------------------------------------------------------------------

namespace {

constexpr unsigned Ipus = 4;
constexpr double LinkBytesPerCycle = 160e9 / 1.33e9;
constexpr std::uint64_t SyncAndLatency = 600 + 333;

std::vector<std::uint64_t> cyclesOf(const std::vector<Call> &calls) {
  std::size_t most = 0;
  for (const Call &call : calls)
    most = std::max(most, call.elements);
  std::vector<std::uint64_t> cycles;
  for (const Outcome &outcome :
       runOn(emulated(Ipus), Ipus, Floats(Ipus * most, 1.0f), calls))
    cycles.push_back(outcome.cycles);
  return cycles;
}

Call allReduce(std::size_t elements, OptionFlags options = {}) {
  return {elements,
          [options](Graph &graph, const Tensor &data, program::Sequence &prog) {
            gcl::allReduceInPlaceCrossReplica(
                graph, data, CollectiveOperator::ADD, prog, "", options);
            return data;
          }};
}
Tensor reduceScatter(Graph &graph, const Tensor &data,
                     program::Sequence &prog) {
  return gcl::reduceScatterCrossReplica(graph, data, CollectiveOperator::ADD,
                                        prog);
}
Tensor allGather(Graph &graph, const Tensor &data, program::Sequence &prog) {
  return gcl::allGatherCrossReplica(graph, data, prog);
}
Tensor allToAll(Graph &graph, const Tensor &data, program::Sequence &prog) {
  return gcl::allToAllCrossReplica(
      graph, data.reshape({Ipus, data.numElements() / Ipus}), prog);
}

/// All collectives of data of \p elements.
std::vector<Call> allOf(std::size_t elements) {
  return {allReduce(elements),
          {elements, reduceScatter},
          {elements / Ipus, allGather},
          {elements, allToAll}};
}

} // namespace

TEST(GclTime, LargeCollectivesTakeTheTimeOfTheirData) {
  constexpr std::size_t Bytes = 2 << 20;
  constexpr double Crossing = Bytes * (Ipus - 1.0) / Ipus;
  const double once = Crossing / LinkBytesPerCycle;
  const auto cycles = cyclesOf(allOf(Bytes / 4));
  EXPECT_LE(cycles[0], 1.2 * 2 * once);
  for (unsigned i : {1, 2, 3})
    EXPECT_LE(cycles[i], 1.2 * once) << i;
}

TEST(GclTime, SmallCollectivesHaveOneSync) {
  const auto cycles = cyclesOf(allOf(256));
  EXPECT_LT(cycles[0], 2 * SyncAndLatency); // and the sums
  EXPECT_LT(cycles[1], 2 * SyncAndLatency);
  EXPECT_LT(cycles[2], SyncAndLatency + 100);
  EXPECT_LT(cycles[3], SyncAndLatency + 100);
}

// Each method that is asked for has the syncs of its steps.
TEST(GclTime, MethodsAreHonoured) {
  const auto cycles =
      cyclesOf({allReduce(256, {{"method", "clockwise_ring"}}),
                allReduce(256, {{"method", "meet_in_middle_ring"}}),
                allReduce(256, {{"method", "broadcast"}}),
                allReduce(256, {{"syncful.maxBroadcastSize", "4096"}}),
                allReduce(256, {{"syncful.maxBroadcastSize", "4095"}})});
  EXPECT_GE(cycles[0], 2 * (Ipus - 1) * SyncAndLatency);
  EXPECT_LT(cycles[1], cycles[0]);
  EXPECT_GE(cycles[1], 4 * SyncAndLatency);
  EXPECT_LT(cycles[2], 2 * SyncAndLatency);
  EXPECT_EQ(cycles[3], cycles[2]);
  EXPECT_GE(cycles[4], 2 * SyncAndLatency);
}
