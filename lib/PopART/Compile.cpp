// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The source of popart-compile's modules, and what is done around the driver.

#include "lib/PopART/Compile.h"

#include "lib/PopART/CompileKey.h"
#include "lib/PopART/Custom/Rewrites.h"
#include "lib/PopART/Driver.h"
#include "lib/PopART/IR/Export.h"
#include "lib/PopART/IR/Text.h"
#include "lib/PopART/Import/ModelFile.h"
#include "lib/PopART/Import/TrainedWeights.h"
#include "lib/PopART/Lowering/LeastMemory.h"
#include "lib/PopART/Notes.h"
#include "lib/PopART/Support/Error.h"
#include "lib/PopART/Support/Log.h"
#include "lib/PopART/Support/OutputFile.h"
#include "lib/PopART/Training/Training.h"
#include "lib/Poplar/Engine/ExecutableAccess.h"
#include "lib/Profile/ReportBuilder.h"
#include "lib/Profile/ReportFile.h"
#include "runtime/Format/Executable.h"
#include "runtime/Format/Ipux.h"
#include "runtime/Format/MetadataKeys.h"

#include <nlohmann/json.hpp>
#include <onnx/onnx_pb.h>
#include <poplar/Engine.hpp>
#include <poplar/ProfileValue.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace populus::popir {

namespace {

/// Runs `function`; prepends the model's name to errors.
template <class Function>
auto aboutModel(const std::string &path, Function &&function) {
  try {
    return function();
  } catch (const Error &error) {
    if (error.kind() == ErrorKind::Usage)
      throw;
    throw Error(error.kind(), fmt::format("{}: {}", path, error.what()));
  }
}

/// One compilation, from the model to the file.
class Compilation : private Source {
public:
  explicit Compilation(const CompileOptions &wanted)
      : options(wanted), target(makeTarget(wanted.request.machine)),
        driver(wanted.request, *this), timer(driver.timer()) {
    options.note = [this, tell = wanted.note](const std::string &text) {
      say(Said::Note, text, tell);
    };
    options.import.warn = [this,
                           tell = wanted.import.warn](const std::string &text) {
      say(Said::Warning, text, tell);
    };
  }

  CompileReport run() {
    if (!options.output.empty() && options.output != "-" && !options.dryRun)
      checkWritable(options.output);
    if (!options.profile.empty())
      checkWritable(options.profile);
    if (!isModuleFile(options.model)) // of a module in a file there is no model
      model = timer("read", [&] { return readModel(options.model); });
    const bool isEnough = !options.dryRun && options.profile.empty();
    if (isEnough && copyFromCache())
      return finish(true);
    const Module &module =
        options.stop == Stage::Import ? driver.imported() : driver.module();
    if (std::optional<std::string> text = textOfStage(module)) {
      writeText(options.output, *text);
      return finish(false);
    }
    poplar::Executable executable = compileToFit(module);
    if (options.dryRun) {
      result.estimate = timer("estimate", [&] { return estimate(executable); });
      result.estimate->tileMemory =
          findTarget(options.request.machine.target).bytesPerTile();
    } else {
      timer("write", [&] { write(executable); });
    }
    if (!options.profile.empty())
      timer("profile", [&] { writeProfile(std::move(executable)); });
    return finish(false);
  }

private:
  using Tell = std::function<void(const std::string &)>;

  /// A note or warning. Executables keep them, because a cached one has to say
  /// them again.
  struct Said {
    static constexpr const char *Note = "note", *Warning = "warning";
    std::string kind, text;
  };

  void say(const char *kind, const std::string &text, const Tell &tell) {
    if (tell)
      tell(text);
    said.push_back({kind, text});
  }

  std::string saidAsJson() const {
    auto list = nlohmann::json::array();
    for (const Said &each : said)
      list.push_back({{"kind", each.kind}, {"text", each.text}});
    return list.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }

  /// Says what was said when a cached executable was compiled.
  void repeat(const std::string &json) const {
    for (const auto &each : nlohmann::json::parse(json)) {
      const auto &tell =
          each.at("kind") == Said::Warning ? options.import.warn : options.note;
      tell(each.at("text"));
    }
  }

  CompileReport finish(bool isFromCache) {
    result.isFromCache = isFromCache;
    result.times = timer.times;
    return std::move(result);
  }

  void addTo(OptionKey &key) const override {
    key.add(options, model.SerializeAsString());
  }

