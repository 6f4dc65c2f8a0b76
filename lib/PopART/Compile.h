// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From an ONNX file to an executable file: the source of popart-compile's
// modules, the search for options with which a program fits, and the files that
// are written. Driver.h has the stages; compilation can stop behind each.

#ifndef POPULUS_LIB_POPART_COMPILE_H
#define POPULUS_LIB_POPART_COMPILE_H

#include "lib/PopART/DryRun.h"
#include "lib/PopART/Fit.h"
#include "lib/PopART/Import/Importer.h"
#include "lib/PopART/Import/TrainedWeights.h"
#include "lib/PopART/Request.h"
#include "lib/PopART/StageTimer.h"
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
  /// The stages from the module to the executable.
  Request request;
  ImportOptions import;
  /// Fallbacks for a program that does not fit in memory.
  FitOptions fit;
  /// Nothing: the program is for inference.
  std::optional<TrainingRequest> training;
  Stage stop = Stage::Executable;
  /// File for the memory profile: a report if its name ends in .pop, else text;
  /// empty: none.
  std::string profile;
  /// Compile and estimate, write nothing.
  bool dryRun = false;
  /// Called with notes: information that requires no action of the user.
  std::function<void(const std::string &)> note;
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
