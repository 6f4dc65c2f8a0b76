// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line of popart-compile.

#ifndef POPULUS_TOOLS_POPART_COMPILE_OPTIONS_H
#define POPULUS_TOOLS_POPART_COMPILE_OPTIONS_H

#include "lib/PopART/Compile.h"

namespace populus::popir {

enum class Report { None, Text, Json };
enum class ProgressKind { Auto, Plain, Json, Off };

struct CommandLine {
  CompileOptions compile;
  Report time = Report::None;
  Report dryRun = Report::None;
  ProgressKind progress = ProgressKind::Auto;
  /// A tar archive with model and options to be written; empty: none.
  std::string reproducer;
  /// All options that were given, one a line, as --options reads them.
  std::string savedOptions;
  /// File to write the options to; empty: none.
  std::string saveOptionsTo;
  int verbosity = 0;
  /// Libraries with operators of the user's.
  std::vector<std::string> customOps;
  /// "", "text" or "markdown".
  std::string listOperators;
  bool listPatterns = false;
};

/// Reads the options. Returns an exit status where there is nothing more to do:
/// 0 after --help and --version, 2 (and a message) after wrong usage.
std::optional<int> parseCommandLine(int argc, char **argv,
                                    CommandLine &commandLine);

} // namespace populus::popir

#endif
