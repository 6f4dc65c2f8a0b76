// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line as CLI11 stores it. Options are texts; they can be converted
// to values only when all of them are known.

#ifndef POPULUS_TOOLS_POPART_COMPILE_OPTIONTEXTS_H
#define POPULUS_TOOLS_POPART_COMPILE_OPTIONTEXTS_H

#include "lib/PopART/Support/Error.h"
#include "tools/popart-compile/Options.h"

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace populus::popir {

struct Texts {
  std::vector<std::string> inputShapes, dims, fixedInputs, bounds, anchors;
  std::vector<std::string> patterns;
  std::string emit = "ipux", precision = "fp32", partials, time, device;
  std::string floatConvolutions, foldingBudget, outlineThreshold, dryRun;
  std::string progress = "auto", cacheDirectory, jobs;
  std::string loss, optimizer, recompute;
  std::vector<std::string> trained, frozen;
  bool noCache = false, verify = false;
  std::string numIpus, tiles, batchesPerStep = "1";
  std::string fit = "auto", availableMemory;
};

/// Defines all options. What is no text is stored in \p result.
void addOptions(CLI::App &app, CommandLine &result, Texts &texts);

/// Converts the texts, and checks what can be checked without the model.
/// \throws Error of the kind Usage that names the option.
void convert(const Texts &texts, CommandLine &result);

[[noreturn]] inline void failUsage(const std::string &text) {
  throw Error(ErrorKind::Usage, text);
}

} // namespace populus::popir

#endif
