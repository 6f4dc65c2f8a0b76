// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// popc's command line. popc handles the options that it adds to a C++ compiler;
// all other options are Clang's and are passed on unchanged.

#ifndef POPULUS_LIB_CODELET_OPTIONS_H
#define POPULUS_LIB_CODELET_OPTIONS_H

#include "runtime/Target/TargetInfo.h"

#include <string>
#include <vector>

namespace populus::codelet {

/// The kind of output that popc makes.
enum class Mode {
  Archive,      // .gp
  Object,       // -c
  Assembly,     // -S
  LlvmIr,       // -S -emit-llvm, -emit-llvm
  Bitcode,      // -c -emit-llvm
  Preprocess,   // -E
  Dependencies, // -M, -MM
  Check,        // -fsyntax-only
};

enum class InputKind { Source, PreprocessedAssembly, Assembly, Archive };

struct Input {
  std::string path; // "-" is the standard input
  InputKind kind = InputKind::Source;
  /// The input language, as in Clang's -x: c, c++, ir, assembler,
  /// assembler-with-cpp.
  std::string language;
};

/// A target to compile for: one of the table, or a variant of one with its own
/// name and options.
struct Target {
  const runtime::TargetInfo *info = nullptr;
  std::string name; // "ipu2", "ipu2:variant"
  std::vector<std::string> arguments;
};

enum class DiagnosticForm { Text, Json, Sarif };

struct Options {
  Mode mode = Mode::Archive;
  std::vector<Target> targets;
  std::vector<Input> inputs;
  std::string output; // empty: derived from the input
  std::vector<std::string> clangArguments;
  std::vector<std::string> llvmArguments; // -mllvm
  bool saveTemps = false;
  bool showCommands = false; // -v, -###
  bool dryRun = false;       // -###
  bool help = false;
  bool version = false;
  bool listTargets = false;
  bool checkCodelets = false;
  bool applyFixes = false;
  /// -fprofile-use: a file of counts by source line, or empty.
  std::string lineCounts;
  DiagnosticForm diagnosticForm = DiagnosticForm::Text;
  /// The answer to a question like -dumpmachine, printed before stopping.
  std::string answer;
  /// Options that were left out, one message each.
  std::vector<std::string> warnings;

  /// Returns whether the command line only asks about popc itself.
  bool isQuestion() const {
    return help || version || listTargets || !answer.empty();
  }
};

/// Returns an error message, empty for success.
std::string parseOptions(const std::vector<std::string> &arguments,
                         Options &options);

} // namespace populus::codelet

#endif
