// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ipu-run: runs an executable file. The order of things, and exit codes; the
// work is done by runtime/.

#include "Against.h"
#include "Compare.h"
#include "Inspect.h"
#include "Limits.h"
#include "Options.h"
#include "Outputs.h"
#include "PlainProgram.h"
#include "Progress.h"
#include "Report.h"
#include "RunInputs.h"
#include "RunRecorder.h"
#include "Steps.h"
#include "Streams.h"
#include "Training.h"

#include "runtime/Session/CycleAccount.h"
#include "runtime/Session/RunControl.h"
#include "runtime/Session/Session.h"
#include "runtime/Support/OutputFile.h"
#include "runtime/Support/TemporaryFile.h"

#include <pvti/pvti.hpp>

#include <chrono>
#include <csignal>
#include <cstring>
#include <iostream>

namespace populus::run {
namespace {

using namespace runtime;

/// Prints findings and dumps, also of a failed run. Returns false if there are
/// findings.
bool inspect(const Session &session, const Options &options) {
  printFindings(session.findings(), options);
  if (!options.checkOutput.empty())
    writeFindings(session.findings(), options.checkOutput);
  printDumps(session, options);
  return session.findings().empty();
}

/// Ctrl-C ended the run between two steps or inside of a vertex.
bool isInterruption(const RunError &error) {
  const auto *fault = dynamic_cast<const FaultError *>(&error);
  return fault ? fault->isInterrupted()
               : dynamic_cast<const InterruptedError *>(&error) != nullptr;
}

/// The elements of --expect; one stands for all.
HostTensor parseExpected(const Stream &stream, const std::string &text) {
  HostTensor tensor;
  tensor.isDouble = true;
  tensor.shape = shapeOf(stream);
  std::vector<double> values;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string element = text.substr(begin, end - begin);
    char *rest = nullptr;
    values.push_back(std::strtod(element.c_str(), &rest));
    if (element.empty() || *rest != 0)
      throw UsageError("--expect " + stream.handle + "=" + text +
                       ": expected numbers");
    begin = end + 1;
  }
  if (values.size() == 1)
    values.resize(stream.numElements, values.front());
  if (values.size() != stream.numElements)
    throw UsageError("--expect " + stream.handle + ": " +
                     std::to_string(values.size()) + " numbers for " +
                     std::to_string(stream.numElements) + " elements");
  tensor.data.resize(values.size() * sizeof(double));
  std::memcpy(tensor.data.data(), values.data(), tensor.data.size());
  return tensor;
}

class Runner {
public:
  explicit Runner(const Options &options)
      : options(options), text(options.stats == "json" ||
                                       options.profile == "json" || options.json
                                   ? std::cerr
                                   : std::cout),
        executable(openExecutable(options.file)),
        runs(!options.report.empty()) {}

  int run() {
    if (!options.info.empty()) {
      if (options.info == "json")
        printInfoJson(std::cout, *executable);
      else
        printInfo(std::cout, *executable);
      return Success;
    }
    checkTrusted(*executable, options.file, options.allowNative);
    Streams streams(*executable);
    if (options.steps != 0)
      streams.feed(options.shuffle);
    prepare(streams);
    SessionOptions sessionOptions;
    sessionOptions.threads = options.threads;
    sessionOptions.engine = options.engine;
    sessionOptions.maxCycles = options.maxCycles;
    sessionOptions.recordSteps = options.trace == "steps" ||
                                 !options.profile.empty() ||
                                 !options.report.empty();
    sessionOptions.watch = watchOptions(options);
    Progress progress(goal(), showsProgress());
    sessionOptions.control = &progress.control();
    auto session = load(sessionOptions);
    streams.connect(*session);
    try {
      execute(*session, streams, progress);
      progress.stop();
    } catch (const RunError &error) {
      progress.stop();
      inspect(*session, options);
      if (isInterruption(error)) {
        count = 1; // figures are sums of what has run
        reportRuns(*session);
      }
      throw;
    }
    const int status = report(*session, streams);
    return inspect(*session, options) ? status : Failed;
  }

private:
  RunGoal goal() const {
    if (options.steps != 0)
      return {options.steps};
    return {std::max(options.repeat, 1u), options.seconds};
  }

  /// Losses are lines of their own.
  bool showsProgress() const {
    return options.progress == "always" ||
           (options.progress == "auto" && options.steps == 0 &&
            options.trace.empty() && canShowProgress());
  }

  std::unique_ptr<Session> load(const SessionOptions &sessionOptions) const {
    const pvti::Tracepoint span(&pvti::traceDrivers, "ipu-run: load");
    return Session::create(executable, sessionOptions);
  }

  void prepare(Streams &streams) {
    checkTiles(options, executable->numTiles());
    if (executable->programs.empty())
      throw InputError(options.file + " holds no program");
    expected =
        setInputs(streams, options.testData, options.inputs, options.images);
    for (const auto &[name, file] :
         namedValues("--compare", options.comparisons)) {
      streams.checkOutputName(name);
      expected[name] = readTensor(file, name);
    }
    for (const auto &[name, values] :
         namedValues("--expect", options.expectations))
      expected[name] = parseExpected(streams.checkOutputName(name), values);
  }

