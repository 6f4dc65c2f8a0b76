// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts a report to the objects of pva.hpp, all at once: a report is small
// compared with its program.

#include <pva/pva.hpp>

#include "lib/Profile/Names.h"
#include "lib/Profile/ReportFile.h"
#include "lib/Profile/Rows.h"
#include "lib/Pva/Liveness.h"
#include "runtime/Format/SequenceKinds.h"
#include "runtime/Support/InputStream.h"
#include "runtime/Target/Timing.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <limits>
#include <map>
#include <string_view>

namespace pva {

namespace profile = populus::profile;
namespace report = populus::report;
namespace rt = populus::runtime;

namespace detail {

namespace {

using Numbers = std::vector<std::uint64_t>;

Program::Type typeOf(const report::Report &report,
                     const report::Program &program) {
  const auto kind = static_cast<rt::StepKind>(program.kind());
  const auto index = static_cast<int>(program.index());
  if (kind == rt::StepKind::Exchange &&
      report.exchanges(index).link_bytes() != 0)
    return Program::Type::GlobalExchange;
  if (kind == rt::StepKind::Sequence &&
      rt::isKind(program.index(), rt::SequenceKind::Block))
    return Program::Type::Block;
  if (kind == rt::StepKind::Sequence &&
      rt::isKind(program.index(), rt::SequenceKind::WriteUndef))
    return Program::Type::WriteUndef;
  const std::string_view name = profile::programType(kind);
  // The names of profiles that are not the enumerators'.
  if (name == "StreamCopy")
    return Program::Type::StreamCopyMid;
  if (name == "IfElse")
    return Program::Type::If;
#define PVA_IF_NAME(NAME)                                                      \
  if (name == #NAME)                                                           \
    return Program::Type::NAME;
  PVA_PROGRAM_TYPES(PVA_IF_NAME)
#undef PVA_IF_NAME
  return Program::Type::Unknown;
}

std::shared_ptr<Program> makeProgram(const report::Report &report,
                                     const report::Program &program,
                                     const std::vector<ComputeSet> &sets) {
  std::string name = program.name();
  switch (typeOf(report, program)) {
  case Program::Type::OnTileExecute:
    return std::make_shared<OnTileExecuteProgram>(std::move(name),
                                                  sets[program.index()]);
#define PVA_CASE(NAME)                                                         \
  case Program::Type::NAME:                                                    \
    return std::make_shared<NAME##Program>(std::move(name));
    PVA_PLAIN_PROGRAM_TYPES(PVA_CASE)
#undef PVA_CASE
  }
  return nullptr;
}

} // namespace

struct ReportData {
  explicit ReportData(const report::Report &report) : report(report) {
    readVersion();
    readTarget();
    readGraph();
    readMemory();
    readComputeSets();
    readPrograms();
    readLiveness();
    if (report.has_execution())
      readExecution();
  }

  PoplarVersion version;
  Target target;
  Graph graph;
  std::vector<CompilationTile> tiles;
  std::vector<CompilationIpu> ipus;
  std::vector<ComputeSet> computeSets;
  std::vector<std::shared_ptr<Program>> programs; // control programs
  /// Null if the report has no liveness.
  std::shared_ptr<const Liveness> liveness;
  std::vector<LivenessProgramStep> livenessSteps;
  bool hasExecution = false;
  std::vector<Step> steps;
  /// Executions of blocks, without a tile, by their begins.
  std::vector<Block> blocks;
  std::vector<Run> runs;
  Cycles cycles;

private:
  void readVersion() {
    version.text = report.version();
    version.hash = report.package_hash();
    std::sscanf(version.text.c_str(), "%u.%u.%u", &version.numbers[0],
                &version.numbers[1], &version.numbers[2]);
  }

  void readTarget() {
    constexpr const char *Devices[] = {"CPU", "IPU_MODEL", "IPU"};
    const report::Target &from = report.target();
    target.kind = Devices[from.device()];
    target.name = from.name();
    target.ipus = from.ipus();
    target.tiles = from.tiles_per_ipu();
    target.replicas = from.replicas();
    target.tileBytes = from.bytes_per_tile();
    target.clock = from.clock_hz();
  }

  void readGraph() {
    graph.vertices = report.num_vertices();
    graph.computeSets = static_cast<std::uint64_t>(report.compute_sets_size());
    graph.variables = report.num_variables();
    graph.edges = report.num_edges();
  }

