// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The whole way from an ONNX file to an executable file, in stages that can be
// watched, dumped and stopped at. popart-compile is options around this.

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

/// What compiling stops at and writes.
enum class Stage {
  Import,     // the IR as imported, as text
  Ir,         // the IR after all passes, as text
  Pir,        // the same with all weights, for popir-opt
  Dot,        // the same as a drawing for Graphviz
  Executable, // the .ipux file
};

/// How far a compilation has come; `total` is 0 where that is not known.
struct Progress {
  std::string stage;
  unsigned done = 0, total = 0;
};

/// What makes a program that trains of a model.
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
  /// What is tried where the program does not fit.
  FitOptions fit;
  /// Without it, the program computes the model's results.
  std::optional<TrainingRequest> training;
  ProgramOptions program;
  /// The passes; its number of IPUs is the machine's.
  Pipeline pipeline;
  /// Check the compiled program against the graph that it was made of.
  bool verifyLowering = false;
  /// Host threads; 0: as many as there are processors.
  unsigned jobs = 0;
  Stage stop = Stage::Executable;
  /// Where the result of each stage is written as text; empty: nowhere.
  std::string dumpDirectory;
  /// Where executables are kept for the next time; empty: nowhere.
  std::string cacheDirectory;
  /// The file that receives the memory profile: as a report where its name ends
  /// in .pop, else as text; empty: none.
  std::string profile;
  /// Compile and estimate, write nothing.
  bool dryRun = false;
  /// Told when a stage begins and how it goes on.
  std::function<void(const Progress &)> progress;
  /// Told what the user should know, but need not mind.
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
  /// What the search for a program that fits chose, as options; empty: nothing.
  std::string fit;
};

/// Compiles and writes the output. Throws Error; nothing is left behind then.
CompileReport compileModel(const CompileOptions &options);

} // namespace populus::popir

#endif
