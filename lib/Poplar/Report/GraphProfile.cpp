// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graph profile: a report's program under the names that the user
// guide gives it. Lists by tile are made once for each row of the report, and
// shared: a large program has thousands of them.

#include <poplar/Engine.hpp>

#include "lib/Poplar/Report/ProfileLists.h"
#include "lib/Poplar/Report/Report.h"
#include "lib/Profile/Names.h"
#include "runtime/Format/SequenceKinds.h"
#include "runtime/Target/Timing.h"

#include <algorithm>
#include <numeric>

namespace poplar {

namespace rt = populus::runtime;
namespace profile = populus::profile;
namespace report = populus::report;

using core::listOf;
using core::RowLists;

namespace core {

ExchangeNumbers::ExchangeNumbers(const report::Report &report) {
  std::uint64_t inside = 0, between = 0;
  for (const report::Exchange &exchange : report.exchanges())
    numbers.push_back(isBetweenIpus(exchange) ? between++ : inside++);
}

} // namespace core

namespace {

std::uint64_t sumOf(const profile::ByTile &numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), std::uint64_t(0));
}

rt::StepKind kindOf(const report::Program &program) {
  return static_cast<rt::StepKind>(program.kind());
}

const char *deviceName(const report::Target &target) {
  switch (static_cast<rt::DeviceKind>(target.device())) {
  case rt::DeviceKind::Cpu:
    return "CPU";
  case rt::DeviceKind::IpuModel:
    return "IPU_MODEL";
  case rt::DeviceKind::Ipu:
    break;
  }
  return "IPU";
}

bool isModel(const report::Report &report) {
  return report.target().device() ==
         static_cast<std::uint32_t>(rt::DeviceKind::IpuModel);
}

ProfileValue targetProfile(const report::Report &report) {
  const report::Target &target = report.target();
  const std::uint64_t tiles = profile::numTiles(report);
  return ProfileValue::Map{
      {"type", deviceName(target)},
      {"architecture", target.name()},
      {"numIPUs", target.ipus()},
      {"tilesPerIPU", target.tiles_per_ipu()},
      {"numTiles", tiles},
      {"numReplicas", target.replicas()},
      {"bytesPerTile", target.bytes_per_tile()},
      {"bytesPerIPU", target.bytes_per_tile() * target.tiles_per_ipu()},
      {"totalMemory", target.bytes_per_tile() * tiles},
      {"clockFrequency", target.clock_hz()},
      // All tiles wait equally long in the timing model.
      {"minSyncDelay", target.sync_cycles()},
      {"relativeSyncDelayByTile",
       ProfileValue::Vector(target.tiles_per_ipu(), ProfileValue(0))},
  };
}

ProfileValue graphCounts(const report::Report &report) {
  ProfileValue::Map counts{{"numVertices", report.num_vertices()},
                           {"numComputeSets", report.compute_sets_size()}};
  if (report.has_num_variables())
    counts["numVars"] = report.num_variables();
  if (report.has_num_edges())
    counts["numEdges"] = report.num_edges();
  return counts;
}

ProfileValue optimizationInfo(const report::Report &report) {
  ProfileValue::Map metrics;
  for (const report::Metric &metric : report.metrics())
    metrics[metric.name()] = metric.value();
  return metrics;
}

ProfileValue vertexTypeProfile(const report::Report &report) {
  ProfileValue::Vector names, sizes;
  for (const report::VertexType &type : report.vertex_types()) {
    names.push_back(type.name());
    sizes.push_back(type.state_bytes());
  }
  return ProfileValue::Map{{"names", std::move(names)},
                           {"sizes", std::move(sizes)}};
}

