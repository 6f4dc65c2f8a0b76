// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Profiles as text in the user guide's format. The input is only the two
// profile values, so that a saved profile can be printed as well. Missing
// figures are omitted.

#include <poplar/Engine.hpp>

#include "lib/Poplar/Report/LivenessSummary.h"
#include "lib/Poplar/Report/SummaryColours.h"
#include "lib/Poplar/Report/SummaryText.h"
#include "lib/Poplar/Support/NearestName.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iomanip>
#include <map>
#include <ostream>

namespace poplar {

using core::Colour;
using core::grouped;
using core::printRight;
using core::SummaryColours;

namespace {

std::string fixed1(double number) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.1f", number);
  return text;
}

std::string groupedFixed1(double number) {
  const std::string text = fixed1(number);
  return grouped(static_cast<std::uint64_t>(std::floor(number + 0.05))) +
         text.substr(text.find('.'));
}

std::string percent(double fraction) { return fixed1(fraction * 100) + "%"; }

/// A label at `indent` and a value that begins at `column`.
void printLeft(std::ostream &out, std::size_t indent, const std::string &label,
               const std::string &value, std::size_t column) {
  const std::size_t used = indent + label.size();
  out << std::string(indent, ' ') << label
      << std::string(used < column ? column - used : 1, ' ') << value << '\n';
}

std::uint64_t sumOf(const ProfileValue &list) {
  std::uint64_t sum = 0;
  for (const ProfileValue &value : list.asVector())
    sum += value.asUint();
  return sum;
}

/// Throws invalid_option for a key that is not one of a summary.
void checkOptions(const OptionFlags &options) {
  static constexpr std::string_view Known[] = {
      "colours",
      "showExchangeInstructionBreakdown",
      "showExecutionSteps",
      "showOptimizations",
      "showPerIpuMemoryUsage",
      "showVarStorage"};
  for (const auto &option : options)
    if (std::find(std::begin(Known), std::end(Known), option.first) ==
        std::end(Known))
      throw invalid_option("a profile summary has no option '" + option.first +
                           "'" + core::didYouMean(option.first, Known));
}

bool isSet(const OptionFlags &options, const char *key) {
  const auto found = options.find(key);
  return found != options.end() && found->second == "true";
}

// ---- Target, graph ----------------------------------------------------------

/// The part of each of several replicas, which may be less than one.
std::string share(std::uint64_t all, std::uint64_t replicas) {
  return all % replicas == 0
             ? grouped(all / replicas)
             : std::to_string(all) + " / " + std::to_string(replicas);
}

void printTarget(std::ostream &out, const ProfileValue &target,
                 const SummaryColours &coloured) {
  constexpr std::size_t Column = 26;
  const auto line = [&](const char *label, const std::string &value) {
    printLeft(out, 2, label, value, Column);
  };
  const std::string memory =
      fixed1(target["totalMemory"].asDouble() / (1 << 20)) + " MB";
  const std::string ipus = grouped(target["numIPUs"].asUint());
  const std::string tiles = grouped(target["numTiles"].asUint());
  out << coloured(Colour::Heading, "Target:") << '\n';
  line("Number of IPUs:", ipus);
  line("Tiles per IPU:", grouped(target["tilesPerIPU"].asUint()));
  line("Total Tiles:", tiles);
  if (target["totalMemory"].asUint() != 0) {
    line("Memory Per-Tile:",
         fixed1(target["bytesPerTile"].asDouble() / 1024) + " kB");
    line("Total Memory:", memory);
  }
  line("Clock Speed (approx):",
       groupedFixed1(target["clockFrequency"].asDouble() / 1e6) + " MHz");
  const std::uint64_t replicas =
      std::max<std::uint64_t>(target["numReplicas"].asUint(), 1);
  line("Number of Replicas:", grouped(replicas));
  line("IPUs per Replica:", share(target["numIPUs"].asUint(), replicas));
  line("Tiles per Replica:", share(target["numTiles"].asUint(), replicas));
  if (target["totalMemory"].asUint() != 0)
    line("Memory per Replica:",
         fixed1(target["totalMemory"].asDouble() /
                static_cast<double>(replicas) / (1 << 20)) +
             " MB");
}

void printGraph(std::ostream &out, const ProfileValue &graph,
                const SummaryColours &coloured) {
  constexpr std::pair<const char *, const char *> Lines[] = {
      {"Number of vertices:", "numVertices"},
      {"Number of edges:", "numEdges"},
      {"Number of variables:", "numVars"},
      {"Number of compute sets:", "numComputeSets"},
  };
  out << '\n' << coloured(Colour::Heading, "Graph:") << '\n';
  for (const auto &[label, key] : Lines)
    if (const ProfileValue *count = graph.getOrNull(key)) {
      printRight(out, 2, label, grouped(count->asUint()), 38);
      out << '\n';
    }
}

// ---- Memory -----------------------------------------------------------------

constexpr std::pair<const char *, const char *> Categories[] = {
    {"variable", "Variables:"},
    {"constant", "Constants:"},
    {"message", "Internal Exchange Message Buffers:"},
    {"outputEdge", "Output Edge Buffers:"},
    {"rearrangement", "Data Rearrangement Buffers:"},
    {"stack", "Stack:"},
    {"vertexInstanceState", "Vertex Instances:"},
    {"vertexFieldData", "Vertex Field Data:"},
    {"sharedDataStorage", "Shared Data:"},
    {"controlCode", "Control Code:"},
    {"vertexCode", "Vertex Code:"},
    {"internalExchangeCode", "Internal Exchange Code:"},
    {"hostExchangeCode", "Host Exchange Code:"},
};

constexpr std::pair<const char *, const char *> Regions[] = {
    {"nonInterleaved", "Non-interleaved:"},
    {"interleaved", "Interleaved:"},
    {"overflowed", "Overflowed:"},
};

void printByRegion(std::ostream &out, const ProfileValue &byTile) {
  if (!byTile.getOrNull(Regions[0].first))
    return; // not known
  out << "      By Memory Region:\n";
  for (const auto &[key, label] : Regions) {
    printRight(out, 8, label, grouped(sumOf(byTile[key])), 38);
    out << " B\n";
  }
}

/// Bytes of a category that share memory.
std::uint64_t overlappedIn(const ProfileValue &category) {
  std::uint64_t bytes = 0;
  for (const auto &[key, label] : Regions)
    if (const ProfileValue *region = category.getOrNull(key))
      bytes += sumOf((*region)["overlapped"]);
  return bytes;
}

void printByDataType(std::ostream &out, const ProfileValue &memory) {
  const ProfileValue &byCategory = memory["byCategory"];
  constexpr std::size_t Column = 59;
  const auto line = [&](std::size_t indent, const char *label,
                        std::uint64_t bytes) {
    printRight(out, indent, label, grouped(bytes), Column);
    out << " B\n";
  };
  std::uint64_t total = 0;
  out << "      By Data Type:\n        Not Overlapped\n";
  for (const auto &[key, label] : Categories)
    if (const ProfileValue *category = byCategory.getOrNull(key))
      if (const std::uint64_t bytes = sumOf((*category)["total"])) {
        total += bytes;
        line(12, label, bytes);
      }
  line(10, "Total:", total);
  const std::uint64_t overlapped = memory["overlapped"].asUint();
  if (overlapped == 0)
    return;
  out << "        Overlapped\n";
  for (const auto &[key, label] : Categories)
    if (const ProfileValue *category = byCategory.getOrNull(key))
      if (const std::uint64_t bytes = overlappedIn(*category))
        line(12, label, bytes);
  line(10, "Total:", overlapped);
  line(10, "Total After Overlapping:", memory["afterOverlapping"].asUint());
}

using NamedNumbers = std::vector<std::pair<std::string, std::uint64_t>>;

/// The numbers of vertex types that are not 0, largest first.
NamedNumbers byVertexType(const ProfileValue &types,
                          const ProfileValue &numbers) {
  NamedNumbers list;
  for (std::size_t i = 0; i != numbers.size(); ++i)
    if (numbers[i].asUint() != 0)
      list.emplace_back(types["names"][i].asString(), numbers[i].asUint());
  std::stable_sort(list.begin(), list.end(), [](const auto &a, const auto &b) {
    return a.second > b.second;
  });
  return list;
}

void printVertexData(std::ostream &out, const ProfileValue &profile) {
  const ProfileValue &bytes =
      profile["memory"]["byVertexType"]["totalVertexDataBytes"];
  const NamedNumbers list = byVertexType(profile["vertexTypes"], bytes);
  std::size_t longest = 0;
  for (const auto &[name, number] : list)
    longest = std::max(longest, name.size());
  out << "      Vertex Data (" << grouped(sumOf(bytes)) << "B):\n"
      << "        By Category:\n";
  constexpr std::pair<const char *, const char *> Kinds[] = {
      {"vertexDataBytes", "Internal vertex state:"},
      {"edgePtrBytes", "Edge pointers:"},
      {"copyPtrBytes", "Copy pointers:"},
      {"paddingBytes", "Padding:"},
      {"descriptorBytes", "Descriptors:"}};
  for (const auto &[key, label] : Kinds) {
    std::uint64_t sum = 0;
    for (const ProfileValue &type :
         profile["memory"]["byVertexType"][key].asVector())
      sum += sumOf(type);
    printRight(out, 10, label, grouped(sum), 47);
    out << " B\n";
  }
  out << "        By Type:\n";
  for (const auto &[name, number] : list) {
    printRight(out, 10, name, grouped(number), 10 + longest + 15);
    out << " B\n";
  }
}

/// Kilobytes of a range such that there are at most `most` ranges.
std::uint64_t rangeWidth(std::uint64_t first, std::uint64_t last,
                         std::uint64_t most) {
  std::uint64_t width = 1;
  while ((last - first) / width >= most)
    width *= 2;
  return width;
}

void printHistogram(std::ostream &out, const ProfileValue &tiles) {
  constexpr std::size_t Stars = 40;
  std::uint64_t least = ~std::uint64_t(0), most = 0;
  for (const ProfileValue &tile : tiles.asVector()) {
    least = std::min(least, tile.asUint() / 1024);
    most = std::max(most, tile.asUint() / 1024);
  }
  const std::uint64_t width = rangeWidth(least, most, 20);
  std::vector<std::uint64_t> counts((most - least) / width + 1);
  for (const ProfileValue &tile : tiles.asVector())
    ++counts[(tile.asUint() / 1024 - least) / width];
  const std::uint64_t highest = *std::max_element(counts.begin(), counts.end());
  out << "\n  By Tile (Excluding Gaps):\n"
      << "    Range (KB) Histogram (Excluding Gaps)               "
         "Count (tiles)\n";
  for (std::size_t i = 0; i != counts.size(); ++i) {
    const std::uint64_t begin = least + i * width;
    const std::size_t stars =
        counts[i] == 0 ? 0
                       : std::max<std::size_t>(1, counts[i] * Stars / highest);
    out << std::right << std::setw(9) << begin << " - " << std::setw(3)
        << begin + width << ' ' << std::left << std::setw(Stars)
        << std::string(stars, '*') << std::right << std::setw(8)
        << grouped(counts[i]) << '\n';
  }
}

void printFullest(std::ostream &out, const char *label,
                  const ProfileValue &tiles) {
  std::size_t fullest = 0;
  for (std::size_t i = 0; i != tiles.size(); ++i)
    if (tiles[i].asUint() > tiles[fullest].asUint())
      fullest = i;
  const double bytes = tiles[fullest].asDouble();
  out << "    Maximum (" << label << "): " << grouped(tiles[fullest].asUint())
      << " (" << fixed1(bytes / 1024) << " K) on tile " << fullest << '\n';
}

void printFullestTiles(std::ostream &out, const ProfileValue &withGaps) {
  constexpr std::size_t Shown = 5;
  std::vector<std::size_t> tiles(withGaps.size());
  for (std::size_t i = 0; i != tiles.size(); ++i)
    tiles[i] = i;
  std::stable_sort(tiles.begin(), tiles.end(),
                   [&](std::size_t a, std::size_t b) {
                     return withGaps[a].asUint() > withGaps[b].asUint();
                   });
  for (std::size_t i = 0; i != std::min(Shown, tiles.size()); ++i)
    out << "      Tile " << tiles[i] << ": "
        << grouped(withGaps[tiles[i]].asUint()) << " B\n";
}

void printMemory(std::ostream &out, const ProfileValue &profile,
                 const SummaryColours &coloured) {
  constexpr std::size_t Column = 38;
  const ProfileValue &memory = profile["memory"];
  const ProfileValue &tiles = memory["byTile"]["total"];
  const ProfileValue &withGaps = memory["byTile"]["totalIncludingGaps"];
  // Replicas that are equal are shown once.
  const bool isOfReplica =
      tiles.size() < profile["target"]["numTiles"].asUint();
  out << '\n'
      << coloured(Colour::Heading, isOfReplica
                                       ? "Memory on all IPUs of a replica:"
                                       : "Memory on all IPUs:")
      << "\nMemory Usage:\n  Total:\n";
  printRight(out, 4, "Including Gaps:", grouped(sumOf(withGaps)), Column);
  out << " B\n    Excluding Gaps:\n";
  printByRegion(out, memory["byTile"]);
  printRight(out, 6, "Total:", grouped(sumOf(tiles)), Column);
  out << " B\n";
  printByDataType(out, memory);
  printVertexData(out, profile);
  if (tiles.size() != 0) {
    printHistogram(out, tiles);
    out << '\n';
    printFullest(out, "Including Gaps", withGaps);
    printFullest(out, "Excluding Gaps", tiles);
  }
  const std::uint64_t full = memory["tilesOutOfMemory"].asUint();
  const std::string text = std::to_string(full) + " tile(s) out of memory";
  out << "    " << (full ? coloured(Colour::Wrong, text) : text) << '\n';
  if (full != 0)
    printFullestTiles(out, withGaps);
}

/// Prints the memory in use on the tiles of each IPU.
void printPerIpu(std::ostream &out, const ProfileValue &profile) {
  const ProfileValue &tiles = profile["memory"]["byTile"]["totalIncludingGaps"];
  const std::uint64_t each = profile["target"]["tilesPerIPU"].asUint();
  out << "\n  By IPU (Including Gaps):\n";
  for (std::uint64_t ipu = 0; ipu * each < tiles.size(); ++ipu) {
    std::uint64_t bytes = 0;
    const std::uint64_t end =
        std::min<std::uint64_t>((ipu + 1) * each, tiles.size());
    for (std::uint64_t tile = ipu * each; tile != end; ++tile)
      bytes += tiles[tile].asUint();
    printRight(out, 4, "IPU " + std::to_string(ipu) + ":", grouped(bytes), 38);
    out << " B\n";
  }
}

void printOptimizations(std::ostream &out, const ProfileValue &profile,
                        const SummaryColours &coloured) {
  out << '\n' << coloured(Colour::Heading, "Optimizations:") << '\n';
  for (const auto &[name, value] : profile["optimizationInfo"].asMap()) {
    printRight(out, 2, name + ":", grouped(value.asUint()), 38);
    out << '\n';
  }
}

// ---- Execution --------------------------------------------------------------

/// "54,202 (approx 33.9 microseconds)".
std::string withTime(std::uint64_t cycles, double clock) {
  constexpr std::pair<double, const char *> Units[] = {
      {1e-6, "microseconds"}, {1e-3, "milliseconds"}, {1, "seconds"}};
  const double seconds = static_cast<double>(cycles) / clock;
  std::size_t unit = 0;
  while (unit != 2 && seconds >= 1000 * Units[unit].first)
    ++unit;
  return grouped(cycles) + " (approx " + fixed1(seconds / Units[unit].first) +
         " " + Units[unit].second + ")";
}

void printTotals(std::ostream &out, const ProfileValue &target,
                 const ProfileValue &simulation) {
  const auto line = [&](const char *label, const std::string &value) {
    printLeft(out, 2, label, value, 49);
  };
  const ProfileValue &tiles = simulation["tileCycles"];
  const auto cycles = [&](const char *key) {
    return grouped(tiles[key].asUint());
  };
  const double possible =
      simulation["cycles"].asDouble() * target["numTiles"].asDouble();
  const double compute = tiles["compute"].asDouble();
  line("Total cycles:", withTime(simulation["cycles"].asUint(),
                                 target["clockFrequency"].asDouble()));
  line("Total compute cycles (including idle threads):", cycles("compute"));
  line("Total compute cycles (excluding idle threads):",
       cycles("activeCompute"));
  line("Total IPU exchange cycles:", cycles("doExchange"));
  line("Total global exchange cycles:", cycles("globalExchange"));
  line("Total host exchange cycles:", cycles("streamCopy"));
  line("Total shared structure copy cycles:", cycles("copySharedStructure"));
  line("Total sync cycles:", cycles("sync"));
  if (possible != 0)
    line("Total tile balance:", percent(compute / possible));
  if (compute != 0)
    line("Total thread balance:",
         percent(tiles["activeCompute"].asDouble() / compute));
}

void printByVertexType(std::ostream &out, const ProfileValue &graphProfile,
                       const ProfileValue &active) {
  const ProfileValue &types = graphProfile["vertexTypes"];
  const ProfileValue &sets = graphProfile["computeSets"];
  std::map<std::string, std::uint64_t> instances;
  for (std::size_t set = 0; set != sets["names"].size(); ++set) {
    const ProfileValue &setTypes = sets["vertexTypes"][set];
    for (std::size_t i = 0; i != setTypes.size(); ++i)
      instances[types["names"][setTypes[i].asUint()].asString()] +=
          sets["vertexCounts"][set][i].asUint();
  }
  const NamedNumbers list = byVertexType(types, active);
  std::size_t longest = 0;
  for (const auto &[name, cycles] : list)
    longest = std::max(longest, name.size());
  out << "\n  Cycles by vertex type:\n";
  for (const auto &[name, cycles] : list) {
    printRight(out, 4, name,
               std::string("(")
                   .append(std::to_string(instances[name]))
                   .append(" instances):"),
               4 + longest + 25);
    out << std::right << std::setw(13) << grouped(cycles) << '\n';
  }
}

/// On the emulated IPU: counted cycles of tiles. Where a tile runs several
/// types in a compute set, they are of all of them together.
void printCountedByType(std::ostream &out, const ProfileValue &graphProfile,
                        const ProfileValue &entries) {
  std::vector<std::string> names;
  std::size_t longest = 0;
  for (const ProfileValue &entry : entries.asVector()) {
    std::string name;
    for (const ProfileValue &type : entry["vertexTypes"].asVector())
      name += (name.empty() ? "" : " + ") +
              graphProfile["vertexTypes"]["names"][type.asUint()].asString();
    longest = std::max(longest, name.size());
    names.push_back(std::move(name));
  }
  out << "\n  Cycles by vertex type:\n";
  for (std::size_t i = 0; i != names.size(); ++i) {
    printRight(out, 4, names[i],
               "(" + std::to_string(entries[i]["instances"].asUint()) +
                   " instances):",
               4 + longest + 25);
    out << std::right << std::setw(13) << grouped(entries[i]["cycles"].asUint())
        << '\n';
  }
}

Colour colourOf(const std::string &stepType) {
  return stepType == "OnTileExecute" ? Colour::Compute
         : stepType == "DoExchange" || stepType == "GlobalExchange"
             ? Colour::Exchange
             : Colour::Host;
}

/// The vertices of a compute set; estimates say how long each type works.
void printStepTypes(std::ostream &out, const ProfileValue &graph,
                    std::uint64_t set) {
  const ProfileValue &sets = graph["computeSets"];
  const ProfileValue &types = sets["vertexTypes"][set];
  const ProfileValue *estimates = sets.getOrNull("cycleEstimates");
  out << "    By vertex type:\n";
  for (std::size_t i = 0; i != types.size(); ++i) {
    const std::uint64_t type = types[i].asUint();
    out << "      " << graph["vertexTypes"]["names"][type].asString() << " ("
        << grouped(sets["vertexCounts"][set][i].asUint()) << " instances)";
    if (estimates)
      out << ": "
          << grouped(
                 (*estimates)["activeCyclesByVertexType"][set][type].asUint());
    out << '\n';
  }
}

void printStep(std::ostream &out, const ProfileValue &step,
               const ProfileValue &graph, const SummaryColours &coloured) {
  const std::uint64_t numTiles = graph["target"]["numTiles"].asUint();
  const std::string &type = step["type"].asString();
  if (type == "Sync") {
    const std::string text = "--- " + step["syncType"].asString() + " Sync ---";
    out << "  " << coloured(Colour::Sync, text) << '\n';
    return;
  }
  const auto line = [&](const char *label, const std::string &value) {
    printLeft(out, 4, label, value, 40);
  };
  out << "  " << coloured(colourOf(type), type) << " (cycles "
      << grouped(step["cyclesFrom"].asUint()) << " - "
      << grouped(step["cyclesTo"].asUint()) << ")";
  if (const ProfileValue *name = step.getOrNull("name"))
    out << ": " << name->asString();
  out << '\n';
  const ProfileValue *overlapped = step.getOrNull("cyclesOverlapped");
  line("Cycles:", grouped(step["cycles"].asUint()) +
                      (overlapped ? " (" + grouped(overlapped->asUint()) +
                                        " overlapped with previous)"
                                  : ""));
  line("Active Tiles:",
       grouped(step["activeTiles"].asUint()) + " / " + grouped(numTiles));
  if (const ProfileValue *threads = step.getOrNull("threadBalance"))
    line("Thread Balance:", percent(threads->asDouble()));
  line("Tile Balance:", percent(step["tileBalance"].asDouble()));
  line("Active Tile Balance:", percent(step["activeTileBalance"].asDouble()));
  if (const ProfileValue *data = step.getOrNull("totalData")) {
    line("Total Data:", grouped(data->asUint()));
    printLeft(out, 4, "Data Balance (mean / max data per tile):",
              percent(step["dataBalance"].asDouble()), 45);
  }
  if (const ProfileValue *set = step.getOrNull("computeSet"))
    printStepTypes(out, graph, set->asUint());
}

} // namespace

