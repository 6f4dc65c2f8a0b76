// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options, and what can be wrong with them.

#include "Options.h"

#include "Limits.h"

#include "runtime/Session/WorkerPool.h"
#include "runtime/Target/TargetInfo.h"
#include "tools/HelpFormatter.h"
#include "tools/OptionSuggestion.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <optional>
#include <string_view>

namespace populus::run {

using namespace runtime;

namespace {

std::string versionText() {
  std::string text = "ipu-run " POPULUS_VERSION " (targets";
  for (const TargetInfo &target : allTargets())
    text += " " + std::string(target.name);
  return text + ")";
}

std::string notNegative(const std::string &text) {
  double number = -1;
  return CLI::detail::lexical_cast(text, number) && number >= 0
             ? ""
             : text + " is not a number from 0 on";
}

std::string positive(const std::string &text) {
  double number = 0;
  return CLI::detail::lexical_cast(text, number) && number > 0
             ? ""
             : text + " is not a number above 0";
}

void addWatchOptions(CLI::App &app, Options &options) {
  app.add_flag("--trace", options.trace,
               "write each executed instruction or bundle to stderr, or, with "
               "=steps, the steps of the program with their cycles")
      ->option_text("[=instructions|steps]");
  app.add_option("--trace-tiles", options.traceTiles,
                 "trace only these tiles, such as 0,4-7")
      ->option_text("LIST")
      ->delimiter(',');
  app.add_option("--trace-contexts", options.traceContexts,
                 "trace only these contexts: workers 0 to 5, or s, the "
                 "supervisor")
      ->option_text("LIST")
      ->delimiter(',');
  app.add_option("--trace-cycles", options.traceCycles,
                 "trace only what is issued in these cycles of a tile")
      ->option_text("LIST")
      ->delimiter(',');
  app.add_option("--break", options.breakpoints,
                 "stop where a tile is about to execute this, and print its "
                 "registers")
      ->option_text("SYMBOL|ADDRESS")
      ->take_all();
  app.add_flag("--check", options.check,
               "look for mistakes in codelets: bounds, uninit, races, "
               "alignment, deadstores, all (default: all but deadstores); exit "
               "status 1 if there are any")
      ->option_text("[=LIST]");
  app.add_option("--check-output", options.checkOutput,
                 "write the findings of --check to a file, as SARIF 2.1.0")
      ->option_text("FILE");
  app.add_option("--dump-tile", options.dumpTiles,
                 "print the memory of these tiles at the end, also after a "
                 "fault; lines of zeros are left out")
      ->option_text("LIST")
      ->delimiter(',');
  app.add_flag("--dump-state", options.dumpState,
               "print the registers of all tiles that have run at the end, "
               "also after a fault, as one JSON object")
      ->option_text("=json");
}

void addTrainingOptions(CLI::App &app, Options &options) {
  CLI::Option *steps =
      app.add_option(
             "--steps", options.steps,
             "run N steps, each with the next batches of the inputs: "
             "arrays are [batches, batch, ...], or samples that are cut "
             "into batches; from the end they go on at the beginning")
          ->option_text("N")
          ->check(CLI::Range(std::uint64_t(1), std::uint64_t(1) << 40));
  auto add = [&](const char *name, std::string &file, const char *help) {
    app.add_option(name, file, help)->option_text("FILE")->needs(steps);
  };
  app.add_option("--shuffle", options.shuffle,
                 "take the samples in another order each time round")
      ->option_text("SEED")
      ->needs(steps);
  add("--loss-out", options.lossOut, "write the loss of each step as CSV");
  add("--save-weights", options.saveWeights,
      "write the ONNX model with the weights, and the state of the optimizer, "
      "after the last step");
  add("--checkpoint", options.checkpoint,
      "write all that the program keeps between steps (.npz)");
  add("--resume", options.resume, "go on from such a file");
}

void addImageOptions(CLI::App &app, ImageOptions &options) {
  app.add_option("--image-mean", options.mean,
                 "of inputs that are images: what is taken off each channel, "
                 "whose pixels are 0 to 1")
      ->option_text("X,X,X")
      ->delimiter(',');
  app.add_option("--image-std", options.deviation,
                 "what each channel is divided by after that")
      ->option_text("X,X,X")
      ->delimiter(',')
      ->check(positive);
  app.add_option("--image-fit", options.fit,
                 "an image of another shape than the input loses its edges, or "
                 "is stretched")
      ->option_text("crop|stretch (default crop)")
      ->check(CLI::IsMember({"crop", "stretch"}));
  app.add_option("--image-layout", options.layout,
                 "channels, height and width in the input's shape, where 1 or "
                 "3 channels do not tell")
      ->option_text("chw|hwc")
      ->check(CLI::IsMember({"chw", "hwc"}));
}

void addOptions(CLI::App &app, Options &options) {
  app.add_option(
         "FILE.ipux", options.files,
         "executable file, made by popart-compile or poplar::Engine; - is "
         "one on standard input")
      ->option_text(" ")
      ->required();
  auto *tile = app.add_flag(
      "--tile", options.tile,
      "the files are objects of a C or C++ program, made by popc "
      "--target=ipu2 -c: run its main() on one worker of one tile, with what "
      "is behind -- as its arguments; its exit status is that of ipu-run");
  app.add_option("--target", options.target, "target of --tile")
      ->option_text("NAME (default ipu2)")
      ->needs(tile)
      ->check([](const std::string &name) {
        const TargetInfo *target = findTarget(name);
        return target && target->isIpu()
                   ? std::string()
                   : "there is no IPU target '" + name + "'";
      });
  app.add_option(
         "--input", options.inputs,
         "value of an input: a file (.npy, .npz, an ONNX tensor in .pb, a PNG "
         "or JPEG image, - for one of them on standard input, or its bytes in "
         "raw:FILE), a folder of such files, one for each sample, random "
         "numbers or zeros")
      ->option_text("NAME=FILE|DIR|random[:SEED]|zeros")
      ->take_all();
  addImageOptions(app, options.images);
  app.add_option("--test-data", options.testData,
                 "inputs and expected outputs as in ONNX's test data sets: "
                 "input_N.pb, output_N.pb")
      ->option_text("DIR");
  app.add_option("--output-dir", options.outputDirectory,
                 "write each output to DIR/NAME.npy")
      ->option_text("DIR");
  app.add_option("--output-format", options.outputFormat,
                 "of --output-dir: a file DIR/NAME.npy for each output, or all "
                 "of them in DIR/outputs.npz or DIR/outputs.json")
      ->option_text("npy|npz|json (default npy)")
      ->needs("--output-dir")
      ->check(CLI::IsMember({"npy", "npz", "json"}));
  app.add_option("--compare", options.comparisons,
                 "compare an output with a file")
      ->option_text("NAME=FILE")
      ->take_all();
  app.add_option("--expect", options.expectations,
                 "compare an output with numbers; one stands for all elements")
      ->option_text("NAME=X[,X...]")
      ->take_all();
  app.add_option("--rtol", options.tolerance.relative,
                 "relative tolerance of comparisons")
      ->option_text("X (default 1e-4)")
      ->check(notNegative);
  app.add_option("--atol", options.tolerance.absolute,
                 "absolute tolerance of comparisons")
      ->option_text("X (default 1e-6)")
      ->check(notNegative);
  CLI::Option *against =
      app.add_option("--against", options.against,
                     "run another executable with the same inputs, or take the "
                     "files of DIR that --output-dir wrote, and compare output "
                     "by output; with popart-compile --anchor all, these are "
                     "the layers of a model")
          ->option_text("FILE.ipux|DIR");
  app.add_flag("--json", options.json,
               "print what --against finds as one JSON object, and nothing "
               "else to standard output")
      ->needs(against);
  app.add_option("--repeat", options.repeat, "run N times")
      ->option_text("N")
      ->check(CLI::Range(1u, 1000000000u));
  app.add_option("--seconds", options.seconds,
                 "run again until so much host time has passed, and at least "
                 "--repeat times; --stats then shows percentiles")
      ->option_text("X")
      ->check(positive);
  app.add_option("--warmup", options.warmup,
                 "run N times before, without counting")
      ->option_text("N");
  app.add_option("--threads", options.threads,
                 "host threads (default: $POPULUS_THREADS, or as many as the "
                 "machine has); results and cycles do not depend on it")
      ->option_text("N")
      ->check(CLI::Range(0u, runtime::WorkerPool::MostThreads));
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
  app.add_option("--max-seconds", options.maxSeconds,
                 "stop with an error after this time on the host")
      ->option_text("X")
      ->check(positive);
  app.add_option("--max-host-memory", options.maxMemory,
                 "stop with an error when ipu-run takes more memory, such as "
                 "512M or 4G")
      ->option_text("SIZE");
  app.add_option("--progress", options.progress,
                 "write a line with runs, cycles and time to stderr while the "
                 "program runs; by default on a terminal only")
      ->option_text("auto|always|never")
      ->check(CLI::IsMember({"auto", "always", "never"}));
  app.add_flag("--stats", options.stats,
               "print cycles by kind, balance and speed; --stats=json prints "
               "one JSON object and nothing else to standard output")
      ->option_text("[=json]");
  app.add_flag("--profile", options.profile,
               "print which compute sets, exchanges and transfers take how "
               "many cycles, the longest first; --profile=json prints one JSON "
               "object and nothing else to standard output")
      ->option_text("[=json]");
  app.add_option("--report", options.report,
                 "write a report of the program and its runs to "
                 "DIR/profile.pop, for ipu-report")
      ->option_text("DIR");
  app.add_flag(
         "--report-instructions", options.reportInstructions,
         "also count in the report how often each instruction is "
         "executed, for ipu-report DIR vertex NAME; slower, with the same "
         "results and cycles")
      ->needs("--report");
  addWatchOptions(app, options);
  app.add_option("--diagnostics", options.diagnostics,
                 "how errors, faults and findings of --check are written to "
                 "stderr: as text, or each as one JSON object in a line")
      ->option_text("text|json (default text)")
      ->check(CLI::IsMember({"text", "json"}));
  app.add_flag("--info", options.info,
               "print what the file holds and stop; --info=json prints it as "
               "one JSON object, with the memory of every tile")
      ->option_text("[=json]");
  app.add_flag("--allow-native", options.allowNative,
               "run files for the CPU and IPU Model devices: they hold host "
               "code, which can do anything that you can");
}

/// Excludes options that do not apply to a program for a single tile.
void excludeFromTile(CLI::App &app) {
  for (const char *name :
       {"--input", "--test-data", "--output-dir", "--output-format",
        "--compare", "--expect", "--against", "--rtol", "--atol", "--repeat",
        "--warmup", "--threads", "--progress", "--info", "--steps",
        "--allow-native", "--profile", "--report"})
    app.get_option("--tile")->excludes(app.get_option(name));
}

void checkFiles(Options &options) {
  if (options.tile)
    return;
  if (!options.arguments.empty())
    throw UsageError("arguments behind -- are for programs with --tile");
  if (options.files.size() != 1)
    throw UsageError("one executable file is run at a time, not also '" +
                     options.files[1] +
                     "' (values of --profile and --trace follow '=', a report "
                     "goes to --report DIR, several files are for --tile)");
  options.file = options.files.front();
}

/// A flag that may have a value has the value "true" if it has none.
void checkChoice(std::string &value, const char *option,
                 std::initializer_list<const char *> choices) {
  if (value == "true")
    value = *choices.begin();
  std::string list;
  for (const char *choice : choices) {
    if (value.empty() || value == choice)
      return;
    list += std::string(list.empty() ? "" : " or ") + choice;
  }
  throw UsageError(std::string(option) + "=" + value + ": expected " + list);
}

void checkOptions(Options &options) {
  checkChoice(options.stats, "--stats", {"text", "json"});
  checkChoice(options.profile, "--profile", {"text", "json"});
  checkChoice(options.info, "--info", {"text", "json"});
  if ((options.stats == "json") + (options.profile == "json") + options.json >
      1)
    throw UsageError("only one of --stats=json, --profile=json and --json can "
                     "have standard output");
  if (!options.against.empty() && options.steps != 0)
    throw UsageError("--against compares one run; it has no --steps");
  checkChoice(options.trace, "--trace", {"instructions", "steps"});
  checkChoice(options.dumpState, "--dump-state", {"json"});
  const bool filters = !options.traceTiles.empty() ||
                       !options.traceContexts.empty() ||
                       !options.traceCycles.empty();
  if (filters && options.trace != "instructions")
    throw UsageError(
        "--trace-tiles, --trace-contexts and --trace-cycles narrow "
        "down --trace; add it");
  if (options.check == "true" ||
      (options.check.empty() && !options.checkOutput.empty()))
    options.check = "mistakes";
  if (!options.maxMemory.empty() && parseBytes(options.maxMemory) == 0)
    throw UsageError("--max-host-memory " + options.maxMemory +
                     ": expected a size such as 512M or 4G");
  checkFiles(options);
}

Span parseSpan(const std::string &option, const std::string &text) {
  const std::size_t dash = text.find('-');
  const auto number = [&](const std::string &digits) -> std::uint64_t {
    if (option == "--trace-contexts" && digits == "s")
      return 6;
    if (digits.empty() || digits.size() > 18 ||
        digits.find_first_not_of("0123456789") != std::string::npos)
      throw UsageError(option + " " + text +
                       ": expected numbers and ranges, such as 3 or 0-7");
    return std::stoull(digits);
  };
  const Span span = {
      number(text.substr(0, dash)),
      number(text.substr(dash == std::string::npos ? 0 : dash + 1))};
  if (span.first > span.last)
    throw UsageError(option + " " + text + ": the range ends before it begins");
  if (option == "--trace-contexts" && span.last > 6)
    throw UsageError(option + " " + text +
                     ": a tile has the contexts 0 to 5 and s");
  return span;
}

} // namespace

std::vector<Span> parseSpans(const std::string &option,
                             const std::vector<std::string> &list) {
  std::vector<Span> spans;
  for (const std::string &text : list)
    spans.push_back(parseSpan(option, text));
  return spans;
}

void checkTiles(const Options &options, std::uint32_t numTiles) {
  for (const auto &[option, list] :
       {std::pair("--trace-tiles", options.traceTiles),
        std::pair("--dump-tile", options.dumpTiles)})
    for (const Span &span : parseSpans(option, list))
      if (span.last >= numTiles)
        throw UsageError(std::string(option) + ": the program has " +
                         (numTiles == 1
                              ? "tile 0 only"
                              : "tiles 0 to " + std::to_string(numTiles - 1)));
}

WatchOptions watchOptions(const Options &options) {
  WatchOptions watch;
  if (options.trace == "instructions")
    watch.trace.out = &std::cerr;
  watch.trace.tiles = parseSpans("--trace-tiles", options.traceTiles);
  watch.trace.contexts = parseSpans("--trace-contexts", options.traceContexts);
  watch.trace.cycles = parseSpans("--trace-cycles", options.traceCycles);
  watch.breakpoints = options.breakpoints;
  const std::optional<CheckOptions> checks = CheckOptions::parse(options.check);
  if (!checks)
    throw UsageError("--check=" + options.check +
                     ": expected a list of bounds, uninit, races, alignment, "
                     "deadstores, or all");
  watch.checks = *checks;
  watch.countInstructions = options.reportInstructions;
  return watch;
}

CommandLine parseCommandLine(int argc, char **argv) {
  CommandLine line;
  CLI::App app(
      "Runs a program for an IPU on an emulated IPU (or, for files made "
      "for the CPU and\nIPU Model devices, as host code): its first "
      "program is run once.",
      "ipu-run");
  app.footer(
      "ipu-run does not compile anything: popart-compile makes executables "
      "from ONNX\nmodels. Modelled cycles are those of the virtual IPU "
      "(docs/machine.md), not of a\nparticular chip.\n\n"
      "Exit status: 0 success (also at a breakpoint), 1 the run or a file "
      "failed or "
      "there are\nfindings, 2 wrong usage, 4 does not fit in "
      "memory, 5 an output is\nnot as expected, 70 internal error.");
  app.formatter(std::make_shared<HelpFormatter>());
  app.set_version_flag("--version", versionText());
  addOptions(app, line.options);
  addTrainingOptions(app, line.options);
  excludeFromTile(app);
  // Arguments after -- belong to the program.
  char **const end = argv + argc;
  char **const dashes = std::find(argv, end, std::string_view("--"));
  if (dashes != end)
    line.options.arguments.assign(dashes + 1, end);
  try {
    app.parse(static_cast<int>(dashes - argv), argv);
  } catch (const CLI::Success &help) {
    app.exit(help);
    line.help = true;
    return line;
  } catch (const CLI::ParseError &error) {
    throw UsageError(explainUsage(error, app, {argv + 1, dashes}) +
                     "; see ipu-run --help");
  }
  checkOptions(line.options);
  return line;
}

} // namespace populus::run
