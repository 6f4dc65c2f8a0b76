// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Engine options that change what a program does on an emulated IPU, and an IPU
// Model that compiles for the IPU. One file is both program and codelets.
//
// usage: engine-options CODELETS.gp|SOURCE.cpp

#ifdef __POPC__

#include <poplar/Vertex.hpp>

class Divide : public poplar::Vertex {
public:
  poplar::Input<float> a;
  poplar::Input<float> b;
  poplar::Output<float> out;

  void compute() { *out = *a / *b; }
};

class Count : public poplar::SupervisorVertex {
public:
  poplar::InOut<int> value;

  __attribute__((target("supervisor"))) bool compute() {
    *value += 1;
    return true;
  }
};

#else

#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/RandomSeed.hpp>

#include <iostream>
#include <string>
#include <vector>

using namespace poplar;
using namespace poplar::program;

namespace {

constexpr unsigned Tiles = 2;

/// Program 0 divides by zero, 1 reads the seeds, 2 does not end, 3 has a
/// supervisor count on tile 1.
struct TestProgram {
  TestProgram(const Device &device, const std::string &codelets)
      : graph(device.getTarget()) {
    graph.addCodelets(codelets);
    const Tensor a = graph.addConstant(FLOAT, {}, 1.0f);
    const Tensor zero = graph.addConstant(FLOAT, {}, 0.0f);
    const Tensor yes = graph.addConstant(BOOL, {}, true);
    const Tensor out = graph.addVariable(FLOAT, {}, "out");
    for (const Tensor &tensor : {a, zero, yes, out})
      graph.setTileMapping(tensor, 0);
    const ComputeSet set = graph.addComputeSet("divide");
    const VertexRef vertex =
        graph.addVertex(set, "Divide", {{"a", a}, {"b", zero}, {"out", out}});
    graph.setTileMapping(vertex, 0);
    graph.createHostRead("out", out);
    const Tensor count = graph.addVariable(INT, {}, "count");
    graph.setTileMapping(count, 1);
    const ComputeSet counting = graph.addComputeSet("counting");
    graph.setTileMapping(graph.addVertex(counting, "Count", {{"value", count}}),
                         1);
    Sequence seeds;
    graph.createHostRead("seeds", getHwSeeds(graph, seeds));
    programs = {Execute(set), seeds,
                RepeatWhileTrue(Sequence(), yes, Sequence()),
                Execute(counting)};
  }
  Graph graph;
  std::vector<program::Program> programs;
};

void runOne(const Device &device, TestProgram &program, unsigned number,
            const OptionFlags &options) {
  Engine engine(program.graph, program.programs, options);
  engine.load(device);
  try {
    engine.run(number);
    std::cout << "no exception\n";
  } catch (const application_runtime_error &error) {
    std::cout << error.what() << '\n';
  }
}

std::vector<unsigned> seedsWith(const Device &device, TestProgram &program,
                                const OptionFlags &options) {
  Engine engine(program.graph, program.programs, options);
  engine.load(device);
  engine.run(1);
  std::vector<unsigned> seeds(Tiles * 6 * 4);
  engine.readTensor("seeds", seeds.data(), seeds.data() + seeds.size());
  return seeds;
}

/// Bytes of a category on a tile.
std::uint64_t memoryOf(TestProgram &program, const char *category,
                       const OptionFlags &options = {}, unsigned tile = 0) {
  Engine engine(program.graph, program.programs, options);
  const ProfileValue profile = engine.getGraphProfile();
  const ProfileValue *bytes =
      profile["memory"]["byCategory"].getOrNull(category);
  return bytes ? (*bytes)["total"][tile].asUint() : 0;
}

} // namespace

int main(int, char **argv) {
  const Device ipu =
      Device::createSimulatorDevice(Target::createIPUTarget(1, Tiles, "ipu2"));
  TestProgram program(ipu, argv[1]);
  runOne(ipu, program, 0, {});
  runOne(ipu, program, 0, {{"debug.floatPointOpException", "true"}});
  runOne(ipu, program, 2, {{"target.hostSyncTimeout", "0.0001"}});

  const auto seeds = seedsWith(ipu, program, {{"prng.seed", "42"}});
  std::cout << "same seeds: "
            << (seedsWith(ipu, program, {{"prng.seed", "42"}}) == seeds)
            << ", others: "
            << (seedsWith(ipu, program, {{"prng.seed", "43"}}) != seeds)
            << ", workers differ: " << (seeds[0] != seeds[4]) << '\n';
  std::cout << "larger stacks: "
            << (memoryOf(program, "stack",
                         {{"target.workerStackSizeInBytes", "0x1000"}}) >=
                6 * 4096)
            << ", of the supervisor: "
            << (memoryOf(program, "stack",
                         {{"debug.supervisorStackSizeInBytes", "65536"}}, 1) -
                    memoryOf(program, "stack", {}, 1) >
                60000)
            << '\n';

  IPUModel model;
  model.tilesPerIPU = Tiles;
  model.compileIPUCode = true;
  const Device modelled = model.createDevice();
  TestProgram onModel(modelled, argv[1]);
  std::cout << "code on the model: "
            << (memoryOf(onModel, "vertexCode") ==
                memoryOf(program, "vertexCode"))
            << ", stacks: "
            << (memoryOf(onModel, "stack") == memoryOf(program, "stack"))
            << '\n';
  runOne(modelled, onModel, 0, {});
}

#endif