ProfileValue computeSetProfile(const report::Report &report, RowLists &rows) {
  ProfileValue::Vector names, counts, types;
  ProfileValue::Vector active, activeByType, cycles;
  for (const report::ComputeSet &set : report.compute_sets()) {
    ProfileValue::Vector setCounts, setTypes;
    ProfileValue::Vector byType(
        static_cast<std::size_t>(report.vertex_types_size()), ProfileValue(0));
    for (const report::VertexCount &type : set.types()) {
      setCounts.push_back(type.count());
      setTypes.push_back(type.type());
      byType[type.type()] = type.active_cycles();
    }
    names.push_back(set.name());
    counts.push_back(std::move(setCounts));
    types.push_back(std::move(setTypes));
    if (!isModel(report))
      continue;
    active.push_back(rows[set.active_row()]);
    activeByType.push_back(std::move(byType));
    cycles.push_back(rows[set.cycles_row()]);
  }
  ProfileValue::Map sets{{"names", std::move(names)},
                         {"vertexCounts", std::move(counts)},
                         {"vertexTypes", std::move(types)}};
  if (isModel(report))
    sets["cycleEstimates"] =
        ProfileValue::Map{{"activeCyclesByTile", std::move(active)},
                          {"activeCyclesByVertexType", std::move(activeByType)},
                          {"cyclesByTile", std::move(cycles)}};
  return sets;
}

/// The exchanges of one kind; `cyclesName` is what their cycles are called.
template <typename Exchanges, typename Wanted>
ProfileValue exchangeProfile(const Exchanges &exchanges, RowLists &rows,
                             const char *cyclesName, Wanted isWanted) {
  ProfileValue::Vector names, received, sent, cycles;
  for (const report::Exchange &exchange : exchanges) {
    if (!isWanted(exchange))
      continue;
    names.push_back(exchange.name());
    received.push_back(rows[exchange.received_row()]);
    sent.push_back(rows[exchange.sent_row()]);
    cycles.push_back(rows[exchange.cycles_row()]);
  }
  return ProfileValue::Map{{"names", std::move(names)},
                           {"bytesReceivedByTile", std::move(received)},
                           {"bytesSentByTile", std::move(sent)},
                           {cyclesName, std::move(cycles)}};
}

/// Estimates the code of an exchange, one word per instruction: tiles send each
/// piece once, wait for their turns, and set source and destination. The
/// emulator has no such code.
ProfileValue exchangeCode(const report::Exchange &exchange) {
  constexpr std::uint64_t Word = 4;
  const std::uint64_t send = exchange.sends() * Word;
  const std::uint64_t receive = exchange.receives() * Word;
  return ProfileValue::Map{{"delay", send + receive},
                           {"exchange", 0},
                           {"other", 0},
                           {"receiveAddress", receive},
                           {"receiveFormat", 0},
                           {"receiveMux", receive},
                           {"send", send},
                           {"sendWithPutAddress", 0},
                           {"sendWithPutFormat", 0},
                           {"sendWithPutMux", 0},
                           {"total", 2 * send + 3 * receive}};
}

/// The programs, which are numbered as the executable's steps.
class ProgramTable {
public:
  explicit ProgramTable(const report::Report &report)
      : report(report), exchanges(report) {
    for (const report::Program &program : report.programs())
      if (kindOf(program) == rt::StepKind::Call)
        functions.push_back(program.index());
    std::sort(functions.begin(), functions.end());
    functions.erase(std::unique(functions.begin(), functions.end()),
                    functions.end());
  }

  ProfileValue programs() const {
    ProfileValue::Vector list{controlProgram()};
    for (const report::Program &entry : report.programs())
      list.push_back(program(entry));
    return list;
  }
  ProfileValue functionPrograms() const { return numbersOf(functions); }

private:
  template <typename List> static ProfileValue numbersOf(const List &programs) {
    ProfileValue::Vector list;
    for (std::uint32_t program : programs)
      list.push_back(core::numberOf(program));
    return list;
  }

  /// A run takes one of the programs of the engine.
  ProfileValue controlProgram() const {
    const auto &roots = report.control_programs();
    return ProfileValue::Map{{"type", roots.size() > 1 ? "Switch" : "Sequence"},
                             {"children", numbersOf(roots)}};
  }

