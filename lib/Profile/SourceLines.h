// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts of instructions, added up by the source line that they were made of.
// The terminal's view and the exports (lcov, pprof, folded stacks) share it.

#ifndef POPULUS_LIB_PROFILE_SOURCELINES_H
#define POPULUS_LIB_PROFILE_SOURCELINES_H

#include "lib/Profile/Report.pb.h"

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace populus::profile {

struct LineFigures {
  /// Executions of the line's bundle that ran most.
  std::uint64_t times = 0;
  std::uint64_t bundles = 0; // executed
  std::uint64_t cycles = 0;  // of contexts
  /// Cycles beyond the turn that each bundle takes.
  std::uint64_t stalls = 0;

  void add(const LineFigures &other);
};

/// A line of a function of a vertex type; line 0: of another file, or of
/// nothing.
struct SourceLine {
  std::string vertex, function, file;
  std::uint32_t line;
  LineFigures figures;
};

/// Returns the lines of the types whose names contain a text, in order of the
/// code. Functions that several types call are there once. Throws
/// std::runtime_error if nothing was counted.
std::vector<SourceLine> sourceLines(const report::Report &report,
                                    const std::string &name);

/// Figures by file and line.
using LinesByFile = std::map<std::string, std::map<std::uint32_t, LineFigures>>;
LinesByFile byFile(const std::vector<SourceLine> &lines);

} // namespace populus::profile

#endif
