// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ipu-run: runs an executable file. Options, the order of things, and exit
// codes; the work is done by runtime/.

#include "Compare.h"
#include "Report.h"
#include "Streams.h"
#include "TileProgram.h"

#include "runtime/Format/Ipux.h"
#include "runtime/Session/Session.h"

#include <CLI/CLI.hpp>

#include <iostream>
#include <sstream>

namespace populus::run {
namespace {

using namespace runtime;

enum ExitCode {
  Success = 0,
  Failed = 1,
  WrongUsage = 2,
  NotSupported = 3,
  OutOfMemory = 4,
  Different = 5,
  InternalError = 70,
};

struct Options {
  std::vector<std::string> files;
  std::string file; // the executable file
  bool tile = false;
  std::string target = "ipu2";
  std::vector<std::string> inputs;
  std::string testData;
  std::string outputDirectory;
  std::vector<std::string> comparisons;
  Tolerance tolerance;
  unsigned repeat = 1;
  unsigned warmup = 0;
  unsigned threads = 0;
  std::optional<Engine> engine;
  std::uint64_t maxCycles = 0;
  std::string stats; // "", "text", "json"
  bool info = false;
  bool allowNative = false;
  bool trace = false;
};

std::string versionText() {
  std::string text = "ipu-run " POPULUS_VERSION " (targets";
  for (const TargetInfo &target : allTargets())
    text += " " + std::string(target.name);
  return text + ")";
}

void addOptions(CLI::App &app, Options &options) {
  app.add_option("FILE.ipux", options.files,
                 "executable file, made by "
                 "popart-compile or poplar::Engine")
      ->option_text(" ")
      ->required();
  auto *tile = app.add_flag(
      "--tile", options.tile,
      "the files are objects of a C or C++ program, made by popc "
      "--target=ipu2 -c: run its main() on one worker of one tile; "
      "its exit status is that of ipu-run");
  app.add_option("--target", options.target, "target of --tile")
      ->option_text("NAME (default ipu2)")
      ->needs(tile)
      ->check([](const std::string &name) {
        const TargetInfo *target = findTarget(name);
        return target && target->isIpu()
                   ? std::string()
                   : "there is no IPU target '" + name + "'";
      });
  app.add_option("--input", options.inputs,
                 "value of an input: a file (.npy, or an ONNX tensor in .pb), "
                 "random numbers or zeros")
      ->option_text("NAME=FILE|random[:SEED]|zeros")
      ->take_all();
  app.add_option("--test-data", options.testData,
                 "inputs and expected outputs as in ONNX's test data sets: "
                 "input_N.pb, output_N.pb")
      ->option_text("DIR");
  app.add_option("--output-dir", options.outputDirectory,
                 "write each output to DIR/NAME.npy")
      ->option_text("DIR");
  app.add_option("--compare", options.comparisons,
                 "compare an output with a file")
      ->option_text("NAME=FILE")
      ->take_all();
  app.add_option("--rtol", options.tolerance.relative,
                 "relative tolerance of comparisons")
      ->option_text("X (default 1e-4)")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--atol", options.tolerance.absolute,
                 "absolute tolerance of comparisons")
      ->option_text("X (default 1e-6)")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--repeat", options.repeat, "run N times")
      ->option_text("N")
      ->check(CLI::Range(1u, 1000000000u));
  app.add_option("--warmup", options.warmup,
                 "run N times before, without counting")
      ->option_text("N");
  app.add_option("--threads", options.threads,
                 "host threads (default: as many as the machine has); results "
                 "and cycles do not depend on it")
      ->option_text("N")
      ->check(CLI::Range(0u, 1024u));
  app.add_option_function<std::string>(
         "--engine",
         [&options](const std::string &name) {
           options.engine = engineNamed(name);
         },
         "how IPU code is executed: interpreted, translated to host code "
         "before it runs, or (auto, the default) translated when it is hot; "
         "results and cycles do not depend on it")
      ->option_text("auto|interpreter|translated")
      ->check(CLI::IsMember({"auto", "interpreter", "translated"}));
  app.add_option("--max-cycles", options.maxCycles,
                 "stop with an error after N modelled cycles")
      ->option_text("N");
  app.add_flag("--stats", options.stats,
               "print cycles by kind, balance and speed; --stats=json prints "
               "one JSON object and nothing else to standard output")
      ->option_text("[=json]");
  app.add_flag("--trace", options.trace,
               "print the executed steps with their cycles (to stderr)");
  app.add_flag("--info", options.info, "print what the file holds and stop");
  app.add_flag("--allow-native", options.allowNative,
               "run files for the CPU and IPU Model devices: they hold host "
               "code, which can do anything that you can");
}

/// Splits NAME=VALUE. The name may contain '=' only if the value does not.
std::pair<std::string, std::string> split(const std::string &option,
                                          const std::string &text) {
  const std::size_t equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0)
    throw UsageError(option + " " + text + ": expected NAME=VALUE");
  return {text.substr(0, equals), text.substr(equals + 1)};
}

class Runner {
public:
  explicit Runner(const Options &options)
      : options(options),
        text(options.stats == "json" ? std::cerr : std::cout) {}

