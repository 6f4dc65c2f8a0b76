// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line of popart-compile.

#ifndef POPULUS_TOOLS_POPART_COMPILE_OPTIONS_H
#define POPULUS_TOOLS_POPART_COMPILE_OPTIONS_H

#include "lib/PopART/Compile.h"

namespace popart {

enum class TimeReport { None, Text, Json };

struct CommandLine {
  CompileOptions compile;
  TimeReport time = TimeReport::None;
  int verbosity = 0;
  bool listOperators = false;
  bool listPatterns = false;
};

/// Reads the options. Returns an exit status where there is nothing more to do:
/// 0 after --help and --version, 2 (and a message) after wrong usage.
std::optional<int> parseCommandLine(int argc, char **argv,
                                    CommandLine &commandLine);

} // namespace popart

#endif
