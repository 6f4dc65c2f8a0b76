// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Preprocessed assembly is two runs, --save-temps several.

#include "lib/Codelet/Job.h"

#include "lib/Codelet/Toolchain.h"
#include "lib/Frontend/HostLinker.h"
#include "runtime/Support/TemporaryFile.h"

#include <llvm/ADT/SmallString.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>

namespace populus::codelet {

using frontend::CompileJob;
using frontend::CompileOutput;
using frontend::Diagnostic;
using frontend::Result;

namespace {

std::string quoted(const std::vector<std::string> &arguments) {
  std::string line = "popc -cc1";
  for (const std::string &argument : arguments)
    line += " \"" + argument + "\"";
  return line + "\n";
}

Result resultFor(Mode mode) {
  switch (mode) {
  case Mode::Archive:
  case Mode::Object:
    return Result::Object;
  case Mode::Assembly:
    return Result::Assembly;
  case Mode::LlvmIr:
    return Result::LlvmIr;
  case Mode::Bitcode:
    return Result::Bitcode;
  case Mode::Preprocess:
  case Mode::Dependencies:
    return Result::Preprocessed;
  case Mode::Check:
    return Result::Checked;
  }
  return Result::Object;
}

const char *extension(Result result) {
  switch (result) {
  case Result::Object:
    return ".o";
  case Result::Assembly:
    return ".s";
  case Result::LlvmIr:
    return ".ll";
  case Result::Bitcode:
    return ".bc";
  case Result::Preprocessed:
  case Result::Checked:
    break;
  }
  return ".i";
}

std::string stem(const Input &input) {
  return input.path == "-" ? "stdin" : llvm::sys::path::stem(input.path).str();
}

/// "a.ipu2.s": one source may be compiled for several targets.
std::string temporaryName(const Job &job, Result result) {
  return stem(*job.input) + "." + job.target->name + extension(result);
}

/// Clang's driver names one file, "scale.opt.yaml". Each of several sources and
/// targets gets one of its own: "scale.ipu2.opt.yaml".
std::string remarksName(const Options &options, const Job &job) {
  const std::string &path = job.output.remarksPath;
  if (options.inputs.size() == 1 && options.targets.size() == 1)
    return path;
  llvm::SmallString<128> name(llvm::sys::path::parent_path(path));
  llvm::sys::path::append(name, stem(*job.input) + "." + job.target->name +
                                    ".opt.yaml");
  return name.str().str();
}

/// Clang writes dependencies to a file itself, before it is known whether the
/// compilation succeeds: this lets it write elsewhere.
class DependencyFile {
public:
  explicit DependencyFile(std::vector<std::string> &arguments) {
    auto option =
        std::find(arguments.begin(), arguments.end(), "-dependency-file");
    if (option == arguments.end() || option + 1 == arguments.end())
      return;
    std::error_code error;
    const auto folder = std::filesystem::temp_directory_path(error);
    if (error) // not in the current folder instead
      return;
    temporary.emplace(folder / "popc.d", error);
    if (error)
      return;
    path = option[1];
    option[1] = temporary->path();
  }

  std::vector<std::uint8_t> read() const {
    auto buffer = llvm::MemoryBuffer::getFile(temporary->path());
    if (!buffer)
      return {};
    return {(*buffer)->getBufferStart(), (*buffer)->getBufferEnd()};
  }

