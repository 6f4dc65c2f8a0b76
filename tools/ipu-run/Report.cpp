// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The texts; Report.h lists them.

#include "Report.h"

#include "Streams.h"
#include "lib/Profile/ReportBuilder.h"

#include "runtime/Format/MetadataKeys.h"
#include "runtime/Session/PrintTensor.h"
#include "runtime/Session/TensorNames.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <iomanip>
#include <ostream>

namespace populus::run {

using namespace runtime;

namespace {

/// Returns true for metadata that only --save-weights, reports, caches and
/// debuggers read.
bool isForTools(const std::string &key) {
  return key == ModelKey || key == WeightsKey || key == SaidKey ||
         key == profile::RecordedKey || key == VariablesKey ||
         key.starts_with(RemoteValuesKey);
}

const char *deviceName(DeviceKind kind) {
  switch (kind) {
  case DeviceKind::Cpu:
    return "CPU (host code)";
  case DeviceKind::IpuModel:
    return "IPU Model (host code)";
  case DeviceKind::Ipu:
    break;
  }
  return "IPU (emulated)";
}

void printStreams(std::ostream &out, const Executable &executable,
                  StreamDirection direction, const char *title) {
  for (const Stream &stream : executable.streams)
    if (stream.direction == direction)
      out << title << "  " << stream.handle << ": "
          << describe(stream.type, shapeOf(stream)) << '\n';
}

nlohmann::ordered_json streamsJson(const Executable &executable,
                                   StreamDirection direction) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const Stream &stream : executable.streams)
    if (stream.direction == direction)
      json.push_back({{"name", stream.handle},
                      {"type", name(stream.type)},
                      {"shape", shapeOf(stream)}});
  return json;
}

/// Contents of a program, for both output forms.
struct Contents {
  std::uint64_t copies = 0;
  std::uint64_t codeBytes = 0;
  std::uint64_t payloadBytes = 0;

  explicit Contents(const Executable &executable) {
    for (const CopyPiece &piece : executable.copyPieces)
      executable.forEachCopy(piece, [&](const CopyPiece &) { ++copies; });
    for (const CodeImage &image : executable.images)
      codeBytes += image.bytes.size();
    for (const Payload &payload : executable.payloads)
      payloadBytes += payload.contents().size();
  }
};

/// The sum, and the fullest tiles.
void printMemory(std::ostream &out, const Executable &executable) {
  constexpr std::size_t Most = 5;
  std::vector<TileMemory> tiles = executable.memory;
  if (tiles.empty())
    return;
  std::stable_sort(tiles.begin(), tiles.end(),
                   [](const TileMemory &a, const TileMemory &b) {
                     return a.includingGaps > b.includingGaps;
                   });
  std::uint64_t total = 0;
  for (const TileMemory &tile : tiles)
    total += tile.includingGaps;
  out << "memory   " << total << " bytes on " << tiles.size()
      << " tiles, at most " << tiles.front().includingGaps << " on tile "
      << tiles.front().tile << '\n';
  out << "fullest ";
  for (std::size_t i = 0; i != std::min(Most, tiles.size()); ++i)
    out << (i == 0 ? " tile " : ", tile ") << tiles[i].tile << ": "
        << tiles[i].includingGaps << " bytes";
  out << '\n';
}

double clockOf(const Executable &executable) {
  return findTarget(executable.target)->clockHz;
}

} // namespace

void printInfo(std::ostream &out, const Executable &executable) {
  const Contents contents(executable);
  out << "device   " << deviceName(executable.device) << '\n'
      << "target   " << executable.target << ", " << executable.numIpus << " x "
      << executable.tilesPerIpu << " tiles\n";
  printStreams(out, executable, StreamDirection::HostToDevice, "input  ");
  printStreams(out, executable, StreamDirection::DeviceToHost, "output ");
  out << "program  " << executable.programs.size() << " programs, "
      << executable.steps.size() << " steps, " << executable.computeSets.size()
      << " compute sets, " << executable.vertices.size() << " vertices, "
      << executable.exchanges.size() << " exchanges with " << contents.copies
      << " copies\n";
  out << "code     " << contents.codeBytes << " bytes in "
      << executable.images.size() << " images, " << contents.payloadBytes
      << " bytes of initial data\n";
  printMemory(out, executable);
  for (const auto &[key, value] : executable.metadata)
    if (!isForTools(key))
      out << key << ": " << value << '\n';
}

void printInfoJson(std::ostream &out, const Executable &executable) {
  const Contents contents(executable);
  nlohmann::ordered_json json;
  json["device"] = deviceName(executable.device);
  json["target"] = executable.target;
  json["ipus"] = executable.numIpus;
  json["tiles_per_ipu"] = executable.tilesPerIpu;
  json["inputs"] = streamsJson(executable, StreamDirection::HostToDevice);
  json["outputs"] = streamsJson(executable, StreamDirection::DeviceToHost);
  json["programs"] = executable.programs.size();
  json["steps"] = executable.steps.size();
  json["compute_sets"] = executable.computeSets.size();
  json["vertices"] = executable.vertices.size();
  json["exchanges"] = executable.exchanges.size();
  json["copies"] = contents.copies;
  json["code_bytes"] = contents.codeBytes;
  json["initial_data_bytes"] = contents.payloadBytes;
  json["memory"] = nlohmann::ordered_json::array();
  for (const TileMemory &tile : executable.memory)
    json["memory"].push_back(
        {{"tile", tile.tile}, {"bytes", tile.includingGaps}});
  auto metadata = executable.metadata;
  std::erase_if(metadata,
                [](const auto &entry) { return isForTools(entry.first); });
  json["metadata"] = metadata;
  out << json.dump(2, ' ', false,
                   nlohmann::ordered_json::error_handler_t::replace)
      << '\n';
}

