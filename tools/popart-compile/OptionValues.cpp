// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of options from their texts. Names that depend on the model (inputs,
// anchors) are checked when it has been read.

#include "tools/popart-compile/OptionTexts.h"

#include "lib/PopART/Import/Forms.h"
#include "lib/PopART/Import/NamePattern.h"
#include "lib/PopART/Support/Environment.h"
#include "lib/PopART/Training/Texts.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <map>

namespace populus::popir {
namespace {

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
  fixed.folder = texts.fixedFolder;
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
  if (!texts.batchesPerStep.empty())
    options.request.program.batchesPerStep =
        parseNumber<unsigned>("--batches-per-step", texts.batchesPerStep);
  for (const std::string &text : texts.anchors) {
    std::size_t place = text.rfind('=');
    std::string name = text.substr(0, place);
    if (name == "all")
      name = "*";
    AnchorReturn wanted;
    if (place != std::string::npos)
      wanted = parseAnchorReturn(text.substr(place + 1));
    if (wanted.n > options.request.program.batchesPerStep)
      failUsage(fmt::format("--anchor: '{}' would never be returned, for "
                            "--batches-per-step is {}",
                            text, options.request.program.batchesPerStep));
    options.import.anchors.push_back(name);
    if (isPattern(name)) {
      if (wanted.kind != AnchorReturn::All)
        failUsage(fmt::format("--anchor {}: a pattern returns its tensors for "
                              "every batch; name those that are {}",
                              text, text.substr(place + 1)));
      continue;
    }
    addOnce(options.request.program.anchorReturns, "--anchor", name, wanted);
  }
}

void convertPrecision(const Texts &texts, CompileOptions &options) {
  const bool isHalf = parsePrecision(texts.precision);
  if (isHalf)
    options.request.pipeline.demanded.insert("HalfPrecision");
  options.request.program.partials = parsePartials(texts.partials);
  if (texts.floatConvolutions.empty())
    return;
  if (!isHalf)
    failUsage("--float32-convolutions: there are only float32 ones without "
              "--precision fp16");
  options.request.pipeline.options.floatConvolutions = parseNumber<std::size_t>(
      "--float32-convolutions", texts.floatConvolutions, 0);
}

/// Converts the options that choose the last stage and the output.
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
    if (!texts.trained.empty())
      failUsage("--train: without --loss nothing is trained");
    if (!texts.frozen.empty())
      failUsage("--freeze: without --loss nothing is trained");
    if (!texts.recompute.empty())
      failUsage("--recompute: without --loss there is no backward pass");
    return;
  }
  if (options.import.bounds.isAny())
    failUsage("--bound: what is padded cannot be trained; leave --loss out");
  options.training = {parseLoss(texts.loss),
                      parseOptimizer(texts.optimizer.empty() ? DefaultOptimizer
                                                             : texts.optimizer),
                      {texts.trained, texts.frozen},
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
    options.request.program.setAvailableMemory(parseNumber<double>(
        "--available-memory", texts.availableMemory, 0.0, 1.0));
}

/// Texts that are values as they are.
void copyTexts(const Texts &texts, CommandLine &result) {
  CompileOptions &options = result.compile;
  options.model = texts.model;
  options.output = texts.output;
  options.profile = texts.profile;
  options.import.isStrict = texts.strict;
  options.request.machine.target = texts.target;
  options.request.dumpDirectory = texts.dumpDirectory;
  options.request.drawings.folder = texts.dumpDirectory;
  result.reproducer = texts.reproducer;
  result.saveOptionsTo = texts.saveOptionsTo;
  result.verbosity = texts.verbosity;
  result.customOps = texts.customOps;
  result.listOperators = texts.listOperators;
  result.listPatterns = texts.listPatterns;
}

} // namespace

void convert(const Texts &texts, CommandLine &result) {
  copyTexts(texts, result);
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
    options.request.machine.numIpus =
        parseNumber<unsigned>("--num-ipus", texts.numIpus);
  convertFit(texts, options);
  if (!texts.tiles.empty())
    options.request.machine.tilesPerIpu =
        parseNumber<unsigned>("--tiles", texts.tiles);
  bool isCpu = options.request.machine.target == "cpu";
  options.request.machine.device =
      texts.device.empty() ? (isCpu ? "cpu" : "ipu") : texts.device;
  for (const std::string &list : texts.patterns)
    options.request.pipeline.patterns.apply(list);
  convertPrecision(texts, options);
  if (!texts.foldingBudget.empty())
    options.import.folding.totalBytes =
        parseNumber<std::uint64_t>("--folding-budget", texts.foldingBudget, 0);
  if (!texts.outlineThreshold.empty())
    options.request.pipeline.options.outlineThreshold =
        parseNumber<double>("--outline-threshold", texts.outlineThreshold, 0.0);
  options.request.cacheDirectory = cacheDirectory(texts);
  options.request.pipeline.options.outlinePrunesByCopyCost =
      texts.prunesByCopyCost;
  if (texts.verify)
    options.request.engineOptions["debug.verifyLowering"] = "true";
  if (!texts.jobs.empty())
    options.request.engineOptions["opt.maxCompilationThreads"] =
        std::to_string(parseNumber<unsigned>("--jobs", texts.jobs, 1, 1024));
  convertOutput(texts, result);
  checkFiles(result);
}

} // namespace populus::popir