  /// The path that the user gave; empty if none.
  std::string path;

private:
  std::optional<runtime::TemporaryFile> temporary;
};

void link(Job &job) {
  std::vector<std::uint8_t> linked;
  std::string error = frontend::linkHostObject(job.output.bytes, linked);
  if (!error.empty()) {
    job.output.success = false;
    addError(job.output.diagnostics, job.input->path + ": " + error);
    return;
  }
  job.output.bytes = std::move(linked);
}

} // namespace

void addError(std::vector<Diagnostic> &diagnostics, const std::string &text) {
  diagnostics.push_back({true,
                         "popc: error: " + text + "\n",
                         {{frontend::Message::Error, text, "", 0, 0, ""}}});
}

std::string defaultOutputName(const Options &options, const Job &job) {
  Result result = resultFor(options.mode);
  return options.targets.size() == 1 ? stem(*job.input) + extension(result)
                                     : temporaryName(job, result);
}

void JobRunner::run(Job &job) const {
  std::vector<Diagnostic> &diagnostics = job.output.diagnostics;
  std::vector<std::string> arguments = cc1Arguments(
      options, *job.input, *job.target, options.output, diagnostics);
  if (arguments.empty()) {
    job.status = Usage;
    return;
  }
  if (options.showCommands)
    job.command = quoted(arguments);
  if (options.dryRun)
    return;
  DependencyFile dependencies(arguments);
  // Clang's driver takes the file of -o for -M, and the standard output else.
  if (options.mode == Mode::Dependencies && dependencies.path.empty())
    dependencies.path = '-';
  // One target is enough to find the dependencies.
  if (job.target != &options.targets.front())
    dependencies.path.clear();

  CompileJob compile;
  compile.target = job.target->info;
  compile.targetName = job.target->name;
  compile.definedElsewhere = job.definedElsewhere;
  compile.arguments = std::move(arguments);
  compile.input = job.input->path;
  compile.result = resultFor(options.mode);
  compile.lineCounts = options.lineCounts;
  compile.checkCodelets = options.checkCodelets;
  if (job.input->path == "-")
    compile.text = standardInput;
  job.output = runCompile(*job.input, compile);
  if (job.output.success && !dependencies.path.empty())
    job.files.push_back({dependencies.path, dependencies.read()});
  if (job.output.success && !job.output.remarksPath.empty())
    job.files.push_back(
        {remarksName(options, job),
         {job.output.remarks.begin(), job.output.remarks.end()}});
  if (job.output.success && options.applyFixes &&
      job.target == &options.targets.front())
    for (const auto &[path, text] : job.output.fixedSources)
      job.files.push_back({path, {text.begin(), text.end()}});
  if (job.output.success && options.saveTemps)
    saveTemporaries(job, compile);
  if (job.output.success && options.mode == Mode::Archive &&
      !job.target->info->isIpu())
    link(job);
  if (!job.output.success)
    job.status = Failure;
}

CompileOutput JobRunner::runCompile(const Input &input,
                                    CompileJob compile) const {
  if (input.kind == InputKind::Source)
    return frontend::compile(compile);
  if (input.kind == InputKind::PreprocessedAssembly) {
    Result wanted = compile.result;
    compile.result = Result::Preprocessed;
    CompileOutput preprocessed = frontend::compile(compile);
    if (!preprocessed.success || wanted == Result::Preprocessed)
      return preprocessed;
    compile.text.emplace(preprocessed.bytes.begin(), preprocessed.bytes.end());
    return assembleText(compile);
  }
  if (!compile.text) {
    auto buffer = llvm::MemoryBuffer::getFile(input.path, /*IsText=*/true);
    if (!buffer) {
      CompileOutput output;
      addError(output.diagnostics, "cannot read '" + input.path +
                                       "': " + buffer.getError().message());
      return output;
    }
    compile.text = (*buffer)->getBuffer().str();
  }
  return assembleText(compile);
}

/// -S of assembly is the assembly itself.
CompileOutput JobRunner::assembleText(const CompileJob &compile) const {
  CompileOutput output = frontend::assemble(compile);
  if (output.success &&
      (options.mode == Mode::Assembly || options.mode == Mode::Preprocess))
    output.bytes.assign(compile.text->begin(), compile.text->end());
  return output;
}

void JobRunner::saveTemporaries(Job &job, const CompileJob &compile) const {
  job.files.push_back({temporaryName(job, Result::Object), job.output.bytes});
  if (job.input->kind != InputKind::Source)
    return;
  for (Result result :
       {Result::Preprocessed, Result::LlvmIr, Result::Assembly}) {
    CompileJob again = compile;
    again.result = result;
    CompileOutput output = frontend::compile(again);
    job.files.push_back({temporaryName(job, result), std::move(output.bytes)});
  }
}

} // namespace populus::codelet