void printValues(std::ostream &out, const std::string &name,
                 const HostTensor &tensor) {
  constexpr std::uint64_t Most = 16;
  out << name << " (" << describe(tensor.type, tensor.shape) << "):";
  const std::uint64_t count = tensor.numElements();
  for (std::uint64_t i = 0; i != std::min(count, Most); ++i) {
    out << ' ';
    printElement(out, tensor.type,
                 tensor.data.data() + i * sizeOf(tensor.type));
  }
  out << (count > Most ? " ...\n" : "\n");
}

void printSummary(std::ostream &out, const Executable &executable,
                  const Measured &runs) {
  const RunStats &stats = runs.stats;
  const std::ios::fmtflags flags = out.flags();
  out << std::fixed;
  if (stats.cycles.total != 0)
    out << stats.cycles.total / runs.count << " cycles, "
        << std::setprecision(3) << stats.secondsAtClock * 1e3 / runs.count
        << " ms at " << std::setprecision(2) << clockOf(executable) / 1e9
        << " GHz; ";
  out << "host time " << std::setprecision(3)
      << stats.hostSeconds * 1e3 / runs.count << " ms (" << stats.engine << ", "
      << stats.threads << (stats.threads == 1 ? " thread)\n" : " threads)\n");
  out.flags(flags);
}

static void printLatency(std::ostream &out, const Latency &latency) {
  if (latency.samples().size() < 2)
    return;
  const Latency::Summary times = latency.summary();
  out << "host time of a run in ms: " << std::fixed << std::setprecision(3)
      << "min " << times.least * 1e3 << ", p50 " << times.median * 1e3
      << ", p90 " << times.p90 * 1e3 << ", p99 " << times.p99 * 1e3 << ", max "
      << times.most * 1e3 << '\n';
}

void printStats(std::ostream &out, const Executable &executable,
                const Measured &runs) {
  const RunStats &stats = runs.stats;
  const auto line = [&](const char *name, std::uint64_t cycles) {
    out << "  " << std::left << std::setw(10) << name << std::right
        << std::setw(14) << cycles / runs.count;
    if (stats.cycles.total != 0)
      out << std::fixed << std::setprecision(1) << std::setw(8)
          << 100.0 * static_cast<double>(cycles) /
                 static_cast<double>(stats.cycles.total)
          << " %";
    out << '\n';
  };
  const std::ios::fmtflags flags = out.flags();
  printSummary(out, executable, runs);
  if (runs.count != 1)
    out << "figures are means of " << runs.count << " runs\n";
  printLatency(out, runs.latency);
  if (stats.cycles.total == 0) {
    out.flags(flags);
    return; // the CPU device knows no time
  }
  out << "cycles\n";
  line("total", stats.cycles.total);
  line("compute", stats.cycles.compute);
  line("exchange", stats.cycles.exchange);
  line("sync", stats.cycles.sync);
  line("host", stats.cycles.host);
  out << "tile balance " << std::fixed << std::setprecision(3)
      << stats.tileBalance << '\n';
  if (stats.bundles != 0)
    out << "bundles " << stats.bundles / runs.count << ", "
        << std::setprecision(1)
        << static_cast<double>(stats.bundles) / stats.hostSeconds * 1e-6
        << " million a second, "
        << 100.0 * static_cast<double>(stats.translatedBundles) /
               static_cast<double>(stats.bundles)
        << " % translated\n";
  out.flags(flags);
}

/// A whole number where all runs are equal, which they nearly always are.
static nlohmann::ordered_json meanOf(std::uint64_t sum, unsigned runs) {
  if (sum % runs == 0)
    return sum / runs;
  return static_cast<double>(sum) / runs;
}

static nlohmann::ordered_json latencyJson(const Latency &latency) {
  const Latency::Summary times = latency.summary();
  return {{"min", times.least * 1e3},  {"mean", times.mean * 1e3},
          {"p50", times.median * 1e3}, {"p90", times.p90 * 1e3},
          {"p99", times.p99 * 1e3},    {"max", times.most * 1e3}};
}

void printStatsJson(std::ostream &out, const Measured &runs) {
  const RunStats &stats = runs.stats;
  const auto mean = [&](std::uint64_t sum) { return meanOf(sum, runs.count); };
  nlohmann::ordered_json json;
  json["cycles"] = {{"total", mean(stats.cycles.total)},
                    {"compute", mean(stats.cycles.compute)},
                    {"exchange", mean(stats.cycles.exchange)},
                    {"sync", mean(stats.cycles.sync)},
                    {"host", mean(stats.cycles.host)}};
  json["seconds_at_clock"] = stats.secondsAtClock / runs.count;
  json["bundles"] = mean(stats.bundles);
  json["translated_bundles"] = mean(stats.translatedBundles);
  json["host_seconds"] = stats.hostSeconds / runs.count;
  json["bundles_per_second"] =
      stats.hostSeconds > 0
          ? static_cast<double>(stats.bundles) / stats.hostSeconds
          : 0.0;
  json["tile_balance"] = stats.tileBalance;
  json["engine"] = stats.engine;
  json["threads"] = stats.threads;
  json["runs"] = runs.count;
  if (!runs.latency.empty()) {
    json["host_ms"] = latencyJson(runs.latency);
    nlohmann::ordered_json samples = nlohmann::ordered_json::array();
    for (const double seconds : runs.latency.samples())
      samples.push_back(seconds * 1e3);
    json["samples_ms"] = std::move(samples);
  }
  out << json.dump(2) << '\n';
}

} // namespace populus::run