  /// The first program of the file is the one that runs.
  void execute(Session &session, Streams &streams, Progress &progress) {
    if (options.steps != 0) {
      count = 1;
      return Training(options, *executable, text).run(session, streams, runs);
    }
    for (unsigned i = 0; i != options.warmup; ++i) {
      streams.startRun();
      session.run(0);
      streams.checkUsed();
    }
    session.resetStats();
    using Clock = std::chrono::steady_clock;
    const auto end =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(
                           std::chrono::duration<double>(options.seconds));
    do {
      streams.startRun();
      runs.run(session);
      streams.checkUsed();
      progress.endRun();
      ++count;
    } while (count < options.repeat || Clock::now() < end);
  }

  int report(const Session &session, const Streams &streams) {
    bool matches = true;
    const std::vector<Streams::Output> outputs = streams.outputs();
    if (!options.against.empty())
      matches = printDifferences(
          std::cout,
          compareOutputs(outputs, referenceOutputs(options, outputs), options),
          options);
    for (const Streams::Output &output : outputs) {
      if (options.against.empty())
        printValues(text, output.name, output.value);
      const auto found = expected.find(output.name);
      if (found != expected.end()) {
        const Comparison result =
            compare(output.value, found->second, options.tolerance);
        text << output.name << ": " << result.text << '\n';
        if (!result.matches)
          printError("comparison",
                     "output '" + output.name +
                         "' is not as expected: " + result.text,
                     options);
        matches &= result.matches;
      }
    }
    if (!options.outputDirectory.empty())
      writeOutputs(outputs, options.outputDirectory, options.outputFormat);
    reportRuns(session);
    return matches ? Success : Different;
  }

  /// Cycles and times, as far as the options ask for them.
  void reportRuns(const Session &session) {
    if (!options.report.empty())
      runs.write(options.report, session);
    if (options.trace == "steps")
      printTrace(std::cerr, session);
    if (options.profile == "json")
      printProfileJson(std::cout, session, count);
    else if (!options.profile.empty())
      printProfile(text, session, count);
    const RunStats stats = session.stats();
    const Measured measured = {stats, count, runs.latency()};
    if (options.stats == "json")
      printStatsJson(std::cout, measured);
    else if (options.stats == "text")
      printStats(text, *executable, measured);
    else
      printSummary(text, *executable, measured);
  }

  const Options &options;
  std::ostream &text; // values and comparisons
  const VerifiedExecutable executable;
  std::map<std::string, HostTensor> expected;
  RunRecorder runs;
  unsigned count = 0; // of runs; with --steps all are one
};

/// The program's output is on the standard streams, so statistics are on the
/// error stream.
int runTile(const Options &options) {
  SessionOptions sessionOptions;
  sessionOptions.maxCycles = options.maxCycles;
  sessionOptions.engine = options.engine;
  sessionOptions.watch = watchOptions(options);
  Progress progress({}, false);
  sessionOptions.control = &progress.control();
  const auto executable =
      linkPlainProgram(options.files, options.arguments, options.target);
  checkTiles(options, executable->numTiles());
  bool clean = true;
  const PlainProgramResult result =
      runPlainProgram(executable, sessionOptions, [&](const Session &session) {
        clean = inspect(session, options);
      });
  if (options.stats == "json")
    printStatsJson(std::cerr, {result.stats});
  else if (options.stats == "text")
    printStats(std::cerr, *executable, {result.stats});
  return clean ? result.status & 0xff : Failed;
}

const char *kindOf(int code) {
  switch (code) {
  case WrongUsage:
    return "usage";
  case OutOfMemory:
    return "tile-memory";
  case Interrupted:
    return "interrupted";
  case InternalError:
    return "internal";
  default:
    return "failed";
  }
}

int runMain(int argc, char **argv) {
  Options options;
  const auto fail = [&options](int code, const std::string &message) {
    printError(kindOf(code), message, options);
    return code;
  };
  try {
    CommandLine line = parseCommandLine(argc, argv);
    if (line.help)
      return Success;
    options = std::move(line.options);
    const Limits limits(options.maxSeconds, parseBytes(options.maxMemory),
                        Failed,
                        [&](const char *limit, const std::string &message) {
                          printError(limit, message, options);
                        });
    return options.tile ? runTile(options) : Runner(options).run();
  } catch (const UsageError &error) {
    return fail(WrongUsage, error.what());
  } catch (const InputError &error) {
    return fail(Failed, error.what());
  } catch (const PlainProgramError &error) {
    return fail(Failed, error.what());
  } catch (const OutOfMemoryError &error) {
    return fail(OutOfMemory, error.what());
  } catch (const FormatError &error) {
    return fail(Failed, error.what());
  } catch (const FaultError &error) {
    printFault(error.report(), options);
    return error.isBreakpoint()    ? Success
           : error.isInterrupted() ? Interrupted
                                   : Failed;
  } catch (const CycleLimitError &error) {
    printError("cycle-limit", error.what(), options);
    return Failed;
  } catch (const InterruptedError &error) {
    return fail(Interrupted, error.what());
  } catch (const RunError &error) {
    return fail(Failed, error.what());
  } catch (const std::bad_alloc &) {
    return fail(Failed, "out of host memory");
  } catch (const std::exception &error) {
    return fail(InternalError,
                std::string("internal error: ") + error.what() +
                    "; please report it with " +
                    (options.files.empty() ? "" : options.files.front()));
  }
}

} // namespace
} // namespace populus::run

int main(int argc, char **argv) {
  populus::runtime::removeTemporaryFilesOnSignals();
  const int status = populus::runtime::finishOutput(
      "ipu-run", populus::run::runMain(argc, argv));
  // A shell's loop ends if the signal ends the process, not by a status.
  if (status == populus::run::Interrupted &&
      populus::run::Progress::wasInterrupted())
    std::raise(SIGINT);
  return status;
}