  ProfileValue program(const report::Program &program) const {
    ProfileValue::Map entry{{"type", core::programType(report, program)}};
    if (!program.name().empty())
      entry["name"] = program.name();
    if (core::hasNoElse(report, program))
      entry["children"] =
          ProfileValue::Vector{core::numberOf(program.children(0))};
    else if (program.children_size() != 0)
      entry["children"] = numbersOf(program.children());
    switch (kindOf(program)) {
    case rt::StepKind::Execute:
      entry["computeSet"] = program.index();
      break;
    case rt::StepKind::Exchange: {
      const auto &exchange =
          report.exchanges(static_cast<int>(program.index()));
      entry["exchange"] = exchanges[program.index()];
      if (!core::isBetweenIpus(exchange))
        entry["memoryByInstruction"] = exchangeCode(exchange);
      break;
    }
    case rt::StepKind::StreamToDevice:
    case rt::StepKind::DeviceToStream:
      entry["exchange"] = program.index();
      break;
    case rt::StepKind::Call:
      entry["target"] = static_cast<std::uint64_t>(
          std::lower_bound(functions.begin(), functions.end(),
                           program.index()) -
          functions.begin());
      break;
    default:
      break;
    }
    return entry;
  }

  const report::Report &report;
  const core::ExchangeNumbers exchanges;
  std::vector<std::uint32_t> functions;
};

// ---- Memory -----------------------------------------------------------------

constexpr const char *RegionNames[] = {"nonInterleaved", "interleaved",
                                       "overflowed"};

/// Bytes up to the last one in use, by region: regions follow each other, and
/// memory is used from their begin on.
ProfileValue gapsInRegion(const report::Report &report, RowLists &rows,
                          std::size_t region) {
  const report::Target &target = report.target();
  const std::uint64_t ends[] = {0, target.plain_bytes_per_tile(),
                                target.bytes_per_tile(), ~std::uint64_t(0)};
  return rows.mapped(report.memory().gaps_row(), [&](std::uint64_t bytes) {
    return std::clamp(bytes, ends[region], ends[region + 1]) - ends[region];
  });
}

ProfileValue memoryByTile(const report::Report &report, RowLists &rows) {
  const report::Memory &memory = report.memory();
  ProfileValue::Map byTile{{"total", rows[memory.total_row()]},
                           {"totalIncludingGaps", rows[memory.gaps_row()]}};
  if (memory.region_rows_size() == 0)
    return byTile;
  for (std::size_t region = 0; region != std::size(RegionNames); ++region) {
    const std::string name = RegionNames[region];
    byTile[name] = rows[memory.region_rows(static_cast<int>(region))];
    byTile[name + "IncludingGaps"] = gapsInRegion(report, rows, region);
  }
  return byTile;
}

ProfileValue memoryByCategory(const report::Report &report, RowLists &rows) {
  ProfileValue::Map byCategory;
  for (const report::CategoryMemory &category : report.memory().categories()) {
    ProfileValue::Map entry{{"total", rows[category.row()]}};
    for (int region = 0; 2 * region < category.region_rows_size(); ++region)
      entry[RegionNames[region]] = ProfileValue::Map{
          {"nonOverlapped", rows[category.region_rows(2 * region)]},
          {"overlapped", rows[category.region_rows(2 * region + 1)]}};
    const auto kind = static_cast<rt::MemoryCategory>(category.category());
    if (kind < rt::MemoryCategory::Count)
      byCategory[profile::categoryName(kind)] = std::move(entry);
  }
  return byCategory;
}

/// Memory of vertices: lists by tile for each memory category.
class VertexMemory {
public:
  VertexMemory(const report::Report &report, RowLists &rows)
      : report(report), rows(rows) {
    for (const char *name :
         {"codeBytes", "copyPtrBytes", "descriptorBytes", "edgePtrBytes",
          "paddingBytes", "totalBytes", "vertexDataBytes"})
      lists[name]; // also where there are no vertices
  }

