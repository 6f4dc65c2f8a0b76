// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tracks of a trace. One cycle is a slice of time at the device's clock;
// the host's runs are drawn where the device ran them, for the clocks of
// emulator and device have nothing to do with each other, and keep their own
// times as arguments. What programs traced of themselves has the host's time:
// the device's time begins where the first run of the report does there.

#include "lib/Profile/Perfetto.h"

#include "lib/Profile/Analysis.h"
#include "lib/Profile/Names.h"
#include "lib/Profile/Rows.h"
#include "lib/Profile/TraceWriter.h"
#include "runtime/Format/Executable.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <string_view>
#include <tuple>

namespace populus::profile {

namespace {

// Numbers of tracks: of hosts, and of each domain from `FirstDomain` on.
enum Track : std::uint64_t {
  Host = 1,
  HostRuns = 2,
  FirstHostTrack = 1000,
  FirstDomain = std::uint64_t(1) << 32,
  TracksOfDomain = std::uint64_t(1) << 32,
};
/// Processes by number, which have nothing to do with those of a machine.
enum Process : unsigned { HostProcess = 1, FirstDomainProcess = 2 };

/// The spans of host programs that are runs of the device's program.
constexpr std::string_view RunSpans[] = {"Engine::run", "ipu-run: run"};

bool isRun(const HostSpan &span) {
  return std::find(std::begin(RunSpans), std::end(RunSpans), span.name) !=
         std::end(RunSpans);
}

/// Runs by their first steps: number plus one.
using Runs = std::map<int, std::uint64_t>;

/// The tracks of a domain. Arrows end at the first steps of runs.
class DomainTracer {
public:
  DomainTracer(const report::Report &report, int number, TraceWriter &writer,
               const Runs &runs, std::uint64_t offset)
      : report(report), domain(report.execution().domains(number)),
        window(domain.window()), number(number),
        first(FirstDomain + static_cast<unsigned>(number) * TracksOfDomain),
        writer(writer), runs(runs), offset(offset) {
    means.resize(static_cast<std::size_t>(report.compute_sets_size()));
    for (const report::SetCycles &set : domain.sets())
      means[set.compute_set()] = {set.cycles_row(), set.times()};
  }

  void trace(const std::vector<unsigned> &wanted) {
    for (unsigned tile : wanted)
      if (tile - domain.first_tile() < domain.tiles())
        tiles.push_back(tile);
    if (wanted.empty())
      chooseTiles();
    chooseIpus();
    addTracks();
    for (int i = 0; i != window.program_size(); ++i)
      addStep(i);
    endLayer();
  }

  std::uint64_t time(std::uint64_t cycle) const {
    return offset +
           static_cast<std::uint64_t>(std::llround(
               static_cast<double>(cycle) * 1e9 / report.target().clock_hz()));
  }

private:
  static constexpr std::uint64_t Device = 0, Steps = 1, Layers = 2, Busy = 3,
                                 FirstIpu = 10, FirstTile = 1 << 20;

  void chooseTiles() {
    ByTile cycles(numTiles(report));
    for (const report::SetCycles &set : domain.sets()) {
      const ByTile row = expand(report, set.cycles_row());
      for (std::size_t tile = 0; tile != row.size(); ++tile)
        cycles[tile] += row[tile];
    }
    std::vector<unsigned> order(domain.tiles());
    std::iota(order.begin(), order.end(), domain.first_tile());
    std::stable_sort(order.begin(), order.end(), [&](unsigned a, unsigned b) {
      return cycles[a] > cycles[b];
    });
    tiles = {order.front(), order[order.size() / 2], order.back()};
    std::sort(tiles.begin(), tiles.end());
    tiles.erase(std::unique(tiles.begin(), tiles.end()), tiles.end());
  }

