// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Branches that replicas take by themselves. Each program is built twice: for
// three replicas, and for one, which then runs with the data of each replica in
// turn. Values, calls of streams and cycles have to be the same.

#include "test/unit/Poplar/DeviceKinds.h"
#include "test/unit/Poplar/TestArchive.h"

#include <poplar/CycleCount.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>

#include <functional>
#include <sstream>

using namespace poplar;
using namespace poplar::program;

namespace {

using Numbers = std::vector<std::int32_t>;

constexpr unsigned Replicas = 3;
constexpr unsigned Elements = 4;

/// A program under construction, with the tensors of a replica.
struct Model {
  explicit Model(Graph graph) : graph(std::move(graph)) {
    data = add(INT, {Elements}, "data");
    choice = add(INT, {}, "choice");
    flag = add(BOOL, {}, "flag");
    const std::vector<std::int32_t> marks = {100, 200, 300, 400};
    mark = this->graph.addConstant(INT, {Elements}, marks.data());
    this->graph.setTileMapping(mark, 0);
  }

  Tensor add(const Type &type, std::vector<std::size_t> shape,
             const char *name) {
    const Tensor tensor = graph.addVariable(type, shape, name);
    graph.setTileMapping(tensor, 0);
    graph.createHostWrite(name, tensor);
    graph.createHostRead(name, tensor);
    return tensor;
  }

  Graph graph;
  Tensor data, choice, flag, mark;
};

using Build = std::function<Program(Model &)>;

/// The state of replicas after a run, one after another.
struct Result {
  Numbers data;
  std::vector<Numbers> sent; // by replica

  bool operator==(const Result &) const = default;
};

std::ostream &operator<<(std::ostream &out, const Result &result) {
  for (std::int32_t number : result.data)
    out << number << ' ';
  for (const Numbers &numbers : result.sent) {
    out << '|';
    for (std::int32_t number : numbers)
      out << ' ' << number;
  }
  return out;
}

class ReplicaBranchesTest : public AllDevices {
protected:
  Graph makeGraph(unsigned replicas) const {
    Graph graph(makeDevice(GetParam(), 2, replicas).getTarget(),
                replication_factor(replicas));
    if (GetParam() != TargetType::IPU)
      graph.addCodelets(testArchive());
    return graph;
  }

  /// Runs with the choices, flags and data of the replicas from \p first on.
  /// The stream "in" counts, for each replica, from ten times its
  /// number, and flags count down to false.
  Result run(const Build &build, unsigned first, unsigned count) const {
    Model model(makeGraph(count));
    const Program program = build(model);
    Engine engine(model.graph, program, {{"debug.verifyLowering", "true"}});
    engine.load(makeDevice(GetParam(), 2, count));
    Numbers data, choices;
    std::vector<char> flags;
    Result result;
    result.sent.resize(count);
    std::vector<int> rounds(count), received(count);
    for (unsigned r = 0; r != count; ++r) {
      for (unsigned i = 0; i != Elements; ++i)
        data.push_back(static_cast<int>(first + r) * 10 + static_cast<int>(i));
      choices.push_back(static_cast<int>(first + r));
      flags.push_back((first + r) % 2 == 1);
      rounds[r] = static_cast<int>(first + r);
      if (usesStreams) {
        engine.connectStreamToCallback("in", r, [&, r, first](void *to) {
          for (unsigned i = 0; i != Elements; ++i)
            static_cast<std::int32_t *>(to)[i] =
                static_cast<int>(first + r) * 1000 + received[r]++;
        });
        engine.connectStreamToCallback("more", r, [&, r](void *to) {
          *static_cast<bool *>(to) = rounds[r]-- > 0;
        });
        engine.connectStreamToCallback("out", r, [&, r](void *from) {
          const auto *numbers = static_cast<const std::int32_t *>(from);
          result.sent[r].insert(result.sent[r].end(), numbers,
                                numbers + Elements);
        });
      }
    }
    engine.writeTensor("data", data.data(), data.data() + data.size());
    engine.writeTensor("choice", choices.data(),
                       choices.data() + choices.size());
    engine.writeTensor("flag", flags.data(), flags.data() + flags.size());
    engine.run();
    result.data.resize(data.size());
    engine.readTensor("data", result.data.data(),
                      result.data.data() + result.data.size());
    return result;
  }

  /// All replicas at once, and one by one.
  void compare(const Build &build) const {
    Result oneByOne;
    for (unsigned r = 0; r != Replicas; ++r) {
      const Result one = run(build, r, 1);
      oneByOne.data.insert(oneByOne.data.end(), one.data.begin(),
                           one.data.end());
      oneByOne.sent.push_back(one.sent[0]);
    }
    EXPECT_EQ(run(build, 0, Replicas), oneByOne);
  }

  std::string errorOf(const Build &build) const {
    try {
      run(build, 0, Replicas);
    } catch (const poplar_error &error) {
      return error.what();
    }
    return "no error";
  }

