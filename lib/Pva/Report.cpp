// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the CBOR map of a report to the objects of pva.hpp, all at once: a
// report is small beside the program that it tells of.

#include <pva/pva.hpp>

#include "lib/Profile/ReportFile.h"
#include "lib/Pva/Liveness.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string_view>

namespace pva {

using Json = nlohmann::json;

namespace detail {

namespace {

using Numbers = std::vector<std::uint64_t>;

/// A member that older or shorter reports may lack.
template <typename T> T getOr(const Json &map, const char *key, T otherwise) {
  const auto member = map.find(key);
  return member == map.end() ? otherwise : member->get<T>();
}

Program::Type typeOf(const std::string &name) {
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

std::shared_ptr<Program> makeProgram(const Json &json,
                                     const std::vector<ComputeSet> &sets) {
  std::string name = getOr<std::string>(json, "name", "");
  switch (typeOf(json.at("type"))) {
  case Program::Type::OnTileExecute:
    return std::make_shared<OnTileExecuteProgram>(
        std::move(name), sets.at(json.at("computeSet").get<std::size_t>()));
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
  explicit ReportData(const Json &report) {
    readVersion(report);
    readGraph(report.at("graph"));
    readLiveness(report.at("graph"));
    const auto found = report.find("execution");
    if (found != report.end() && found->contains("simulation"))
      readExecution(report.at("graph"), *found);
  }

  PoplarVersion version;
  Target target;
  Graph graph;
  std::vector<CompilationTile> tiles;
  std::vector<CompilationIpu> ipus;
  std::vector<ComputeSet> computeSets;
  std::vector<std::shared_ptr<Program>> programs; // control programs
  /// Null if the report does not tell of it.
  std::shared_ptr<const Liveness> liveness;
  std::vector<LivenessProgramStep> livenessSteps;
  bool hasExecution = false;
  std::vector<Step> steps;
  std::vector<Run> runs;
  Cycles cycles;

private:
  void readVersion(const Json &report) {
    version.text = report.at("version");
    version.hash = report.at("packageHash");
    std::sscanf(version.text.c_str(), "%u.%u.%u", &version.numbers[0],
                &version.numbers[1], &version.numbers[2]);
  }

  void readGraph(const Json &json) {
    readTarget(json.at("target"));
    const Json &counts = json.at("graph");
    graph.vertices = counts.at("numVertices");
    graph.computeSets = counts.at("numComputeSets");
    graph.variables = getOr<std::uint64_t>(counts, "numVars", 0);
    graph.edges = getOr<std::uint64_t>(counts, "numEdges", 0);
    readMemory(json.at("memory"));
    readComputeSets(json);
    readPrograms(json);
  }

  void readTarget(const Json &json) {
    target.kind = json.at("type");
    target.name = json.at("architecture");
    target.ipus = json.at("numIPUs");
    target.tiles = json.at("tilesPerIPU");
    target.replicas = getOr<unsigned>(json, "numReplicas", 1);
    target.tileBytes = json.at("bytesPerTile");
    target.clock = json.at("clockFrequency");
  }

  void readMemory(const Json &json) {
    const Json &byTile = json.at("byTile");
    const Numbers total = byTile.at("total");
    const Numbers withGaps = byTile.at("totalIncludingGaps");
    tiles.resize(target.numTiles());
    ipus.resize(target.numIPUs());
    for (unsigned tile = 0; tile != tiles.size(); ++tile) {
      Memory &memory = tiles[tile].use;
      memory.sum.withoutGaps = total.at(tile);
      memory.sum.withGaps = withGaps.at(tile);
    }
    for (const auto &[name, category] : json.at("byCategory").items()) {
      const Numbers bytes = category.at("total");
      for (unsigned tile = 0; tile != tiles.size(); ++tile)
        if (bytes.at(tile) != 0) {
          tiles[tile].use.categories[name] = bytes[tile];
          tiles[tile].use.alwaysLive += bytes[tile];
        }
    }
    for (unsigned tile = 0; tile != tiles.size(); ++tile)
      addTo(ipus[tile / target.tilesPerIpu()].use, tiles[tile].use);
  }

  static void addTo(Memory &sum, const Memory &part) {
    sum.sum.withGaps += part.sum.withGaps;
    sum.sum.withoutGaps += part.sum.withoutGaps;
    sum.alwaysLive += part.alwaysLive;
    for (const auto &[name, bytes] : part.categories)
      sum.categories[name] += bytes;
  }

  void readComputeSets(const Json &json) {
    const Json &types = json.at("vertexTypes").at("names");
    const Json &sets = json.at("computeSets");
    const Json &names = sets.at("names");
    for (std::size_t i = 0; i != names.size(); ++i) {
      const Numbers setTypes = sets.at("vertexTypes").at(i);
      const Numbers counts = sets.at("vertexCounts").at(i);
      std::vector<VertexCount> list;
      for (std::size_t t = 0; t != setTypes.size(); ++t)
        list.push_back({types.at(setTypes[t]), counts.at(t)});
      computeSets.emplace_back(names.at(i), std::move(list));
    }
  }

  void readPrograms(const Json &json) {
    const Json &list = json.at("programs");
    for (const Json &entry : list)
      allPrograms.push_back(makeProgram(entry, computeSets));
    for (std::size_t i = 0; i != allPrograms.size(); ++i)
      for (const Json &child : getOr<Json>(list[i], "children", Json::array()))
        // Children come before their parents, so there is no cycle.
        if (const std::size_t id = child; id < i)
          allPrograms[i]->addChild(allPrograms[id]);
    for (const Json &root : json.at("controlPrograms"))
      programs.push_back(allPrograms.at(root.get<std::size_t>()));
  }

  void readLiveness(const Json &json) {
    const auto found = json.find("liveness");
    if (found == json.end())
      return;
    liveness = std::make_shared<const Liveness>(*found);
    const Numbers programAt = found->at("programs");
    for (std::size_t moment = 0; moment != programAt.size(); ++moment) {
      const auto &program = allPrograms.at(programAt[moment]);
      // What has programs in it has no time of its own.
      if (!program->children().empty() ||
          program->type() == Program::Type::Sequence ||
          program->type() == Program::Type::Call)
        continue;
      LivenessProgramStep step;
      step.what = program;
      step.liveness = liveness;
      step.moment = static_cast<std::uint32_t>(moment);
      livenessSteps.push_back(std::move(step));
    }
  }

  void readExecution(const Json &graphJson, const Json &json) {
    hasExecution = true;
    const Json &sums = json.at("cycles");
    cycles.all = sums.at("total");
    cycles.computing = sums.at("compute");
    cycles.exchanging = sums.at("exchange");
    cycles.syncing = sums.at("sync");
    cycles.hosting = sums.at("host");
    const BusyCycles busy(graphJson, json);
    for (const Json &entry : json.at("simulation").at("steps"))
      steps.push_back(readStep(entry, busy));
    readRuns(json);
  }

  /// The cycles of each tile, by compute set and exchange.
  class BusyCycles {
  public:
    BusyCycles(const Json &graphJson, const Json &json)
        : exchanges(share(graphJson.at("exchanges").at("cyclesByTile"))),
          hostExchanges(share(
              graphJson.at("hostExchanges").at("estimatedCyclesByTile"))) {
      if (json.contains("computeSetCyclesByTile"))
        sets = share(meanCycles(json));
      else
        sets = share(graphJson.at("computeSets")
                         .at("cycleEstimates")
                         .at("cyclesByTile"));
    }

    /// Of a step; null where it keeps all tiles busy.
    std::shared_ptr<const Numbers> of(const Json &step) const {
      if (step.contains("computeSet"))
        return sets.at(step.at("computeSet").get<std::size_t>());
      if (step.contains("exchange"))
        return exchanges.at(step.at("exchange").get<std::size_t>());
      // Other accesses of the host have a number too, but no list of tiles.
      if (step.contains("hostExchange") && step.at("type") == "StreamCopy")
        return hostExchanges.at(step.at("hostExchange").get<std::size_t>());
      return nullptr;
    }

  private:
    using Lists = std::vector<std::shared_ptr<const Numbers>>;

    static Lists share(const Json &lists) {
      Lists result;
      for (const Json &list : lists)
        result.push_back(std::make_shared<const Numbers>(list.get<Numbers>()));
      return result;
    }

    /// By compute set and tile; the profile has sums over all executions.
    static std::vector<Numbers> meanCycles(const Json &json) {
      auto cycles =
          json.at("computeSetCyclesByTile").get<std::vector<Numbers>>();
      const Numbers executions = json.at("computeSetExecutions");
      for (std::size_t i = 0; i != cycles.size(); ++i)
        for (std::uint64_t &tile : cycles[i])
          tile /= std::max<std::uint64_t>(executions.at(i), 1);
      return cycles;
    }

    Lists sets, exchanges, hostExchanges;
  };

  Step readStep(const Json &json, const BusyCycles &busyCycles) const {
    Step step;
    step.from = json.at("cyclesFrom");
    step.to = json.at("cyclesTo");
    const auto program = json.find("program");
    step.what = program != json.end()
                    ? allPrograms.at(program->get<std::size_t>())
                    : std::make_shared<SyncProgram>(
                          json.at("syncType").get<std::string>());
    step.numIpus = target.numIPUs();
    step.tilesPerIpu = target.tilesPerIpu();
    step.busy = busyCycles.of(json);
    return step;
  }

  void readRuns(const Json &json) {
    const Json list = getOr<Json>(json, "runs", Json::array());
    for (std::size_t i = 0; i != list.size(); ++i) {
      const std::size_t begin =
          std::min(list[i].at("firstStep").get<std::size_t>(), steps.size());
      const std::size_t end =
          i + 1 == list.size()
              ? steps.size()
              : std::clamp(list[i + 1].at("firstStep").get<std::size_t>(),
                           begin, steps.size());
      Run run;
      run.runName = list[i].at("name");
      run.executed.assign(steps.begin() + static_cast<std::ptrdiff_t>(begin),
                          steps.begin() + static_cast<std::ptrdiff_t>(end));
      if (begin != end)
        run.total = steps[end - 1].to - steps[begin].from;
      runs.push_back(std::move(run));
    }
  }

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
    throw ReportError("the report does not tell when variables are live: the "
                      "program was loaded from a file");
  return data->liveness;
}
const std::vector<LivenessProgramStep> &
CompilationReport::livenessProgramSteps() const {
  liveness();
  return data->livenessSteps;
}
std::vector<LivenessVariable> CompilationReport::alwaysLiveVariables() const {
  return liveness()->find({true, false, std::nullopt, std::nullopt});
}
std::vector<LivenessVariable>
CompilationReport::alwaysLiveVariablesForTile(unsigned tile) const {
  return liveness()->find({true, false, std::nullopt, tile});
}
LoweredVariables CompilationReport::loweredVariables() const {
  return LoweredVariables(liveness());
}

std::uint64_t CyclesByPlace::min() const {
  return cycles.empty() ? 0 : *std::min_element(cycles.begin(), cycles.end());
}
std::uint64_t CyclesByPlace::max() const {
  return cycles.empty() ? 0 : *std::max_element(cycles.begin(), cycles.end());
}

std::vector<ComputeSet> Step::computeSets() const {
  struct Finder : ProgramVisitor {
    std::vector<ComputeSet> found;
    void visitOnTileExecute(const OnTileExecuteProgram &program) override {
      found.push_back(program.computeSet());
    }
  } finder;
  what->accept(finder);
  return finder.found;
}

std::vector<StepPlace> Step::tiles() const {
  std::vector<StepPlace> places;
  for (std::size_t tile = 0; tile != numIpus * tilesPerIpu; ++tile) {
    const std::uint64_t active =
        busy ? std::min(busy->at(tile), cycles()) : cycles();
    places.emplace_back(from, from + active, active);
  }
  return places;
}

std::vector<StepPlace> Step::ipus() const {
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

std::vector<std::uint64_t> Step::cyclesByTile() const {
  return collect(tiles(), &StepPlace::activeCycles);
}
CyclesByPlace Step::cyclesFrom() const {
  return CyclesByPlace(collect(tiles(), &StepPlace::cyclesFrom));
}
CyclesByPlace Step::cyclesTo() const {
  return CyclesByPlace(collect(tiles(), &StepPlace::cyclesTo));
}

const std::vector<Step> &ExecutionReport::steps() const { return data->steps; }
const std::vector<Run> &ExecutionReport::runs() const { return data->runs; }
std::vector<Block> ExecutionReport::blocks(unsigned tile) const {
  std::vector<Block> result;
  if (tile >= data->target.numTiles())
    throw ReportError("there is no tile " + std::to_string(tile));
  for (const Step &step : data->steps) {
    const StepPlace place = step.tiles()[tile];
    if (place.activeCycles() != 0)
      result.emplace_back(step.program(), tile, place.cyclesFrom(),
                          place.cyclesTo());
  }
  return result;
}
const Cycles &ExecutionReport::totalCycles() const { return data->cycles; }

bool Report::hasExecution() const { return data->hasExecution; }

ExecutionReport Report::execution() const {
  if (!hasExecution())
    throw ReportError("the report tells of no execution: run the program, on "
                      "an IPU or IPU Model, and do not set the engine option "
                      "autoReport.outputExecutionProfile to false");
  return ExecutionReport(data);
}

const PoplarVersion &Report::poplarVersion() const { return data->version; }

Report Report::parse(const std::vector<std::uint8_t> &bytes,
                     const std::string &name) {
  const std::string_view magic = populus::profile::ReportMagic;
  if (bytes.size() < magic.size() ||
      !std::equal(magic.begin(), magic.end() - 1, bytes.begin()))
    throw ReportError(name + " is not a report");
  if (bytes[magic.size() - 1] != static_cast<std::uint8_t>(magic.back()))
    throw ReportError(name + " is a report of another version, " +
                      std::to_string(bytes[magic.size() - 1]));
  try {
    const Json json = Json::from_cbor(
        bytes.begin() + static_cast<std::ptrdiff_t>(magic.size()), bytes.end());
    return Report(std::make_shared<const detail::ReportData>(json));
  } catch (const Json::exception &error) {
    throw ReportError(name + " is damaged: " + error.what());
  } catch (const std::out_of_range &error) {
    throw ReportError(name + " is damaged: it contradicts itself");
  }
}

Report openReport(const std::string &file, const std::string &) {
  std::ifstream in(file, std::ios::binary);
  if (!in)
    throw ReportError("cannot read report " + file);
  const std::vector<std::uint8_t> bytes((std::istreambuf_iterator<char>(in)),
                                        std::istreambuf_iterator<char>());
  return Report::parse(bytes, file);
}

} // namespace pva
