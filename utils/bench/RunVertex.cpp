// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts the cycles of one vertex on one tile of an emulated IPU, for
// utils/bench/code-quality:
//
//     run-vertex CODELETS.gp VERTEX FIELD=TYPE:COUNT[:DATA]... FIELD=VALUE...
//
// The fields with a type are connected to tensors of that many elements, which
// hold zeros or DATA: `up` or `down` (0, 1, ... or the reverse), `random`
// (0 to 1023, of few bits in bytes), `text` (words). The others get an initial
// value.

#include <cstdio>
#include <cstdlib>
#include <map>
#include <poplar/CycleCount.hpp>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <string>
#include <vector>

using namespace poplar;
using namespace poplar::program;

/// The elements of `data` as small numbers.
static std::vector<int> numbers(const std::string &data, std::size_t count) {
  std::vector<int> result(count);
  unsigned random = 1;
  for (std::size_t i = 0; i != count; ++i) {
    random = random * 1664525u + 1013904223u;
    result[i] = data == "up"     ? i
                : data == "down" ? count - i
                : data == "text" ? (random >> 24) % 6 ? 'a' : ' '
                                 : random >> 22;
  }
  return result;
}

template <typename T>
static void fill(Graph &graph, const Tensor &tensor,
                 const std::vector<int> &data) {
  for (std::size_t i = 0; i != data.size(); ++i)
    graph.setInitialValue(tensor[i], T(data[i]));
}

static void setField(Graph &graph, VertexRef vertex, const std::string &text) {
  static const std::map<std::string, Type> types = {
      {"float", FLOAT}, {"half", HALF},        {"int", INT},
      {"short", SHORT}, {"char", SIGNED_CHAR}, {"uchar", UNSIGNED_CHAR},
      {"bool", BOOL},   {"uint", UNSIGNED_INT}};
  std::size_t equals = text.find('='), colon = text.find(':');
  std::string name = text.substr(0, equals);
  if (colon == std::string::npos) {
    graph.setInitialValue(vertex[name], std::stof(text.substr(equals + 1)));
    return;
  }
  Type type = types.at(text.substr(equals + 1, colon - equals - 1));
  std::size_t count = std::stoul(text.substr(colon + 1));
  std::size_t second = text.find(':', colon + 1);
  Tensor tensor = graph.addVariable(type, {count}, name);
  graph.setTileMapping(tensor, 0);
  if (second != std::string::npos) {
    std::vector<int> data = numbers(text.substr(second + 1), count);
    if (type == FLOAT)
      fill<float>(graph, tensor, data);
    else if (type == INT)
      fill<int>(graph, tensor, data);
    else
      fill<unsigned char>(graph, tensor, data);
  }
  // A field that is one element takes the element itself.
  graph.connect(vertex[name], count == 1 ? tensor[0] : tensor);
}

int main(int argc, char **argv) {
  std::vector<Device> devices =
      DeviceManager::createDeviceManager().getDevices(TargetType::IPU, 1);
  Device &device = devices.front();
  device.attach();
  Graph graph(device.getTarget());
  graph.addCodelets(argv[1]);
  ComputeSet set = graph.addComputeSet("set");
  VertexRef vertex = graph.addVertex(set, argv[2]);
  graph.setTileMapping(vertex, 0);
  for (int i = 3; i < argc; ++i)
    setField(graph, vertex, argv[i]);
  Sequence program;
  program.add(Execute(set));
  graph.createHostRead("cycles", cycleCount(graph, program, 0));
  Engine engine(graph, program);
  engine.load(device);
  engine.run(0);
  unsigned cycles[2];
  engine.readTensor("cycles", cycles, cycles + 2);
  std::printf("%u\n", cycles[0]);
}
