// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Profiles as values, and as the files that libpva reads.

#ifndef POPULUS_LIB_POPLAR_REPORT_REPORT_H
#define POPULUS_LIB_POPLAR_REPORT_REPORT_H

#include "lib/Poplar/Graph/VariablePlaces.h"
#include "lib/Poplar/Support/EngineOptions.h"
#include "lib/Profile/Report.pb.h"

#include <poplar/Graph.hpp>
#include <poplar/ProfileValue.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace poplar::core {

/// Maximum number of runs that an engine records, starting with the first.
inline constexpr std::size_t MostRunRecords = 1 << 16;

/// Writers over a report.
ProfileValue graphProfile(const populus::report::Report &report);
ProfileValue executionProfile(const populus::report::Report &report);

/// Writes the report to a folder, which is created if necessary. Returns the
/// path of the file. Throws poplar_error on failure.
std::string writeReport(const std::string &folder,
                        const populus::report::Report &report);

/// Write the input of compileGraph (CBOR, to the folder) and the addresses of
/// variables (JSON, to the folder or to a separate file). Throw poplar_error on
/// failure.
void writeGraph(const std::string &folder, const Graph &graph,
                ArrayRef<program::Program> programs);
void writeVariables(const EngineOptions &options,
                    const std::vector<VariablePlace> &places);

/// Writes the summary of a graph's profile to the destination of
/// debug.graphReportDestination: stdout, stderr, or a file. Throws poplar_error
/// on failure.
void writeSummary(const std::string &destination, const ProfileValue &graph);

} // namespace poplar::core

#endif
