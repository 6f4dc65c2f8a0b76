// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Profiles of an engine: what was compiled, and what running it took.

#include <poplar/Engine.hpp>

#include "lib/Poplar/Access.h"
#include "lib/Poplar/EngineImpl.h"
#include "runtime/Target/TargetInfo.h"

#include <algorithm>
#include <iomanip>
#include <ostream>

namespace poplar {

namespace rt = populus::runtime;

namespace {

const char *const CategoryNames[] = {
    "variables",
    "constants",
    "messages",
    "output edges",
    "rearrangement",
    "vertex instance state",
    "vertex field data",
    "vertex code",
    "control code",
    "internal exchange code",
    "host exchange code",
    "stack",
    "shared data storage",
};
static_assert(std::size(CategoryNames) ==
              static_cast<std::size_t>(rt::MemoryCategory::Count));

const char *deviceName(rt::DeviceKind kind) {
  switch (kind) {
  case rt::DeviceKind::Cpu:
    return "CPU";
  case rt::DeviceKind::IpuModel:
    return "IPU_MODEL";
  case rt::DeviceKind::Ipu:
    break;
  }
  return "IPU";
}

ProfileValue targetProfile(const rt::Executable &exe) {
  const rt::TargetInfo &info = *rt::findTarget(exe.target);
  return ProfileValue::Map{
      {"type", deviceName(exe.device)},
      {"architecture", exe.target},
      {"numIPUs", exe.numIpus},
      {"tilesPerIPU", exe.tilesPerIpu},
      {"numTiles", exe.numTiles()},
      {"bytesPerTile", info.isIpu() ? info.bytesPerTile() : 0u},
      {"clockFrequency", info.clockHz},
  };
}

ProfileValue memoryProfile(const rt::Executable &exe) {
  ProfileValue::Map byCategory;
  std::uint64_t total = 0;
  std::uint32_t fullest = 0, most = 0;
  ProfileValue::Vector byTile(exe.numTiles(), ProfileValue(0));
  for (std::size_t c = 0; c != std::size(CategoryNames); ++c) {
    std::uint64_t bytes = 0;
    for (const rt::TileMemory &tile : exe.memory)
      bytes += tile.byCategory[c];
    byCategory[CategoryNames[c]] = bytes;
    total += bytes;
  }
  for (const rt::TileMemory &tile : exe.memory) {
    byTile[tile.tile] = tile.includingGaps;
    if (tile.includingGaps > most) {
      most = tile.includingGaps;
      fullest = tile.tile;
    }
  }
  return ProfileValue::Map{
      {"total", total},
      {"byCategory", std::move(byCategory)},
      {"byTileIncludingGaps", std::move(byTile)},
      {"maxTile", fullest},
      {"maxTileBytesIncludingGaps", most},
  };
}

ProfileValue computeSetProfile(const rt::Executable &exe) {
  ProfileValue::Vector list;
  for (const rt::ComputeSet &set : exe.computeSets) {
    std::uint32_t vertices = 0;
    for (std::uint32_t i = 0; i != set.tiles.count; ++i)
      vertices += exe.tileVertices[set.tiles.first + i].vertices.count;
    list.push_back(ProfileValue::Map{{"name", set.name},
                                     {"numVertices", vertices},
                                     {"numTiles", set.tiles.count}});
  }
  return list;
}

ProfileValue exchangeProfile(const rt::Executable &exe) {
  ProfileValue::Vector list;
  for (const rt::Exchange &exchange : exe.exchanges) {
    std::uint64_t bytes = 0;
    for (std::uint32_t i = 0; i != exchange.pieces.count; ++i)
      bytes += exe.copyPieces[exchange.pieces.first + i].bytes;
    list.push_back(ProfileValue::Map{{"name", exchange.name},
                                     {"numPieces", exchange.pieces.count},
                                     {"bytes", bytes}});
  }
  return list;
}

ProfileValue vertexTypeProfile(const rt::Executable &exe) {
  std::vector<std::uint32_t> counts(exe.vertexTypes.size());
  for (const rt::Vertex &vertex : exe.vertices)
    ++counts[vertex.type];
  ProfileValue::Vector list;
  for (std::size_t i = 0; i != counts.size(); ++i)
    list.push_back(
        ProfileValue::Map{{"name", exe.vertexTypes[i].name},
                          {"stateBytes", exe.vertexTypes[i].stateBytes},
                          {"count", counts[i]}});
  return list;
}

ProfileValue cyclesProfile(const rt::Cycles &cycles) {
  return ProfileValue::Map{{"total", cycles.total},
                           {"compute", cycles.compute},
                           {"exchange", cycles.exchange},
                           {"sync", cycles.sync},
                           {"host", cycles.host}};
}

void printMap(std::ostream &out, const ProfileValue &map,
              std::initializer_list<const char *> keys) {
  for (const char *key : keys) {
    const ProfileValue &value = map[key];
    out << "  " << std::left << std::setw(30) << (std::string(key) + ":");
    if (value.type() == ProfileValue::Type::STRING)
      out << value.asString();
    else
      serializeToJSON(out, value);
    out << '\n';
  }
}

} // namespace

void Engine::enableExecutionProfiling() {
  impl->options.profileExecution = true;
}
void Engine::disableExecutionProfiling() {
  impl->options.profileExecution = false;
}
void Engine::resetExecutionProfile() {
  if (impl->loaded)
    impl->loaded->resetStats();
}

ProfileValue Engine::getGraphProfile() {
  const rt::Executable &exe = *impl->executable;
  return ProfileValue::Map{
      {"target", targetProfile(exe)},
      {"graph", ProfileValue::Map{{"numVertices", exe.vertices.size()},
                                  {"numComputeSets", exe.computeSets.size()},
                                  {"numExchanges", exe.exchanges.size()}}},
      {"vertexTypes", vertexTypeProfile(exe)},
      {"computeSets", computeSetProfile(exe)},
      {"exchanges", exchangeProfile(exe)},
      {"memory", memoryProfile(exe)},
  };
}

ProfileValue Engine::getExecutionProfile() {
  const rt::Executable &exe = *impl->executable;
  rt::Session &session = impl->session("Engine::getExecutionProfile");
  const rt::RunStats stats = session.stats();
  ProfileValue::Vector steps;
  for (const rt::StepRecord &record : session.stepRecords())
    steps.push_back(
        ProfileValue::Map{{"name", exe.steps[record.step].name},
                          {"cycles", cyclesProfile(record.cycles)}});
  return ProfileValue::Map{
      {"profilerMode", exe.device == rt::DeviceKind::Cpu ? "NONE" : "EMULATED"},
      {"cycles", cyclesProfile(stats.cycles)},
      {"secondsAtClock", stats.secondsAtClock},
      {"tileBalance", stats.tileBalance},
      {"programTrace", std::move(steps)},
  };
}

void printGraphSummary(std::ostream &out, const ProfileValue &graphProfile,
                       const OptionFlags &) {
  out << "Target:\n";
  printMap(out, graphProfile["target"],
           {"type", "architecture", "numIPUs", "tilesPerIPU", "bytesPerTile",
            "clockFrequency"});
  out << "Graph:\n";
  printMap(out, graphProfile["graph"],
           {"numVertices", "numComputeSets", "numExchanges"});
  out << "Memory Usage:\n";
  const ProfileValue &memory = graphProfile["memory"];
  printMap(out, memory, {"total", "maxTile", "maxTileBytesIncludingGaps"});
  for (const auto &category : memory["byCategory"].asMap())
    if (category.second.asUint() != 0)
      out << "    " << std::left << std::setw(28) << (category.first + ":")
          << category.second.asUint() << '\n';
}

void printExecutionSummary(std::ostream &out, const ProfileValue &,
                           const ProfileValue &executionProfile,
                           const OptionFlags &options) {
  out << "Execution:\n";
  printMap(out, executionProfile["cycles"],
           {"total", "compute", "exchange", "sync", "host"});
  printMap(out, executionProfile, {"tileBalance"});
  const auto show = options.find("showExecutionSteps");
  if (show == options.end() || show->second != "true")
    return;
  for (const ProfileValue &step : executionProfile["programTrace"].asVector())
    out << "    " << step["name"].asString() << ": "
        << step["cycles"]["total"].asUint() << " cycles\n";
}

void printProfileSummary(std::ostream &out, const ProfileValue &graphProfile,
                         const ProfileValue &executionProfile,
                         const OptionFlags &options) {
  printGraphSummary(out, graphProfile, options);
  printExecutionSummary(out, graphProfile, executionProfile, options);
}

void Engine::printProfileSummary(std::ostream &out,
                                 const OptionFlags &options) {
  printGraphSummary(out, getGraphProfile(), options);
  if (impl->loaded)
    printExecutionSummary(out, getGraphProfile(), getExecutionProfile(),
                          options);
}

} // namespace poplar