  bool isCacheable() const override {
    // The key covers the model only, so other inputs disable the cache.
    constexpr std::size_t MostBytes = std::numeric_limits<int>::max();
    return !isModuleFile(options.model) && options.stop == Stage::Executable &&
           options.import.fixed.values.empty() &&
           options.import.fixed.folder.empty() &&
           model.ByteSizeLong() <= MostBytes; // protobuf's limit
  }

  Module &module(Request &request) override {
    if (isModuleFile(options.model)) // whose errors name it
      imported = readModuleFile();
    else
      imported = aboutModel(options.model, [&] {
        return options.training ? importForTraining(request)
                                : importForInference(request);
      });
    return *imported;
  }

  /// Return the element count under the same anchor policy as the padded
  /// result.
  void addPadded(Request &request, const PaddedResult &result) {
    padded.push_back(result);
    auto &returns = request.program.anchorReturns;
    const auto found = returns.find(result.name);
    if (found == returns.end())
      return;
    if (found->second.kind == AnchorReturn::Sum)
      fail(ErrorKind::Usage,
           "--anchor {}=SUM: it has a bound (--bound), and what is padded is "
           "not added up",
           result.name);
    returns.emplace(result.count, found->second);
  }

  /// The variables that are not trained; the user is notified once.
  std::set<std::string> frozenWeights() {
    const WeightChoice choice = chooseWeights(model, options.training->weights);
    if (!std::exchange(hasToldWeights, true)) {
      for (const std::string &mask : choice.masks)
        options.import.warn(fmt::format(
            "'{}' has elements of 10000 and more, so it is taken for a mask "
            "and not trained",
            mask));
      options.note(choice.text());
    }
    return {choice.frozen.begin(), choice.frozen.end()};
  }

  /// A module file needs no import: it has shapes and results already.
  std::unique_ptr<Module> readModuleFile() const {
    const ImportOptions &import = options.import;
    const bool asksForMore =
        !import.shapes.inputShapes.empty() || !import.shapes.dims.empty() ||
        !import.anchors.empty() || !import.fixed.values.empty() ||
        !import.fixed.folder.empty() || import.bounds.isAny() ||
        options.training;
    if (asksForMore)
      fail(ErrorKind::Usage,
           "{}: --input-shape, --dim, --anchor, --fix-input, --fix-inputs, "
           "--bound and --loss are for ONNX models",
           options.model);
    return readModule(options.model);
  }

  std::unique_ptr<Module> importForInference(Request &request) {
    ImportOptions importOptions = options.import;
    padded.clear();
    importOptions.padded = [&](const PaddedResult &result) {
      addPadded(request, result);
    };
    std::unique_ptr<Module> module = importModel(model, importOptions);
    applyCustomPatterns(*module, usualCustomPatterns());
    return module;
  }

  std::unique_ptr<Module> importForTraining(Request &request) {
    ImportOptions importOptions = options.import;
    importOptions.variableWeights = true;
    importOptions.frozenWeights = frozenWeights();
    importOptions.returnsResults = false;
    std::unique_ptr<Module> module = importModel(model, importOptions);
    std::set<std::string> anchors(options.import.anchors.begin(),
                                  options.import.anchors.end());
    applyCustomPatterns(*module, usualCustomPatterns(), anchors);
    // Gradients have the precision of the forward pass.
    const Pass &half = *findPass("HalfPrecision");
    if (request.pipeline.runs(half))
      runPass(*module, half, request.pipeline.options);
    request.pipeline.demanded.erase("HalfPrecision");
    placeForTraining(*module, request.machine.numIpus);
    TrainingOptions training;
    training.loss = loss = addLoss(*module, options.training->loss);
    training.optimizer = options.training->optimizer;
    training.recomputation = options.training->recomputation;
    training.anchors = options.import.anchors;
    if (std::ranges::count(training.anchors, training.loss) == 0)
      training.anchors.push_back(training.loss);
    addTraining(*module, training);
    applyCustomPatterns(*module, usualCustomPatterns());
    return module;
  }

  /// The text that --emit asks for; nothing for an executable.
  std::optional<std::string> textOfStage(const Module &module) const {
    switch (options.stop) {
    case Stage::Executable:
      return std::nullopt;
    case Stage::Dot:
      return toDot(module.main());
    case Stage::Pir:
      return toString(module, {.elide = false});
    case Stage::Import:
    case Stage::Ir:
      break;
    }
    return toString(module);
  }

