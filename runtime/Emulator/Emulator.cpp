// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The emulator device: tiles with their contexts, vertices put on workers in
// launch order, faults turned into messages. A worker vertex runs to its end
// by itself; supervisor and multi-vertices run their contexts interleaved.

#include "runtime/Emulator/Checks/CheckedRun.h"
#include "runtime/Emulator/Checks/CheckedVertices.h"
#include "runtime/Emulator/Tile/Launch.h"
#include "runtime/Emulator/TileWatch.h"
#include "runtime/Emulator/Translation/Translations.h"
#include "runtime/Emulator/Watching/Fault.h"
#include "runtime/Emulator/Watching/History.h"
#include "runtime/Emulator/Watching/TilePrints.h"
#include "runtime/Emulator/Windows/Ahead.h"
#include "runtime/Emulator/Windows/Remembered.h"
#include "runtime/Format/Regions.h"
#include "runtime/Session/Device.h"
#include "runtime/Session/Session.h"
#include "runtime/Support/Prefetch.h"

#include <atomic>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>

namespace populus::runtime {

namespace {

using namespace emulator;

/// Fetches the lines from `first` up to `end`.
void fetchLines(const void *first, const void *end) {
  for (auto at = reinterpret_cast<std::uintptr_t>(first) / HostLine * HostLine;
       at < reinterpret_cast<std::uintptr_t>(end); at += HostLine)
    prefetch<Access::Write>(reinterpret_cast<const void *>(at));
}

class EmulatorDevice : public Device {
public:
  EmulatorDevice(const Executable &executable, DeviceMemory &memory,
                 const SessionOptions &options, Engine engine)
      : executable(executable), memory(memory), hostCalls(options.hostCalls),
        control(options.control), tiles(executable.numTiles()),
        cyclesOfVertices(options.recordVertices ? executable.vertices.size()
                                                : 0) {
    for (const CodeImage &image : executable.images)
      if (!hostCalls && callsHost(image))
        prints.resize(executable.numTiles());
    if (options.watch.any())
      watch.emplace(options.watch, executable);
    for (const CodeImage &image : executable.images)
      codes.push_back(std::make_unique<Code>(image));
    if (engine == Engine::Interpreter)
      return;
    service.emplace(engine == Engine::Translated);
    rememberVertices();
    if (isChecking())
      checked.emplace(executable, *remembered);
    for (const CodeImage &image : executable.images)
      translations.push_back(std::make_unique<Translations>(*service, image));
  }

  std::string_view engine() const override {
    if (!service || !service->available())
      return "interpreter";
    return service->waits() ? "translated" : "auto";
  }

  void runTile(std::span<const TileVertices> next, std::uint64_t cycleLimit,
               TileRun &result) override {
    const TileVertices &vertices = next.front();
    if (vertices.vertices.count == 0) // the tile may have no code
      return;
    // Few vertices take some 20 ns beside their code, and host memory 100 ns.
    constexpr std::size_t SeveralTiles = 5, FewTiles = 2;
    if (next.size() > SeveralTiles)
      prepareTile(next[SeveralTiles]);
    if (remembered && next.size() > FewTiles &&
        next[FewTiles].vertices.count != 0)
      remembered->fetchDetails(next[FewTiles].vertices.first);
    aheadOfThread() = next.size() > 1 ? aheadOf(next[1]) : Ahead();
    runVertices(vertices, cycleLimit, result);
  }

  std::vector<ContextState> contexts(std::uint32_t number) const override {
    std::vector<ContextState> states;
    if (!tiles[number])
      return states;
    for (const Context &c : tiles[number]->contexts)
      states.push_back(stateOf(c));
    return states;
  }

  bool isChecking() const override { return watch && watch->isChecking(); }

  void written(const Segment &segment) override {
    if (Checker *checker = watch->checker(segment.tile))
      checker->written(segment.address, segment.bytes);
  }

  void copied(const CopyPiece &piece) override {
    if (Checker *checker = watch->checker(piece.dstTile))
      checker->copied(watch->checker(piece.srcTile), piece.src, piece.dst,
                      piece.bytes);
  }

  std::vector<Finding> takeFindings(std::uint32_t tile) override {
    Checker *checker = watch->checker(tile);
    return checker ? checker->take() : std::vector<Finding>();
  }

  const InstructionCounts *instructionCounts() const override {
    return watch ? &watch->instructionCounts() : nullptr;
  }
  void resetCounts() override {
    if (watch)
      watch->resetCounts();
  }

  const std::vector<std::uint64_t> &vertexCycles() const override {
    return cyclesOfVertices;
  }

  void flushPrints(std::uint32_t tile) override {
    if (prints[tile])
      prints[tile]->flush();
  }
  bool isPrinting() const override { return !prints.empty(); }

