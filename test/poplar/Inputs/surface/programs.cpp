// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every kind of program and every form of the functions of engines,
// executables, devices and targets, once. The program is compiled and linked;
// its functions are not run.

#include <poplar/CSRFunctions.hpp>
#include <poplar/CycleCount.hpp>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/PrintTensor.hpp>
#include <poplar/RandomSeed.hpp>

#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <set>

using namespace poplar;
using namespace poplar::program;

void programs(Graph &graph, Sequence &prog, const Tensor &t, ComputeSet set,
              const DebugNameAndId &dnai) {
  Sequence empty, named({dnai, "s"}), listed({Copy(t, t), Execute(set)}, "l");
  Sequence braced{Copy(t, t), prog};
  Sequence variadic(Copy(t, t), Execute(set));
  Sequence converted = Repeat(3, prog);
  Program any = prog;
  bool same = any == prog || any.isEmpty();
  prog.add(empty);
  prog.add(Execute(set, {dnai}));
  prog.add(Copy(t, t, false, {dnai}));
  prog.add(Copy(t, t, dnai));
  prog.add(Repeat(10, Repeat(2, braced), "loop"));
  prog.add(Repeat{10, braced});
  prog.add(RepeatWhileTrue(empty, t[0], named, {dnai}));
  prog.add(RepeatWhileFalse(Sequence(), t[0], listed));
  prog.add(If(t[0].reshape({}), variadic, Sequence(), {dnai}));
  Switch choice(t[0], "switch");
  choice.add(1, prog);
  prog.add(choice);
  prog.add(Switch(t[0], {{0, prog}, {1, Sequence()}}));
  prog.add(Switch(t[0], {{0, prog}}, Sequence(), {dnai}));
  std::vector<std::pair<int, Program>> cases{{0, prog}};
  prog.add(Switch(t[0], cases));
  prog.add(Switch(t[0], cases, prog, "cases"));
  prog.add(PrintTensor("x", t));
  prog.add(PrintTensor(t, {dnai}));
  prog.add(PrintTensor(t));
  PrintTensorFmt format(1000, 3, 75, 8, PrintTensorFmt::FloatFormat::Auto, ' ',
                        '[', ']');
  prog.add(PrintTensor("x", t, format, {dnai}));
  prog.add(WriteUndef(t));
  prog.add(WriteUndef(t, {dnai}));
  prog.add(Sync(SyncType::INTERNAL));
  prog.add(Sync(SyncType::EXTERNAL, {dnai}));
  prog.add(AbortOnCondition(t[0], "too large"));
  prog.add(AbortOnCondition(t[0]));
  prog.add(Abort());
  prog.add(Abort("stop", {dnai}));
  prog.add(ErrorProgram("wrong", t, {dnai}));
  prog.add(AssumeEqualAcrossReplicas(t, {dnai}));
  prog.add(Block(prog, "block"));
  prog.add(CrossReplicaCopy(t, t, std::map<unsigned, unsigned>{{0, 1}, {1, 0}},
                            "exchange"));
  prog.add(Call(graph.addFunction(prog), {dnai}));
  (void)same, (void)converted;
}

void states(Graph &graph, Sequence &prog, const Tensor &t) {
  const FloatingPointBehaviour behaviour{true, true, true, false, true};
  setFloatingPointBehaviour(graph, prog, behaviour, "on");
  setFloatingPointBehaviour(graph, prog, t, "restore");
  Tensor before = getAndModifyFloatingPointBehaviour(graph, prog, behaviour,
                                                     behaviour, "change");
  setStochasticRounding(graph, prog, true, "sr");
  Tensor seeds = getHwSeeds(graph, prog, "seeds");
  setHwSeeds(graph, seeds, prog, "seeds");
  Tensor cycles = cycleCount(graph, prog, 0, SyncType::INTERNAL, "cycles");
  cycles = cycleCount(graph, prog, 0, "cycles");
  cycles = cycleStamp(graph, prog, 0, SyncType::EXTERNAL);
}

