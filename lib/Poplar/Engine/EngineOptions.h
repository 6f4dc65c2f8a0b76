// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of Engine and compileGraph.

#ifndef POPULUS_LIB_POPLAR_ENGINE_ENGINEOPTIONS_H
#define POPULUS_LIB_POPLAR_ENGINE_ENGINEOPTIONS_H

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
  /// Check that the compiled program does what the graph says.
  bool verifyLowering = false;
  /// Host threads of the graph compiler; 0: as many as the machine has.
  unsigned compilationThreads = 0;

  /// Folder of the reports, and their contents.
  std::string reportFolder = ".";
  bool reportGraph = false;
  bool reportExecution = false;
  /// The graph as it was compiled, and the places of its variables; a path of
  /// one's own for these goes before the report's folder.
  bool reportSerializedGraph = false;
  bool reportVariables = false;
  bool reportDebugInfo = false;
  /// Count in reports how often each instruction is executed.
  bool reportInstructions = false;
  std::string variablesFile;
  /// Destination of the summary of each compiled graph: stdout, stderr, or a
  /// file.
  std::string summaryDestination;
  /// Number of runs that a report describes, starting with the first.
  std::uint64_t reportedRuns = 2;

  /// Level of detail that profiles claim. All counts are always known, except
  /// that cycles of single vertices are recorded only on request.
  enum class CountLevel : std::uint8_t { Tile, Vertex, Device, Ipu };
  CountLevel countLevel = CountLevel::Tile;
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
  /// PrintTensor writes in the default PrintTensorFmt where a program does not
  /// say how.
  bool formatPrints = false;
  /// Look for mistakes of codelets in each run.
  bool checkRuns = false;
};

/// Reads options, with those of the environment variables
/// POPLAR_ENGINE_OPTIONS and POPLAR_RUNTIME_OPTIONS in front; if
/// POPULUS_VERIFY_LOWERING is 1, lowering is checked by default, and
/// POPLAR_GRAPH_REPORT_DEST is debug.graphReportDestination's default. Throws
/// invalid_option for a key or value that is unknown.
EngineOptions parseEngineOptions(const OptionFlags &options);

/// Sets what the options of a run change.
void applyRuntimeOptions(const RuntimeOptions &from, EngineOptions &to);

} // namespace poplar::core

#endif