  void setFloatControl(std::uint32_t bits) override {
    floatControl = bits;
    for (const std::unique_ptr<Tile> &tile : tiles)
      if (tile)
        tile->fpInitialControl = bits;
  }

  void readSeeds(std::uint32_t number, void *data) override {
    if (!hasCode(number))
      return Device::readSeeds(number, data);
    Tile &tile = tileAt(number);
    for (unsigned i = 0; i != NumWorkers; ++i)
      std::memcpy(static_cast<char *>(data) + i * SeedBytes,
                  tile.contexts[i].prng, SeedBytes);
  }

  void writeSeeds(std::uint32_t number, const void *data,
                  std::size_t bytes) override {
    if (!hasCode(number))
      return Device::writeSeeds(number, data, bytes);
    Tile &tile = tileAt(number);
    for (unsigned i = 0; i != NumWorkers; ++i)
      std::memcpy(tile.contexts[i].prng,
                  static_cast<const char *>(data) + i * SeedBytes, SeedBytes);
  }

private:
  static constexpr std::size_t SeedBytes = 16; // of a worker

  bool hasCode(std::uint32_t tile) const {
    return tile < executable.tileSetup.size() &&
           executable.tileSetup[tile] != None;
  }

  /// Prepares the memoisation of vertices. A vertex that several tiles run is
  /// not memoised, because the threads and the code of these tiles differ.
  void rememberVertices() {
    remembered.emplace(executable.vertices.size());
    std::vector<std::uint32_t> tileOf(executable.vertices.size(), None);
    for (const auto &[tile, vertices] : executable.tileVertices)
      for (std::uint32_t i = 0; i != vertices.count; ++i) {
        std::uint32_t &owner = tileOf[vertices.first + i];
        if (owner != None && owner != tile)
          remembered->setShared(vertices.first + i);
        owner = tile;
      }
  }

  /// The tile, set up when it is first used. Different tiles are asked for by
  /// different threads.
  Tile &tileAt(std::uint32_t number) {
    if (!tiles[number]) {
      tiles[number] = makeTile(
          executable, number, codes[imageOf(number)].get(),
          reinterpret_cast<std::uint8_t *>(memory.at(number, memory.begin())),
          hostCallsOf(number));
      tiles[number]->fpInitialControl = floatControl;
      tiles[number]->control = control;
      if (!translations.empty())
        tiles[number]->translations = translations[imageOf(number)].get();
      if (watch)
        watch->attach(*tiles[number]);
    }
    return *tiles[number];
  }

  void runVertices(const TileVertices &vertices, std::uint64_t cycleLimit,
                   TileRun &result) {
    Tile &tile = tileAt(vertices.tile);
    TileWatch *watching = watch ? watch->find(vertices.tile) : nullptr;
    if (!watching) {
      runVertices(tile, vertices.vertices, cycleLimit, result, nullptr);
      return;
    }
    Checker *checker = watching->onlyChecker();
    std::vector<std::uint64_t> unproven;
    if (checker &&
        checkQuickly(tile, vertices, cycleLimit, result, *checker, unproven))
      return;
    watching->beginComputeSet();
    const std::uint64_t strays = checker ? checker->numStrayAccesses() : 0;
    const bool isDone =
        runVertices(tile, vertices.vertices, cycleLimit, result, watching);
    if (isDone && checker && checker->numStrayAccesses() == strays)
      watch->provenAccesses().add(unproven);
  }

  /// Runs the vertices as translated code if that certainly has no findings.
  /// Returns false if nothing has been done; if it is only unknown whether
  /// accesses belong to the regions that their pointers came from, `unproven`
  /// has their signatures.
  bool checkQuickly(Tile &tile, const TileVertices &onTile,
                    std::uint64_t cycleLimit, TileRun &result, Checker &checker,
                    std::vector<std::uint64_t> &unproven) {
    if (!tile.translations || tile.hostCalls || !checker.allowsQuickChecks() ||
        !watch->areApart(onTile))
      return false;
    const Range vertices = onTile.vertices;
    CheckedRun run(tile, executable, vertices, checker);
    if (checked->areGood(vertices, checker.knownBytes())) {
      if (recallVertices(tile, vertices, cycleLimit, result)) {
        run.keep();
        return true;
      }
      run.rewind();
    }
    TileRun attempt;
    run.check();
    if (!runVertices(tile, vertices, cycleLimit, attempt, &run) ||
        !run.isGood()) {
      run.putBack();
      return false;
    }
    if (checker.checksProvenance() &&
        !watch->provenAccesses().contain(run.signatures())) {
      unproven = run.signatures();
      run.putBack();
      return false;
    }
    if (checked->wantRun(tile, vertices)) {
      run.rewind();
      attempt = TileRun();
      runVertices(tile, vertices, cycleLimit, attempt, nullptr);
      checked->add(vertices, checker.knownBytes());
    }
    run.keep();
    result = std::move(attempt);
    return true;
  }