  int run() {
    executable = std::make_shared<Executable>(readExecutable(options.file));
    if (options.info) {
      printInfo(std::cout, *executable);
      return Success;
    }
    if (executable->device != DeviceKind::Ipu && !options.allowNative)
      throw UsageError(options.file +
                       " holds host code, which can do anything that you can; "
                       "if you trust it, use --allow-native");
    Streams streams(*executable);
    prepare(streams);
    SessionOptions sessionOptions;
    sessionOptions.threads = options.threads;
    sessionOptions.engine = options.engine;
    sessionOptions.maxCycles = options.maxCycles;
    sessionOptions.recordSteps = options.trace;
    auto session = Session::create(executable, sessionOptions);
    streams.connect(*session);
    execute(*session, streams);
    return report(*session, streams);
  }

private:
  void prepare(Streams &streams) {
    if (executable->programs.empty())
      throw InputError(options.file + " holds no program");
    if (!options.testData.empty())
      expected = streams.useTestData(options.testData);
    for (const std::string &input : options.inputs) {
      const auto [name, value] = split("--input", input);
      streams.setInput(name, value);
    }
    for (const std::string &comparison : options.comparisons) {
      const auto [name, file] = split("--compare", comparison);
      streams.checkOutputName(name);
      expected[name] = readTensor(file);
    }
    streams.checkComplete();
  }

  /// The first program of the file is the one that runs.
  void execute(Session &session, Streams &streams) {
    for (unsigned i = 0; i != options.warmup; ++i) {
      streams.startRun();
      session.run(0);
    }
    session.resetStats();
    for (unsigned i = 0; i != options.repeat; ++i) {
      streams.startRun();
      session.run(0);
    }
  }

  int report(const Session &session, const Streams &streams) {
    bool matches = true;
    for (const Streams::Output &output : streams.outputs()) {
      printValues(text, output.name, output.value);
      const auto found = expected.find(output.name);
      if (found != expected.end()) {
        const Comparison result =
            compare(output.value, found->second, options.tolerance);
        text << output.name << ": " << result.text << '\n';
        if (!result.matches)
          std::cerr << "ipu-run: error: output '" << output.name
                    << "' is not as expected: " << result.text << '\n';
        matches &= result.matches;
      }
      if (!options.outputDirectory.empty())
        write(output);
    }
    if (options.trace)
      printTrace(std::cerr, session);
    if (options.stats == "json")
      printStatsJson(std::cout, session.stats(), options.repeat);
    else if (options.stats == "text")
      printStats(std::cout, *executable, session.stats(), options.repeat);
    else
      printSummary(std::cout, *executable, session.stats(), options.repeat);
    return matches ? Success : Different;
  }

  void write(const Streams::Output &output) const {
    std::error_code error;
    std::filesystem::create_directories(options.outputDirectory, error);
    // Names of tensors may contain slashes.
    std::string file = output.name;
    std::replace(file.begin(), file.end(), '/', '_');
    writeNpy(output.value,
             std::filesystem::path(options.outputDirectory) / (file + ".npy"));
  }

  const Options &options;
  std::ostream &text; // values and comparisons
  std::shared_ptr<Executable> executable;
  std::map<std::string, HostTensor> expected;
};

/// The program's output is on the standard streams, so statistics are on the
/// error stream.
int runTile(const Options &options) {
  SessionOptions sessionOptions;
  sessionOptions.maxCycles = options.maxCycles;
  sessionOptions.engine = options.engine;
  const auto executable = linkTileProgram(options.files, options.target);
  const TileProgramResult result = runTileProgram(executable, sessionOptions);
  if (options.stats == "json")
    printStatsJson(std::cerr, result.stats, 1);
  else if (options.stats == "text")
    printStats(std::cerr, *executable, result.stats, 1);
  return result.status & 0xff;
}

void checkFiles(Options &options) {
  if (options.tile)
    return;
  if (options.files.size() != 1)
    throw UsageError("one executable file is run at a time; several files are "
                     "for --tile");
  options.file = options.files.front();
}

int fail(int code, const std::string &message) {
  std::cerr << "ipu-run: error: " << message << '\n';
  return code;
}

int runMain(int argc, char **argv) {
  Options options;
  CLI::App app(
      "Runs a program for an IPU on an emulated IPU (or, for files made "
      "for the CPU and\nIPU Model devices, as host code): its first "
      "program is run once.",
      "ipu-run");
  app.footer(
      "ipu-run does not compile anything: popart-compile makes executables "
      "from ONNX\nmodels. Modelled cycles are those of the virtual IPU "
      "(docs/machine.md), not of a\nparticular chip.\n\n"
      "Exit status: 0 success, 1 the run or a file failed, 2 wrong usage, "
      "5 an output is\nnot as expected, 70 internal error.");
  app.set_version_flag("--version", versionText());
  addOptions(app, options);
  try {
    app.parse(argc, argv);
    if (!options.stats.empty() && options.stats != "text" &&
        options.stats != "json" && options.stats != "true")
      throw UsageError("--stats=" + options.stats +
                       ": expected --stats or --stats=json");
    if (options.stats == "true")
      options.stats = "text";
    checkFiles(options);
    return options.tile ? runTile(options) : Runner(options).run();
  } catch (const CLI::Success &help) {
    return app.exit(help);
  } catch (const CLI::ParseError &error) {
    return fail(WrongUsage, std::string(error.what()) + "; see ipu-run --help");
  } catch (const UsageError &error) {
    return fail(WrongUsage, error.what());
  } catch (const InputError &error) {
    return fail(Failed, error.what());
  } catch (const TileProgramError &error) {
    return fail(Failed, error.what());
  } catch (const NotSupportedError &error) {
    return fail(NotSupported, error.what());
  } catch (const OutOfMemoryError &error) {
    return fail(OutOfMemory, error.what());
  } catch (const FormatError &error) {
    return fail(Failed, error.what());
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

int main(int argc, char **argv) { return populus::run::runMain(argc, argv); }
