// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Figures of profiles of which the user guide says what they are, for a program
// that has each kind of program and exchange: two IPUs of four tiles.

#include <poplar/CycleCount.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>

#include <iostream>
#include <map>
#include <set>
#include <sstream>

using namespace poplar;
using namespace poplar::program;

static int failures = 0;

static void check(bool good, const std::string &what) {
  if (!good) {
    std::cout << what << " is wrong\n";
    ++failures;
  }
}
#define CHECK(CONDITION) check(CONDITION, #CONDITION)

static std::uint64_t sum(const ProfileValue &list) {
  std::uint64_t total = 0;
  for (const ProfileValue &value : list.asVector())
    total += value.asUint();
  return total;
}

/// The programs of a profile, by type.
static std::map<std::string, std::vector<const ProfileValue *>>
byType(const ProfileValue &programs) {
  std::map<std::string, std::vector<const ProfileValue *>> map;
  for (const ProfileValue &program : programs.asVector())
    map[program["type"].asString()].push_back(&program);
  return map;
}

struct Model {
  explicit Model(const Device &device) : graph(device.getTarget()) {
    std::stringstream codelet(R"(
      #include <poplar/Vertex.hpp>
      struct Add : poplar::Vertex {
        poplar::Input<poplar::Vector<int>> in;
        poplar::Input<poplar::VectorList<int>> list;
        poplar::Output<int> out;
        poplar::Vector<int> numbers;
        bool compute() {
          *out = in[0] + list[0][0] + numbers[0];
          return true;
        }
      };)");
    graph.addCodelets(codelet);
    x = variable("x", 0);
    near = variable("near", 1);
    far = variable("far", 4);
    flag = graph.addVariable(INT, {}, "flag");
    graph.setTileMapping(flag, 0);
    one = graph.addVariable(INT, {}, "one");
    graph.setTileMapping(one, 0);
    graph.setInitialValue(one, 1);
    constant = graph.addConstant(INT, {16}, 3, "constant");
    graph.setTileMapping(constant, 2);
    result = graph.addVariable(INT, {6}, "result");
    graph.setTileMapping(result, 2);
    six = graph.addComputeSet("six");
    for (unsigned i = 0; i != 6; ++i) {
      const VertexRef vertex = graph.addVertex(six, "Add",
                                               {{"in", constant},
                                                {"list", near.reshape({1, 64})},
                                                {"out", result[i]}});
      graph.setFieldSize(vertex["numbers"], 2);
      graph.setInitialValue(vertex["numbers"], ArrayRef<int>({1, 2}));
      graph.setPerfEstimate(vertex, 100);
      graph.setTileMapping(vertex, 2);
    }
    graph.createHostRead("far", far);
    graph.createHostRead("result", result);
    graph.createHostWrite("flag", flag);
  }

  Tensor variable(const std::string &name, unsigned tile) {
    const Tensor tensor = graph.addVariable(INT, {64}, name);
    graph.setTileMapping(tensor, tile);
    return tensor;
  }

  Program everything() {
    const DataStream in = graph.addHostToDeviceFIFO("in", INT, 64);
    const DataStream out = graph.addDeviceToHostFIFO("out", INT, 64);
    Switch which(flag);
    which.add(0, Copy(x, near));
    return Sequence({Copy(in, x), Copy(x, near), Sync(SyncType::INTERNAL),
                     Execute(six), Copy(x, far),
                     RepeatWhileTrue(Sequence(), flag, Copy(x, near)),
                     RepeatWhileFalse(Sequence(), one, Sequence()), which,
                     PrintTensor("result", result), Copy(far, out)});
  }

  Graph graph;
  Tensor x, near, far, flag, one, constant, result;
  ComputeSet six;
};

static Device model(bool compilesIpuCode = false) {
  IPUModel ipus;
  ipus.numIPUs = 2;
  ipus.tilesPerIPU = 4;
  ipus.compileIPUCode = compilesIpuCode;
  return ipus.createDevice();
}

