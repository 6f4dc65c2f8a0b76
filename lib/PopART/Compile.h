// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler driver: from an ONNX file to an executable file. The result of
// each stage can be dumped, and compilation can stop behind each.
// popart-compile only parses options and calls this.

#ifndef POPULUS_LIB_POPART_COMPILE_H
#define POPULUS_LIB_POPART_COMPILE_H

#include "lib/PopART/DryRun.h"
#include "lib/PopART/Fit.h"
#include "lib/PopART/Import/Importer.h"
#include "lib/PopART/Import/TrainedWeights.h"
#include "lib/PopART/Lowering/TileProgram.h"
#include "lib/PopART/Machine.h"
#include "lib/PopART/Passes/Pass.h"
#include "lib/PopART/Training/Loss.h"
#include "lib/PopART/Training/Optimizer.h"
#include "lib/PopART/Training/Recomputation.h"

#include <functional>
#include <optional>
#include <set>

namespace populus::popir {

/// The last stage of a compilation, whose result is written.
enum class Stage {
  Import,     // the IR as imported, as text
  Ir,         // the IR after all passes, as text
  Pir,        // the same with all weights, for popir-opt
  Dot,        // the same as a drawing for Graphviz
  Executable, // the .ipux file
};

/// Progress of a compilation; `total` is 0 if it is unknown.
struct Progress {
  std::string stage;
  unsigned done = 0, total = 0;
};

/// Turns a model into a training program.
struct TrainingRequest {
  Loss loss;
  Optimizer optimizer;
  WeightPatterns weights;
  Recomputation recomputation = Recomputation::None;
};

struct CompileOptions {
  std::string model;
  /// The file to write; empty: standard output for text.
  std::string output;
  MachineOptions machine;
  ImportOptions import;
  /// Fallbacks for a program that does not fit in memory.
  FitOptions fit;
  /// Nothing: the program is for inference.
  std::optional<TrainingRequest> training;
  ProgramOptions program;
  /// The passes; its number of IPUs is the machine's.
  Pipeline pipeline;
  /// Check the compiled program against the graph that it was made of.
  bool verifyLowering = false;
  /// Host threads; 0: as many as there are processors.
  unsigned jobs = 0;
  Stage stop = Stage::Executable;
  /// Folder for the result of each stage as text; empty: none.
  std::string dumpDirectory;
  /// Folder of the executable cache; empty: none.
  std::string cacheDirectory;
  /// File for the memory profile: a report if its name ends in .pop, else text;
  /// empty: none.
  std::string profile;
  /// Compile and estimate, write nothing.
  bool dryRun = false;
  /// Called when a stage begins, and as it progresses.
  std::function<void(const Progress &)> progress;
  /// Called with notes: information that requires no action of the user.
  std::function<void(const std::string &)> note;
};

struct StageTime {
  std::string name;
  double seconds = 0;
};

struct CompileReport {
  std::vector<StageTime> times;
  /// The executable was in the cache.
  bool isFromCache = false;
  std::optional<Estimate> estimate; // of a dry run
  /// Options chosen by the search for a program that fits; empty: none.
  std::string fit;
};

/// Compiles and writes the output. Throws Error; nothing is left behind then.
CompileReport compileModel(const CompileOptions &options);

} // namespace populus::popir

#endif
