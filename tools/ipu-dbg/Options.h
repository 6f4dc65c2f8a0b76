// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line of ipu-dbg.

#ifndef POPULUS_TOOLS_IPU_DBG_OPTIONS_H
#define POPULUS_TOOLS_IPU_DBG_OPTIONS_H

#include "runtime/Session/Engine.h"

#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace populus::dbg {

struct Options {
  std::string file;
  std::vector<std::string> inputs;
  std::string testData;
  std::vector<std::string> scripts;  // files
  std::vector<std::string> commands; // behind those of the files
  std::vector<std::string> directories;
  std::optional<runtime::Engine> engine;
  std::uint64_t maxCycles = 0;
  bool batch = false;
  bool dap = false;
};

/// Nothing: a help text was printed. Throws run::UsageError.
std::optional<Options> parseCommandLine(int argc, char **argv);

} // namespace populus::dbg

#endif