static void checkExchanges(const ProfileValue &graph) {
  const ProfileValue &outside = graph["externalExchanges"];
  CHECK(outside["bytesSentByTile"].size() == 1);
  CHECK(outside["bytesSentByTile"][0][0].asUint() == 256);
  CHECK(sum(outside["bytesSentByTile"][0]) == 256);
  CHECK(outside["bytesReceivedByTile"][0][4].asUint() == 256);
  CHECK(sum(outside["bytesReceivedByTile"][0]) == 256);
  CHECK(outside["estimatedCyclesByTile"][0][4].asUint() > 0);
  CHECK(outside["estimatedCyclesByTile"][0][1].asUint() == 0);
  const ProfileValue &host = graph["hostExchanges"];
  // From the host to tile 0, and from tile 4 to the host.
  CHECK(host["bytesReceivedByTile"][0][0].asUint() == 256);
  CHECK(sum(host["bytesReceivedByTile"][0]) == 256);
  CHECK(sum(host["bytesSentByTile"][0]) == 0);
  const std::size_t last = host["bytesSentByTile"].size() - 1;
  CHECK(host["bytesSentByTile"][last][4].asUint() == 256);
  CHECK(host["estimatedCyclesByTile"][0][0].asUint() > 0);
}

static void checkPrograms(const ProfileValue &graph) {
  const auto programs = byType(graph["programs"]);
  for (const auto &item : programs)
    std::cout << item.first << " " << item.second.size() << "\n";
  for (const char *type : {"RepeatWhile", "Switch", "Sync", "GlobalExchange"})
    check(programs.count(type) != 0, type);
  for (const ProfileValue *program : programs.at("GlobalExchange"))
    CHECK((*program)["exchange"].asUint() < 2);
  bool prints = false;
  for (const ProfileValue *program : programs.at("StreamCopy"))
    if (const ProfileValue *name = program->getOrNull("name"))
      prints |= name->asString().find("result") != std::string::npos;
  check(prints, "StreamCopy of PrintTensor");
}

static void checkMemory(const ProfileValue &graph) {
  const ProfileValue &memory = graph["memory"];
  const ProfileValue &byCategory = memory["byCategory"];
  CHECK(byCategory["constant"]["total"][2].asUint() == 64);
  CHECK(sum(byCategory["constant"]["total"]) == 64);
  // Two ints each, and a word or more for the list.
  CHECK(byCategory["vertexFieldData"]["total"][2].asUint() >= 6 * 12);
  CHECK(sum(byCategory["vertexFieldData"]["total"]) ==
        byCategory["vertexFieldData"]["total"][2].asUint());
  CHECK(byCategory["vertexCode"]["total"][2].asUint() > 0);
  CHECK(byCategory["stack"]["total"][2].asUint() > 0);
  for (unsigned tile = 0; tile != 8; ++tile)
    CHECK(memory["byTile"]["totalIncludingGaps"][tile].asUint() >=
          memory["byTile"]["total"][tile].asUint());
  for (const char *by : {"byComputeSet", "byVertexType"}) {
    const ProfileValue &part = memory[by];
    std::uint64_t total = 0;
    for (const char *kind : {"codeBytes", "copyPtrBytes", "descriptorBytes",
                             "edgePtrBytes", "paddingBytes", "vertexDataBytes"})
      total += part[kind][0][2].asUint();
    CHECK(part["totalBytes"][0][2].asUint() == total);
    // Counted where the code is that of an IPU.
    if (graph["target"]["type"].asString() == "IPU")
      CHECK(part["codeBytes"][0][2].asUint() > 0 &&
            part["codeBytes"][0][2].asUint() <=
                byCategory["vertexCode"]["total"][2].asUint() &&
            part["codeBytes"][0][0].asUint() == 0);
  }
  const std::uint64_t size = graph["vertexTypes"]["sizes"][0].asUint();
  CHECK(6 * size == byCategory["vertexInstanceState"]["total"][2].asUint());
}