  /// Runs the vertices from memoised scripts. Returns false if one of them has
  /// none that fits.
  bool recallVertices(Tile &tile, Range vertices, std::uint64_t cycleLimit,
                      TileRun &result) {
    const std::uint64_t start = tile.now;
    tile.translatedTurns = 0;
    timing::TileSchedule schedule;
    TileRun attempt;
    for (std::uint32_t i = 0; i != vertices.count; ++i) {
      const auto recall = [&] {
        return remembered->recall(tile, vertices.first + i, cycleLimit);
      };
      if (!runAlone(tile, executable.vertices[vertices.first + i], start,
                    schedule, attempt, recall))
        return false;
    }
    finishVertices(tile, start, schedule, attempt);
    result = std::move(attempt);
    return true;
  }

  /// `looksOn`, unless it is null, is told when a vertex begins. False: one has
  /// stopped, which is reported unless it was for a check.
  template <typename LooksOn>
  bool runVertices(Tile &tile, Range vertices, std::uint64_t cycleLimit,
                   TileRun &result, LooksOn looksOn) {
    const std::uint64_t start = tile.now;
    tile.translatedTurns = 0;
    timing::TileSchedule schedule;
    for (std::uint32_t i = 0; i != vertices.count; ++i) {
      const Vertex &vertex = executable.vertices[vertices.first + i];
      if constexpr (!std::is_null_pointer_v<LooksOn>)
        looksOn->beginVertex(vertices.first + i);
      const VertexKind kind = executable.vertexTypes[vertex.type].kind;
      Context *faulted =
          kind == VertexKind::Worker
              ? runWorkerVertex(tile, vertex, start, schedule, cycleLimit,
                                result)
              : runAlone(tile, vertex, start, schedule, cycleLimit, result);
      if constexpr (std::is_same_v<LooksOn, TileWatch *>)
        if (!looksOn->endVertex(faulted) && !faulted)
          faulted = stopHere(tile);
      if (faulted) {
        if (!tile.recordsAll)
          result.fault = report(tile, vertices.first + i, *faulted);
        return false;
      }
    }
    finishVertices(tile, start, schedule, result);
    return true;
  }

  /// Ends the run although no context has faulted.
  static Context *stopHere(Tile &tile) {
    Context &c = tile.contexts[Supervisor];
    c.fault(FaultKind::Breakpoint);
    return &c;
  }

  static void finishVertices(Tile &tile, std::uint64_t start,
                             const timing::TileSchedule &schedule,
                             TileRun &result) {
    result.cycles = schedule.finish();
    result.translatedBundles = tile.translatedTurns;
    tile.now = start + result.cycles;
  }

  /// Tiles lie far apart in host memory: what a run touches first comes from
  /// there while the tiles before are at work.
  void prepareTile(const TileVertices &next) const {
    const Tile *tile = tiles[next.tile].get();
    if (!tile || next.vertices.count == 0)
      return;
    const Vertex &vertex = executable.vertices[next.vertices.first];
    constexpr std::size_t StateBytes = 192; // more than most have
    const std::byte *state = memory.at(next.tile, vertex.state);
    if (executable.vertexTypes[vertex.type].kind == VertexKind::Worker) {
      // Fetch the registers that launching the first workers reads and writes.
      const std::size_t number =
          std::min<std::size_t>(next.vertices.count, NumWorkers);
      for (std::size_t i = 0; i != number; ++i) {
        fetchLines(&tile->contexts[i].m[WorkerBase], tile->contexts[i].a);
        prefetch<Access::Read>(&tile->contexts[i].memory);
      }
    } else {
      if (remembered)
        remembered->fetch(next.vertices.first);
      // Fetch the contexts that an epoch (Window.h) saves.
      for (const Context &c : tile->contexts)
        fetchLines(&c, &c.memory + 1);
      // A supervisor reads most of its vertex's state.
      fetchLines(state, state + StateBytes);
    }
    fetchLines(&tile->weightLoad, tile + 1);
    prefetch<Access::Read>(state);
    aheadOf(next).fetchPages();
  }

  Ahead aheadOf(const TileVertices &next) const {
    return Ahead(regionsOf(executable, next.vertices),
                 memory.at(next.tile, memory.begin()), memory.begin());
  }

  HostCalls *hostCallsOf(std::uint32_t number) {
    if (hostCalls || !callsHost(executable.images[imageOf(number)]))
      return hostCalls;
    prints[number] = std::make_unique<TilePrints>();
    return prints[number].get();
  }

