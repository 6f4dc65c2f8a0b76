// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line of ipu-run.

#ifndef POPULUS_TOOLS_IPU_RUN_OPTIONS_H
#define POPULUS_TOOLS_IPU_RUN_OPTIONS_H

#include "Compare.h"
#include "Images.h"

#include "runtime/Session/Engine.h"
#include "runtime/Session/WatchOptions.h"

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace populus::run {

enum ExitCode {
  Success = 0,
  Failed = 1,
  WrongUsage = 2,
  OutOfMemory = 4,
  Different = 5,
  InternalError = 70,
  Interrupted = 130, // as shells say it of a signal
};

/// A mistake in the command line; the message is complete.
class UsageError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

struct Options {
  std::vector<std::string> files;
  std::string file; // the executable file
  bool tile = false;
  std::string target = "ipu2";
  std::vector<std::string> arguments; // of the program, behind --
  std::vector<std::string> inputs;
  ImageOptions images;
  std::string testData;
  std::string outputDirectory;
  std::string outputFormat = "npy"; // or "npz", "json"
  std::vector<std::string> comparisons;
  std::vector<std::string> expectations;
  Tolerance tolerance;
  std::string against; // an executable or a folder
  bool json = false;   // of --against
  unsigned repeat = 1;
  double seconds = 0;      // repeat at least so long
  std::uint64_t steps = 0; // 0: one run, not as training
  std::optional<std::uint64_t> shuffle;
  std::string lossOut, saveWeights, checkpoint, resume;
  unsigned warmup = 0;
  unsigned threads = 0;
  std::optional<runtime::Engine> engine;
  std::uint64_t maxCycles = 0;
  double maxSeconds = 0;
  std::string maxMemory;         // of the host
  std::string progress = "auto"; // or "always", "never"
  std::string stats;             // "", "text", "json"
  std::string profile;           // the same
  std::string report;            // folder
  bool reportInstructions = false;
  std::string info; // the same
  bool allowNative = false;
  std::string trace; // "", "instructions", "steps"
  std::vector<std::string> traceTiles, traceContexts, traceCycles;
  std::vector<std::string> breakpoints;
  std::string check; // "" or a list
  std::string checkOutput;
  std::vector<std::string> dumpTiles;
  std::string dumpState;            // "" or "json"
  std::string diagnostics = "text"; // "json"
};

/// The command line, checked as far as possible without the program. `help`
/// says that a help text was printed and nothing is left to do. Throws
/// UsageError.
struct CommandLine {
  Options options;
  bool help = false;
};
CommandLine parseCommandLine(int argc, char **argv);

/// Watch options of the session.
runtime::WatchOptions watchOptions(const Options &options);

/// Throws UsageError if an option names a tile that the program does not have.
void checkTiles(const Options &options, std::uint32_t numTiles);

/// The numbers of a list such as {"3", "8-10"} of `option`.
std::vector<runtime::Span> parseSpans(const std::string &option,
                                      const std::vector<std::string> &list);

} // namespace populus::run

#endif
