// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One job for each source and target, run on as many threads as the machine
// has. Results are joined in the order of the command line, so that neither
// output nor messages depend on who was first. Nothing is written here; the
// caller writes all files once everything has succeeded.

#include "lib/Codelet/Compiler.h"

#include "lib/Codelet/Toolchain.h"
#include "lib/Frontend/Compile.h"
#include "lib/Frontend/HostLinker.h"

#include <llvm/Support/CrashRecoveryContext.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/ThreadPool.h>
#include <map>
#include <mutex>
#include <set>

namespace populus::codelet {

namespace {

using frontend::CompileJob;
using frontend::CompileOutput;
using frontend::Diagnostic;
using frontend::Result;

struct Job {
  const Input *input = nullptr;
  const runtime::TargetInfo *target = nullptr;
  CompileOutput output;
  std::vector<OutputFile> files; // beside the result: -MD, --save-temps
  std::string command;
  int status = Success;
};

thread_local std::string fatalMessage;

/// LLVM's "unrecoverable" errors end the job, not the process.
void onFatalError(void *, const char *reason, bool) {
  fatalMessage = reason;
  if (auto *context = llvm::CrashRecoveryContext::GetCurrent())
    context->HandleExit(Internal);
}

/// Handles crash signals of the process as long as any compilation runs.
class CrashRecovery {
public:
  CrashRecovery() {
    std::lock_guard lock(mutex);
    if (users++ == 0)
      llvm::CrashRecoveryContext::Enable();
  }
  ~CrashRecovery() {
    std::lock_guard lock(mutex);
    if (--users == 0)
      llvm::CrashRecoveryContext::Disable();
  }

private:
  static inline std::mutex mutex;
  static inline unsigned users = 0;
};

void addError(std::vector<Diagnostic> &diagnostics, const std::string &text) {
  diagnostics.push_back({true, "popc: error: " + text + "\n"});
}

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
  return stem(*job.input) + "." + std::string(job.target->name) +
         extension(result);
}

/// Clang writes dependencies to a file itself, before it is known whether the
/// compilation succeeds: this lets it write elsewhere.
class DependencyFile {
public:
  explicit DependencyFile(std::vector<std::string> &arguments) {
    auto option =
        std::find(arguments.begin(), arguments.end(), "-dependency-file");
    if (option == arguments.end() || option + 1 == arguments.end() ||
        llvm::sys::fs::createTemporaryFile("popc", "d", temporary))
      return;
    path = option[1];
    option[1] = std::string(temporary);
  }
  ~DependencyFile() {
    if (!temporary.empty())
      llvm::sys::fs::remove(temporary);
  }

  std::vector<std::uint8_t> read() const {
    auto buffer = llvm::MemoryBuffer::getFile(temporary);
    if (!buffer)
      return {};
    return {(*buffer)->getBufferStart(), (*buffer)->getBufferEnd()};
  }

  /// Where the user wants it; empty if nowhere.
  std::string path;

private:
  llvm::SmallString<128> temporary;
};

class Runner {
public:
  Runner(const Options &options, std::optional<std::string> standardInput)
      : options(options), standardInput(std::move(standardInput)) {}

  Compilation run() {
    if (!readStandardInput())
      return std::move(compilation);
    std::vector<Job> jobs = makeJobs();
    runJobs(jobs);
    for (Job &job : jobs)
      join(job);
    if (options.mode == Mode::Archive)
      mergeArchives();
    summarize();
    return std::move(compilation);
  }

private:
  bool readStandardInput() {
    bool isNeeded = false;
    for (const Input &input : options.inputs)
      isNeeded |= input.path == "-";
    if (!isNeeded || standardInput)
      return true;
    auto buffer = llvm::MemoryBuffer::getSTDIN();
    if (!buffer) {
      compilation.status = Failure;
      compilation.diagnostics =
          "popc: error: cannot read the standard input: " +
          buffer.getError().message() + "\n";
      return false;
    }
    standardInput = (*buffer)->getBuffer().str();
    return true;
  }

  std::vector<Job> makeJobs() const {
    std::vector<Job> jobs;
    for (const Input &input : options.inputs)
      if (input.kind != InputKind::Archive)
        for (const runtime::TargetInfo *target : options.targets) {
          jobs.emplace_back();
          jobs.back().input = &input;
          jobs.back().target = target;
        }
    return jobs;
  }

  void runJobs(std::vector<Job> &jobs) const {
    static std::once_flag once;
    std::call_once(once,
                   [] { llvm::install_fatal_error_handler(onFatalError); });
    CrashRecovery recovery;
    if (jobs.size() == 1) {
      runProtected(jobs.front());
    } else {
      llvm::DefaultThreadPool pool(llvm::hardware_concurrency());
      for (Job &job : jobs)
        pool.async([this, &job] { runProtected(job); });
      pool.wait();
    }
  }

  /// An error inside the compiler must not take a host program down.
  void runProtected(Job &job) const {
    llvm::CrashRecoveryContext context;
    fatalMessage.clear();
    if (context.RunSafely([&] { runJob(job); }))
      return;
    std::string what =
        fatalMessage.empty() ? "the compiler crashed" : fatalMessage;
    job.status = Internal;
    addError(job.output.diagnostics,
             "internal error while compiling '" + job.input->path + "' for " +
                 std::string(job.target->name) + ": " + what +
                 "; to report it, add the output of popc -E with the same "
                 "options");
  }