static void checkExecution(const ProfileValue &execution) {
  const ProfileValue &run = execution["simulation"];
  CHECK(run["tileCycles"]["globalExchange"].asUint() > 0);
  CHECK(run["tileCycles"]["streamCopy"].asUint() > 0);
  std::set<std::string> kinds;
  for (const ProfileValue &step : run["steps"].asVector()) {
    const std::string &type = step["type"].asString();
    if (type == "Sync") {
      kinds.insert(step["syncType"].asString());
      continue;
    }
    const std::uint64_t cycles = step["cycles"].asUint();
    if (type == "OnTileExecute") {
      // One of eight tiles works, for all of the step.
      // One of the four tiles of its IPU works, for all of the step.
      CHECK(step["tileBalance"].asDouble() == 1.0 / 4);
      CHECK(step["threadBalance"].asDouble() > 0.9);
      CHECK(step["threadBalance"].asDouble() <= 1);
      CHECK(cycles >= 600);
    }
    if (type == "GlobalExchange") {
      CHECK(step["externalExchange"].asUint() < 2);
      CHECK(step["totalData"].asUint() == 256);
    }
    kinds.insert(type);
  }
  CHECK(kinds ==
        (std::set<std::string>{"DoExchange", "External", "GlobalExchange",
                               "Internal", "OnTileExecute", "StreamCopy"}));
}

static void checkTexts(Engine &engine) {
  std::ostringstream plain, pretty, cbor;
  const ProfileValue graph = engine.getGraphProfile();
  serializeToJSON(plain, graph["target"]);
  serializeToJSON(pretty, graph["target"], true);
  CHECK(plain.str().find('\n') == std::string::npos);
  CHECK(pretty.str().find("\n  \"bytesPerIPU\": ") != std::string::npos);
  ProfileValue::Map small;
  small["a"] = ProfileValue(ProfileValue::Vector{1, true});
  serializeToCBOR(cbor, ProfileValue(small));
  // A map of one: the text "a", and a list of the numbers 1 and true.
  CHECK(cbor.str() == "\xa1\x61"
                      "a\x82\x01\xf5");
  std::cout << "--- graph\n";
  printGraphSummary(std::cout, graph,
                    {{"showExchangeInstructionBreakdown", "true"}});
  std::cout << "--- execution\n";
  printExecutionSummary(std::cout, graph, engine.getExecutionProfile());
}

static void checkTypes() {
  const auto type = [](const Device &device) {
    Graph graph(device.getTarget());
    graph.setTileMapping(graph.addVariable(CHAR, {1}), 0);
    Engine engine(graph, Sequence());
    return engine.getGraphProfile()["target"]["type"].asString();
  };
  CHECK(type(Device::createCPUDevice()) == "CPU");
  CHECK(type(Device::createSimulatorDevice(
            Target::createIPUTarget(1, 1, "ipu2"))) == "IPU");
  CHECK(Device::createCPUDevice().getTarget().getNumWorkerContexts() == 1);
  // Plain char is signed.
  Graph graph(Device::createCPUDevice().getTarget());
  const Tensor least = graph.addConstant(CHAR, {1}, ArrayRef<char>({-100}));
  graph.setTileMapping(least, 0);
  char value = 0;
  CHECK(graph.getTarget().getTypeSize(CHAR) == 1);
  CHECK(least.getConstantValue(&value) && value == -100);
}

int main() try {
  const Device device = model(true);
  Model program(device);
  Engine engine(program.graph, program.everything());
  std::vector<int> in(64, 5), out(64);
  engine.connectStream("in", in.data(), in.data() + 64);
  engine.connectStream("out", out.data(), out.data() + 64);
  engine.load(device);
  engine.setPrintTensorStream(std::cout);
  engine.run();
  CHECK(out == in);
  const ProfileValue graph = engine.getGraphProfile();
  checkExchanges(graph);
  checkPrograms(graph);
  checkMemory(graph);
  checkExecution(engine.getExecutionProfile());
  checkTexts(engine);
  const Device emulated =
      Device::createSimulatorDevice(Target::createIPUTarget(2, 4, "ipu2"));
  Model sameProgram(emulated);
  checkMemory(
      Engine(sameProgram.graph, sameProgram.everything()).getGraphProfile());
  checkTypes();
  std::cout << (failures ? "failed\n" : "all figures are right\n");
  return failures != 0;
} catch (const std::exception &error) {
  std::cout << error.what() << "\n";
  return 1;
}
