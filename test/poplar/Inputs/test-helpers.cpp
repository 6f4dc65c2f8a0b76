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

// A test's own namespace of a usual name.
namespace detail {
static const std::vector<std::size_t> shape = {3, 5};
}

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
  auto rawA = allocateHostMemoryForTensor(a, "a", graph, upload, nullptr, map);
  auto rawB = allocateHostMemoryForTensor(b, "b", graph, upload, download, map);
  auto rawC = allocateHostMemoryForTensor(c, "c", graph, false, download, map);
  std::vector<double> hostA(15), hostB(15), result(15), expected;
  std::mt19937 random;
  writeRandomValues(target, type, hostA, -4.0, 4.0, random);
  writeRandomValues(target, type, hostB, 1.0, 9.0, random);
  copy(target, hostA, type, rawA.get());
  copy(target, hostB, type, rawB.get());
  Engine engine(graph, Sequence({upload, prog, download}));
  attachStreams(engine, map);
  device.bind([&](const Device &d) {
    engine.load(d);
    engine.run();
  });
  copy(target, type, rawC.get(), result);
  for (unsigned i = 0; i != 15; ++i)
    expected.push_back(hostA[i] + hostB[i]);
  return checkIsClose("c", result, expected, type == HALF ? 1e-3 : 1e-6);
}

int main() {
  std::stringstream names("IpuModel21 Gpu");
  DeviceType type;
  bool named =
      bool(names >> type) && type == DeviceType::IpuModel21 && !(names >> type);
  std::cout << TEST_TARGET << ": float " << addsUp(FLOAT) << ", half "
            << addsUp(HALF) << ", int " << addsUp(INT) << ", named " << named
            << ", full size "
            << createTestDeviceFullSize(TEST_TARGET).getTarget().getNumTiles()
            << std::endl;
  checkIsClose("x", std::vector<double>{1, 2, 3}, std::vector<double>{1, 5, 3},
               0.1);
}
