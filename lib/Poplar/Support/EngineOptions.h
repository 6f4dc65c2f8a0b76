// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of Engine and compileGraph.

#ifndef POPULUS_LIB_POPLAR_SUPPORT_ENGINEOPTIONS_H
#define POPULUS_LIB_POPLAR_SUPPORT_ENGINEOPTIONS_H

#include <poplar/OptionFlags.hpp>
#include <poplar/RuntimeOptions.hpp>

#include <cstdint>
#include <optional>
#include <regex>
#include <string>

namespace poplar::core {

struct EngineOptions {
  bool allowOutOfMemory = false;
  /// Record cycles step by step for the execution profile.
  bool profileExecution = true;
  /// Ask stream callbacks for data before it is needed.
  bool enablePrefetch = true;
  /// Check that the lowered program is equivalent to the graph.
  bool verifyLowering = false;
  /// Host threads of the graph compiler; 0: as many as the machine has.
  unsigned compilationThreads = 0;

  /// Folder of the reports, and their contents.
  std::string reportFolder = ".";
  bool reportGraph = false;
  bool reportExecution = false;
  /// Write the compiled graph and the addresses of its variables. A path for
  /// the latter takes precedence over the report's folder.
  bool reportSerializedGraph = false;
  bool reportVariables = false;
  bool reportDebugInfo = false;
  /// Count in reports how often each instruction is executed.
  bool reportInstructions = false;
  std::string variablesFile;
  /// A file for the executable with the places of variables; empty: none.
  std::string debugExecutable;
  /// Destination of the summary of each compiled graph: stdout, stderr, or a
  /// file.
  std::string summaryDestination;
  /// Number of runs that a report describes, starting with the first.
  std::uint64_t reportedRuns = 2;

  /// Level of detail that profiles claim. All counts are always known, except
  /// that cycles of single vertices are recorded only on request.
  enum class CountLevel : std::uint8_t { Tile, Vertex, Device, Ipu };
  CountLevel countLevel = CountLevel::Tile;
  /// Counts of the IPU device that its execution profile has.
  bool countComputeSets = true;
  bool countExternalExchanges = true;
  bool countHostExchanges = true;
  /// Pattern of the names of blocks whose executions are reported; empty: all.
  std::optional<std::regex> blockFilter;

  /// Bits of $FP_CTL that vertices start with.
  std::uint32_t floatControl = 0;
  std::optional<std::uint64_t> seed;
  /// Modelled seconds without contact to the host; 0: no limit.
  double hostSyncTimeout = 0;
  /// Stacks of workers and supervisors have at least this many bytes.
  std::uint64_t workerStackBytes = 0;
  std::uint64_t supervisorStackBytes = 0;
  /// PrintTensor uses the default PrintTensorFmt unless the program gives one.
  bool formatPrints = false;
  /// Look for mistakes of codelets in each run.
  bool checkRuns = false;
  /// The replicas that this process runs, if others of the job run the rest.
  std::optional<std::uint32_t> firstReplica, numReplicas;
};

/// Parses options. Those of the environment variables POPLAR_ENGINE_OPTIONS and
/// POPLAR_RUNTIME_OPTIONS come first. POPULUS_VERIFY_LOWERING=1 checks the
/// lowering by default, and POPLAR_GRAPH_REPORT_DEST is the default of
/// debug.graphReportDestination. Throws invalid_option for an unknown key or an
/// invalid value.
EngineOptions parseEngineOptions(const OptionFlags &options);

/// True if compiling writes files or messages, which an executable from a cache
/// would not bring.
bool writesOutput(const EngineOptions &options);

/// The values of the options that change an executable, or whether there is
/// one: their part of a cache's key.
std::string executableOptions(const EngineOptions &options);

/// Applies the options of POPLAR_SIMULATOR_OPTIONS, which go before all others
/// on an emulated IPU. Throws invalid_option for options that it would be too
/// late for.
void applySimulatorOptions(EngineOptions &options);

/// Applies the options of a run.
void applyRuntimeOptions(const RuntimeOptions &from, EngineOptions &to);

} // namespace poplar::core

#endif
