// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Profiles as values, and as the files that libpva reads.

#ifndef POPULUS_LIB_POPLAR_REPORT_H
#define POPULUS_LIB_POPLAR_REPORT_H

#include "lib/Poplar/EngineOptions.h"
#include "lib/Poplar/VariableLiveness.h"
#include "lib/Poplar/VariablePlaces.h"
#include "runtime/Format/Executable.h"
#include "runtime/Session/Session.h"

#include <poplar/Graph.hpp>
#include <poplar/ProfileValue.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace poplar::core {

/// A call of Engine::run.
struct RunRecord {
  std::string name;
  unsigned program = 0;
  bool isProfiled = true;
  /// The first of Session::stepRecords that belongs to it.
  std::size_t firstRecord = 0;
  /// Host time.
  std::chrono::steady_clock::time_point begin, end;
};

/// How many runs an engine keeps records of, the first ones.
inline constexpr std::size_t MostRunRecords = 1 << 16;

/// Without what is known of liveness if that is null.
ProfileValue graphProfile(const populus::runtime::Executable &executable,
                          const VariableLiveness *liveness);
ProfileValue executionProfile(const populus::runtime::Session &session,
                              const std::vector<RunRecord> &runs);

/// A report; without an execution profile if that is null.
std::vector<std::uint8_t> makeReport(const ProfileValue &graph,
                                     const ProfileValue *execution);

/// Writes the report into a folder, which is made if it is not there. Returns
/// the file's path. Throws poplar_error where it cannot be written.
std::string writeReport(const std::string &folder, const ProfileValue &graph,
                        const ProfileValue *execution);

/// Write what compileGraph was given, and where it put the variables: the one
/// in CBOR into the folder, the other in JSON there or to a file of its own.
/// Throw poplar_error where they cannot be written.
void writeGraph(const std::string &folder, const Graph &graph,
                ArrayRef<program::Program> programs);
void writeVariables(const EngineOptions &options,
                    const std::vector<VariablePlace> &places);

/// Writes the summary of a graph's profile to where
/// debug.graphReportDestination says: stdout, stderr, or a file. Throws
/// poplar_error if that cannot be written.
void writeSummary(const std::string &destination, const ProfileValue &graph);

/// Throws file_load_error where `bytes`, which `name` tells of, are not CBOR.
ProfileValue profileFromCbor(const std::vector<std::uint8_t> &bytes,
                             const std::string &name);

} // namespace poplar::core

#endif