  /// The IPUs of a domain with several; each gets a track.
  void chooseIpus() {
    const std::uint32_t each = report.target().tiles_per_ipu(); // not 0
    for (std::uint32_t tile = domain.first_tile();
         tile < domain.first_tile() + domain.tiles(); tile += each)
      ipus.push_back(tile / each);
    if (ipus.size() == 1)
      ipus.clear();
  }

  /// A domain of one IPU has its name.
  std::string name() const {
    if (report.execution().domains_size() == 1)
      return "Device";
    return domain.tiles() == report.target().tiles_per_ipu()
               ? "IPU " + std::to_string(domain.first_tile() / domain.tiles())
               : "Domain " + std::to_string(number);
  }

  void addTracks() {
    writer.addProcess(first + Device,
                      FirstDomainProcess + static_cast<unsigned>(number),
                      name() + ": " + report.target().name());
    writer.addTrack(first + Layers, first + Device, "Layers");
    writer.addTrack(first + Steps, first + Device, "Steps");
    writer.addTrack(first + Busy, first + Device, "Tiles at work", "tiles");
    for (std::size_t i = 0; i != ipus.size(); ++i)
      writer.addTrack(first + FirstIpu + i, first + Device,
                      "IPU " + std::to_string(ipus[i]));
    for (std::size_t i = 0; i != tiles.size(); ++i)
      writer.addTrack(first + FirstTile + i, first + Device,
                      "Tile " + std::to_string(tiles[i]));
  }

  void addStep(int i) {
    const report::Program &program =
        report.programs(static_cast<int>(window.program(i)));
    const std::uint64_t start = window.start(i);
    const std::uint64_t work = start + window.sync(i);
    const std::uint64_t end = start + window.cycles(i);
    const std::string &path = pathOf(report, program);
    const std::string type =
        programType(static_cast<runtime::StepKind>(program.kind()));
    if (window.sync(i) != 0)
      writer.slice(first + Steps, time(start), time(work), "sync", {});
    const auto run = runs.find(i);
    const bool begins = number == 0 && run != runs.end();
    if (end != work || begins)
      writer.slice(
          first + Steps, time(work), time(end),
          path.empty() ? type : type + " " + path,
          {{"cycles", end - work}, {"tile cycles", window.tile_cycles(i)}},
          begins ? TraceWriter::Arrow::End : TraceWriter::Arrow::None,
          begins ? run->second : 0);
    writer.count(first + Busy, time(work), activeTiles(program));
    if (i + 1 == window.program_size())
      writer.count(first + Busy, time(end), std::uint64_t(0));
    nextLayer(program, start, end);
    addIpus(program, path.empty() ? type : path, work, end);
    addTiles(program, path.empty() ? type : path, work, end);
  }

  std::uint64_t activeTiles(const report::Program &program) const {
    const auto index = static_cast<int>(program.index());
    switch (static_cast<runtime::StepKind>(program.kind())) {
    case runtime::StepKind::Execute:
      return report.compute_sets(index).tiles();
    case runtime::StepKind::Exchange:
      return factsOf(report, report.exchanges(index).cycles_row()).active;
    default:
      return 0;
    }
  }

  /// Steps of one layer that follow each other are one slice.
  void nextLayer(const report::Program &program, std::uint64_t start,
                 std::uint64_t end) {
    const int op = program.operators_size() == 0
                       ? -1
                       : static_cast<int>(program.operators(0));
    if (op != layer) {
      endLayer();
      layer = op;
      layerBegin = start;
    }
    layerEnd = end;
  }
  void endLayer() {
    if (layer >= 0)
      writer.slice(first + Layers, time(layerBegin), time(layerEnd),
                   report.operators(layer).name(),
                   {{"cycles", layerEnd - layerBegin}});
  }