class Callback : public StreamCallback {
public:
  Result prefetch(void *) override { return Result::NotAvailable; }
  void fetch(void *) override {}
  void complete() override {}
  void invalidatePrefetched() override {}
};
class Legacy : public LegacyStreamCallback {
public:
  void fetch(void *) override {}
};
class Host : public HostCallback {
public:
  void operator()(ArrayRef<const void *>, ArrayRef<void *>) override {}
};

void engines(Graph &graph, const Sequence &prog, const Device &device,
             std::vector<float> &data) {
  Engine simple(graph, prog);
  Engine several(graph, {prog, prog}, {{"debug.instrument", "true"}});
  ProgressFunc progress = [](int, int) {};
  std::vector<Program> list{prog};
  Engine full(graph, list, OptionFlags(), progress, "engine");
  Engine engine(compileGraph(graph, {prog}), {{"a", "b"}});
  Executable executable =
      compileGraph(graph, list, {}, [](int, int) {}, "compile");
  compileGraph(std::move(graph), {prog});
  std::ofstream file("a.poplar_exec");
  executable.serialize(file);
  std::ifstream in("a.poplar_exec");
  executable = Executable::deserialize(in);
  executable = Executable::deserialize(
      std::unique_ptr<std::istream>(new std::ifstream("a")));
  Engine shared(executable, {{"a", "b"}});
  std::unique_ptr<Engine> held(new Engine(std::move(executable)));
  engine = std::move(full);
  engine.load(device);
  engine.prepare(device);
  engine.deploy();
  engine.run();
  engine.run(1);
  engine.run(0, "step");
  engine.loadAndRun(device);
  engine.loadAndRun(device, 1);
  engine.readTensor("r", data.data(), data.data() + data.size());
  engine.readTensor("r", data.data());
  engine.writeTensor("w", data.data(), data.data() + data.size());
  engine.writeTensor("w", data.data());
  engine.connectStream("s", data.data());
  engine.connectStream("s", data.data(), data.data() + data.size());
  engine.connectStreamToCallback("s", [&](void *) {});
  engine.connectStreamToCallback("s", 1, [&](void *) {});
  engine.connectStreamToCallback("s", std::unique_ptr<Callback>(new Callback));
  engine.connectStreamToCallback("s", 0, std::unique_ptr<Legacy>(new Legacy));
  engine.connectHostFunction("f",
                             [](ArrayRef<const void *>, ArrayRef<void *>) {});
  engine.connectHostFunction("f", 0,
                             [](ArrayRef<const void *>, ArrayRef<void *>) {});
  engine.connectHostFunction(
      "f", HostCallbackHandle(std::unique_ptr<Host>(new Host)));
  engine.copyToRemoteBuffer(data.data(), "b", 0);
  engine.copyToRemoteBuffer(data.data(), "b", 0, 1);
  engine.copyFromRemoteBuffer("b", data.data(), 0);
  engine.copyFromRemoteBuffer("b", data.data(), 0, 1);
  engine.copyToRemoteBuffer(ArrayRef<float>(data), "b", 0);
  gccs::ArrayRef<float> row(data.data(), data.size());
  engine.copyFromRemoteBuffer<float>("b", row, 0, 1);
  engine.printProfileSummary(std::cout);
  engine.printProfileSummary(std::cout, {{"showExecutionSteps", "true"}});
  engine.enableExecutionProfiling();
  engine.disableExecutionProfiling();
  engine.resetExecutionProfile();
  ProfileValue graphProfile = engine.getGraphProfile(),
               executionProfile = engine.getExecutionProfile();
  printProfileSummary(std::cout, graphProfile, executionProfile,
                      {{"showVarStorage", "true"}});
  printGraphSummary(std::cout, graphProfile, OptionFlags());
  printExecutionSummary(std::cout, graphProfile, executionProfile, {});
  printProfileSummary(std::cout, "profile.pop", OptionFlags());
  printProfileSummary(std::cout, "profile.pop", {});
  printGraphSummary(std::cout, "profile.pop", {});
  engine.setPrintStream(std::cout);
  engine.setPrintTensorStream(std::cout);
  Engine::TimerTimePoint from = engine.getTimeStamp();
  std::cout << engine.reportTiming(from, engine.getTimeStamp());
  engine.reportIntervals(std::cout);
  engine.listStreams();
  engine.serializeExecutable(std::cout);
}