  void readMemory() {
    const report::Memory &from = report.memory();
    const Numbers total = profile::expand(report, from.total_row());
    const Numbers withGaps = profile::expand(report, from.gaps_row());
    tiles.resize(target.numTiles());
    ipus.resize(target.numIPUs());
    for (unsigned tile = 0; tile != tiles.size(); ++tile) {
      Memory &memory = tiles[tile].use;
      memory.sum.withoutGaps = total[tile];
      memory.sum.withGaps = withGaps[tile];
    }
    for (const report::CategoryMemory &category : from.categories()) {
      const auto kind = static_cast<rt::MemoryCategory>(category.category());
      if (kind >= rt::MemoryCategory::Count)
        continue;
      const Numbers bytes = profile::expand(report, category.row());
      for (unsigned tile = 0; tile != tiles.size(); ++tile)
        if (bytes[tile] != 0) {
          tiles[tile].use.categories[profile::categoryName(kind)] = bytes[tile];
          tiles[tile].use.alwaysLive += bytes[tile];
        }
    }
    readVertexMemory();
    for (unsigned tile = 0; tile != tiles.size(); ++tile)
      addTo(ipus[tile / target.tilesPerIpu()].use, tiles[tile].use);
  }

  /// A vertex is in one compute set.
  void readVertexMemory() {
    std::vector<VertexMemory> types;
    for (const report::VertexType &type : report.vertex_types())
      types.emplace_back(type.name(), 1, type.state_bytes());
    const auto shared =
        std::make_shared<const std::vector<VertexMemory>>(std::move(types));
    for (CompilationIpu &ipu : ipus)
      ipu.use.vertexTypes = shared;
    for (CompilationTile &tile : tiles)
      tile.use.vertexTypes = shared;
    for (const report::ComputeSet &set : report.compute_sets())
      for (const report::VertexCount &count : set.types()) {
        const Numbers counts = profile::expand(report, count.count_row());
        for (std::size_t tile = 0; tile != counts.size(); ++tile)
          if (counts[tile] != 0)
            tiles[tile].use.vertexCounts[count.type()] += counts[tile];
      }
  }

  static void addTo(Memory &sum, const Memory &part) {
    for (const auto &[type, number] : part.vertexCounts)
      sum.vertexCounts[type] += number;
    sum.sum.withGaps += part.sum.withGaps;
    sum.sum.withoutGaps += part.sum.withoutGaps;
    sum.alwaysLive += part.alwaysLive;
    for (const auto &[name, bytes] : part.categories)
      sum.categories[name] += bytes;
  }

  void readComputeSets() {
    for (const report::ComputeSet &set : report.compute_sets()) {
      std::vector<VertexCount> list;
      for (const report::VertexCount &count : set.types())
        list.push_back(
            {report.vertex_types(static_cast<int>(count.type())).name(),
             count.count()});
      computeSets.emplace_back(set.name(), std::move(list),
                               meanCycles(computeSets.size()),
                               profile::expand(report, set.cycles_row()));
    }
  }

  /// Cycles of a compute set by tile, as the mean over its executions.
  Numbers meanCycles(std::size_t set) const {
    Numbers cycles(target.numTiles());
    for (const report::Domain &domain : report.execution().domains())
      for (const report::SetCycles &sum : domain.sets())
        if (sum.compute_set() == set) {
          const Numbers own = profile::expand(report, sum.cycles_row());
          for (std::size_t tile = 0; tile != own.size(); ++tile)
            cycles[tile] += own[tile] / std::max<std::uint64_t>(sum.times(), 1);
        }
    return cycles;
  }

  void readPrograms() {
    for (const report::Program &program : report.programs())
      allPrograms.push_back(makeProgram(report, program, computeSets));
    for (int i = 0; i != report.programs_size(); ++i)
      for (std::uint32_t child : report.programs(i).children())
        allPrograms[static_cast<std::size_t>(i)]->addChild(allPrograms[child]);
    for (std::uint32_t root : report.control_programs())
      programs.push_back(allPrograms[root]);
  }

  void readLiveness() {
    if (!report.has_liveness())
      return;
    liveness = std::make_shared<const Liveness>(report.liveness());
    const auto &programAt = report.liveness().program_at();
    for (int moment = 0; moment != programAt.size(); ++moment) {
      const auto &program = allPrograms[programAt.Get(moment)];
      // A program with children has no time of its own.
      if (!program->children().empty() ||
          program->type() == Program::Type::Sequence ||
          program->type() == Program::Type::WriteUndef ||
          program->type() == Program::Type::Call)
        continue;
      LivenessProgramStep step;
      step.what = program;
      step.liveness = liveness;
      step.moment = static_cast<std::uint32_t>(moment);
      livenessSteps.push_back(std::move(step));
    }
  }