  /// A program's cycles by tile: the row, and how many executions it sums up.
  std::pair<std::uint32_t, std::uint64_t>
  cyclesOf(const report::Program &program) const {
    const auto index = static_cast<int>(program.index());
    switch (static_cast<runtime::StepKind>(program.kind())) {
    case runtime::StepKind::Execute: {
      const auto [row, times] = means[program.index()];
      return {row, std::max<std::uint64_t>(times, 1)};
    }
    case runtime::StepKind::Exchange:
      return {report.exchanges(index).cycles_row(), 1};
    case runtime::StepKind::StreamToDevice:
    case runtime::StepKind::DeviceToStream:
      return {report.host_exchanges(index).cycles_row(), 1};
    default:
      return {0, 1};
    }
  }

  void addTiles(const report::Program &program, const std::string &name,
                std::uint64_t begin, std::uint64_t end) {
    const auto [row, times] = cyclesOf(program);
    if (row == 0)
      return;
    const ByTile &cycles = rowOf(row);
    for (std::size_t i = 0; i != tiles.size(); ++i)
      addBusy(first + FirstTile + i, cycles[tiles[i]] / times, name, begin,
              end);
  }

  /// The IPUs that take part, each as long as its slowest tile.
  void addIpus(const report::Program &program, const std::string &name,
               std::uint64_t begin, std::uint64_t end) {
    const auto [row, times] = cyclesOf(program);
    const std::uint32_t each = report.target().tiles_per_ipu();
    for (std::size_t i = 0; row != 0 && i != ipus.size(); ++i)
      addBusy(first + FirstIpu + i,
              factsOf(report, row, ipus[i] * each, each).most / times, name,
              begin, end);
  }

  void addBusy(std::uint64_t track, std::uint64_t cycles,
               const std::string &name, std::uint64_t begin,
               std::uint64_t end) {
    const std::uint64_t busy = std::min(cycles, end - begin);
    if (busy != 0)
      writer.slice(track, time(begin), time(begin + busy), name,
                   {{"cycles", busy}});
  }

  const ByTile &rowOf(std::uint32_t row) {
    const auto [known, isNew] = rows.emplace(row, ByTile());
    if (isNew)
      known->second = expand(report, row);
    return known->second;
  }

  const report::Report &report;
  const report::Domain &domain;
  const report::Window &window;
  const int number;
  const std::uint64_t first; // track
  TraceWriter &writer;
  const Runs &runs;
  const std::uint64_t offset;
  std::vector<unsigned> tiles;
  std::vector<std::uint32_t> ipus;
  std::vector<std::pair<std::uint32_t, std::uint64_t>> means; // row, times
  std::map<std::uint32_t, ByTile> rows;
  int layer = -1;
  std::uint64_t layerBegin = 0, layerEnd = 0;
};

/// Tracks of what programs traced of themselves.
class HostTracer {
public:
  HostTracer(const std::vector<HostTrace> &traces, TraceWriter &writer)
      : traces(traces), writer(writer) {}

  /// Arrows begin at so many runs.
  void trace(std::size_t runs) {
    unsigned process = 1 << 16;
    for (const HostTrace &trace : traces) {
      std::map<std::uint64_t, std::uint64_t> processes; // tracks
      for (const HostThread &thread : trace.threads) {
        std::uint64_t &known = processes[thread.process];
        if (known == 0) {
          known = next++;
          writer.addProcess(known, process++,
                            trace.name + ": process " +
                                std::to_string(thread.process));
        }
        addThread(thread, known, runs);
      }
      addSeries(trace);
    }
  }

private:
  void addThread(const HostThread &thread, std::uint64_t process,
                 std::size_t runs) {
    const std::uint64_t track = next++;
    writer.addTrack(track, process, "Thread " + std::to_string(thread.number));
    std::vector<const HostSpan *> open;
    const auto endUpTo = [&](std::size_t depth) {
      for (; open.size() > depth; open.pop_back())
        writer.end(track, open.back()->end);
    };
    for (const HostSpan &span : thread.spans) {
      endUpTo(span.depth);
      TraceWriter::Arguments arguments;
      if (!span.channel.empty())
        arguments.push_back({"channel", 0, span.channel});
      if (!span.facts.empty())
        arguments.push_back({"facts", 0, span.facts});
      if (span.isInstant) {
        writer.moment(track, span.begin, span.name, arguments);
        continue;
      }
      const bool starts = isRun(span) && run < runs;
      writer.begin(track, span.begin, span.name, arguments,
                   starts ? TraceWriter::Arrow::Begin
                          : TraceWriter::Arrow::None,
                   starts ? ++run : 0);
      open.push_back(&span);
    }
    endUpTo(0);
  }

