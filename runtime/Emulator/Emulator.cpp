// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The emulator device: tiles with their contexts, vertices put on workers in
// launch order, faults turned into messages. A worker vertex runs to its end
// by itself; supervisor and multi-vertices run their contexts interleaved.

#include "runtime/Emulator/Fault.h"
#include "runtime/Emulator/Tile.h"
#include "runtime/Emulator/Translations.h"
#include "runtime/Session/Device.h"
#include "runtime/Session/Session.h"

#include <memory>
#include <optional>

namespace populus::runtime {

namespace {

using namespace emulator;

/// A first state of the random number generators that differs for each context
/// of each tile and is never zero.
std::uint64_t mixBits(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

class EmulatorDevice : public Device {
public:
  EmulatorDevice(const Executable &executable, DeviceMemory &memory,
                 HostCalls *hostCalls, Engine engine)
      : executable(executable), memory(memory), hostCalls(hostCalls),
        tiles(executable.numTiles()) {
    for (const CodeImage &image : executable.images)
      codes.push_back(std::make_unique<Code>(image));
    if (engine == Engine::Interpreter)
      return;
    service.emplace(engine == Engine::Translated);
    for (const CodeImage &image : executable.images)
      translations.push_back(std::make_unique<Translations>(*service, image));
  }

  std::string_view engine() const override {
    if (!service || !service->available())
      return "interpreter";
    return service->waits() ? "translated" : "auto";
  }

  TileRun runTile(const TileVertices &vertices,
                  std::uint64_t cycleLimit) override {
    Tile &tile = tileAt(vertices.tile);
    const std::uint64_t start = tile.now;
    timing::TileSchedule schedule;
    TileRun result;
    for (std::uint32_t i = 0; i != vertices.vertices.count; ++i) {
      const Vertex &vertex = executable.vertices[vertices.vertices.first + i];
      const VertexKind kind = executable.vertexTypes[vertex.type].kind;
      Context *faulted = kind == VertexKind::Worker
                             ? runWorkerVertex(tile, vertex, start, schedule,
                                               cycleLimit, result)
                             : runAlone(tile, vertex, kind, start, schedule,
                                        cycleLimit, result);
      if (faulted) {
        result.fault = describe(vertex, *faulted);
        return result;
      }
    }
    result.cycles = schedule.finish();
    tile.now = start + result.cycles;
    return result;
  }

private:
  /// The tile, set up when it is first used. Different tiles are asked for by
  /// different threads.
  Tile &tileAt(std::uint32_t number) {
    if (!tiles[number])
      tiles[number] = makeTile(number);
    return *tiles[number];
  }

  std::unique_ptr<Tile> makeTile(std::uint32_t number) {
    const TargetInfo &target = *findTarget(executable.target);
    const TileSetup &setup =
        executable.tileSetups[executable.tileSetup[number]];
    const CodeImage &image = executable.images[setup.image];
    auto tile = std::make_unique<Tile>();
    tile->number = number;
    tile->region0 = target.regions[0].begin;
    tile->code = codes[setup.image].get();
    if (!translations.empty())
      tile->translations = translations[setup.image].get();
    tile->hostCalls = hostCalls;
    for (unsigned i = 0; i != tile->contexts.size(); ++i) {
      Context &c = tile->contexts[i];
      c.tile = tile.get();
      c.number = i;
      setMemory(c, target, image, number);
      if (i < NumWorkers)
        c.m[WorkerBase] = setup.workerBase[i];
      c.prng[0] = mixBits(2 * (number * 8ull + i));
      c.prng[1] = mixBits(2 * (number * 8ull + i) + 1);
    }
    tile->contexts[Supervisor].m[StackPointer] = setup.supervisorStack;
    return tile;
  }

  void setMemory(Context &c, const TargetInfo &target, const CodeImage &image,
                 std::uint32_t tile) {
    // The test of an access needs bounds that are aligned to the largest one.
    constexpr Address LargestAccess = 16;
    c.lo = target.regions[0].begin;
    c.size = target.regions[1].end - c.lo;
    c.memory = reinterpret_cast<std::uint8_t *>(memory.at(tile, c.lo));
    c.storeLo = (image.base + image.textBytes) / LargestAccess * LargestAccess;
    c.storeSize = target.regions[1].end - c.storeLo;
    c.storeMemory = c.memory + (c.storeLo - c.lo);
    c.interleavedBegin = target.regions[1].begin;
  }

  Context *runWorkerVertex(Tile &tile, const Vertex &vertex,
                           std::uint64_t start, timing::TileSchedule &schedule,
                           std::uint64_t cycleLimit, TileRun &result) {
    const unsigned worker = schedule.nextWorker();
    Context &c = tile.contexts[worker];
    tile.launch(worker, tile.code->find(vertex.entry), vertex.state);
    c.launchedAt = start + schedule.nextStart();
    runWorker(tile, worker,
              static_cast<std::int64_t>(cycleLimit / timing::CyclesPerBundle));
    if (c.faultKind != FaultKind::None)
      return &c;
    result.bundles += static_cast<std::uint64_t>(c.issued);
    schedule.add(static_cast<std::uint64_t>(c.issued) *
                 timing::CyclesPerBundle);
    return nullptr;
  }

  Context *runAlone(Tile &tile, const Vertex &vertex, VertexKind kind,
                    std::uint64_t start, timing::TileSchedule &schedule,
                    std::uint64_t cycleLimit, TileRun &result) {
    tile.now = start + schedule.finish() + timing::VertexLaunchCycles;
    const std::uint64_t begin = tile.now;
    const Slot *entry = tile.code->find(vertex.entry);
    if (kind == VertexKind::Supervisor)
      startSupervisor(tile, entry, vertex.state);
    else
      for (unsigned i = 0; i != NumWorkers; ++i)
        tile.launch(i, entry, vertex.state);
    tile.turns = 0;
    Context *faulted = runInterleaved(tile, cycleLimit);
    result.bundles += tile.turns;
    schedule.addAlone(tile.now - begin);
    return faulted;
  }

  void startSupervisor(Tile &tile, const Slot *entry, Address state) {
    const TileSetup &setup =
        executable.tileSetups[executable.tileSetup[tile.number]];
    Context &c = tile.contexts[Supervisor];
    c.m[0] = state;
    c.m[LinkRegister] = SupervisorReturn;
    c.m[StackPointer] = setup.supervisorStack;
    c.issued = 0;
    c.waiting = 0;
    c.resume = entry;
    c.exited = false;
    c.active = true;
  }

  std::string describe(const Vertex &vertex, const Context &c) const {
    return "vertex '" + executable.vertexTypes[vertex.type].name +
           "' with state at " + hexadecimal(vertex.state) + ", " +
           describeFault(c);
  }

  const Executable &executable;
  DeviceMemory &memory;
  HostCalls *hostCalls;
  std::vector<std::unique_ptr<Code>> codes;                // by image
  std::vector<std::unique_ptr<Translations>> translations; // by image
  std::vector<std::unique_ptr<Tile>> tiles;
  /// Behind the tables that it fills: its thread ends first.
  std::optional<TranslationService> service;
};

} // namespace

std::unique_ptr<Device> createEmulator(const Executable &executable,
                                       DeviceMemory &memory,
                                       HostCalls *hostCalls, Engine engine) {
#ifdef POPULUS_EMULATOR_NEEDS_AVX2
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
    throw RunError("this build of the emulator needs a host with AVX2 and FMA; "
                   "use the IPU Model device");
#endif
  return std::make_unique<EmulatorDevice>(executable, memory, hostCalls,
                                          engine);
}

} // namespace populus::runtime