  void readExecution() {
    hasExecution = true;
    // Domains work at the same time: a run takes as long as the longest.
    for (const report::Domain &domain : report.execution().domains())
      if (domain.cycles().total() >= cycles.all) {
        cycles.all = domain.cycles().total();
        cycles.computing = domain.cycles().compute();
        cycles.exchanging = domain.cycles().exchange();
        cycles.syncing = domain.cycles().sync();
        cycles.hosting = domain.cycles().host();
      }
    for (const report::Domain &domain : report.execution().domains()) {
      readSteps(domain);
      readBlocks(domain.blocks());
    }
    std::stable_sort(blocks.begin(), blocks.end(),
                     [](const Block &a, const Block &b) {
                       return a.cyclesFrom() < b.cyclesFrom();
                     });
    readRuns();
    std::stable_sort(
        steps.begin(), steps.end(),
        [](const Step &a, const Step &b) { return a.from < b.from; });
  }

  void readSteps(const report::Domain &domain) {
    BusyCycles busy(report, domain);
    const report::Window &window = domain.window();
    const bool isFirst = firstSteps.empty();
    for (int i = 0; i != window.program_size(); ++i) {
      if (isFirst)
        firstSteps.push_back(steps.size());
      readStep(domain, i, busy);
    }
    if (isFirst)
      firstSteps.push_back(steps.size());
  }

  void readBlocks(const report::Blocks &from) {
    for (int i = 0; i != from.program_size(); ++i)
      blocks.emplace_back(allPrograms[from.program(i)], 0, from.begin(i),
                          from.end(i));
  }

  /// The cycles of each tile, by compute set and exchange.
  class BusyCycles {
  public:
    BusyCycles(const report::Report &report, const report::Domain &domain)
        : report(report) {
      means.resize(static_cast<std::size_t>(report.compute_sets_size()));
      for (const report::SetCycles &sum : domain.sets())
        means[sum.compute_set()] = meanOf(sum);
    }

    /// Returns the cycles of a program; null if it keeps all tiles busy.
    std::shared_ptr<const Numbers> of(const report::Program &program) {
      const auto index = static_cast<int>(program.index());
      switch (static_cast<rt::StepKind>(program.kind())) {
      case rt::StepKind::Execute:
        return means[program.index()];
      case rt::StepKind::Exchange:
        return row(report.exchanges(index).cycles_row());
      case rt::StepKind::StreamToDevice:
      case rt::StepKind::DeviceToStream:
        return row(report.host_exchanges(index).cycles_row());
      default:
        return nullptr;
      }
    }

  private:
    std::shared_ptr<const Numbers> meanOf(const report::SetCycles &sum) const {
      Numbers cycles = profile::expand(report, sum.cycles_row());
      for (std::uint64_t &tile : cycles)
        tile /= std::max<std::uint64_t>(sum.times(), 1);
      return std::make_shared<const Numbers>(std::move(cycles));
    }
    std::shared_ptr<const Numbers> row(std::uint32_t number) {
      std::shared_ptr<const Numbers> &known = rows[number];
      if (!known)
        known =
            std::make_shared<const Numbers>(profile::expand(report, number));
      return known;
    }

    const report::Report &report;
    std::vector<std::shared_ptr<const Numbers>> means;
    std::map<std::uint32_t, std::shared_ptr<const Numbers>> rows;
  };

  /// A sync is a step of its own, and so are the ends of a transfer.
  void readStep(const report::Domain &domain, int index, BusyCycles &busy) {
    const report::Window &window = domain.window();
    const std::uint64_t sync = window.sync(index);
    const std::uint32_t id = window.program(index);
    const report::Program &program = report.programs(static_cast<int>(id));
    const auto kind = static_cast<rt::StepKind>(program.kind());
    const bool isInternal =
        kind == rt::StepKind::Exchange ||
        (kind == rt::StepKind::Sync && program.index() == 0);
    Step step;
    step.numIpus = target.numIPUs();
    step.tilesPerIpu = target.tilesPerIpu();
    step.firstTile = domain.first_tile();
    step.numTiles = domain.tiles();
    step.to = window.start(index);
    const auto add = [&](std::shared_ptr<Program> what, std::uint64_t cycles) {
      step.from = step.to;
      step.to += cycles;
      step.what = std::move(what);
      steps.push_back(step);
    };
    if (sync != 0)
      add(std::make_shared<SyncProgram>(isInternal ? "Internal" : "External"),
          sync);
    if (kind == rt::StepKind::Sync)
      return;
    std::uint64_t taken = window.cycles(index) - sync;
    if (kind != rt::StepKind::StreamToDevice &&
        kind != rt::StepKind::DeviceToStream) {
      step.busy = busy.of(program);
      return add(allPrograms[id], taken);
    }
    // The time of the link before the first byte; a copy without a sync
    // continues the transaction of the one before it.
    const auto latency =
        sync == 0 ? 0
                  : std::min<std::uint64_t>(
                        taken, static_cast<std::uint64_t>(
                                   std::llround(rt::timing::HostLatencySeconds *
                                                target.clockFrequency())));
    step.busy =
        std::make_shared<const Numbers>(target.numTiles()); // not at all
    add(std::make_shared<StreamCopyBeginProgram>(program.name()), latency);
    step.busy = busy.of(program);
    add(allPrograms[id], taken - latency);
    step.busy = nullptr;
    add(std::make_shared<StreamCopyEndProgram>(program.name()), 0);
  }

