// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Output of ipu-run: the contents of an executable, values, statistics.

#ifndef POPULUS_TOOLS_IPU_RUN_REPORT_H
#define POPULUS_TOOLS_IPU_RUN_REPORT_H

#include "HostTensor.h"
#include "Latency.h"

#include "runtime/Session/Session.h"

#include <iosfwd>

namespace populus::run {

void printInfo(std::ostream &out, const runtime::Executable &executable);
/// The same as a JSON object, with the memory of every tile.
void printInfoJson(std::ostream &out, const runtime::Executable &executable);

/// The first values of a tensor in a line.
void printValues(std::ostream &out, const std::string &name,
                 const HostTensor &tensor);

/// Statistics of `count` runs, and their host times where they are known.
struct Measured {
  const runtime::RunStats &stats;
  unsigned count = 1;
  Latency latency = {};
};

/// Figures are means of the runs.
void printSummary(std::ostream &out, const runtime::Executable &executable,
                  const Measured &runs);
void printStats(std::ostream &out, const runtime::Executable &executable,
                const Measured &runs);
void printStatsJson(std::ostream &out, const Measured &runs);

} // namespace populus::run

#endif
