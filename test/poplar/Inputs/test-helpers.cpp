// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A test program as libraries have them: buffers, streams, and a device that
// TEST_TARGET names.

#include <poplibs_support/TestDevice.hpp>
#include <poplibs_test/Util.hpp>
#include <popops/ElementWise.hpp>
#include <popops/codelets.hpp>
#include <poputil/TileMapping.hpp>

#include <sstream>

using namespace poplar;
using namespace poplar::program;
using namespace poplibs_support;
using namespace poplibs_test::util;
namespace expr = popops::expr;

// A test's own namespace of a usual name.
namespace detail {
static const std::vector<std::size_t> shape = {3, 5};
}

// An array of several dimensions, as boost::multi_array.
struct Grid {
  std::vector<double> values;
  double *data() { return values.data(); }
  const double *data() const { return values.data(); }
  std::size_t num_elements() const { return values.size(); }
};

static bool addsUp(const Type &type) {
  auto device = createTestDevice(TEST_TARGET, 1, 4);
  const Target &target = device.getTarget();
  Graph graph(target);
  popops::addCodelets(graph);
  Tensor a = graph.addVariable(type, detail::shape, "a");
  Tensor b = graph.addVariable(type, {3, 5}, "b");
  poputil::mapTensorLinearly(graph, a);
  poputil::mapTensorLinearly(graph, b);
  Sequence upload, prog, download;
  Tensor c = popops::add(graph, a, b, prog);
  std::vector<std::pair<std::string, char *>> map;
  std::vector<std::pair<std::string, poplar_test::HostMemory>> outMap;
  auto rawA = allocateHostMemoryForTensor(a, "a", graph, upload, nullptr, map);
  auto rawB = allocateHostMemoryForTensor(b, "b", graph, upload, download, map);
  auto rawC =
      allocateHostMemoryForTensor(c, "c", graph, false, download, outMap);
  Grid hostA{std::vector<double>(15)};
  std::vector<double> hostB(15), result(15), expected;
  std::mt19937 random;
  writeRandomValues(target, type, hostA, -4.0, 4.0, random);
  writeRandomValues(target, type, hostB, 1.0, 9.0, random);
  copy(target, hostA, type, rawA.get());
  copy(target, hostB, type, rawB.get());
  Engine engine(graph, Sequence({upload, prog, download}));
  attachStreams(engine, map);
  attachStreams(engine, outMap);
  device.bind([&](const Device &d) {
    engine.load(d);
    engine.run();
  });
  copy(target, type, rawC.get(), result);
  for (unsigned i = 0; i != 15; ++i)
    expected.push_back(hostA.values[i] + hostB[i]);
  return checkIsClose("c", result, expected, type == HALF ? 1e-3 : 1e-6);
}

// A stream itself stands for its name.
static float sentThrough(float value) {
  auto device = createTestDevice(TEST_TARGET);
  Graph graph(device.getTarget());
  Tensor t = graph.addVariable(FLOAT, {1}, "t");
  graph.setTileMapping(t, 0);
  const DataStream in = graph.addHostToDeviceFIFO("in", FLOAT, 1);
  const DataStream out = graph.addDeviceToHostFIFO("out", FLOAT, 1);
  Engine engine(graph, Sequence({Copy(in, t), Copy(t, out)}));
  float result = 0;
  engine.connectStream(in, &value);
  engine.connectStream(out, &result, &result + 1);
  device.bind([&](const Device &d) {
    engine.load(d);
    engine.run();
  });
  return result;
}

int main() {
  std::stringstream names("IpuModel21 Gpu");
  DeviceType type;
  bool named =
      bool(names >> type) && type == DeviceType::IpuModel21 && !(names >> type);
  std::cout << TEST_TARGET << ": float " << addsUp(FLOAT) << ", half "
            << addsUp(HALF) << ", int " << addsUp(INT) << ", named " << named
            << ", full size "
            << createTestDevice(TEST_TARGET, 1, DeviceTypeDefaultTiles)
                   .getTarget()
                   .getNumTiles()
            << ", sent " << sentThrough(3) << ", is a sum "
            << expr::Add(expr::_1, expr::_2).isA<expr::BinaryOp>() << std::endl;
  checkIsClose("x", std::vector<double>{1, 2, 3}, std::vector<double>{1, 5, 3},
               0.1);
}