  void readRuns() {
    const auto &list = report.execution().runs();
    const bool isOneDomain = report.execution().domains_size() == 1;
    for (int i = 0; i != list.size(); ++i) {
      Run run;
      run.runName = list.Get(i).name();
      run.executed = isOneDomain ? stepsByNumber(i) : stepsByClock(i);
      if (!run.executed.empty()) {
        std::uint64_t end = 0;
        for (const Step &step : run.executed)
          end = std::max(end, step.to);
        run.total = end - run.executed.front().from;
      }
      runs.push_back(std::move(run));
    }
  }

  std::vector<Step> stepsByNumber(int run) const {
    const auto &list = report.execution().runs();
    const auto beginOf = [&](int index) {
      return steps.begin() + static_cast<std::ptrdiff_t>(
                                 index == list.size()
                                     ? firstSteps.back()
                                     : firstSteps[list.Get(index).first()]);
    };
    return {beginOf(run), beginOf(run + 1)};
  }

  /// All domains begin a run together, so their steps are told apart by time.
  std::vector<Step> stepsByClock(int run) const {
    const auto &list = report.execution().runs();
    const std::uint64_t begin = list.Get(run).clock();
    const std::uint64_t end = run + 1 == list.size()
                                  ? std::numeric_limits<std::uint64_t>::max()
                                  : list.Get(run + 1).clock();
    std::vector<Step> executed;
    for (const Step &step : steps)
      if (step.from >= begin && step.from < end)
        executed.push_back(step);
    std::stable_sort(
        executed.begin(), executed.end(),
        [](const Step &a, const Step &b) { return a.from < b.from; });
    return executed;
  }

