// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables that never live together share memory: programs that need more of
// it than a tile has, unless they do, on every kind of device. That values
// survive as long as they are needed is for test/poplar/random-programs.test.

#include "test/unit/Poplar/DeviceKinds.h"
#include "test/unit/Poplar/TestArchive.h"

#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>

#include <numeric>

using namespace poplar;
using namespace poplar::program;

namespace {

using Numbers = std::vector<std::int32_t>;

class LivenessTest : public AllDevices {
protected:
  /// A fifth of a tile's 638,976 bytes.
  static constexpr std::size_t Size = 32000;

  LivenessTest()
      : device(makeDevice(GetParam(), 1)), graph(device.getTarget()) {
    in = add("in");
    out = add("out");
    graph.createHostWrite("in", in);
    graph.createHostRead("out", out);
  }

  Tensor add(const std::string &name) {
    const Tensor tensor = graph.addVariable(INT, {Size}, name);
    graph.setTileMapping(tensor, 0);
    return tensor;
  }
  std::vector<Tensor> addMany(unsigned count) {
    std::vector<Tensor> tensors;
    for (unsigned i = 0; i != count; ++i)
      tensors.push_back(add('v' + std::to_string(i)));
    return tensors;
  }

  /// Runs a program that copies `in` to `out` in some way.
  void expectCopied(const Program &program, unsigned runs = 1) {
    Engine engine(graph, program);
    engine.load(device);
    Numbers numbers(Size), result(Size);
    std::iota(numbers.begin(), numbers.end(), 1);
    for (unsigned i = 0; i != runs; ++i) {
      engine.writeTensor("in", numbers.data(), numbers.data() + Size);
      engine.run();
    }
    engine.readTensor("out", result.data(), result.data() + Size);
    EXPECT_EQ(result, numbers);
  }

  void expectFull(const Program &program) {
    if (GetParam() != TargetType::CPU) {
      EXPECT_THROW(Engine(graph, program), graph_memory_allocation_error);
    }
  }