  void annotate(poplar::Executable &executable,
                const TileProgram &program) override {
    popir::annotate(executable, program, padded, model, options);
    auto &metadata = populus::access(executable).metadata;
    if (!result.fit.empty()) {
      metadata["fit"] = result.fit;
      options.note(fmt::format("the program does not fit without {}, so it is "
                               "compiled with that",
                               result.fit));
    }
    if (!said.empty())
      metadata[runtime::SaidKey] = saidAsJson();
    annotateOffChip(executable, *imported);
    if (options.training)
      annotateTraining(executable, *imported, model, loss);
  }

  poplar::Executable compile() {
    return aboutModel(options.model, [&] { return driver.compile(); });
  }

  /// Compiles with the user's options, or with the first fallback that fits.
  poplar::Executable compileToFit(const Module &module) {
    try {
      return compile();
    } catch (const Error &error) {
      if (error.kind() != ErrorKind::Memory || !options.fit.searches)
        throw;
      return compileOtherwise(leastIpus(module), error.what());
    }
  }

  /// A lower bound of the IPUs needed, by memory; MostIpus + 1 if no number is
  /// enough.
  unsigned leastIpus(const Module &module) const {
    const double memory =
        static_cast<double>(target.getTilesPerIPU()) * target.getBytesPerTile();
    const LeastMemory least = leastMemory(module);
    const double ipus = std::ceil(least.total() / memory);
    return least.largestTensor > memory || ipus > MostIpus
               ? MostIpus + 1
               : static_cast<unsigned>(ipus);
  }

  poplar::Executable compileOtherwise(unsigned leastIpus,
                                      const std::string &problem) {
    std::vector<std::string> tried;
    const CompileOptions asked = options;
    for (const FitChoice &choice :
         fitChoices(options.fit, options.training.has_value(),
                    options.request.machine.numIpus, leastIpus)) {
      logging::info(logging::Module::session, "fit: {}", choice.text());
      options = changed(asked, choice);
      driver.change(options.request);
      target = makeTarget(options.request.machine);
      try {
        result.fit = choice.text();
        driver.module();
        return compile();
      } catch (const Error &error) {
        // Some features are supported on one IPU only: try the next choice.
        if (error.kind() != ErrorKind::Memory &&
            error.kind() != ErrorKind::Unsupported)
          throw;
      }
      tried.push_back(choice.text());
    }
    if (tried.empty())
      throw Error(ErrorKind::Memory, problem);
    fail(ErrorKind::Memory, "{}; it did not fit with {}, either", problem,
         fmt::join(tried, ", "));
  }

  static CompileOptions changed(CompileOptions options,
                                const FitChoice &choice) {
    if (choice.availableMemory)
      options.request.program.setAvailableMemory(*choice.availableMemory);
    if (choice.recomputation)
      options.training->recomputation = *choice.recomputation;
    if (choice.numIpus)
      options.request.machine.numIpus = *choice.numIpus;
    return options;
  }

  void write(const poplar::Executable &executable) {
    const auto serialize = [&](std::ostream &file) {
      executable.serialize(file);
    };
    writeFile(options.output, serialize);
    driver.keep(serialize);
  }

  /// Writes a report (*.pop) or text, by the file's name.
  void writeProfile(poplar::Executable &&executable) const {
    if (options.profile.ends_with(".pop"))
      return writeFile(options.profile, [&](std::ostream &file) {
        file << profile::serializeReport(
            profile::describeProgram(populus::access(executable)));
      });
    poplar::Engine engine(std::move(executable));
    writeFile(options.profile, [&](std::ostream &file) {
      poplar::printGraphSummary(file, engine.getGraphProfile());
    });
  }

  bool copyFromCache() {
    std::optional<std::string> kept = driver.find();
    if (!kept)
      return false;
    writeFile(options.output, [&](std::ostream &file) { file << *kept; });
    const auto *bytes = reinterpret_cast<const std::uint8_t *>(kept->data());
    const runtime::VerifiedExecutable executable = runtime::parseExecutable(
        {bytes, kept->size()}, options.output, runtime::Checking::Structure);
    const auto found = executable->metadata.find(runtime::SaidKey);
    if (found != executable->metadata.end())
      repeat(found->second);
    return true;
  }

  CompileOptions options;
  poplar::Target target;
  Driver driver;
  StageTimer &timer;
  onnx::ModelProto model;
  std::unique_ptr<Module> imported;
  std::vector<Said> said;
  /// The loss tensor that training minimises.
  std::string loss;
  bool hasToldWeights = false;
  /// The results that have a bound.
  std::vector<PaddedResult> padded;
  CompileReport result;
};

} // namespace

CompileReport compileModel(const CompileOptions &options) {
  return Compilation(options).run();
}

} // namespace populus::popir