void devices() {
  Device device = Device::createCPUDevice(),
         counted = Device::createCPUDevice(2);
  DeviceManager manager = DeviceManager::createDeviceManager();
  for (Device &hardware : manager.getDevices(TargetType::IPU, 1))
    if (hardware.attach())
      device = std::move(hardware);
  manager.getDevices(TargetType::IPU, 2, {{"gatewayMode", "false"}});
  manager.getDevices({{"ipuLinkDomainSize", "64"}});
  manager.getDevice(0);
  manager.getDevice(0, {{"syncConfiguration", "intraReplicaAndAll"}});
  manager.getChildDeviceIds(0, 1);
  manager.getNumDevices();
  const Target &target = device.getTarget();
  Device simulator = Device::createSimulatorDevice(target);
  simulator = Device::createSimulatorDevice(target, {{"a", "b"}});
  Device fewer = device.createVirtualDevice(4);
  unsigned id = device.getId(), major, minor, point;
  device.isAttached();
  device.supportsRemoteBuffers();
  device.getDriverIDs();
  device.getDriverVersion(major, minor, point);
  device.getAttributes();
  device.getNumaTopology();
  device.getNumaNodesUsedForIPUs();
  device.hasGateway();
  device.detach();
  IPUModel model, older("ipu1");
  model.numIPUs = 2;
  model.tilesPerIPU = 4;
  model.compileIPUCode = true;
  model.minIPUSyncDelay = 0;
  model.relativeSyncDelay = IPUModel::RelativeSyncDelayType();
  model.numWorkerContexts = 6;
  model.dataPathWidth = 64;
  model.globalSyncCycles = 100;
  model.tileClockFrequency = 1e9;
  model.IPUVersion = "ipu2";
  model.globalExchangeConstraints = {
      GlobalExchangeConstraint(1e9, {GlobalExchangeFlow(0, 1)})};
  device = model.createDevice();
  device = older.createDevice({{"a", "b"}});
  device = model.createDevice({}, true);
  (void)id;
}

void targets() {
  Target target = Target::createIPUTarget(1, "ipu2"), none;
  target = Target::createIPUTarget(2, "ipu21", {{"ipuLinkDomainSize", "2"}});
  target = Target::createIPUTarget(1, 4, "ipu2");
  target = Target::createIPUTarget(1, 4, "ipu2", {});
  target = Target::createCPUTarget();
  target = Target::createCPUTarget(true, 2);
  target = target.createVirtualTarget(1, 4);
  std::uint64_t sum =
      target.getNumTiles() + target.getNumWorkerContexts() +
      target.getTypeSize(FLOAT) + target.getTilesPerIPU() +
      target.getNumIPUs() + target.getVectorWidth(HALF) +
      target.getRptCountMax() + target.getDataPathWidth() +
      target.getAtomicStoreGranularity() + target.getBytesPerTile() +
      target.getExchangeBytesPerCycle() +
      target.getTilesPerSharedExchangeBus() +
      target.getNumConvUnits(HALF, FLOAT) + target.getWeightsPerConvUnit(HALF) +
      target.getNumStrideBits() + target.getConvUnitMaxPipelineDepth(HALF) +
      target.getIpuLinkDomainSize() +
      target.getFp16InFp16OutConvUnitsPerTile() +
      target.getFp16InFp32OutConvUnitsPerTile() +
      target.getFp32InFp32OutConvUnitsPerTile() +
      target.getConvUnitCoeffLoadBytesPerCycle() +
      target.getConvUnitInputLoadElemsPerCycle(HALF) +
      target.getFp16ConvUnitInputLoadElemsPerCycle() +
      target.getFp32ConvUnitInputLoadElemsPerCycle() +
      target.getGlobalSyncCycles() + target.getFloatVectorWidth() +
      target.getHalfVectorWidth() + target.getMaxIPUSyncDelay() +
      target.getMinIPUSyncDelay() + target.getInstanceSize() +
      target.getInterleavedMemoryElementIndex();
  double rates =
      target.getTileClockFrequency() + target.getMemcpyBytesPerCycle();
  target.getTargetArchString();
  target.getTargetSystemString();
  target.getGatewayMode();
  target.supportsExchangeBusSharing();
  target.getMemoryElementOffsets();
  target.getTypeLimitsMaxAs<float>(HALF);
  target.getTypeLimitsLowestAs<float>(HALF);
  target.getIpuLinkTopology();
  target.getTargetOptions();
  target.getIpuLinkConfiguration();
  target.getGlobalExchangeConstraints();
  target.makeFpIctlValue(true, true, true, false, true);
  target.hash();
  target.serialize(std::cout);
  Target read(std::cin);
  switch (target.getTargetType()) {
  case TargetType::IPU:
  case TargetType::CPU:
  case TargetType::IPU_MODEL:
    std::cout << toString(target.getTargetType());
  }
  (void)(none == target), (void)sum, (void)rates;
}

