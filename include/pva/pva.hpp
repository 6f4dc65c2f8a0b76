// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads reports of compilations and runs. An Engine writes a report
// (autoReport.* options) or makes one in memory (Engine::getReport). Objects
// are cheap views of a report, which they keep alive. Functions return constant
// values, so that `auto &tiles = step.tiles();` compiles as well as `auto tiles
// = step.tiles();`.

#ifndef POPULUS_INCLUDE_PVA_PVA_HPP
#define POPULUS_INCLUDE_PVA_PVA_HPP

#include <pva/Program.hpp>

// Programs that use this header expect these headers with it.
#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <functional>
#include <iomanip>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace pva {

namespace detail {
class Liveness;
struct ReportData;
} // namespace detail

/// A report cannot be read, or lacks the requested data.
struct ReportError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The program that made the report.
class PoplarVersion {
public:
  const std::string &string() const { return text; }
  unsigned majorVer() const { return numbers[0]; }
  unsigned minorVer() const { return numbers[1]; }
  unsigned pointVer() const { return numbers[2]; }
  const std::string &packageHash() const { return hash; }

private:
  friend struct detail::ReportData;
  std::string text, hash;
  unsigned numbers[3] = {0, 0, 0};
};

/// Bytes of memory with and without the gaps between blocks.
class MemoryTotal {
public:
  std::uint64_t includingGaps() const { return withGaps; }
  std::uint64_t excludingGaps() const { return withoutGaps; }

private:
  friend struct detail::ReportData;
  std::uint64_t withGaps = 0, withoutGaps = 0;
};

