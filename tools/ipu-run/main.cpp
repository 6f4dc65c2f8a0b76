// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ipu-run: runs an executable file. The order of things, and exit codes; the
// work is done by runtime/.

#include "Compare.h"
#include "Inspect.h"
#include "Limits.h"
#include "Options.h"
#include "PlainProgram.h"
#include "Report.h"
#include "RunRecorder.h"
#include "Steps.h"
#include "Streams.h"
#include "Training.h"

#include "runtime/Format/Ipux.h"
#include "runtime/Session/CycleAccount.h"
#include "runtime/Session/Session.h"
#include "runtime/Support/OutputFile.h"
#include "runtime/Support/TemporaryFile.h"

#include <pvti/pvti.hpp>

#include <cstring>
#include <iostream>
#include <set>

namespace populus::run {
namespace {

using namespace runtime;

/// Splits NAME=VALUE. The name may contain '=' only if the value does not.
std::pair<std::string, std::string> split(const std::string &option,
                                          const std::string &text) {
  const std::size_t equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0)
    throw UsageError(option + " " + text + ": expected NAME=VALUE");
  return {text.substr(0, equals), text.substr(equals + 1)};
}

/// The names and values of an option, which is given once for each name.
std::map<std::string, std::string>
splitAll(const std::string &option, const std::vector<std::string> &texts) {
  std::map<std::string, std::string> values;
  for (const std::string &text : texts)
    if (!values.insert(split(option, text)).second)
      throw UsageError(option + " " + text + ": '" + split(option, text).first +
                       "' was given before");
  return values;
}

/// Prints findings and dumps, also of a failed run. Returns false if there are
/// findings.
bool inspect(const Session &session, const Options &options) {
  printFindings(session.findings(), options);
  printDumps(session, options);
  return session.findings().empty();
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

/// Files for outputs, whose names may contain slashes: "a/b" is in a_b.npy, or
/// in a%2Fb.npy where another output is called "a_b".
std::vector<std::string>
fileNames(const std::vector<Streams::Output> &outputs) {
  const auto with = [](const std::string &name, const char *slash) {
    std::string file;
    for (char c : name)
      file += c == '/' ? slash : std::string(1, c);
    return file;
  };
  std::set<std::string> taken;
  for (const Streams::Output &output : outputs)
    if (with(output.name, "_") == output.name)
      taken.insert(output.name);
  std::vector<std::string> files;
  for (const auto &[name, value] : outputs) {
    std::string file = with(name, "_");
    if (file != name) {
      if (taken.contains(file))
        file = with(name, "%2F");
      while (!taken.insert(file).second)
        file += "_";
    }
    files.push_back(file + ".npy");
  }
  return files;
}

class Runner {
public:
  explicit Runner(const Options &options)
      : options(options),
        text(options.stats == "json" || options.profile == "json" ? std::cerr
                                                                  : std::cout),
        executable(read(options.file)), runs(!options.report.empty()) {}

  int run() {
    if (!options.info.empty()) {
      if (options.info == "json")
        printInfoJson(std::cout, *executable);
      else
        printInfo(std::cout, *executable);
      return Success;
    }
    if (executable->device != DeviceKind::Ipu && !options.allowNative)
      throw UsageError(options.file +
                       " holds host code, which can do anything that you can; "
                       "if you trust it, use --allow-native");
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
    auto session = load(sessionOptions);
    streams.connect(*session);
    try {
      execute(*session, streams);
    } catch (const RunError &) {
      inspect(*session, options);
      throw;
    }
    const int status = report(*session, streams);
    return inspect(*session, options) ? status : Failed;
  }

private:
  static VerifiedExecutable read(const std::string &file) {
    const pvti::Tracepoint span(&pvti::traceDrivers, "ipu-run: read");
    return readExecutable(file);
  }

  std::unique_ptr<Session> load(const SessionOptions &sessionOptions) const {
    const pvti::Tracepoint span(&pvti::traceDrivers, "ipu-run: load");
    return Session::create(executable, sessionOptions);
  }

  void prepare(Streams &streams) {
    checkTiles(options, executable->numTiles());
    if (executable->programs.empty())
      throw InputError(options.file + " holds no program");
    if (!options.testData.empty())
      expected = streams.useTestData(options.testData);
    for (const auto &[name, value] : splitAll("--input", options.inputs))
      streams.setInput(name, value);
    for (const auto &[name, file] :
         splitAll("--compare", options.comparisons)) {
      streams.checkOutputName(name);
      expected[name] = readTensor(file, name);
    }
    for (const auto &[name, values] :
         splitAll("--expect", options.expectations))
      expected[name] = parseExpected(streams.checkOutputName(name), values);
    streams.checkComplete();
  }

  /// The first program of the file is the one that runs.
  void execute(Session &session, Streams &streams) {
    if (options.steps != 0)
      return Training(options, *executable, text).run(session, streams, runs);
    for (unsigned i = 0; i != options.warmup; ++i) {
      streams.startRun();
      session.run(0);
      streams.checkUsed();
    }
    session.resetStats();
    for (unsigned i = 0; i != options.repeat; ++i) {
      streams.startRun();
      runs.run(session);
      streams.checkUsed();
    }
  }

  int report(const Session &session, const Streams &streams) {
    bool matches = true;
    const std::vector<Streams::Output> outputs = streams.outputs();
    const std::vector<std::string> files = fileNames(outputs);
    for (const Streams::Output &output : outputs) {
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
      if (!options.outputDirectory.empty())
        write(output, files[&output - outputs.data()]);
    }
    if (!options.report.empty())
      runs.write(options.report, session);
    if (options.trace == "steps")
      printTrace(std::cerr, session);
    if (options.profile == "json")
      printProfileJson(std::cout, session, options.repeat);
    else if (!options.profile.empty())
      printProfile(text, session, options.repeat);
    if (options.stats == "json")
      printStatsJson(std::cout, session.stats(), options.repeat);
    else if (options.stats == "text")
      printStats(text, *executable, session.stats(), options.repeat);
    else
      printSummary(text, *executable, session.stats(), options.repeat);
    return matches ? Success : Different;
  }

  void write(const Streams::Output &output, const std::string &file) const {
    std::error_code error;
    std::filesystem::create_directories(options.outputDirectory, error);
    if (error)
      throw InputError("cannot create the directory " +
                       options.outputDirectory + ": " + error.message());
    writeNpy(output.value,
             std::filesystem::path(options.outputDirectory) / file);
  }

  const Options &options;
  std::ostream &text; // values and comparisons
  const VerifiedExecutable executable;
  std::map<std::string, HostTensor> expected;
  RunRecorder runs;
};

/// The program's output is on the standard streams, so statistics are on the
/// error stream.
int runTile(const Options &options) {
  SessionOptions sessionOptions;
  sessionOptions.maxCycles = options.maxCycles;
  sessionOptions.engine = options.engine;
  sessionOptions.watch = watchOptions(options);
  const auto executable =
      linkPlainProgram(options.files, options.arguments, options.target);
  checkTiles(options, executable->numTiles());
  bool clean = true;
  const PlainProgramResult result =
      runPlainProgram(executable, sessionOptions, [&](const Session &session) {
        clean = inspect(session, options);
      });
  if (options.stats == "json")
    printStatsJson(std::cerr, result.stats, 1);
  else if (options.stats == "text")
    printStats(std::cerr, *executable, result.stats, 1);
  return clean ? result.status & 0xff : Failed;
}

const char *kindOf(int code) {
  switch (code) {
  case WrongUsage:
    return "usage";
  case OutOfMemory:
    return "tile-memory";
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
    return error.isBreakpoint() ? Success : Failed;
  } catch (const CycleLimitError &error) {
    printError("cycle-limit", error.what(), options);
    return Failed;
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
  return populus::runtime::finishOutput("ipu-run",
                                        populus::run::runMain(argc, argv));
}
