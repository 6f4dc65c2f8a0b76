// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Output of ipu-run about a run besides its results: errors, faults, findings
// of the checker, the state of tiles.

#ifndef POPULUS_TOOLS_IPU_RUN_INSPECT_H
#define POPULUS_TOOLS_IPU_RUN_INSPECT_H

#include "Options.h"

#include "runtime/Session/FaultReport.h"
#include "runtime/Session/Session.h"

namespace populus::run {

/// Prints an error to stderr in the form of --diagnostics. `kind` is a stable
/// keyword.
void printError(const char *kind, const std::string &message,
                const Options &options);
void printFault(const runtime::FaultReport &report, const Options &options);
/// Writes a SARIF log.
void writeFindings(const std::vector<runtime::Finding> &findings,
                   const std::string &file);
void printFindings(const std::vector<runtime::Finding> &findings,
                   const Options &options);

/// Prints the dumps of --dump-tile and --dump-state to stdout.
void printDumps(const runtime::Session &session, const Options &options);

} // namespace populus::run

#endif