/// Bytes of always-live memory by category. Empty categories are not in the
/// map.
class MemoryCategories : public std::map<std::string, std::uint64_t> {
public:
#define PVA_CATEGORY(NAME)                                                     \
  std::uint64_t NAME() const { return of(#NAME); }
  PVA_CATEGORY(variable)
  PVA_CATEGORY(constant)
  PVA_CATEGORY(message)
  PVA_CATEGORY(outputEdge)
  PVA_CATEGORY(rearrangement)
  PVA_CATEGORY(vertexInstanceState)
  PVA_CATEGORY(vertexFieldData)
  PVA_CATEGORY(vertexCode)
  PVA_CATEGORY(controlCode)
  PVA_CATEGORY(internalExchangeCode)
  PVA_CATEGORY(hostExchangeCode)
  PVA_CATEGORY(stack)
  PVA_CATEGORY(sharedDataStorage)
#undef PVA_CATEGORY

private:
  std::uint64_t of(const char *name) const {
    const const_iterator found = find(name);
    return found == end() ? 0 : found->second;
  }
};

/// A type of vertices, which is its name.
class VertexType : public std::string {
public:
  VertexType(std::string name) : std::string(std::move(name)) {}
  VertexType(const char *name) : std::string(name) {}
  const std::string &name() const { return *this; }
};

/// Vertices of one type on a tile or IPU.
class VertexMemory {
public:
  VertexMemory(std::string type, std::uint64_t number, std::uint64_t bytes)
      : vertexType(std::move(type)), number(number), bytes(bytes) {}
  const VertexType &type() const { return vertexType; }
  std::uint64_t count() const { return number; }
  /// Bytes of the vertices' state, without code and the targets of pointers.
  std::uint64_t size() const { return bytes; }

private:
  VertexType vertexType;
  std::uint64_t number, bytes;
};

class Memory {
public:
  const MemoryTotal &total() const { return sum; }
  /// Bytes of memory that is always live.
  std::uint64_t alwaysLiveBytes() const { return alwaysLive; }
  /// Bytes of variables that are live at some times only and share memory.
  std::uint64_t notAlwaysLiveBytes() const {
    return sum.excludingGaps() - alwaysLive;
  }
  const MemoryCategories &category() const { return categories; }
  /// Vertices by type, the types with most memory first.
  const std::vector<VertexMemory> vertices() const;

private:
  friend struct detail::ReportData;
  MemoryTotal sum;
  std::uint64_t alwaysLive = 0;
  MemoryCategories categories;
  std::map<std::uint32_t, std::uint64_t> vertexCounts;          // by type
  std::shared_ptr<const std::vector<VertexMemory>> vertexTypes; // of one each
};

/// A tile, or an IPU, of the compiled program.
class CompilationPlace {
public:
  const Memory &memory() const { return use; }

private:
  friend struct detail::ReportData;
  Memory use;
};
using CompilationTile = CompilationPlace;
using CompilationIpu = CompilationPlace;
using Tile = CompilationPlace;

class Target {
public:
  /// "CPU", "IPU_MODEL" or "IPU".
  const std::string &type() const { return kind; }
  const std::string &architecture() const { return name; }
  unsigned numIPUs() const { return ipus; }
  unsigned tilesPerIpu() const { return tiles; }
  unsigned numTiles() const { return ipus * tiles; }
  unsigned numReplicas() const { return replicas; }
  std::uint64_t bytesPerTile() const { return tileBytes; }
  std::uint64_t bytesPerIPU() const { return tileBytes * tiles; }
  std::uint64_t totalMemory() const { return bytesPerIPU() * ipus; }
  /// In hertz.
  double clockFrequency() const { return clock; }

private:
  friend struct detail::ReportData;
  std::string kind, name;
  unsigned ipus = 0, tiles = 0, replicas = 1;
  std::uint64_t tileBytes = 0;
  double clock = 0;
};

class Graph {
public:
  std::uint64_t numVertices() const { return vertices; }
  std::uint64_t numEdges() const { return edges; }
  std::uint64_t numVars() const { return variables; }
  std::uint64_t numComputeSets() const { return computeSets; }

private:
  friend struct detail::ReportData;
  std::uint64_t vertices = 0, edges = 0, variables = 0, computeSets = 0;
};

/// Memory of a variable or of another use ("message buffers", ...).
class LivenessVariable {
public:
  LivenessVariable(std::string name, std::uint64_t bytes)
      : variable(std::move(name)), bytes(bytes) {}
  const std::string &name() const { return variable; }
  /// Bytes, on one tile or on all of them.
  std::uint64_t size() const { return bytes; }

private:
  std::string variable;
  std::uint64_t bytes;
};

/// Variables that are live together.
class LiveMemory {
public:
  explicit LiveMemory(std::vector<LivenessVariable> list)
      : list(std::move(list)) {}
  std::uint64_t bytes() const;
  /// The largest first.
  const std::vector<LivenessVariable> &variables() const { return list; }

private:
  std::vector<LivenessVariable> list;
};

/// A step of the control program, with all calls expanded, and the variables
/// that are live there but not always.
class LivenessProgramStep {
public:
  const std::shared_ptr<Program> &program() const { return what; }
  const LiveMemory notAlwaysLiveMemory() const;
  const LiveMemory notAlwaysLiveMemoryForTile(unsigned tile) const;

private:
  friend struct detail::ReportData;
  std::shared_ptr<Program> what;
  std::shared_ptr<const detail::Liveness> liveness;
  std::uint32_t moment = 0;
};

/// Variables after memory allocation; some share memory.
class LoweredVariables {
public:
  /// Variables of all tiles together, the largest first.
  const std::vector<LivenessVariable> allBriefVars() const;
  const std::vector<LivenessVariable> forTile(unsigned tile) const;

private:
  friend class CompilationReport;
  explicit LoweredVariables(std::shared_ptr<const detail::Liveness> liveness)
      : liveness(std::move(liveness)) {}
  std::shared_ptr<const detail::Liveness> liveness;
};

class CompilationReport {
public:
  const Target &target() const;
  const Graph &graph() const;
  const std::vector<CompilationTile> &tiles() const;
  const std::vector<CompilationIpu> &ipus() const;
  /// Control programs given to the engine.
  const std::vector<std::shared_ptr<Program>> &programs() const;
  const std::vector<ComputeSet> &computeSets() const;

  // These functions throw ReportError if the executable has no liveness record.
  // Executables compiled with this library have one.
  const std::vector<LivenessProgramStep> &livenessProgramSteps() const;
  const std::vector<LivenessVariable> alwaysLiveVariables() const;
  const std::vector<LivenessVariable>
  alwaysLiveVariablesForTile(unsigned tile) const;
  const LoweredVariables loweredVariables() const;

private:
  const std::shared_ptr<const detail::Liveness> &liveness() const;
  friend class Report;
  explicit CompilationReport(std::shared_ptr<const detail::ReportData> data)
      : data(std::move(data)) {}
  std::shared_ptr<const detail::ReportData> data;
};

/// A cycle number of each tile or IPU.
class CyclesByPlace {
public:
  explicit CyclesByPlace(std::vector<std::uint64_t> cycles)
      : cycles(std::move(cycles)) {}
  std::uint64_t min() const;
  std::uint64_t max() const;
  const std::vector<std::uint64_t> &all() const { return cycles; }

private:
  std::vector<std::uint64_t> cycles;
};

/// Activity of one tile or IPU in a step.
class StepPlace {
public:
  StepPlace(std::uint64_t from, std::uint64_t to, std::uint64_t active)
      : from(from), to(to), active(active) {}
  std::uint64_t cyclesFrom() const { return from; }
  std::uint64_t cyclesTo() const { return to; }
  std::uint64_t cycles() const { return to - from; }
  /// Active cycles; those of its busiest tile for an IPU.
  std::uint64_t activeCycles() const { return active; }

private:
  std::uint64_t from, to, active;
};

/// An executed program that takes time. Cycles are counted from the load of the
/// program. All tiles begin a step at the same time, and a tile ends it after
/// its busy cycles. Cycles of the tiles of an emulated IPU are the mean over
/// all executions of the program.
class Step {
public:
  const std::shared_ptr<Program> &program() const { return what; }
  std::uint64_t cycles() const { return to - from; }
  /// The compute set that the step executed, or none.
  const std::vector<ComputeSet> computeSets() const;
  const std::vector<StepPlace> ipus() const;
  const std::vector<StepPlace> tiles() const;
  const std::vector<std::uint64_t> cyclesByTile() const;
  const CyclesByPlace cyclesFrom() const;
  const CyclesByPlace cyclesTo() const;

private:
  friend struct detail::ReportData;
  std::shared_ptr<Program> what;
  std::uint64_t from = 0, to = 0;
  unsigned numIpus = 0, tilesPerIpu = 0;
  /// Tiles that took part.
  unsigned firstTile = 0, numTiles = 0;
  /// Busy cycles by tile; null: the tiles are busy all the time.
  std::shared_ptr<const std::vector<std::uint64_t>> busy;
};

/// Activity of one tile during a block, or in a step in which it was busy.
class Block {
public:
  Block(std::shared_ptr<Program> program, unsigned tile, std::uint64_t from,
        std::uint64_t to)
      : what(std::move(program)), where(tile), from(from), to(to) {}
  const std::shared_ptr<Program> &program() const { return what; }
  unsigned tile() const { return where; }
  std::uint64_t cyclesFrom() const { return from; }
  std::uint64_t cyclesTo() const { return to; }
  bool isStreamCopy() const {
    return what->type() == Program::Type::StreamCopyMid;
  }
  /// Returns false: tiles never stop to flush recorded blocks, and never run
  /// out of space for them.
  bool isBlockFlush() const { return false; }
  bool isOverflow() const { return false; }
  /// Returns false: no block stands for all tiles, because each tile has its
  /// own.
  bool isCommon() const { return false; }

private:
  std::shared_ptr<Program> what;
  unsigned where;
  std::uint64_t from, to;
};

/// A call of Engine::run.
class Run {
public:
  /// The name given to Engine::run; empty without one.
  const std::string &name() const { return runName; }
  const std::vector<Step> &steps() const { return executed; }
  std::uint64_t cycles() const { return total; }

private:
  friend struct detail::ReportData;
  std::string runName;
  std::vector<Step> executed;
  std::uint64_t total = 0;
};

/// Cycles of the device by activity.
class Cycles {
public:
  std::uint64_t total() const { return all; }
  std::uint64_t compute() const { return computing; }
  std::uint64_t exchange() const { return exchanging; }
  std::uint64_t sync() const { return syncing; }
  std::uint64_t host() const { return hosting; }

private:
  friend struct detail::ReportData;
  std::uint64_t all = 0, computing = 0, exchanging = 0, syncing = 0,
                hosting = 0;
};

class ExecutionReport {
public:
  const std::vector<Step> &steps() const;
  const std::vector<Run> &runs() const;
  /// Activities of one tile in the order of time: executions of the program's
  /// blocks (poplar::program::Block) and transfers. For a program without
  /// blocks: all steps in which the tile was busy.
  const std::vector<Block> blocks(unsigned tile) const;
  const Cycles &totalCycles() const;

private:
  friend class Report;
  explicit ExecutionReport(std::shared_ptr<const detail::ReportData> data)
      : data(std::move(data)) {}
  std::shared_ptr<const detail::ReportData> data;
};

class Report {
public:
  const CompilationReport compilation() const {
    return CompilationReport(data);
  }
  /// Throws ReportError if the program was not run, or not profiled.
  const ExecutionReport execution() const;
  bool hasExecution() const;
  const PoplarVersion &poplarVersion() const;

  /// Parses a report; `name` is used in messages.
  static Report parse(const std::vector<std::uint8_t> &bytes,
                      const std::string &name);

private:
  explicit Report(std::shared_ptr<const detail::ReportData> data)
      : data(std::move(data)) {}
  std::shared_ptr<const detail::ReportData> data;
};

/// Reads a report (profile.pop). The debug information file is accepted for old
/// programs and ignored.
Report openReport(const std::string &file, const std::string &debugInfo = "");

/// Alias for older programs.
namespace preview {
using pva::openReport;
} // namespace preview

} // namespace pva

#endif
