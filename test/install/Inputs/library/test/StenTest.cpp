// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The blur beside a plain loop in double precision.

#include <algorithm>
#include <iostream>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplibs_support/TestDevice.hpp>
#include <poplibs_test/Util.hpp>
#include <popops/Reduce.hpp>
#include <popops/codelets.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/VertexTemplates.hpp>
#include <random>
#include <sstream>
#include <sten/Sten.hpp>
using namespace poplar;
using namespace poplar::program;
using namespace poplibs_support;
using namespace poplibs_test::util;
/// The blur of `a` in `e`; returns how many elements are above zero.
static unsigned blurred(const std::vector<double> &a, std::vector<double> &e,
                        sten::EdgeMode edge) {
  unsigned positive = 0;
  for (int y = 0; y < 11; ++y)
    for (int x = 0; x < 16; ++x) {
      double sum = 0;
      for (int yy = y - 1; yy <= y + 1; ++yy)
        for (int xx = x - 1; xx <= x + 1; ++xx) {
          const int row = std::min(10, std::max(0, yy));
          const int column = std::min(15, std::max(0, xx));
          const bool isInside = row == yy && column == xx;
          if (isInside || edge == sten::EdgeMode::CLAMP)
            sum += a[row * 16 + column];
        }
      e[y * 16 + x] = sum / 9;
      positive += sum > 0;
    }
  return positive;
}
static bool run(DeviceType dt, const Type &type, sten::EdgeMode edge,
                double tol) {
  auto device = createTestDevice(dt, 1, 4);
  const auto &target = device.getTarget();
  Graph graph(target);
  popops::addCodelets(graph);
  sten::addCodelets(graph);
  sten::BlurParams p{type, 11, 16, edge};
  auto in = sten::createInput(graph, p, "input", {{"maxRows", "4"}});
  Sequence upload, prog, download;
  auto out = sten::blur(graph, in, p, prog, "b1");
  auto counts = graph.addVariable(UNSIGNED_INT, {6}, "c");
  graph.setTileMapping(counts, 0);
  auto cs = graph.addComputeSet("count");
  auto v = graph.addVertex(cs, poputil::templateVertex("sten::Count", type),
                           {{"in", out.flatten()}, {"c", counts}});
  graph.setInitialValue(v["limit"], 0.f);
  graph.setTileMapping(v, 0);
  const auto zeros = graph.addConstant<unsigned>(UNSIGNED_INT, {6}, 0u);
  graph.setTileMapping(zeros, 0);
  prog.add(Copy(zeros, counts));
  prog.add(Execute(cs));
  auto total = popops::reduce(graph, counts, UNSIGNED_INT, {0},
                              popops::Operation::ADD, prog, "sum");
  std::vector<std::pair<std::string, char *>> tmap;
  auto hIn =
      allocateHostMemoryForTensor(in, "in", graph, upload, download, tmap);
  auto hOut =
      allocateHostMemoryForTensor(out, "out", graph, upload, download, tmap);
  auto hTot = allocateHostMemoryForTensor(total.reshape({1}), "tot", graph,
                                          upload, download, tmap);
  std::vector<double> a(11 * 16), e(11 * 16), got(11 * 16);
  std::mt19937 rng;
  writeRandomValues(target, type, a, -4., 4., rng);
  copy(target, a, type, hIn.get());
  const unsigned n = blurred(a, e, edge);
  OptionFlags eo{{"debug.allowOutOfMemory", "true"}};
  Engine engine(graph, Sequence{upload, prog, download}, eo);
  attachStreams(engine, tmap);
  device.bind([&](const Device &d) {
    engine.load(d);
    engine.run();
  });
  copy(target, type, hOut.get(), got.data(), got.size());
  unsigned tot;
  copy(target, UNSIGNED_INT, hTot.get(), &tot, 1);
  bool ok =
      checkIsClose("out", got.data(), {11, 16}, e.data(), e.size(), tol, tol);
  if (tot != n) {
    std::cerr << "count " << tot << " != " << n << "\n";
    ok = false;
  }
  if (isIpuModel(dt)) {
    std::stringstream ss;
    engine.printProfileSummary(ss, {{"showExecutionSteps", "true"}});
    ok &= ss.str().find("blurCS") != std::string::npos;
  }
  return ok;
}
int main(int argc, char **argv) {
  DeviceType dt = DeviceType::IpuModel2;
  if (argc > 1) {
    std::istringstream(argv[1]) >> dt;
  }
  bool ok = true;
  for (auto e : {sten::EdgeMode::CLAMP, sten::EdgeMode::ZERO}) {
    ok &= run(dt, FLOAT, e, 1e-5);
    ok &= run(dt, HALF, e, 1e-2);
  }
  std::cout << dt << (ok ? " ok\n" : " FAILED\n");
  return !ok;
}
