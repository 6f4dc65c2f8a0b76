// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs one job for each source and target, on as many threads as the machine
// has. Results are joined in the order of the command line, so that neither
// output nor messages depend on the order of the threads. No file is written
// here; the caller writes all files once all jobs have succeeded.

#include "lib/Codelet/Compiler.h"

#include "lib/Codelet/CrashGuard.h"
#include "lib/Codelet/Job.h"
#include "lib/Codelet/OtherInputs.h"

#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/ThreadPool.h>
#include <map>
#include <set>

namespace populus::codelet {

namespace {

using frontend::Diagnostic;

class Runner {
public:
  Runner(const Options &options, std::optional<std::string> standardInput)
      : options(options), standardInput(std::move(standardInput)) {}

  Compilation run() {
    for (const std::string &warning : options.warnings)
      say(frontend::Message::Warning, warning);
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
      fail("cannot read the standard input: " + buffer.getError().message());
      return false;
    }
    standardInput = (*buffer)->getBuffer().str();
    return true;
  }

  std::vector<Job> makeJobs() const {
    std::vector<Job> jobs;
    for (const Input &input : options.inputs)
      if (input.kind != InputKind::Archive)
        for (const Target &target : options.targets) {
          jobs.emplace_back();
          jobs.back().input = &input;
          jobs.back().target = &target;
        }
    return jobs;
  }

  void runJobs(std::vector<Job> &jobs) const {
    CrashGuard guard;
    JobRunner runner(options, standardInput);
    auto run = [&](Job &job) {
      Outcome outcome = guard.run([&] { runner.run(job); });
      if (outcome.ending != Ending::Normal)
        report(job, outcome);
    };
    if (jobs.size() == 1) {
      run(jobs.front());
    } else {
      llvm::DefaultThreadPool pool(llvm::hardware_concurrency());
      for (Job &job : jobs)
        pool.async([&run, &job] { run(job); });
      pool.wait();
    }
    for (Job &job : jobs) {
      bool again = false; // other inputs may be damaged objects
      guard.run([&] { again = mayHaveBeenRefusedInVain(job, jobs); });
      if (again)
        run(job);
    }
  }

  /// Returns whether other inputs define a function for whose call a source may
  /// have been refused; if so, resets the job and tells it of these functions.
  bool mayHaveBeenRefusedInVain(Job &job, const std::vector<Job> &jobs) const {
    if (job.status != Failure || !job.target->info->isIpu() ||
        options.inputs.size() == 1)
      return false;
    std::set<std::string> names = libraryNamesDefinedBeside(job, jobs, options);
    if (names.empty())
      return false;
    Job again;
    again.input = job.input;
    again.target = job.target;
    again.definedElsewhere = std::move(names);
    job = std::move(again);
    return true;
  }

  /// Inputs that are nested too deeply, and LLVM IR that the code generator
  /// does not take, are the user's to mend; anything else is an error of ours.
  static void report(Job &job, const Outcome &outcome) {
    const std::string what = "'" + job.input->path + "' for " +
                             job.target->name + ": " + outcome.reason;
    if (outcome.ending == Ending::StackOverflow ||
        (outcome.ending == Ending::Refused && job.input->language == "ir")) {
      job.status = Failure;
      addError(job.output.diagnostics,
               "cannot compile " + what.substr(0, what.find('\n')));
      return;
    }
    job.status = Internal;
    addError(job.output.diagnostics,
             "internal error while compiling " + what +
                 "; to report it, add the output of popc -E with the same "
                 "options");
  }

  void join(Job &job) {
    for (const Diagnostic &diagnostic : job.output.diagnostics)
      if (printed.insert(diagnostic.text).second) {
        compilation.diagnostics += diagnostic.text;
        compilation.messages.insert(compilation.messages.end(),
                                    diagnostic.messages.begin(),
                                    diagnostic.messages.end());
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
    } else if (options.mode != Mode::Check &&
               options.mode != Mode::Dependencies) {
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
    return options.mode == Mode::Preprocess ? "-"
                                            : defaultOutputName(options, job);
  }

  /// Reports a message that belongs to no place in a source.
  void say(frontend::Message::Level level, const std::string &text) {
    compilation.diagnostics +=
        (level == frontend::Message::Error ? "popc: error: "
                                           : "popc: warning: ") +
        text + "\n";
    compilation.messages.push_back({level, text, "", 0, 0, ""});
  }
  void fail(const std::string &text) {
    say(frontend::Message::Error, text);
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
        {job.target->name, source, std::move(job.output.bytes)});
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
