// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Perfetto's protobuf, written by hand: a dozen fields are needed of it
// (perfetto/trace/trace_packet.proto). Names are interned: each is written once
// and referred to by number. One cycle is a slice of time at the device's
// clock; the host's runs are drawn where the device ran them, for the clocks of
// emulator and device have nothing to do with each other, and keep their own
// times as arguments.

#include "lib/Profile/Perfetto.h"

#include "lib/Profile/Analysis.h"
#include "lib/Profile/Names.h"
#include "lib/Profile/Rows.h"
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

// ---- Protobuf ---------------------------------------------------------------

class Message {
public:
  void number(unsigned field, std::uint64_t value) {
    varint(field << 3);
    varint(value);
  }
  void text(unsigned field, std::string_view value) {
    varint(field << 3 | 2);
    varint(value.size());
    bytes.append(value);
  }
  void message(unsigned field, const Message &value) {
    text(field, value.bytes);
  }
  void fixed64(unsigned field, std::uint64_t value) {
    varint(field << 3 | 1);
    for (unsigned shift = 0; shift != 64; shift += 8)
      bytes.push_back(static_cast<char>(value >> shift));
  }
  const std::string &get() const { return bytes; }

private:
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7)
      bytes.push_back(static_cast<char>(value | 0x80));
    bytes.push_back(static_cast<char>(value));
  }
  std::string bytes;
};

// Fields of perfetto.protos, by message.
namespace packet {
constexpr unsigned Timestamp = 8, TrustedSequence = 10, TrackEvent = 11,
                   InternedData = 12, SequenceFlags = 13, TrackDescriptor = 60;
constexpr unsigned StateCleared = 1, NeedsState = 2;
} // namespace packet
namespace track {
constexpr unsigned Uuid = 1, Name = 2, Process = 3, Parent = 5, Counter = 8;
constexpr unsigned ProcessId = 1, ProcessName = 6, CounterUnitName = 6;
} // namespace track
namespace event {
constexpr unsigned Annotation = 4, Type = 9, NameId = 10, TrackUuid = 11,
                   CounterValue = 30, FlowBegin = 47, FlowEnd = 48;
constexpr unsigned Begin = 1, End = 2, CounterType = 4;
constexpr unsigned AnnotationName = 10, AnnotationUint = 3;
} // namespace event
namespace interned {
constexpr unsigned EventNames = 2;
constexpr unsigned Id = 1, Name = 2;
} // namespace interned

class TraceWriter {
public:
  void addProcess(std::uint64_t uuid, unsigned id, const std::string &name) {
    Message process;
    process.number(track::ProcessId, id);
    process.text(track::ProcessName, name);
    Message descriptor;
    descriptor.number(track::Uuid, uuid);
    descriptor.message(track::Process, process);
    addDescriptor(descriptor);
  }
  void addTrack(std::uint64_t uuid, std::uint64_t parent,
                const std::string &name, const char *unit = nullptr) {
    Message descriptor;
    descriptor.number(track::Uuid, uuid);
    descriptor.text(track::Name, name);
    descriptor.number(track::Parent, parent);
    if (unit) {
      Message counter;
      counter.text(track::CounterUnitName, unit);
      descriptor.message(track::Counter, counter);
    }
    addDescriptor(descriptor);
  }

  struct Arguments {
    const char *name;
    std::uint64_t value;
  };
  void slice(std::uint64_t uuid, std::uint64_t begin, std::uint64_t end,
             const std::string &name, const std::vector<Arguments> &arguments,
             std::uint64_t flow = 0, unsigned flowField = 0) {
    Message message;
    message.number(event::Type, event::Begin);
    message.number(event::TrackUuid, uuid);
    Message names;
    message.number(event::NameId, intern(name, names));
    for (const Arguments &argument : arguments) {
      Message annotation;
      annotation.text(event::AnnotationName, argument.name);
      annotation.number(event::AnnotationUint, argument.value);
      message.message(event::Annotation, annotation);
    }
    if (flow != 0)
      message.fixed64(flowField, flow);
    addEvent(begin, message, names);
    Message last;
    last.number(event::Type, event::End);
    last.number(event::TrackUuid, uuid);
    addEvent(end, last, Message());
  }
  void count(std::uint64_t uuid, std::uint64_t time, std::uint64_t value) {
    Message message;
    message.number(event::Type, event::CounterType);
    message.number(event::TrackUuid, uuid);
    message.number(event::CounterValue, value);
    addEvent(time, message, Message());
  }