  /// The next list of each kind is for these vertices.
  void add(const std::vector<const report::VertexCount *> &counts) {
    using Type = report::VertexType;
    const auto padding = [](const Type &type) {
      const std::uint64_t used = type.field_bytes() + type.pointer_bytes();
      return type.state_bytes() -
             std::min<std::uint64_t>(used, type.state_bytes());
    };
    const auto push = [&](const char *name, auto bytesOf, bool isCode = false) {
      lists[name].push_back(sum(counts, bytesOf, isCode));
    };
    const auto code = [](const Type &type) { return type.code_bytes(); };
    push("codeBytes", code, true);
    push("copyPtrBytes", [](const Type &) { return 0; });
    push("descriptorBytes", [](const Type &) { return 0; });
    push("edgePtrBytes", [](const Type &type) { return type.pointer_bytes(); });
    push("paddingBytes", padding);
    push("vertexDataBytes",
         [](const Type &type) { return type.field_bytes(); });
    profile::ByTile total = numbers(counts, code, true);
    const profile::ByTile state = numbers(
        counts, [](const Type &type) { return type.state_bytes(); }, false);
    for (std::size_t tile = 0; tile != total.size(); ++tile)
      total[tile] += state[tile];
    lists["totalBytes"].push_back(rows.of(total));
  }

  ProfileValue::Map take() {
    ProfileValue::Map map;
    for (auto &[name, list] : lists)
      map[name] = std::move(list);
    return map;
  }

private:
  /// Code is counted once, however many vertices run it.
  template <typename Bytes>
  profile::ByTile
  numbers(const std::vector<const report::VertexCount *> &counts, Bytes bytesOf,
          bool isCode) {
    profile::ByTile result(rows.numTiles());
    for (const report::VertexCount *count : counts) {
      const std::uint64_t bytes =
          bytesOf(report.vertex_types(static_cast<int>(count->type())));
      if (bytes == 0)
        continue;
      const profile::ByTile byTile = rows.numbers(count->count_row());
      for (std::size_t tile = 0; tile != result.size(); ++tile)
        result[tile] += bytes * (isCode ? byTile[tile] != 0 : byTile[tile]);
    }
    return result;
  }
  template <typename Bytes>
  ProfileValue sum(const std::vector<const report::VertexCount *> &counts,
                   Bytes bytesOf, bool isCode) {
    return rows.of(numbers(counts, bytesOf, isCode));
  }

  const report::Report &report;
  RowLists &rows;
  std::map<std::string, ProfileValue::Vector> lists;
};

ProfileValue memoryByComputeSet(const report::Report &report, RowLists &rows) {
  VertexMemory memory(report, rows);
  for (const report::ComputeSet &set : report.compute_sets()) {
    std::vector<const report::VertexCount *> counts;
    for (const report::VertexCount &count : set.types())
      counts.push_back(&count);
    memory.add(counts);
  }
  return memory.take();
}

ProfileValue memoryByVertexType(const report::Report &report, RowLists &rows) {
  std::vector<std::vector<const report::VertexCount *>> counts(
      static_cast<std::size_t>(report.vertex_types_size()));
  for (const report::ComputeSet &set : report.compute_sets())
    for (const report::VertexCount &count : set.types())
      counts[count.type()].push_back(&count);
  VertexMemory memory(report, rows);
  ProfileValue::Vector totals;
  for (int type = 0; type != report.vertex_types_size(); ++type) {
    memory.add(counts[static_cast<std::size_t>(type)]);
    std::uint64_t instances = 0;
    for (const report::VertexCount *count :
         counts[static_cast<std::size_t>(type)])
      instances += sumOf(rows.numbers(count->count_row()));
    totals.push_back(instances * report.vertex_types(type).state_bytes());
  }
  ProfileValue::Map result = memory.take();
  result["totalVertexDataBytes"] = std::move(totals);
  return result;
}

ProfileValue memoryProfile(const report::Report &report, RowLists &rows) {
  const report::Memory &memory = report.memory();
  const profile::ByTile gaps = rows.numbers(memory.gaps_row());
  const std::uint64_t limit = report.target().bytes_per_tile();
  const auto full = std::count_if(gaps.begin(), gaps.end(), [&](auto bytes) {
    return limit != 0 && bytes > limit;
  });
  return ProfileValue::Map{
      {"byCategory", memoryByCategory(report, rows)},
      {"byComputeSet", memoryByComputeSet(report, rows)},
      {"byTile", memoryByTile(report, rows)},
      {"byVertexType", memoryByVertexType(report, rows)},
      {"overlapped", sumOf(rows.numbers(memory.overlapped_row()))},
      {"afterOverlapping", sumOf(rows.numbers(memory.after_overlapping_row()))},
      {"tilesOutOfMemory", static_cast<std::uint64_t>(full)},
  };
}