  Device device;
  Graph graph;
  Tensor in, out;
};

TEST_P(LivenessTest, Chain) {
  const std::vector<Tensor> v = addMany(8);
  Sequence prog{Copy(in, v[0])};
  for (unsigned i = 1; i != 8; ++i)
    prog.add(Copy(v[i - 1], v[i]));
  prog.add(Copy(v[7], out));
  expectCopied(prog, 2);
}

TEST_P(LivenessTest, AllAtOnce) {
  Sequence prog;
  for (const Tensor &v : addMany(5))
    prog.add(Copy(in, v));
  Sequence sum = prog;
  for (unsigned i = 0; i != 5; ++i)
    sum.add(Copy(graph.getVariable({2 + i}), out));
  // Written, but read by nobody: all five may lie in one place.
  prog.add(Copy(in, out));
  expectCopied(prog);
  expectFull(sum);
}

TEST_P(LivenessTest, PiecesOfAVariable) {
  const std::vector<Tensor> v = addMany(6);
  Sequence prog{Copy(in, v[0])};
  for (unsigned i = 1; i != 6; ++i) {
    prog.add(Copy(v[i - 1].slice(0, 1000), v[i].slice(0, 1000)));
    prog.add(Copy(v[i - 1].slice(1000, Size), v[i].slice(1000, Size)));
  }
  prog.add(Copy(v[5], out));
  expectCopied(prog);
  // Not all of it is written, so it must be kept from run to run.
  Sequence part;
  for (const Tensor &tensor : v)
    part.add(Sequence{Copy(in.slice(1, Size), tensor.slice(1, Size)),
                      Copy(tensor, out)});
  expectFull(part);
}

TEST_P(LivenessTest, LoopsAndBranches) {
  const std::vector<Tensor> v = addMany(10);
  const Tensor flag = graph.addVariable(BOOL, {}, "flag");
  graph.setTileMapping(flag, 0);
  graph.setInitialValue(flag, true);
  const Program inner =
      Repeat(2, Sequence{Copy(in, v[0]), Copy(v[0], v[1]), Copy(v[1], v[2])});
  const Program branch = If(flag, Sequence{Copy(v[2], v[3]), Copy(v[3], v[4])},
                            Sequence{Copy(v[2], v[5]), Copy(v[5], v[4])});
  const Function function =
      graph.addFunction(Sequence{Copy(v[4], v[7]), Copy(v[7], v[8])});
  expectCopied(Sequence{inner, branch, Call(function), Copy(v[8], v[9]),
                        Copy(v[9], out)});
}

TEST_P(LivenessTest, CarriedAroundALoop) {
  const std::vector<Tensor> v = addMany(4);
  // Each round reads what the round before left.
  const Program rotate = Sequence{Copy(v[1], v[0]), Copy(v[2], v[1]),
                                  Copy(v[3], v[2]), Copy(in, v[3])};
  expectFull(Sequence{Repeat(5, rotate), Copy(v[0], out)});
}

TEST_P(LivenessTest, WriteUndef) {
  const std::vector<Tensor> v = addMany(6);
  const Tensor flag = graph.addVariable(BOOL, {}, "flag");
  graph.setTileMapping(flag, 0);
  graph.setInitialValue(flag, true);
  // Without the promise the variables might keep what an earlier run left.
  const auto make = [&](bool promise) {
    Sequence prog;
    for (const Tensor &tensor : v) {
      if (promise)
        prog.add(WriteUndef(tensor));
      prog.add(If(flag, Copy(in, tensor), Sequence()));
      prog.add(Copy(tensor, out));
    }
    return prog;
  };
  expectFull(make(false));
  expectCopied(make(true));
}

// A large buffer for what a vertex reads is there when the vertex runs only.
TEST_P(LivenessTest, MessageBuffers) {
  if (GetParam() == TargetType::IPU)
    return; // for which the test's vertices have no code
  graph.addCodelets(testArchive());
  const Tensor sums = graph.addVariable(INT, {2}, "sums");
  graph.setTileMapping(sums, 0);
  graph.createHostRead("sums", sums);
  const std::vector<Tensor> v = addMany(2);
  const auto sumOf = [&](const Tensor &t, const Tensor &sum) {
    const ComputeSet set = graph.addComputeSet("sum");
    const Tensor halves = concat(t.slice(Size / 2, Size), t.slice(0, Size / 2));
    const VertexRef vertex =
        graph.addVertex(set, "Sum", {{"in", halves}, {"out", sum}});
    graph.setInitialValue(vertex["scale"], 1);
    graph.setTileMapping(vertex, 0);
    return Execute(set);
  };
  expectCopied(Sequence{sumOf(in, sums[0]), Copy(in, v[0]), Copy(in, v[1]),
                        Copy(v[0].slice(0, 10), out.slice(0, 10)),
                        Copy(v[1].slice(10, Size), out.slice(10, Size))});
  expectFull(Sequence{Copy(in, v[0]), Copy(in, v[1]), sumOf(in, sums[1]),
                      Copy(v[0].slice(0, 10), out.slice(0, 10)),
                      Copy(v[1].slice(10, Size), out.slice(10, Size))});
}

TEST_P(LivenessTest, EqualConstantsAreStoredOnce) {
  Sequence prog;
  for (unsigned i = 0; i != 6; ++i) {
    const Tensor five = graph.addConstant<int>(INT, {Size}, 5);
    graph.setTileMapping(five, 0);
    prog.add(Copy(five, out));
  }
  prog.add(Copy(in, out));
  expectCopied(prog);
}

TEST_P(LivenessTest, LargestUsersAtThePeak) {
  if (GetParam() == TargetType::CPU)
    return;
  const std::vector<Tensor> v = addMany(5);
  Sequence prog{Copy(in, v[0]), Copy(v[0], out)};
  for (unsigned i = 1; i != 5; ++i)
    prog.add(Copy(in, v[i]));
  for (unsigned i = 1; i != 5; ++i)
    prog.add(Copy(v[i], out));
  try {
    Engine engine(graph, prog);
    ADD_FAILURE() << "it fits";
  } catch (const graph_memory_allocation_error &error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("needs 768,000 bytes"), std::string::npos) << text;
    EXPECT_NE(text.find("takes 768,000 bytes: use 2 IPUs or more"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("'v3'"), std::string::npos) << text;
    EXPECT_EQ(text.find("'v0'"), std::string::npos) << text;
  }
}

// Tensors that the host accesses are always live. If they alone are too large,
// the error comes before lowering.
TEST_P(LivenessTest, HostDataAlone) {
  if (GetParam() == TargetType::CPU)
    return;
  const Tensor large = graph.addVariable(INT, {std::size_t(20) << 20}, "large");
  graph.setTileMapping(large, 0);
  graph.createHostRead("large", large);
  try {
    Engine engine(graph, Sequence());
    ADD_FAILURE() << "it fits";
  } catch (const graph_memory_allocation_error &error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("84142080 bytes for what the host reads and writes "
                        "alone, 83503104 more than the 638976 bytes it has"),
              std::string::npos)
        << text;
  }
}

TEST_P(LivenessTest, UnevenDataAreTold) {
  if (GetParam() == TargetType::CPU)
    return;
  const Device many = makeDevice(GetParam(), 10);
  Graph uneven(many.getTarget());
  const Tensor large = uneven.addVariable(INT, {10 * Size}, "large");
  uneven.setTileMapping(large, 3);
  uneven.createHostRead("large", large);
  try {
    Engine engine(uneven, Sequence());
    ADD_FAILURE() << "it fits";
  } catch (const graph_memory_allocation_error &error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("tile 3"), std::string::npos) << text;
    EXPECT_NE(text.find("takes 20% of their memory: spread it more evenly"),
              std::string::npos)
        << text;
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, LivenessTest, allDeviceKinds(),
                         deviceKindName);

} // namespace