  std::vector<std::size_t> firstSteps; // of each record of the first domain
  const report::Report &report;        // only while it is read
  std::vector<std::shared_ptr<Program>> allPrograms; // by number
};

} // namespace detail

const Target &CompilationReport::target() const { return data->target; }
const Graph &CompilationReport::graph() const { return data->graph; }
const std::vector<CompilationTile> &CompilationReport::tiles() const {
  return data->tiles;
}
const std::vector<CompilationIpu> &CompilationReport::ipus() const {
  return data->ipus;
}
const std::vector<std::shared_ptr<Program>> &
CompilationReport::programs() const {
  return data->programs;
}
const std::vector<ComputeSet> &CompilationReport::computeSets() const {
  return data->computeSets;
}

const std::shared_ptr<const detail::Liveness> &
CompilationReport::liveness() const {
  if (!data->liveness)
    throw ReportError("the report does not tell when variables are live: its "
                      "executable has no record of it");
  return data->liveness;
}
const std::vector<LivenessProgramStep> &
CompilationReport::livenessProgramSteps() const {
  liveness();
  return data->livenessSteps;
}
const std::vector<LivenessVariable>
CompilationReport::alwaysLiveVariables() const {
  return liveness()->find({true, false, std::nullopt, std::nullopt});
}
const std::vector<LivenessVariable>
CompilationReport::alwaysLiveVariablesForTile(unsigned tile) const {
  return liveness()->find({true, false, std::nullopt, tile});
}
const LoweredVariables CompilationReport::loweredVariables() const {
  return LoweredVariables(liveness());
}

const std::vector<VertexMemory> Memory::vertices() const {
  std::vector<VertexMemory> list;
  for (const auto &[type, number] : vertexCounts)
    list.emplace_back(vertexTypes->at(type).type(), number,
                      number * vertexTypes->at(type).size());
  std::stable_sort(list.begin(), list.end(),
                   [](const VertexMemory &a, const VertexMemory &b) {
                     return a.size() > b.size();
                   });
  return list;
}

std::uint64_t CyclesByPlace::min() const {
  return cycles.empty() ? 0 : *std::min_element(cycles.begin(), cycles.end());
}
std::uint64_t CyclesByPlace::max() const {
  return cycles.empty() ? 0 : *std::max_element(cycles.begin(), cycles.end());
}

const std::vector<ComputeSet> Step::computeSets() const {
  struct Finder : ProgramVisitor {
    std::vector<ComputeSet> found;
    void visitOnTileExecute(const OnTileExecuteProgram &program) override {
      found.push_back(program.computeSet());
    }
  } finder;
  what->accept(finder);
  return finder.found;
}

const std::vector<StepPlace> Step::tiles() const {
  std::vector<StepPlace> places;
  for (std::size_t tile = 0; tile != numIpus * tilesPerIpu; ++tile) {
    const bool takesPart = tile - firstTile < numTiles;
    const std::uint64_t active = !takesPart ? 0
                                 : busy     ? std::min(busy->at(tile), cycles())
                                            : cycles();
    places.emplace_back(from, from + active, active);
  }
  return places;
}

const std::vector<StepPlace> Step::ipus() const {
  const std::vector<std::uint64_t> byTile = cyclesByTile();
  std::vector<StepPlace> places;
  for (unsigned ipu = 0; ipu != numIpus; ++ipu) {
    const auto first = byTile.begin() + ipu * tilesPerIpu;
    places.emplace_back(from, to,
                        *std::max_element(first, first + tilesPerIpu));
  }
  return places;
}

namespace {

std::vector<std::uint64_t> collect(const std::vector<StepPlace> &places,
                                   std::uint64_t (StepPlace::*cycle)() const) {
  std::vector<std::uint64_t> result;
  for (const StepPlace &place : places)
    result.push_back((place.*cycle)());
  return result;
}

} // namespace

const std::vector<std::uint64_t> Step::cyclesByTile() const {
  return collect(tiles(), &StepPlace::activeCycles);
}
const CyclesByPlace Step::cyclesFrom() const {
  return CyclesByPlace(collect(tiles(), &StepPlace::cyclesFrom));
}
const CyclesByPlace Step::cyclesTo() const {
  return CyclesByPlace(collect(tiles(), &StepPlace::cyclesTo));
}

const std::vector<Step> &ExecutionReport::steps() const { return data->steps; }
const std::vector<Run> &ExecutionReport::runs() const { return data->runs; }
const std::vector<Block> ExecutionReport::blocks(unsigned tile) const {
  std::vector<Block> result;
  if (tile >= data->target.numTiles())
    throw ReportError("there is no tile " + std::to_string(tile));
  for (const Block &block : data->blocks)
    result.emplace_back(block.program(), tile, block.cyclesFrom(),
                        block.cyclesTo());
  for (const Step &step : data->steps) {
    if (!data->blocks.empty() &&
        step.program()->type() != Program::Type::StreamCopyMid)
      continue;
    const StepPlace place = step.tiles()[tile];
    if (place.activeCycles() != 0)
      result.emplace_back(step.program(), tile, place.cyclesFrom(),
                          place.cyclesTo());
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const Block &a, const Block &b) {
                     return a.cyclesFrom() < b.cyclesFrom();
                   });
  return result;
}
const Cycles &ExecutionReport::totalCycles() const { return data->cycles; }

bool Report::hasExecution() const { return data->hasExecution; }

const ExecutionReport Report::execution() const {
  if (!hasExecution())
    throw ReportError("the report tells of no execution: run the program, on "
                      "an IPU or IPU Model, and do not set the engine option "
                      "autoReport.outputExecutionProfile to false");
  return ExecutionReport(data);
}

const PoplarVersion &Report::poplarVersion() const { return data->version; }

Report Report::parse(const std::vector<std::uint8_t> &bytes,
                     const std::string &name) {
  try {
    const auto report = profile::parseReport(
        {reinterpret_cast<const char *>(bytes.data()), bytes.size()}, name);
    return Report(std::make_shared<const detail::ReportData>(*report));
  } catch (const profile::ReportFileError &error) {
    throw ReportError(error.what());
  }
}

Report openReport(const std::string &file, const std::string &) {
  std::ifstream in(file, std::ios::binary);
  if (!in)
    throw ReportError("cannot read report " + file + ": " +
                      std::strerror(errno));
  return Report::parse(populus::runtime::readAll<std::vector<std::uint8_t>>(in),
                       file);
}

} // namespace pva