/// The ranges of a part's tiles that are among the first ones.
std::vector<std::uint32_t> tilesOf(const report::LivePart &part,
                                   std::uint32_t numTiles) {
  std::vector<std::uint32_t> ranges;
  for (int i = 0; i + 1 < part.tiles_size(); i += 2)
    if (part.tiles(i) < numTiles) {
      ranges.push_back(part.tiles(i));
      ranges.push_back(std::min(part.tiles(i + 1), numTiles));
    }
  return ranges;
}

/// Lists of ranges are flat: begin, end, begin, end, ...
ProfileValue livenessProfile(const report::Liveness &liveness,
                             std::uint32_t numTiles) {
  ProfileValue::Vector parts;
  for (const report::LivePart &part : liveness.parts())
    if (const auto tiles = tilesOf(part, numTiles); !tiles.empty())
      parts.push_back(ProfileValue::Map{{"variable", part.variable()},
                                        {"bytes", part.bytes()},
                                        {"tiles", listOf(tiles)},
                                        {"moments", listOf(part.moments())}});
  ProfileValue::Vector programs;
  for (std::uint32_t program : liveness.program_at())
    programs.push_back(core::numberOf(program));
  return ProfileValue::Map{{"variables", listOf(liveness.variables())},
                           {"parts", std::move(parts)},
                           {"programs", std::move(programs)}};
}

} // namespace

namespace core {

bool hasNoElse(const report::Report &report, const report::Program &program) {
  if (kindOf(program) != rt::StepKind::If || program.children_size() != 2)
    return false;
  const auto &otherwise =
      report.programs(static_cast<int>(program.children(1)));
  return kindOf(otherwise) == rt::StepKind::Sequence &&
         otherwise.children_size() == 0;
}

const char *programType(const report::Report &report,
                        const report::Program &program) {
  if (kindOf(program) == rt::StepKind::Exchange &&
      isBetweenIpus(report.exchanges(static_cast<int>(program.index()))))
    return "GlobalExchange";
  if (kindOf(program) == rt::StepKind::Sequence &&
      rt::isKind(program.index(), rt::SequenceKind::WriteUndef))
    return "WriteUndef";
  if (hasNoElse(report, program))
    return "If";
  return profile::programType(kindOf(program));
}

std::uint32_t tilesOfMemory(const report::Report &report) {
  const std::uint32_t ofReplica = report.target().replica_tiles();
  return ofReplica != 0 ? ofReplica : profile::numTiles(report);
}

ProfileValue graphProfile(const report::Report &report) {
  RowLists rows(report), memoryRows(report, tilesOfMemory(report));
  const ProgramTable table(report);
  const auto all = [](const report::Exchange &) { return true; };
  const auto inside = [](const report::Exchange &exchange) {
    return !isBetweenIpus(exchange);
  };
  ProfileValue::Map profile{
      {"target", targetProfile(report)},
      {"optimizationInfo", optimizationInfo(report)},
      {"graph", graphCounts(report)},
      {"vertexTypes", vertexTypeProfile(report)},
      {"computeSets", computeSetProfile(report, rows)},
      {"exchanges",
       exchangeProfile(report.exchanges(), rows, "cyclesByTile", inside)},
      {"externalExchanges",
       exchangeProfile(report.exchanges(), rows, "estimatedCyclesByTile",
                       isBetweenIpus)},
      {"hostExchanges", exchangeProfile(report.host_exchanges(), rows,
                                        "estimatedCyclesByTile", all)},
      {"programs", table.programs()},
      {"controlPrograms", ProfileValue::Vector{core::ControlProgram}},
      {"functionPrograms", table.functionPrograms()},
      {"memory", memoryProfile(report, memoryRows)},
  };
  if (report.has_liveness())
    profile["liveness"] =
        livenessProfile(report.liveness(), tilesOfMemory(report));
  return profile;
}

} // namespace core

} // namespace poplar
