// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of options, and the command line as CLI11 stores it. Options are
// texts; they can be converted to values only when all of them are known.

#ifndef POPULUS_TOOLS_POPART_COMPILE_OPTIONTEXTS_H
#define POPULUS_TOOLS_POPART_COMPILE_OPTIONTEXTS_H

#include "lib/PopART/Support/Error.h"
#include "tools/popart-compile/Options.h"

#include <string>
#include <variant>
#include <vector>

namespace CLI {
class App;
}

namespace populus::popir {

struct Texts {
  std::string model, output;
  std::vector<std::string> inputShapes, dims, fixedInputs, bounds, anchors;
  std::string fixedFolder;
  bool strict = false;
  std::string batchesPerStep, precision = "fp32", floatConvolutions, partials;
  std::string loss, optimizer, recompute;
  std::vector<std::string> trained, frozen;
  std::string target = MachineOptions().target, device, numIpus, tiles;
  std::string availableMemory, fit = "auto";
  std::vector<std::string> patterns, customOps;
  std::string foldingBudget, outlineThreshold;
  bool prunesByCopyCost = PassOptions().outlinePrunesByCopyCost;
  std::string emit = "ipux", dumpDirectory, time, profile, dryRun;
  std::string progress = "auto", cacheDirectory;
  bool noCache = false, verify = false;
  std::string reproducer, jobs, saveOptionsTo;
  int verbosity = 0;
  std::string listOperators;
  bool listPatterns = false;
};

/// The optimizer where only a loss is given.
inline constexpr const char *DefaultOptimizer = "sgd";

/// An option of the command line: all that is said about it, once.
struct OptionRow {
  /// Names in CLI11's form: "-o,--output"; "--time{text}" may have a value.
  std::string names;
  /// Place of the text; none: the option that reads a file of options.
  std::variant<std::monostate, std::string Texts::*,
               std::vector<std::string> Texts::*, bool Texts::*, int Texts::*>
      place;
  /// Shown behind the names; empty: the option is a flag.
  std::string values;
  /// The default, where there is one to show.
  std::string usual;
  enum class Changes { Executable, Nothing } changes = Changes::Nothing;
  std::string help;
};

/// All options, in the order of --help.
std::vector<OptionRow> optionRows();

/// Defines all options, whose texts are stored in \p texts.
void addOptions(CLI::App &app, Texts &texts);

/// Converts the texts, and checks what can be checked without the model.
/// \throws Error of the kind Usage that names the option.
void convert(const Texts &texts, CommandLine &result);

[[noreturn]] inline void failUsage(const std::string &text) {
  throw Error(ErrorKind::Usage, text);
}

} // namespace populus::popir

#endif