  void runJob(Job &job) const {
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
    // One of the targets is enough to find them.
    if (job.target != options.targets.front())
      dependencies.path.clear();

    CompileJob compile;
    compile.target = job.target;
    compile.arguments = std::move(arguments);
    compile.input = job.input->path;
    compile.result = resultFor(options.mode);
    if (job.input->path == "-")
      compile.text = standardInput;
    job.output = runCompile(*job.input, compile);
    if (job.output.success && !dependencies.path.empty())
      job.files.push_back({dependencies.path, dependencies.read()});
    if (job.output.success && options.saveTemps)
      saveTemporaries(job, compile);
    if (job.output.success && options.mode == Mode::Archive &&
        !job.target->isIpu())
      link(job);
    if (!job.output.success)
      job.status = Failure;
  }

  CompileOutput runCompile(const Input &input, CompileJob compile) const {
    if (input.kind == InputKind::Source)
      return frontend::compile(compile);
    if (input.kind == InputKind::PreprocessedAssembly) {
      Result wanted = compile.result;
      compile.result = Result::Preprocessed;
      CompileOutput preprocessed = frontend::compile(compile);
      if (!preprocessed.success || wanted == Result::Preprocessed)
        return preprocessed;
      compile.text.emplace(preprocessed.bytes.begin(),
                           preprocessed.bytes.end());
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
  CompileOutput assembleText(const CompileJob &compile) const {
    CompileOutput output = frontend::assemble(compile);
    if (output.success &&
        (options.mode == Mode::Assembly || options.mode == Mode::Preprocess))
      output.bytes.assign(compile.text->begin(), compile.text->end());
    return output;
  }

  void saveTemporaries(Job &job, const CompileJob &compile) const {
    job.files.push_back({temporaryName(job, Result::Object), job.output.bytes});
    if (job.input->kind != InputKind::Source)
      return;
    for (Result result :
         {Result::Preprocessed, Result::LlvmIr, Result::Assembly}) {
      CompileJob again = compile;
      again.result = result;
      CompileOutput output = frontend::compile(again);
      job.files.push_back(
          {temporaryName(job, result), std::move(output.bytes)});
    }
  }

  static void link(Job &job) {
    std::vector<std::uint8_t> linked;
    std::string error = frontend::linkHostObject(job.output.bytes, linked);
    if (!error.empty()) {
      job.output.success = false;
      addError(job.output.diagnostics, job.input->path + ": " + error);
      return;
    }
    job.output.bytes = std::move(linked);
  }

  void join(Job &job) {
    for (const Diagnostic &diagnostic : job.output.diagnostics)
      if (printed.insert(diagnostic.text).second) {
        compilation.diagnostics += diagnostic.text;
        errors += diagnostic.isError;
      }
    compilation.commands += job.command;
    compilation.status = std::max(compilation.status, job.status);
    if (job.status != Success || options.dryRun)
      return;
    for (OutputFile &file : job.files)
      addFile(std::move(file));
    if (options.mode == Mode::Archive) {
      joinArchive(job);
    } else if (options.mode != Mode::Check) {
      compilation.files.push_back(
          {outputName(job), std::move(job.output.bytes)});
    }
  }

  /// The dependencies of several inputs go to one file.
  void addFile(OutputFile file) {
    for (OutputFile &known : compilation.files)
      if (known.path == file.path) {
        known.bytes.insert(known.bytes.end(), file.bytes.begin(),
                           file.bytes.end());
        return;
      }
    compilation.files.push_back(std::move(file));
  }

  std::string outputName(const Job &job) const {
    if (!options.output.empty())
      return options.output;
    if (options.mode == Mode::Preprocess)
      return "-";
    Result result = resultFor(options.mode);
    return options.targets.size() == 1 ? stem(*job.input) + extension(result)
                                       : temporaryName(job, result);
  }

  void fail(const std::string &text) {
    compilation.diagnostics += "popc: error: " + text + "\n";
    compilation.status = std::max<int>(compilation.status, Failure);
  }

  /// Two sources may not define a vertex type of the same name, even if it
  /// looks the same: only one of the codes could be meant.
  void joinArchive(Job &job) {
    for (const archive::VertexType &type : job.output.vertexTypes) {
      auto [known, isNew] = definitions.emplace(type.name, job.input);
      if (!isNew && known->second != job.input) {
        if (printed.insert(type.name).second)
          fail("vertex type '" + type.name + "' is defined in '" +
               known->second->path + "' and in '" + job.input->path +
               "'; rename one of them");
        return;
      }
    }
    archive::Archive part;
    part.vertexTypes = std::move(job.output.vertexTypes);
    std::string source = job.input->path == "-"
                             ? "stdin"
                             : llvm::sys::path::filename(job.input->path).str();
    part.objects.push_back(
        {std::string(job.target->name), source, std::move(job.output.bytes)});
    merge(std::move(part));
  }

  void merge(archive::Archive part) {
    try {
      compilation.archive.merge(std::move(part));
    } catch (const archive::ArchiveError &error) {
      if (printed.insert(error.what()).second)
        fail(error.what());
    }
  }

  void mergeArchives() {
    for (const Input &input : options.inputs) {
      if (input.kind != InputKind::Archive || options.dryRun)
        continue;
      try {
        merge(archive::Archive::read(input.path));
      } catch (const archive::ArchiveError &error) {
        fail(error.what());
      }
    }
  }

  void summarize() {
    if (errors)
      compilation.diagnostics += std::to_string(errors) +
                                 (errors == 1 ? " error" : " errors") +
                                 " generated.\n";
  }

  const Options &options;
  std::optional<std::string> standardInput;
  Compilation compilation;
  std::set<std::string> printed;
  std::map<std::string, const Input *> definitions;
  unsigned errors = 0;
};

} // namespace

Compilation compileAll(const Options &options,
                       std::optional<std::string> standardInput) {
  return Runner(options, std::move(standardInput)).run();
}

} // namespace populus::codelet