  std::string take() { return std::move(bytes); }

private:
  static constexpr unsigned Sequence = 1;

  std::uint64_t intern(const std::string &name, Message &added) {
    const auto [known, isNew] = names.emplace(name, names.size() + 1);
    if (isNew) {
      Message entry;
      entry.number(interned::Id, known->second);
      entry.text(interned::Name, name);
      added.message(interned::EventNames, entry);
    }
    return known->second;
  }

  void addDescriptor(const Message &descriptor) {
    Message packet;
    packet.message(packet::TrackDescriptor, descriptor);
    add(packet);
  }
  void addEvent(std::uint64_t time, const Message &message,
                const Message &names) {
    Message packet;
    packet.number(packet::Timestamp, time);
    packet.message(packet::TrackEvent, message);
    if (!names.get().empty())
      packet.message(packet::InternedData, names);
    add(packet);
  }
  void add(Message &packet) {
    packet.number(packet::TrustedSequence, Sequence);
    packet.number(packet::SequenceFlags,
                  isFirst ? packet::StateCleared | packet::NeedsState
                          : packet::NeedsState);
    isFirst = false;
    Message trace;
    trace.message(1, packet);
    bytes += trace.get();
  }

  std::string bytes;
  std::map<std::string, std::uint64_t> names;
  bool isFirst = true;
};

// ---- The report's tracks ----------------------------------------------------

enum Uuid : std::uint64_t {
  Device = 1,
  Host = 2,
  HostRuns = 3,
  Steps = 10,
  Layers = 11,
  Busy = 12,
  FirstTile = 100,
};

class Tracer {
public:
  Tracer(const report::Report &report, const std::vector<unsigned> &tiles)
      : report(report), domain(report.execution().domains(0)),
        window(domain.window()), tiles(tiles) {
    means.resize(static_cast<std::size_t>(report.compute_sets_size()));
    for (const report::SetCycles &set : domain.sets())
      means[set.compute_set()] = {set.cycles_row(), set.times()};
    if (this->tiles.empty())
      chooseTiles();
    for (unsigned tile : this->tiles)
      if (tile >= numTiles(report))
        throw std::runtime_error("there is no tile " + std::to_string(tile) +
                                 "; the program has " +
                                 std::to_string(numTiles(report)));
  }

  std::string make() {
    addTracks();
    addRuns();
    for (int i = 0; i != window.program_size(); ++i)
      addStep(i);
    endLayer();
    return writer.take();
  }

private:
  std::uint64_t time(std::uint64_t cycle) const {
    return static_cast<std::uint64_t>(std::llround(
        static_cast<double>(cycle) * 1e9 / report.target().clock_hz()));
  }

  void chooseTiles() {
    ByTile cycles(numTiles(report));
    for (const report::SetCycles &set : domain.sets()) {
      const ByTile row = expand(report, set.cycles_row());
      for (std::size_t tile = 0; tile != row.size(); ++tile)
        cycles[tile] += row[tile];
    }
    std::vector<unsigned> order(cycles.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(), [&](unsigned a, unsigned b) {
      return cycles[a] > cycles[b];
    });
    tiles = {order.front(), order[order.size() / 2], order.back()};
    std::sort(tiles.begin(), tiles.end());
    tiles.erase(std::unique(tiles.begin(), tiles.end()), tiles.end());
  }

