// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Definition of the options, and conversion of their texts. Names that depend
// on the model (inputs, anchors) are checked when it has been read.

#include "tools/popart-compile/Options.h"

#include "lib/PopART/Import/Forms.h"
#include "lib/PopART/Import/ModelFile.h"
#include "lib/PopART/Support/Environment.h"
#include "lib/PopART/Support/Error.h"
#include "lib/PopART/Training/Texts.h"
#include "lib/Poplar/Support/NearestName.h"
#include "runtime/Target/TargetInfo.h"
#include "tools/HelpFormatter.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <map>
#include <sstream>

namespace populus::popir {

namespace {

constexpr const char *Description =
    "Compiles an ONNX model to a program for the IPU, which ipu-run runs: for "
    "inference,\nor, with --loss and --optimizer, for training.";

constexpr const char *Footer =
    "A model that needs operators which are not supported is refused; all of "
    "them are\nnamed. POPART_LOG_LEVEL=DEBUG shows what happens.\n\n"
    "Exit status: 0 success, 1 the model cannot be compiled, 2 wrong usage, 3 "
    "something\nis not supported, 4 the program does not fit in memory, 70 "
    "internal error.";

[[noreturn]] void failUsage(const std::string &text) {
  throw Error(ErrorKind::Usage, text);
}

/// A number, positive unless `smallest` says something else, or a usage Error
/// naming the option.
template <class T>
T parseNumber(const std::string &option, std::string_view text, T smallest = 1,
              T largest = std::numeric_limits<T>::max()) {
  T value{};
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  bool isNumber = error == std::errc() && end == text.data() + text.size();
  if (!isNumber || !(value >= smallest)) // NaN is not, either
    failUsage(fmt::format("{}: '{}' is not a number of {} or more", option,
                          text, smallest));
  if (value > largest)
    failUsage(fmt::format("{}: '{}' is more than {}", option, text, largest));
  return value;
}

/// Splits "NAME=VALUE" at the last '='. Value names may contain others.
std::pair<std::string, std::string> splitPair(const std::string &option,
                                              const std::string &text,
                                              const char *example) {
  std::size_t place = text.rfind('=');
  if (place == std::string::npos || place == 0 || place + 1 == text.size())
    failUsage(
        fmt::format("{}: '{}' is not of the form {}", option, text, example));
  return {text.substr(0, place), text.substr(place + 1)};
}

Shape parseShape(const std::string &option, const std::string &text) {
  Shape shape;
  if (text == "scalar")
    return shape;
  for (std::size_t begin = 0, end = 0; end != std::string::npos;
       begin = end + 1) {
    end = text.find('x', begin);
    shape.push_back(parseNumber<std::int64_t>(
        option, std::string_view(text).substr(begin, end - begin)));
  }
  return shape;
}

/// Adds what an option says about a name, about which it may say one thing.
template <class T>
void addOnce(std::map<std::string, T> &map, const std::string &option,
             const std::string &name, T value) {
  if (!map.emplace(name, std::move(value)).second)
    failUsage(fmt::format("{}: '{}' is there twice", option, name));
}

AnchorReturn parseAnchorReturn(const std::string &text) {
  if (text == "ALL")
    return {};
  if (text == "FINAL")
    return {AnchorReturn::Final};
  if (text == "SUM")
    return {AnchorReturn::Sum};
  constexpr std::string_view EveryN = "EVERYN:";
  if (text.substr(0, EveryN.size()) == EveryN)
    return {AnchorReturn::EveryN,
            parseNumber<unsigned>("--anchor", text.substr(EveryN.size()))};
  failUsage(fmt::format(
      "--anchor: '{}' is not one of ALL, FINAL, SUM and EVERYN:<n>", text));
}

/// What CLI11 stores as text, to be converted after parsing.
struct Texts {
  std::vector<std::string> inputShapes, dims, fixedInputs, bounds, anchors;
  std::vector<std::string> patterns;
  std::string emit = "ipux", precision = "fp32", partials, time, device;
  std::string floatConvolutions, foldingBudget, outlineThreshold, dryRun;
  std::string progress = "auto", cacheDirectory, jobs;
  std::string loss, optimizer, recompute;
  std::vector<std::string> frozen;
  bool noCache = false;
  std::string numIpus, tiles, batchesPerStep = "1";
  std::string fit = "auto", availableMemory;
};

void addModelOptions(CLI::App &app, CommandLine &result, Texts &texts) {
  app.add_option("MODEL", result.compile.model,
                 "the ONNX model, or a module that --emit=pir wrote (.pir); - "
                 "is a model on standard input")
      ->option_text(" ");
  app.add_option("-o,--output", result.compile.output,
                 "the file to write (default: the model's name with .ipux, in "
                 "the current folder; for --emit of text, and with -, "
                 "standard output)")
      ->option_text("FILE");
  app.add_option("--input-shape", texts.inputShapes,
                 "the shape of an input, such as x=1x3x224x224; repeatable")
      ->option_text("NAME=DxDx...")
      ->allow_extra_args(false);
  app.add_option(
         "--dim", texts.dims,
         "the extent of a dimension that the model only names; repeatable")
      ->option_text("NAME=N")
      ->allow_extra_args(false);
  app.add_option("--fix-input", texts.fixedInputs,
                 "make an input a constant, with the value of "
                 "a file (.pb or .npy) or with numbers between commas; "
                 "repeatable")
      ->option_text("NAME=FILE|VALUE")
      ->allow_extra_args(false);
  app.add_option("--fix-inputs", result.compile.import.fixed.folder,
                 "a folder with input_0.pb, input_1.pb, … (a test data set of "
                 "ONNX): inputs that have to be known, such as shapes and "
                 "axes, are made constants")
      ->option_text("DIR");
  app.add_option("--bound", texts.bounds,
                 "compute what has a size that depends on values, such as "
                 "NonMaxSuppression, on the device: the results of the node "
                 "with the result NAME are padded to N, or to the largest size "
                 "(auto), and NAME_count is returned, too; repeatable, auto "
                 "alone is for all such nodes")
      ->option_text("NAME=N|auto")
      ->allow_extra_args(false);
  app.add_option("--anchor", texts.anchors,
                 "return this tensor instead of "
                 "the model's outputs, for every batch of a step, the last "
                 "one, added up, or every n-th one; repeatable")
      ->option_text("NAME[=ALL|FINAL|SUM|EVERYN:N]")
      ->allow_extra_args(false);
  app.add_flag("--strict", result.compile.import.isStrict,
               "refuse what is computed with less precision than the model "
               "says, such as double, of which there is a warning else");
  app.add_option("--batches-per-step", texts.batchesPerStep,
                 "batches that one run of the program works through")
      ->option_text("N (default 1)");
  app.add_option("--precision", texts.precision,
                 "type of the computation: fp32 (as the model says) "
                 "or fp16 (what is float32 becomes float16)")
      ->option_text("fp32|fp16 (default fp32)");
  app.add_option("--float32-convolutions", texts.floatConvolutions,
                 "with --precision fp16: so many convolutions at the beginning "
                 "of the model, and what comes before and between them, are "
                 "computed in float32 (default: a third of them)")
      ->option_text("N");
  app.add_option("--partials", texts.partials,
                 "type in which matrix products and convolutions add up")
      ->option_text("half|float (default float)");
}

void addTrainingOptions(CLI::App &app, Texts &texts) {
  app.add_option("--loss", texts.loss,
                 "compile a program that trains the model. KIND is nll (of "
                 "probabilities), softmax-nll (of logits), l1, mse or identity "
                 "(of the output alone); LABELS becomes an input where the "
                 "model has none")
      ->option_text("KIND:OUTPUT,LABELS[,reduction=mean|sum][,ignore=K]");
  app.add_option("--recompute", texts.recompute,
                 "what of the forward pass is computed again for gradients, "
                 "which takes less memory and more time: none, norms, standard "
                 "(all but products and convolutions) or all")
      ->option_text("KIND (default none)");
  app.add_option("--optimizer", texts.optimizer,
                 "how --loss is made smaller: sgd, adam, "
                 "adamw, adamax, lamb, rmsprop, adagrad or adadelta, with lr, "
                 "weight_decay, loss_scaling, clip and what else each has")
      ->option_text("NAME:key=value,... (default sgd)");
  app.add_option("--freeze", texts.frozen,
                 "a weight that is not trained; repeatable. What has "
                 "elements of 10000 and more is taken for a mask and is not "
                 "trained either")
      ->option_text("NAME")
      ->allow_extra_args(false);
}

void addMachineOptions(CLI::App &app, CommandLine &result, Texts &texts) {
  std::vector<std::string_view> names;
  for (const auto &target : populus::runtime::allTargets())
    names.push_back(target.name);
  app.add_option("--target", result.compile.machine.target, "the machine")
      ->option_text(fmt::format("{} (default ipu2)", fmt::join(names, "|")));
  app.add_option("--device", texts.device,
                 "how programs run: ipu (emulated IPU code), ipu-model (host "
                 "code with cycle estimates) or cpu (default: cpu for --target "
                 "cpu, else ipu)")
      ->option_text("ipu|ipu-model|cpu");
  app.add_option("--num-ipus", texts.numIpus, "number of IPUs")
      ->option_text("N (default 1)");
  app.add_option("--tiles", texts.tiles,
                 "tiles of each IPU to use (default: all)")
      ->option_text("N");
  app.add_option(
         "--available-memory", texts.availableMemory,
         "the share of a tile's memory that the operands and partial "
         "sums of a product or convolution may take while it runs; less "
         "of it takes more time")
      ->option_text("X (default 0.6)");
  app.add_option("--fit", texts.fit,
                 "auto: where the program does not fit, look for "
                 "--available-memory, --recompute and --num-ipus with which it "
                 "does; those that are given stay. off: say that it does not "
                 "fit")
      ->option_text("auto|off (default auto)");
}

void addCompilerOptions(CLI::App &app, CommandLine &result, Texts &texts) {
  app.add_option("--patterns", texts.patterns,
                 "transforms to switch on, or off with '-': "
                 "all,-BatchNormIntoConv; see --list-patterns")
      ->option_text("LIST")
      ->allow_extra_args(false);
  app.add_option("--custom-op", result.customOps,
                 "a shared library with operators of your own (repeatable)")
      ->option_text("LIB.so")
      ->allow_extra_args(false);
  app.add_option("--folding-budget", texts.foldingBudget,
                 "bytes that the results of folded constants may have in all, "
                 "0 for what must be folded only")
      ->option_text("BYTES (default 268435456)");
  app.add_option("--outline-threshold", texts.outlineThreshold,
                 "the code that a repeated part of the model has to have to "
                 "become a function, in products of matrices")
      ->option_text("X (default 1)");
  app.add_flag("--outline-copy-cost-pruning,!--no-outline-copy-cost-pruning",
               result.compile.pipeline.options.outline.pruneByCopyCost,
               "leave repeated parts alone whose weights, arguments and "
               "results are more to copy than is saved (on)");
  app.add_option("--emit", texts.emit,
                 "what to write: ipux, ir (the IR after all passes, as text), "
                 "pir (the same with all weights, for popir-opt), dot (the "
                 "same as a drawing) or import (the IR as imported)")
      ->option_text("ipux|ir|pir|dot|import (default ipux)");
  app.add_option("--dump-stages", result.compile.dumpDirectory,
                 "a folder that receives the IR after each transform")
      ->option_text("DIR");
  app.add_flag("--time{text}", texts.time,
               "report the time of each stage, as text on standard error or "
               "(--time=json) as JSON on standard output");
  app.add_option(
         "--profile", result.compile.profile,
         "a file that receives a summary of the program: memory by "
         "tile and by use, vertices, exchanges; named FILE.pop, it is a report "
         "for ipu-report (ipu-run --report makes one with cycles)")
      ->option_text("FILE");
  app.add_flag("--dry-run{text}", texts.dryRun,
               "write no executable; say on standard output whether it fits, "
               "how many cycles a step takes, and how long compiling took, as "
               "text or (--dry-run=json) as JSON");
  app.add_option("--progress", texts.progress,
                 "how far compiling is: auto draws it on a terminal")
      ->option_text("auto|plain|json|off (default auto)");
  app.add_option("--cache-dir", texts.cacheDirectory,
                 "a folder that keeps executables for the next time (default: "
                 "POPART_CACHE_DIR, else none)")
      ->option_text("DIR");
  app.add_flag("--no-cache", texts.noCache,
               "compile even what is in the cache");
  app.add_flag("--verify", result.compile.verifyLowering,
               "check that the compiled program reads everywhere what the "
               "model says; a mistake is an internal error");
  app.add_option("--repro", result.reproducer,
                 "write a tar archive with the model and the options, for "
                 "reports of mistakes")
      ->option_text("FILE");
  app.add_option("-j,--jobs", texts.jobs,
                 "host threads (default: one for each processor)")
      ->option_text("N");
  app.add_option("--save-options", result.saveOptionsTo,
                 "write the options to a file")
      ->option_text("FILE");
  app.set_config("--options", "", "read options from such a file")
      ->option_text("FILE");
  app.allow_config_extras(false);
  app.add_flag("-v", result.verbosity,
               "say what is done; twice: in more detail");
  app.add_flag("--list-operators{text}", result.listOperators,
               "list the operators and versions that are supported, as text or "
               "(--list-operators=markdown) as docs/operators.md");
  app.add_flag("--list-patterns", result.listPatterns,
               "list the transforms for --patterns");
}

Stage parseStage(const std::string &text) {
  if (text == "ipux")
    return Stage::Executable;
  if (text == "ir")
    return Stage::Ir;
  if (text == "pir")
    return Stage::Pir;
  if (text == "import")
    return Stage::Import;
  if (text == "dot")
    return Stage::Dot;
  failUsage(fmt::format(
      "--emit: '{}' is not one of ipux, ir, pir, dot and import", text));
}

Report parseReport(const std::string &option, const std::string &text) {
  if (text == "text")
    return Report::Text;
  if (text == "json")
    return Report::Json;
  failUsage(fmt::format("{}: '{}' is not one of text and json", option, text));
}

std::string parsePartials(const std::string &text) {
  if (!text.empty() && text != "half" && text != "float")
    failUsage(
        fmt::format("--partials: '{}' is not one of half and float", text));
  return text;
}

bool parsePrecision(const std::string &text) {
  if (text != "fp32" && text != "fp16")
    failUsage(fmt::format("--precision: '{}' does not exist; use fp32 or fp16",
                          text));
  return text == "fp16";
}

ProgressKind parseProgress(const std::string &text) {
  if (text == "auto")
    return ProgressKind::Auto;
  if (text == "plain")
    return ProgressKind::Plain;
  if (text == "json")
    return ProgressKind::Json;
  if (text == "off")
    return ProgressKind::Off;
  failUsage(fmt::format(
      "--progress: '{}' is not one of auto, plain, json and off", text));
}

/// The cache that the options or else the environment name.
std::string cacheDirectory(const Texts &texts) {
  if (texts.noCache)
    return "";
  const char *fromEnvironment = environment("CACHE_DIR");
  return texts.cacheDirectory.empty() && fromEnvironment ? fromEnvironment
                                                         : texts.cacheDirectory;
}

void convertShapes(const Texts &texts, ShapeOptions &shapes) {
  for (const std::string &text : texts.inputShapes) {
    auto [name, shape] = splitPair("--input-shape", text, "NAME=1x3x224x224");
    addOnce(shapes.inputShapes, "--input-shape", name,
            parseShape("--input-shape", shape));
  }
  for (const std::string &text : texts.dims) {
    auto [name, extent] = splitPair("--dim", text, "NAME=1");
    addOnce(shapes.dims, "--dim", name,
            parseNumber<std::int64_t>("--dim", extent));
  }
}

void convertFixedInputs(const Texts &texts, FixedInputs &fixed) {
  for (const std::string &text : texts.fixedInputs) {
    auto [name, value] = splitPair("--fix-input", text, "NAME=FILE|VALUE");
    addOnce(fixed.values, "--fix-input", name, value);
  }
}

void convertBounds(const Texts &texts, BoundOptions &options) {
  for (const std::string &text : texts.bounds) {
    if (text == "auto") {
      options.boundsAll = true;
      continue;
    }
    auto [name, bound] = splitPair("--bound", text,
                                   "NAME=100, NAME=auto or "
                                   "auto");
    addOnce(options.bounds, "--bound", name,
            bound == "auto" ? 0 : parseNumber<std::int64_t>("--bound", bound));
  }
}

void convertAnchors(const Texts &texts, CompileOptions &options) {
  options.program.batchesPerStep =
      parseNumber<unsigned>("--batches-per-step", texts.batchesPerStep);
  for (const std::string &text : texts.anchors) {
    std::size_t place = text.rfind('=');
    std::string name = text.substr(0, place);
    AnchorReturn wanted;
    if (place != std::string::npos)
      wanted = parseAnchorReturn(text.substr(place + 1));
    if (wanted.n > options.program.batchesPerStep)
      failUsage(fmt::format("--anchor: '{}' would never be returned, for "
                            "--batches-per-step is {}",
                            text, options.program.batchesPerStep));
    options.import.anchors.push_back(name);
    addOnce(options.program.anchorReturns, "--anchor", name, wanted);
  }
}

void convertPrecision(const Texts &texts, CompileOptions &options) {
  const bool isHalf = parsePrecision(texts.precision);
  if (isHalf)
    options.pipeline.demanded.insert("HalfPrecision");
  options.program.partials = parsePartials(texts.partials);
  if (texts.floatConvolutions.empty())
    return;
  if (!isHalf)
    failUsage("--float32-convolutions: there are only float32 ones without "
              "--precision fp16");
  options.pipeline.options.floatConvolutions = parseNumber<std::size_t>(
      "--float32-convolutions", texts.floatConvolutions, 0);
}

/// How far to go, and what is told about it.
void convertOutput(const Texts &texts, CommandLine &result) {
  CompileOptions &options = result.compile;
  options.stop = parseStage(texts.emit);
  if (!texts.dryRun.empty())
    result.dryRun = parseReport("--dry-run", texts.dryRun);
  options.dryRun = result.dryRun != Report::None;
  if (!texts.time.empty())
    result.time = parseReport("--time", texts.time);
  result.progress = parseProgress(texts.progress);
  bool isText = options.stop != Stage::Executable;
  if (isText && options.dryRun)
    failUsage("--dry-run: --emit=" + texts.emit + " compiles nothing");
  if (isText && !options.profile.empty())
    failUsage("--profile: --emit=" + texts.emit + " makes no program");
  if (options.output == "-" && !isText)
    failUsage("--output: executables are not written to standard output");
  if (options.output.empty() && !isText && !options.model.empty())
    options.output =
        std::filesystem::path(options.model).stem().string() + ".ipux";
}

/// A file is not written over another one that has a meaning.
void checkFiles(const CommandLine &result) {
  const CompileOptions &options = result.compile;
  const std::pair<const char *, const std::string &> files[] = {
      {"the model", options.model},
      {"--output", options.output},
      {"--profile", options.profile},
      {"--repro", result.reproducer},
      {"--save-options", result.saveOptionsTo}};
  std::map<std::string, const char *> known;
  for (const auto &[role, path] : files) {
    std::error_code error;
    bool isFile = !path.empty() && path != "-";
    if (!isFile || std::filesystem::is_character_file(path, error))
      continue;
    auto [other, isNew] = known.emplace(
        std::filesystem::weakly_canonical(path, error).string(), role);
    if (!isNew)
      failUsage(
          fmt::format("{}: '{}' is the file of {}", role, path, other->second));
  }
}

Recomputation parseRecomputation(const std::string &text) {
  if (text.empty())
    return Recomputation::None;
  const auto recomputation = recomputationOf(text);
  if (!recomputation)
    failUsage(fmt::format("--recompute: there is no '{}'; there are {}", text,
                          fmt::join(recomputationNames(), ", ")));
  return *recomputation;
}

void convertTraining(const Texts &texts, CompileOptions &options) {
  if (texts.loss.empty()) {
    if (!texts.optimizer.empty())
      failUsage("--optimizer: there is nothing to make smaller; name it with "
                "--loss");
    if (!texts.frozen.empty())
      failUsage("--freeze: without --loss nothing is trained");
    if (!texts.recompute.empty())
      failUsage("--recompute: without --loss there is no backward pass");
    return;
  }
  if (options.import.bounds.isAny())
    failUsage("--bound: what is padded cannot be trained; leave --loss out");
  options.training = {
      parseLoss(texts.loss),
      parseOptimizer(texts.optimizer.empty() ? "sgd" : texts.optimizer),
      {texts.frozen.begin(), texts.frozen.end()},
      parseRecomputation(texts.recompute)};
}

void convertFit(const Texts &texts, CompileOptions &options) {
  if (texts.fit != "auto" && texts.fit != "off")
    failUsage(fmt::format("--fit: '{}' is not one of auto and off", texts.fit));
  options.fit.searches = texts.fit == "auto";
  options.fit.availableMemory = texts.availableMemory.empty();
  options.fit.recomputation = texts.recompute.empty();
  options.fit.numIpus = texts.numIpus.empty();
  if (!texts.availableMemory.empty())
    options.program.setAvailableMemory(parseNumber<double>(
        "--available-memory", texts.availableMemory, 0.0, 1.0));
}

void convert(const Texts &texts, CommandLine &result) {
  CompileOptions &options = result.compile;
  if (!result.listOperators.empty() && result.listOperators != "text" &&
      result.listOperators != "markdown")
    failUsage(fmt::format("--list-operators: '{}' is not one of text and "
                          "markdown",
                          result.listOperators));
  if (options.model.empty() && result.listOperators.empty() &&
      !result.listPatterns)
    failUsage("there is no model; give the path of an ONNX file");
  const bool isText = texts.emit != "ipux" || !texts.dryRun.empty();
  if (options.model == "-" && options.output.empty() && !isText)
    failUsage("the model comes from standard input; say with -o FILE where the "
              "executable goes");
  if (options.model == "-" && !result.reproducer.empty())
    failUsage("--repro: the model has to be a file");
  convertShapes(texts, options.import.shapes);
  convertFixedInputs(texts, options.import.fixed);
  convertBounds(texts, options.import.bounds);
  convertAnchors(texts, options);
  convertTraining(texts, options);
  if (!texts.numIpus.empty())
    options.machine.numIpus =
        parseNumber<unsigned>("--num-ipus", texts.numIpus);
  convertFit(texts, options);
  if (!texts.tiles.empty())
    options.machine.tilesPerIpu = parseNumber<unsigned>("--tiles", texts.tiles);
  bool isCpu = options.machine.target == "cpu";
  options.machine.device =
      texts.device.empty() ? (isCpu ? "cpu" : "ipu") : texts.device;
  for (const std::string &list : texts.patterns)
    options.pipeline.patterns.apply(list);
  convertPrecision(texts, options);
  if (!texts.foldingBudget.empty())
    options.import.folding.totalBytes =
        parseNumber<std::uint64_t>("--folding-budget", texts.foldingBudget, 0);
  if (!texts.outlineThreshold.empty())
    options.pipeline.options.outline.threshold =
        parseNumber<double>("--outline-threshold", texts.outlineThreshold, 0.0);
  options.cacheDirectory = cacheDirectory(texts);
  if (!texts.jobs.empty())
    options.jobs = parseNumber<unsigned>("--jobs", texts.jobs, 1, 1024);
  convertOutput(texts, result);
  checkFiles(result);
}

/// The options that were given, as --options reads them.
std::string optionsAsText(const CLI::App &app) {
  std::string text;
  std::istringstream lines(app.config_to_str());
  std::string line;
  while (std::getline(lines, line)) {
    std::string name = line.substr(0, line.find('='));
    bool isSaved = name != "MODEL" && name != "output" && name != "options" &&
                   name != "save-options" && name != "repro";
    if (isSaved)
      text += line + "\n";
  }
  return text;
}

/// No option means something by being empty.
void refuseEmptyValues(const CLI::App &app) {
  for (const CLI::Option *option : app.get_options())
    if (option->get_items_expected_min() != 0)
      for (const std::string &value : option->results())
        if (value.empty())
          failUsage(option->get_name() + ": the value is empty");
}

/// What of a file of options is at fault. Any bytes may be in it.
std::string itemOf(const CLI::ConfigError &error) {
  constexpr std::string_view Prefix = "INI was not able to parse ";
  constexpr std::size_t Longest = 40;
  std::string_view item = error.what();
  if (item.starts_with(Prefix))
    item.remove_prefix(Prefix.size());
  std::string text(item.substr(0, Longest));
  std::ranges::replace_if(
      text, [](unsigned char c) { return c < 0x20 || c > 0x7e; }, '?');
  return text;
}

/// "; did you mean '--tiles'?" for an argument that no option has.
std::string suggestion(const CLI::App &app, int argc, char **argv) {
  std::vector<std::string> names;
  for (const CLI::Option *option : app.get_options())
    for (const std::string &name : option->get_lnames())
      names.push_back("--" + name);
  for (int i = 1; i < argc; ++i) {
    const std::string text(argv[i]);
    const std::string name = text.substr(0, text.find('='));
    if (name.starts_with("--") && std::ranges::count(names, name) == 0)
      return poplar::core::didYouMean(name, names);
  }
  return "";
}

std::string versionText() {
  std::vector<std::string_view> names;
  for (const auto &target : populus::runtime::allTargets())
    names.push_back(target.name);
  return fmt::format("popart-compile {}\ntargets: {}\nLLVM: {}\nONNX opsets: "
                     "up to {}",
                     POPULUS_VERSION, fmt::join(names, ", "),
                     POPULUS_LLVM_VERSION, newestOpset());
}

} // namespace

std::optional<int> parseCommandLine(int argc, char **argv,
                                    CommandLine &commandLine) {
  CLI::App app(Description, "popart-compile");
  app.formatter(std::make_shared<HelpFormatter>());
  app.footer(Footer);
  app.set_version_flag("--version", versionText);
  Texts texts;
  addModelOptions(app, commandLine, texts);
  addTrainingOptions(app, texts);
  addMachineOptions(app, commandLine, texts);
  addCompilerOptions(app, commandLine, texts);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ConfigError &error) {
    failUsage(fmt::format("--options: the file has '{}', which is no option; "
                          "popart-compile --help lists them",
                          itemOf(error)));
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() == 0) // --help, --version
      return app.exit(error);
    failUsage(fmt::format("{}{}; popart-compile --help lists the options",
                          oneLine(error.what()), suggestion(app, argc, argv)));
  }
  refuseEmptyValues(app);
  convert(texts, commandLine);
  commandLine.savedOptions = optionsAsText(app);
  return std::nullopt;
}

} // namespace populus::popir