void printGraphSummary(std::ostream &out, const ProfileValue &graphProfile,
                       const OptionFlags &options) {
  checkOptions(options);
  const SummaryColours coloured(out, options);
  printTarget(out, graphProfile["target"], coloured);
  printGraph(out, graphProfile["graph"], coloured);
  printMemory(out, graphProfile, coloured);
  if (isSet(options, "showPerIpuMemoryUsage"))
    printPerIpu(out, graphProfile);
  if (isSet(options, "showOptimizations"))
    printOptimizations(out, graphProfile, coloured);
  if (isSet(options, "showVarStorage"))
    core::printLiveness(out, graphProfile);
}

void printExecutionSummary(std::ostream &out, const ProfileValue &graphProfile,
                           const ProfileValue &executionProfile,
                           const OptionFlags &options) {
  checkOptions(options);
  const ProfileValue *mode = executionProfile.getOrNull("profilerMode");
  if (!mode)
    return; // an empty profile: nothing to print
  const SummaryColours coloured(out, options);
  out << '\n' << coloured(Colour::Heading, "Execution:") << "\n\n";
  const ProfileValue *simulation = executionProfile.getOrNull("simulation");
  if (!simulation) {
    out << "  Execution profiling not enabled\n";
    return;
  }
  printTotals(out, graphProfile["target"], *simulation);
  if (const ProfileValue *active =
          executionProfile.getOrNull("activeCyclesByVertexType"))
    printByVertexType(out, graphProfile, *active);
  if (const ProfileValue *counted =
          executionProfile.getOrNull("cyclesByVertexTypes"))
    printCountedByType(out, graphProfile, *counted);
  if (!isSet(options, "showExecutionSteps"))
    return;
  out << "Steps\n";
  for (const ProfileValue &step : (*simulation)["steps"].asVector())
    printStep(out, step, graphProfile, coloured);
}

void printProfileSummary(std::ostream &out, const ProfileValue &graphProfile,
                         const ProfileValue &executionProfile,
                         const OptionFlags &options) {
  printGraphSummary(out, graphProfile, options);
  printExecutionSummary(out, graphProfile, executionProfile, options);
}

} // namespace poplar