  std::uint32_t imageOf(std::uint32_t tile) const {
    return executable.tileSetups[executable.tileSetup[tile]].image;
  }

  Context *runWorkerVertex(Tile &tile, const Vertex &vertex,
                           std::uint64_t start, timing::TileSchedule &schedule,
                           std::uint64_t cycleLimit, TileRun &result) {
    const timing::TileSchedule::Start at = schedule.next();
    aheadOfThread().fetch();
    Context &c = tile.contexts[at.worker];
    tile.launch(at.worker, tile.code->find(vertex.entry), vertex.state);
    c.launchedAt = start + at.cycle;
    const auto turns =
        static_cast<std::int64_t>(cycleLimit / timing::CyclesPerBundle);
    if (tile.recordsAll) {
      if (!runRecordedVertex(tile, at.worker, turns))
        return &c;
    } else if (c.watcher) {
      runWatchedWorker(tile, at.worker, turns);
    } else {
      runWorker(tile, at.worker, turns);
    }
    if (c.faultKind != FaultKind::None)
      return &c;
    result.bundles += static_cast<std::uint64_t>(c.issued);
    const std::uint64_t cycles =
        static_cast<std::uint64_t>(c.issued) * timing::CyclesPerBundle;
    schedule.add(at, cycles);
    note(vertex, cycles);
    return nullptr;
  }

  /// Tiles may share a vertex: then it is one of them whose cycles are kept.
  void note(const Vertex &vertex, std::uint64_t cycles) {
    if (!cyclesOfVertices.empty())
      std::atomic_ref(cyclesOfVertices[static_cast<std::size_t>(
                          &vertex - executable.vertices.data())])
          .store(cycles, std::memory_order_relaxed);
  }

  Context *runAlone(Tile &tile, const Vertex &vertex, std::uint64_t start,
                    timing::TileSchedule &schedule, std::uint64_t cycleLimit,
                    TileRun &result) {
    return runAlone(tile, vertex, start, schedule, result, [&]() -> Context * {
      if (!remembered || tile.recordsAll)
        return runInterleaved(tile, cycleLimit);
      return remembered->run(
          tile, static_cast<std::size_t>(&vertex - executable.vertices.data()),
          cycleLimit);
    });
  }
  /// Gives what `run` does.
  template <typename Run>
  std::invoke_result_t<Run>
  runAlone(Tile &tile, const Vertex &vertex, std::uint64_t start,
           timing::TileSchedule &schedule, TileRun &result, Run run) {
    tile.now = start + schedule.finish() + timing::VertexLaunchCycles;
    const std::uint64_t begin = tile.now;
    startAlone(tile, executable, vertex);
    const auto outcome = run();
    result.bundles += tile.turns;
    schedule.addAlone(tile.now - begin);
    note(vertex, tile.now - begin);
    return outcome;
  }

  std::unique_ptr<FaultReport> report(const Tile &tile, std::uint32_t index,
                                      const Context &c) const {
    const Vertex &vertex = executable.vertices[index];
    auto fault = std::make_unique<FaultReport>(describeFault(c));
    fault->vertex = executable.vertexTypes[vertex.type].name;
    fault->state = vertex.state;
    if (fault->address)
      fault->field = describeAddress(executable, index, *fault->address);
    // A debugger that ends the run wants no history of it.
    if (!watch || !watch->endsByDebugger(c))
      fault->last = lastInstructions(executable, memory, tile, vertex, c);
    return fault;
  }

  std::uint32_t floatControl = 0;
  const Executable &executable;
  DeviceMemory &memory;
  HostCalls *hostCalls;
  RunControl *const control;
  /// The prints of each tile whose codelets may print; empty if none do.
  std::vector<std::unique_ptr<TilePrints>> prints;
  std::vector<std::unique_ptr<Code>> codes;                // by image
  std::vector<std::unique_ptr<Translations>> translations; // by image
  std::vector<std::unique_ptr<Tile>> tiles;
  std::vector<std::uint64_t> cyclesOfVertices; // empty: they are not recorded
  std::optional<VertexMemory> remembered;      // if there is translated code
  std::optional<CheckedVertices> checked;      // the same, and there are checks
  std::optional<DeviceWatch> watch;
  /// Declared after the tables that its thread fills, so that the thread ends
  /// first.
  std::optional<TranslationService> service;
};

} // namespace

std::unique_ptr<Device> createEmulator(const Executable &executable,
                                       DeviceMemory &memory,
                                       const SessionOptions &options,
                                       Engine engine) {
#ifdef POPULUS_EMULATOR_NEEDS_AVX2
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
    throw RunError("this build of the emulator needs a host with AVX2 and FMA; "
                   "use the IPU Model device");
#endif
  return std::make_unique<EmulatorDevice>(executable, memory, options, engine);
}

} // namespace populus::runtime
