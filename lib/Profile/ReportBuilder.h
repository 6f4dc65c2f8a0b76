// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes reports of executables and sessions. Everything is computed from the
// executable with the functions that the runtime itself uses, and from what a
// session has counted, so that a report cannot disagree with a run.

#ifndef POPULUS_LIB_PROFILE_REPORTBUILDER_H
#define POPULUS_LIB_PROFILE_REPORTBUILDER_H

#include "lib/Profile/Report.pb.h"
#include "runtime/Format/Executable.h"
#include "runtime/Session/Session.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace populus::profile {

/// Metadata key of an executable's message Recorded. Components append their
/// parts; protobuf merges them.
inline constexpr const char *RecordedKey = "profile";
/// The entry with the number of replicas, where there are several.
inline constexpr const char *ReplicasKey = "replicas";
/// The entry with the number of tiles of a replica, where the graph is
/// replicated as a whole.
inline constexpr const char *ReplicaTilesKey = "tiles of a replica";

/// A run of a program, as a report describes it.
struct RunRecord {
  std::string name;
  unsigned program = 0;
  bool isProfiled = true;
  /// The first recorded step of IPU 0 that belongs to it.
  std::size_t firstRecord = 0;
  /// Session::clock when it began.
  std::uint64_t clock = 0;
  /// Host time in nanoseconds, from any moment on.
  std::uint64_t begin = 0, end = 0;
};

/// Returns true if the step's exchange is an exchange with the host.
bool isHostExchange(const runtime::Step &step);

/// A report without an execution.
report::Report describeProgram(const runtime::Executable &executable);

/// Adds the session's counts since its start or last reset. Does nothing if the
/// device has no clock or no steps were recorded.
void addExecution(report::Report &report, const runtime::Session &session,
                  std::span<const RunRecord> runs);

/// Drops the records of unwanted blocks.
void keepBlocks(report::Report &report,
                const std::function<bool(const std::string &name)> &isWanted);

} // namespace populus::profile

#endif
