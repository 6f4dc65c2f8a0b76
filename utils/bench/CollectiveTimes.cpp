// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures one collective of gcl on emulated IPUs, one replica on each: its
// cycles, beside those that the links need for the data alone. Values are small
// whole numbers, so all sums are exact, and every result is checked.
// utils/bench/collectives runs many and prints the table.
//
// usage: CollectiveTimes all-reduce|reduce-scatter|all-gather|all-to-all
//                        REPLICAS BYTES [METHOD]
//
// BYTES are those of a replica before a reduction or exchange, and after a
// gathering. The exit status is 4 where the program does not fit.

#include <gcl/Collectives.hpp>
#include <poplar/Device.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <popops/codelets.hpp>
#include <poputil/TileMapping.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <string>
#include <vector>

using namespace poplar;

namespace {

constexpr double LinkBytesPerSecond = 160e9; // each way, docs/machine.md
constexpr int DoesNotFit = 4;

struct Case {
  std::string collective;
  unsigned replicas;
  std::size_t bytes;
  OptionFlags options;

  std::size_t elements() const { return bytes / 4 / replicas * replicas; }
  std::size_t share() const { return elements() / replicas; }
  /// The data that each replica has at the beginning, and in the end.
  std::size_t before() const {
    return collective == "all-gather" ? share() : elements();
  }
  std::size_t after() const {
    return collective == "reduce-scatter" ? share() : elements();
  }
};

float valueOf(unsigned replica, std::size_t element) {
  return static_cast<float>((7 * replica + element) % 101);
}

/// Element \p i of what \p replica has in the end.
float expected(const Case &test, unsigned replica, std::size_t i) {
  const std::size_t share = test.share();
  if (test.collective == "all-gather")
    return valueOf(i / share, i % share);
  if (test.collective == "all-to-all")
    return valueOf(i / share, replica * share + i % share);
  if (test.collective == "reduce-scatter")
    i += replica * share;
  float sum = 0;
  for (unsigned r = 0; r != test.replicas; ++r)
    sum += valueOf(r, i);
  return sum;
}

Tensor apply(Graph &graph, const Case &test, const Tensor &data,
             program::Sequence &prog) {
  constexpr auto Add = gcl::CollectiveOperator::ADD;
  if (test.collective == "all-gather")
    return gcl::allGatherCrossReplica(graph, data, prog, "", test.options);
  if (test.collective == "reduce-scatter")
    return gcl::reduceScatterCrossReplica(graph, data, Add, prog, "",
                                          test.options);
  if (test.collective == "all-to-all")
    return gcl::allToAllCrossReplica(
        graph, data.reshape({test.replicas, test.share()}), prog, "",
        test.options);
  gcl::allReduceInPlaceCrossReplica(graph, data, Add, prog, "", test.options);
  return data;
}

bool isRight(const Case &test, const std::vector<float> &values) {
  for (unsigned r = 0; r != test.replicas; ++r)
    for (std::size_t i = 0; i != test.after(); ++i)
      if (values[r * test.after() + i] != expected(test, r, i)) {
        std::fprintf(stderr, "WRONG: replica %u, element %zu: %g, not %g\n", r,
                     i, values[r * test.after() + i], expected(test, r, i));
        return false;
      }
  return true;
}

int measure(const Case &test) {
  const Target target = Target::createIPUTarget(test.replicas, "ipu2");
  const Device device = Device::createSimulatorDevice(target);
  Graph graph(device, replication_factor(test.replicas));
  popops::addCodelets(graph);
  const Tensor data = graph.addVariable(FLOAT, {test.before()}, "data");
  poputil::mapTensorLinearly(graph, data);
  program::Sequence prog;
  const Tensor result = apply(graph, test, data, prog);
  graph.createHostWrite("in", data);
  graph.createHostRead("out", result);

  Engine engine(graph, prog, {{"debug.instrument", "true"}});
  engine.load(device);
  std::vector<float> values;
  for (unsigned r = 0; r != test.replicas; ++r)
    for (std::size_t i = 0; i != test.before(); ++i)
      values.push_back(valueOf(r, i));
  engine.writeTensor("in", values.data(), values.data() + values.size());
  engine.run();
  values.assign(test.replicas * test.after(), 0);
  engine.readTensor("out", values.data(), values.data() + values.size());

  const auto cycles = engine.getExecutionProfile()["cycles"];
  const double total = static_cast<double>(cycles["total"].asUint());
  const double crossing = static_cast<double>(4 * test.elements()) *
                          (test.replicas - 1) / test.replicas *
                          (test.collective == "all-reduce" ? 2 : 1);
  const double bound =
      crossing / LinkBytesPerSecond * target.getTileClockFrequency();
  std::printf("%.0f | %.0f | %.2f\n", total, bound, total / bound);
  return isRight(test, values) ? 0 : 1;
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: CollectiveTimes COLLECTIVE REPLICAS BYTES "
                         "[METHOD]\n");
    return 2;
  }
  Case test{argv[1],
            static_cast<unsigned>(std::atoi(argv[2])),
            std::strtoull(argv[3], nullptr, 10),
            {}};
  if (argc > 4)
    test.options.set("method", argv[4]);
  try {
    return measure(test);
  } catch (const graph_memory_allocation_error &error) {
    std::cerr << error.what() << '\n';
    return DoesNotFit;
  }
}
