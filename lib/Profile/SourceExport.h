// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts by source line in the forms of other tools: tracefiles of lcov,
// profiles of pprof, folded stacks for flame graphs.

#ifndef POPULUS_LIB_PROFILE_SOURCEEXPORT_H
#define POPULUS_LIB_PROFILE_SOURCEEXPORT_H

#include "lib/Profile/SourceLines.h"

#include <string>
#include <vector>

namespace populus::profile {

/// The text of a tracefile: how often each line of each file was executed.
std::string makeLcov(const std::vector<SourceLine> &lines);

/// The bytes of a profile: cycles, stalls and bundles by vertex type, function
/// and line.
std::string makePprof(const std::vector<SourceLine> &lines);

/// A line of text for each stack of vertex type, function and line, with its
/// cycles.
std::string makeFolded(const std::vector<SourceLine> &lines);

} // namespace populus::profile

#endif
