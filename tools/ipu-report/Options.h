// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line of ipu-report.

#ifndef POPULUS_TOOLS_IPU_REPORT_OPTIONS_H
#define POPULUS_TOOLS_IPU_REPORT_OPTIONS_H

#include "lib/Profile/Views.h"

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace populus::tool {

enum ExitCode {
  Success = 0,
  Failed = 1,
  WrongUsage = 2,
  Different = 5,
  InternalError = 70,
};

/// A mistake in the command line; the message is complete.
class UsageError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

enum class View {
  Overview,
  Layers,
  Tiles,
  Liveness,
  Vertex,
  Source,
  Difference
};

struct Options {
  View view = View::Overview;
  /// `other` is the second report of a comparison. `report` is empty if only
  /// host traces are shown.
  std::string report, other;
  std::vector<std::string> hostTraces; // files of libpvti
  std::string vertex;
  bool json = false;
  std::string html, trace;
  std::string lcov, pprof, folded; // counts by source line
  std::vector<unsigned> traceTiles;
  std::size_t most = 20;
  profile::LivenessChoice liveness;
  /// A fraction.
  std::optional<double> failAbove;
};

/// Parses the command line. Returns nothing if only a help text was printed.
/// Throws UsageError.
std::optional<Options> parseCommandLine(int argc, char **argv);

} // namespace populus::tool

#endif
