// Runs the vertices of codelets.cpp on the host and on the emulated IPU, and
// compares: integers exactly, floats relatively.
#include <cmath>
#include <cstdio>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <vector>

using namespace poplar;
using namespace poplar::program;

template <typename T>
std::vector<T> run(const Device &device, const char *file, const char *vertex,
                   Type type, const std::vector<T> &input, std::size_t count) {
  Graph graph(device.getTarget());
  graph.addCodelets(file);
  Tensor x = graph.addVariable(type, {input.size()}, "x");
  Tensor y = graph.addVariable(type, {count}, "y");
  graph.setTileMapping(x, 0);
  graph.setTileMapping(y, 0);
  ComputeSet set = graph.addComputeSet("set");
  VertexRef v = graph.addVertex(set, vertex, {{"x", x}, {"y", y}});
  graph.setTileMapping(v, 0);
  graph.createHostWrite("x", x);
  graph.createHostRead("y", y);
  Engine engine(graph, Execute(set));
  engine.load(device);
  engine.writeTensor("x", input.data(), input.data() + input.size());
  engine.run(0);
  std::vector<T> output(count);
  engine.readTensor("y", output.data(), output.data() + count);
  return output;
}

int main(int argc, char **argv) {
  DeviceManager manager = DeviceManager::createDeviceManager();
  Device ipu = std::move(manager.getDevices(TargetType::IPU, 1).front());
  ipu.attach();
  Device cpu = Device::createCPUDevice();

  std::vector<float> x = {0.1f, -0.5f, 1.0f, 3.0f, -7.25f, 12.5f, 0.001f};
  constexpr std::size_t Functions = 16;
  auto a = run(cpu, argv[1], "Maths", FLOAT, x, x.size() * Functions);
  auto b = run(ipu, argv[1], "Maths", FLOAT, x, x.size() * Functions);
  int wrong = 0;
  for (std::size_t i = 0; i != a.size(); ++i)
    if (!(std::fabs(a[i] - b[i]) <= 2e-6f * std::fabs(a[i]) + 1e-9f)) {
      std::printf("function %zu of %g: %.9g on the host, %.9g on the IPU\n",
                  i % Functions, x[i / Functions], a[i], b[i]);
      ++wrong;
    }

  std::vector<unsigned> n = {7,          3,          0x80000000, 0xfffffff5,
                             0x12345678, 0x9abcdef0, 1,          100000};
  std::size_t results = (n.size() - 1) * 9 + 1;
  auto c = run(cpu, argv[1], "Integers", UNSIGNED_INT, n, results);
  for (const char *vertex : {"Integers", "SupervisorIntegers"}) {
    auto d = run(ipu, argv[1], vertex, UNSIGNED_INT, n, results);
    for (std::size_t i = 0; i != c.size(); ++i)
      if (c[i] != d[i]) {
        std::printf("%s, result %zu of pair %zu: %u on the host, %u on the "
                    "IPU\n",
                    vertex, i % 9, i / 9, c[i], d[i]);
        ++wrong;
      }
  }
  std::printf("%zu floats, %zu integers, %d wrong\n", a.size(), c.size(),
              wrong);
  return wrong != 0;
}