  void addTracks() {
    writer.addProcess(Device, 1, "Device: " + report.target().name());
    writer.addProcess(Host, 2, "Host");
    writer.addTrack(HostRuns, Host, "Runs");
    writer.addTrack(Layers, Device, "Layers");
    writer.addTrack(Steps, Device, "Steps");
    writer.addTrack(Busy, Device, "Tiles at work", "tiles");
    for (std::size_t i = 0; i != tiles.size(); ++i)
      writer.addTrack(FirstTile + i, Device,
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
      writer.slice(Steps, time(start), time(work), "sync", {});
    const auto flow = flows.find(i);
    if (end != work || flow != flows.end())
      writer.slice(
          Steps, time(work), time(end), path.empty() ? type : type + " " + path,
          {{"cycles", end - work}, {"tile cycles", window.tile_cycles(i)}},
          flow == flows.end() ? 0 : flow->second, event::FlowEnd);
    writer.count(Busy, time(work), activeTiles(program));
    if (i + 1 == window.program_size())
      writer.count(Busy, time(end), 0);
    nextLayer(program, start, end);
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
      writer.slice(Layers, time(layerBegin), time(layerEnd),
                   report.operators(layer).name(),
                   {{"cycles", layerEnd - layerBegin}});
  }

  void addTiles(const report::Program &program, const std::string &name,
                std::uint64_t begin, std::uint64_t end) {
    const auto index = static_cast<int>(program.index());
    std::uint32_t row = 0;
    std::uint64_t times = 1;
    switch (static_cast<runtime::StepKind>(program.kind())) {
    case runtime::StepKind::Execute:
      std::tie(row, times) = means[program.index()];
      break;
    case runtime::StepKind::Exchange:
      row = report.exchanges(index).cycles_row();
      break;
    case runtime::StepKind::StreamToDevice:
    case runtime::StepKind::DeviceToStream:
      row = report.host_exchanges(index).cycles_row();
      break;
    default:
      return;
    }
    const ByTile &cycles = rowOf(row);
    for (std::size_t i = 0; i != tiles.size(); ++i) {
      const std::uint64_t busy = std::min(
          cycles[tiles[i]] / std::max<std::uint64_t>(times, 1), end - begin);
      if (busy != 0)
        writer.slice(FirstTile + i, time(begin), time(begin + busy), name,
                     {{"cycles", busy}});
    }
  }

  const ByTile &rowOf(std::uint32_t row) {
    const auto [known, isNew] = rows.emplace(row, ByTile());
    if (isNew)
      known->second = expand(report, row);
    return known->second;
  }

  void addRuns() {
    const auto &runs = report.execution().runs();
    for (int i = 0; i != runs.size(); ++i) {
      const auto first = static_cast<int>(runs.Get(i).first());
      const int next = i + 1 == runs.size()
                           ? window.program_size()
                           : static_cast<int>(runs.Get(i + 1).first());
      if (first == next)
        continue; // its steps are not in the window
      const std::string name = runs.Get(i).name().empty()
                                   ? "run " + std::to_string(i)
                                   : runs.Get(i).name();
      writer.slice(
          HostRuns, time(window.start(first)),
          time(window.start(next - 1) + window.cycles(next - 1)), name,
          {{"program", runs.Get(i).program()},
           {"host nanoseconds", runs.Get(i).end() - runs.Get(i).begin()}},
          static_cast<std::uint64_t>(i) + 1, event::FlowBegin);
      flows[first] = static_cast<std::uint64_t>(i) + 1;
    }
  }

  const report::Report &report;
  const report::Domain &domain;
  const report::Window &window;
  std::vector<unsigned> tiles;
  TraceWriter writer;
  std::vector<std::pair<std::uint32_t, std::uint64_t>> means; // row, times
  std::map<std::uint32_t, ByTile> rows;
  std::map<int, std::uint64_t> flows; // by their first steps
  int layer = -1;
  std::uint64_t layerBegin = 0, layerEnd = 0;
};

} // namespace

std::string makeTrace(const report::Report &report,
                      const std::vector<unsigned> &tiles) {
  if (!report.has_execution())
    throw std::runtime_error("the report has no runs to trace: the program was "
                             "not run, or its device knows no time");
  return Tracer(report, tiles).make();
}

} // namespace populus::profile