  bool usesStreams = false;
};

TEST_P(ReplicaBranchesTest, If) {
  compare([](Model &m) {
    return If(m.flag, Copy(m.mark, m.data), Copy(m.data.reverse(0), m.data));
  });
}

TEST_P(ReplicaBranchesTest, Switch) {
  compare([](Model &m) {
    Switch result(m.choice, Copy(m.mark.reverse(0), m.data));
    result.add(1, Copy(m.mark, m.data));
    result.add(2, Copy(m.data.slice(0, 2), m.data.slice(2, 4)));
    return result;
  });
}

TEST_P(ReplicaBranchesTest, LoopsWithStreams) {
  usesStreams = true;
  compare([](Model &m) {
    const DataStream in = m.graph.addHostToDeviceFIFO("in", INT, Elements);
    const DataStream more = m.graph.addHostToDeviceFIFO("more", BOOL, 1);
    const DataStream out = m.graph.addDeviceToHostFIFO("out", INT, Elements);
    const Sequence body{
        Copy(m.data, out), Copy(in, m.data),
        If(m.flag, Copy(m.data.reverse(0), m.data), Sequence())};
    const Tensor goesOn = m.add(BOOL, {}, "goesOn");
    return Sequence{RepeatWhileTrue(Copy(more, goesOn), goesOn, body),
                    Copy(m.data, out)};
  });
}

TEST_P(ReplicaBranchesTest, RemoteBuffersAndHostFunctions) {
  compare([](Model &m) {
    const RemoteBuffer buffer =
        m.graph.addRemoteBuffer("remote", INT, Elements, 1);
    const Tensor row = m.data.reshape({1, Elements});
    return Sequence{Copy(row, buffer),
                    If(m.flag,
                       Sequence{Copy(m.mark, m.data), Copy(row, buffer)},
                       Copy(m.mark.reverse(0), m.data)),
                    Copy(buffer, row)};
  });
}

TEST_P(ReplicaBranchesTest, Vertices) {
  if (GetParam() == TargetType::IPU)
    return; // the test's codelets are host code
  compare([](Model &m) {
    const auto sum = [&](int scale) {
      const ComputeSet set = m.graph.addComputeSet("sum");
      const VertexRef vertex = m.graph.addVertex(
          set, "Sum", {{"in", m.data.slice(1, 4)}, {"out", m.data[0]}});
      m.graph.setInitialValue(vertex["scale"], scale);
      m.graph.setTileMapping(vertex, GetParam() == TargetType::CPU ? 0 : 1);
      return Execute(set);
    };
    return Sequence{If(m.flag, Repeat(2, sum(3)), sum(7)), sum(1)};
  });
}

TEST_P(ReplicaBranchesTest, NestedBranches) {
  compare([](Model &m) {
    Switch inner(m.choice, Copy(m.mark, m.data));
    inner.add(2, Copy(m.mark.reverse(0), m.data));
    return If(m.flag, Sequence(),
              Sequence{inner, If(m.flag, Copy(m.mark, m.data), Sequence())});
  });
}

TEST_P(ReplicaBranchesTest, NothingBetweenReplicasIsInABranch) {
  const std::string advice =
      "; there let all replicas take the same branches: reduce the tensor that "
      "decides over the replicas";
  EXPECT_EQ(errorOf([](Model &m) {
              const Tensor other = m.add(INT, {Elements}, "other");
              return If(
                  m.flag,
                  CrossReplicaCopy(m.data, other, {{0, 1}, {1, 0}}, "swap"),
                  Sequence());
            }),
            "replica 0 is not in the branch of another replica, and 'swap' in "
            "it copies between replicas" +
                advice);
  EXPECT_EQ(errorOf([](Model &m) {
              return If(m.flag, Sync(SyncType::GLOBAL), Sequence());
            }),
            "replica 0 is not in the branch of another replica, and the "
            "program syncs IPUs in it" +
                advice);
  EXPECT_EQ(errorOf([](Model &m) {
              const DataStream common = m.graph.addHostToDeviceFIFO(
                  "common", INT, Elements, ReplicatedStreamMode::BROADCAST);
              return If(m.flag, Copy(common, m.data), Sequence());
            }),
            "replica 0 is not in the branch of another replica, and the "
            "stream 'common' in it transfers to all replicas at once" +
                advice);
}

/// The cycles that replicas take for a loop of as many rounds as their choice.
std::vector<std::uint64_t> cyclesOf(unsigned first, unsigned count) {
  Model model(Graph(makeDevice(TargetType::IPU_MODEL, 2, count).getTarget(),
                    replication_factor(count)));
  model.graph.addCodelets(testArchive());
  const auto work = [&](unsigned bundles) {
    const ComputeSet set = model.graph.addComputeSet("work");
    const VertexRef vertex = model.graph.addVertex(
        set, "Copy", {{"in", model.data[0]}, {"out", model.data[1]}});
    model.graph.setTileMapping(vertex, 1);
    model.graph.setCycleEstimate(vertex, bundles);
    return Execute(set);
  };
  Switch program(model.choice, work(1000));
  program.add(0, Repeat(7, work(100)));
  program.add(1, Sequence{Copy(model.data.reverse(0), model.data), work(50)});
  Sequence all{program};
  const Tensor cycles = cycleCount(model.graph, all, 0, SyncType::INTERNAL);
  model.graph.createHostRead("cycles", cycles);
  Engine engine(model.graph, all);
  engine.load(makeDevice(TargetType::IPU_MODEL, 2, count));
  Numbers choices;
  for (unsigned r = 0; r != count; ++r)
    choices.push_back(static_cast<int>(first + r));
  engine.writeTensor("choice", choices.data(), choices.data() + count);
  engine.run();
  std::vector<std::uint64_t> result(count);
  engine.readTensor("cycles", result.data(), result.data() + count);
  return result;
}

TEST(ReplicaBranches, EachIpuHasItsOwnTime) {
  std::vector<std::uint64_t> oneByOne;
  for (unsigned r = 0; r != Replicas; ++r)
    oneByOne.push_back(cyclesOf(r, 1)[0]);
  EXPECT_EQ(cyclesOf(0, Replicas), oneByOne);
  EXPECT_GT(oneByOne[0], 7u * 600);
  EXPECT_GT(oneByOne[2], 6000u);
  EXPECT_LT(oneByOne[1], 1000u);
}

INSTANTIATE_TEST_SUITE_P(Devices, ReplicaBranchesTest, allDeviceKinds(),
                         deviceKindName);

} // namespace
