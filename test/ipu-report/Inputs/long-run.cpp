// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that executes two million steps with a report on:
//
//   long-run CODELETS
//
// It says how much memory the process took more after the first tenth of them.

#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>

#include <iostream>
#include <sys/resource.h>

using namespace poplar;

static long mostKibibytes() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

int main(int, char **argv) {
  constexpr unsigned Rounds = 100000, Runs = 10; // of two steps
  Device device;
  for (Device &candidate :
       DeviceManager::createDeviceManager().getDevices(TargetType::IPU, 1))
    if (candidate.attach()) {
      device = std::move(candidate);
      break;
    }
  Graph graph(device.getTarget());
  graph.addCodelets(argv[1]);
  Tensor here = graph.addVariable(FLOAT, {120}, "here");
  Tensor there = graph.addVariable(FLOAT, {120}, "there");
  Tensor result = graph.addVariable(FLOAT, {120}, "result");
  graph.setTileMapping(here, 0);
  graph.setTileMapping(result, 0);
  graph.setTileMapping(there, 1);
  ComputeSet set = graph.addComputeSet("step");
  graph.setTileMapping(
      graph.addVertex(set, "Polynomial", {{"in", here}, {"out", result}}), 0);
  const program::Sequence round{program::Execute(set),
                                program::Copy(result, there)};
  Engine engine(graph, program::Repeat(Rounds, round));
  engine.load(device);
  engine.run(0);
  const long before = mostKibibytes();
  for (unsigned i = 1; i != Runs; ++i)
    engine.run(0);
  const long grown = mostKibibytes() - before;
  std::cout << (grown < 1024
                    ? "memory is flat\n"
                    : "memory grew by " + std::to_string(grown) + " KiB\n");
}
