// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Output of ipu-run: the contents of an executable, values, statistics.

#ifndef POPULUS_TOOLS_IPU_RUN_REPORT_H
#define POPULUS_TOOLS_IPU_RUN_REPORT_H

#include "HostTensor.h"

#include "runtime/Session/Session.h"

#include <iosfwd>

namespace populus::run {

void printInfo(std::ostream &out, const runtime::Executable &executable);
/// The same as a JSON object, with the memory of every tile.
void printInfoJson(std::ostream &out, const runtime::Executable &executable);

/// The first values of a tensor in a line.
void printValues(std::ostream &out, const std::string &name,
                 const HostTensor &tensor);

/// Cycles and times of `runs` runs.
void printSummary(std::ostream &out, const runtime::Executable &executable,
                  const runtime::RunStats &stats, unsigned runs);
void printStats(std::ostream &out, const runtime::Executable &executable,
                const runtime::RunStats &stats, unsigned runs);
void printStatsJson(std::ostream &out, const runtime::RunStats &stats,
                    unsigned runs);

} // namespace populus::run

#endif