void options(OptionFlags &flags) {
  flags.set("k", "v");
  flags.set({{"a", "b"}, {"c", "d"}});
  for (const auto &entry : flags)
    std::cout << entry.first << entry.second;
  std::cout << flags.at("k") << (flags.find("k") == flags.end()) << flags;
  readJSON("{}", flags);
  readJSON(std::cin, flags);
  readJSONFromEnv("OPTIONS", flags);
  ProfileValue value = getAsProfileValue(flags);
  flags.clear();
  std::map<OptionFlags, int> keys;
  std::cout << (flags == OptionFlags({{"k", "v"}}));
}

class Info : public DebugInfo {
public:
  explicit Info(const DebugContext &dc) : DebugInfo(dc, "layer") {
    setValue("k", ProfileValue("v"));
    ProfileValue::Map map;
    map.insert({"n", ProfileValue(1)});
    map.insert({"b", ProfileValue(true)});
    ProfileValue::Vector list;
    list.push_back(ProfileValue(1.5));
    map.insert({"list", list});
    setValue("map", map);
  }
};

void debugging(const DebugContext &dc) {
  Info info(dc);
  DebugNameAndId name("n"), withId("n", 3, "path"), ofContext(dc),
      ofInfo(info, "suffix");
  DebugContext fromText("x"), fromString(std::string("y")), fromName(name, "s"),
      fromInfo(info, "t"), fromContext(dc, "u");
  std::cout << name << name.getPathName() << name.getName() << name.getId()
            << info.getId() << info.getPathName();
  DebugInfo::initializeStreamer("debug.cbor", DebugSerializationFormat::CBOR);
  DebugInfo::closeStreamer();
  SourceLocation here = SourceLocation::Current(), there("f", "a.cpp", 3);
  DebugId id = 1;
  ProfileValue value = std::string("s");
  std::cout << value.asString() << (value.type() == ProfileValue::Type::STRING);
  serializeToJSON(std::cout, value);
  serializeToJSON(std::cout, value, true);
  serializeToCBOR(std::cout, value);
  (void)id;
}

void errors() {
  try {
    throw poplar_error(std::string("no"));
  } catch (const graph_memory_allocation_error &e) {
    std::cerr << e.profilePath << e.what();
  } catch (const recoverable_runtime_error &e) {
    std::cerr << toString(e.getRecoveryAction())
              << (e.getRecoveryAction() == RecoveryAction::IPU_RESET);
  } catch (const unrecoverable_runtime_error &) {
  } catch (const unknown_runtime_error &) {
  } catch (const application_runtime_error &) {
  } catch (const system_runtime_error &) {
  } catch (const runtime_error &) {
  } catch (const invalid_option &) {
  } catch (const link_error &e) {
    std::cerr << e.output;
  } catch (const graph_program_compilation_error &) {
  } catch (const control_program_error &) {
  } catch (const file_load_error &) {
  } catch (const graph_connection_error &) {
  } catch (const graph_cycle_error &) {
  } catch (const poplar_error &) {
  }
}

int main() { return 0; }
