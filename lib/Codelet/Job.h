// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One run of the front end: from a source and a target to an object, assembly
// or whatever the mode asks for, with the files beside it.

#ifndef POPULUS_LIB_CODELET_JOB_H
#define POPULUS_LIB_CODELET_JOB_H

#include "lib/Codelet/Compiler.h"
#include "lib/Frontend/Compile.h"

namespace populus::codelet {

/// One source for one target, and the result.
struct Job {
  const Input *input = nullptr;
  const Target *target = nullptr;
  /// See frontend::CompileJob.
  std::set<std::string> definedElsewhere;
  frontend::CompileOutput output;
  std::vector<OutputFile> files; // beside the result: -MD, --save-temps
  std::string command;
  int status = Success;
};

class JobRunner {
public:
  JobRunner(const Options &options,
            const std::optional<std::string> &standardInput)
      : options(options), standardInput(standardInput) {}

  /// May be called for several jobs at once.
  void run(Job &job) const;

private:
  frontend::CompileOutput runCompile(const Input &input,
                                     frontend::CompileJob compile) const;
  frontend::CompileOutput
  assembleText(const frontend::CompileJob &compile) const;
  void saveTemporaries(Job &job, const frontend::CompileJob &compile) const;

  const Options &options;
  const std::optional<std::string> &standardInput;
};

/// Returns the default name of the output: "a.s", or "a.ipu2.s" if one source
/// is compiled for several targets.
std::string defaultOutputName(const Options &options, const Job &job);

void addError(std::vector<frontend::Diagnostic> &diagnostics,
              const std::string &text);

} // namespace populus::codelet

#endif