  void addSeries(const HostTrace &trace) {
    for (const HostSeries &series : trace.series) {
      const std::uint64_t track = next++;
      writer.addTrack(track, Host, series.name, "");
      for (const auto &[time, value] : series.values)
        writer.count(track, time, value);
    }
  }

  const std::vector<HostTrace> &traces;
  TraceWriter &writer;
  std::uint64_t next = FirstHostTrack;
  std::uint64_t run = 0;
};

/// Host time at which the first run begins.
std::uint64_t firstRun(const std::vector<HostTrace> &traces) {
  for (const HostTrace &trace : traces)
    for (const HostThread &thread : trace.threads)
      for (const HostSpan &span : thread.spans)
        if (isRun(span))
          return span.begin;
  return 0;
}

class Tracer {
public:
  Tracer(const report::Report &report, const std::vector<HostTrace> &hosts)
      : report(report), hosts(hosts), offset(firstRun(hosts)) {}

  std::string make(const std::vector<unsigned> &tiles) {
    for (unsigned tile : tiles)
      if (tile >= numTiles(report))
        throw std::runtime_error("there is no tile " + std::to_string(tile) +
                                 "; the program has " +
                                 std::to_string(numTiles(report)));
    writer.addProcess(Host, HostProcess, "Host");
    HostTracer(hosts, writer)
        .trace(static_cast<std::size_t>(report.execution().runs_size()));
    addRuns();
    for (int i = 0; i != report.execution().domains_size(); ++i)
      DomainTracer(report, i, writer, runs, offset).trace(tiles);
    return writer.take();
  }

private:
  void addRuns() {
    if (report.execution().domains_size() == 0)
      return;
    writer.addTrack(HostRuns, Host, "Runs");
    const DomainTracer device(report, 0, writer, runs, offset);
    const report::Window &window = report.execution().domains(0).window();
    const auto &list = report.execution().runs();
    for (int i = 0; i != list.size(); ++i) {
      const auto first = static_cast<int>(list.Get(i).first());
      const int next = i + 1 == list.size()
                           ? window.program_size()
                           : static_cast<int>(list.Get(i + 1).first());
      if (first == next)
        continue; // its steps are not in the window
      const std::string name = list.Get(i).name().empty()
                                   ? "run " + std::to_string(i)
                                   : list.Get(i).name();
      const std::uint64_t number = static_cast<std::uint64_t>(i) + 1;
      writer.slice(
          HostRuns, device.time(window.start(first)),
          device.time(window.start(next - 1) + window.cycles(next - 1)), name,
          {{"program", list.Get(i).program()},
           {"host nanoseconds", list.Get(i).end() - list.Get(i).begin()}},
          TraceWriter::Arrow::Begin, number);
      runs[first] = number;
    }
  }

  const report::Report &report;
  const std::vector<HostTrace> &hosts;
  const std::uint64_t offset;
  TraceWriter writer;
  Runs runs;
};

} // namespace

std::string makeTrace(const report::Report &report,
                      const std::vector<unsigned> &tiles,
                      const std::vector<HostTrace> &hosts) {
  if (!report.has_execution())
    throw std::runtime_error("the report has no runs to trace: the program was "
                             "not run, or its device knows no time");
  return Tracer(report, hosts).make(tiles);
}

std::string makeTrace(const std::vector<HostTrace> &hosts) {
  return Tracer(report::Report(), hosts).make({});
}

} // namespace populus::profile
