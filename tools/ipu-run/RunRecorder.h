// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --report: notes the runs of a program, and writes a report of it. Runs are
// spans of a trace, too (PVTI_OPTIONS).

#ifndef POPULUS_TOOLS_IPU_RUN_RUNRECORDER_H
#define POPULUS_TOOLS_IPU_RUN_RUNRECORDER_H

#include "Latency.h"

#include "lib/Profile/ReportBuilder.h"

#include <string>
#include <vector>

namespace populus::run {

class RunRecorder {
public:
  /// With \p keeps, the first runs are kept for a report.
  explicit RunRecorder(bool keeps) : keeps(keeps) {}

  /// Runs the first program of a file and records the run.
  void run(runtime::Session &session);

  /// Host times of the runs.
  const Latency &latency() const { return times; }

  /// Throws InputError where the folder cannot be written.
  void write(const std::string &folder, const runtime::Session &session) const;

private:
  bool keeps;
  std::vector<profile::RunRecord> runs;
  Latency times;
};

} // namespace populus::run

#endif
