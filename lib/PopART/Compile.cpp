// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stages of a compilation, one after the other.

#include "lib/PopART/Compile.h"

#include "lib/PopART/CompileKey.h"
#include "lib/PopART/Custom/CustomOps.h"
#include "lib/PopART/Custom/Rewrites.h"
#include "lib/PopART/IR/Export.h"
#include "lib/PopART/IR/Text.h"
#include "lib/PopART/Import/ModelFile.h"
#include "lib/PopART/Import/TrainedWeights.h"
#include "lib/PopART/Inspection.h"
#include "lib/PopART/Lowering/LeastMemory.h"
#include "lib/PopART/Lowering/Lowering.h"
#include "lib/PopART/Notes.h"
#include "lib/PopART/Support/Cache.h"
#include "lib/PopART/Support/Error.h"
#include "lib/PopART/Support/Log.h"
#include "lib/PopART/Support/OutputFile.h"
#include "lib/PopART/Training/Training.h"
#include "lib/Poplar/Engine/ExecutableAccess.h"
#include "lib/Profile/ReportBuilder.h"
#include "lib/Profile/ReportFile.h"
#include "runtime/Format/Executable.h"

#include <onnx/onnx_pb.h>
#include <poplar/Engine.hpp>
#include <poplar/ProfileValue.hpp>
#include <pvti/pvti.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <utility>

namespace populus::popir {

namespace {

/// Writes the IR of each stage to a numbered file of a folder.
class StageDump {
public:
  explicit StageDump(const std::string &folder) : folder(folder) {
    if (folder.empty())
      return;
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error)
      failInput("{}: the folder cannot be made: {}", folder, error.message());
  }

  void write(std::string_view stage, const Module &module) {
    if (!folder.empty())
      writeText(fmt::format("{}/{:02}-{}.txt", folder, number++, stage),
                toString(module));
  }

private:
  std::string folder;
  unsigned number = 0;
};

class Timer {
public:
  explicit Timer(const std::function<void(const Progress &)> &progress)
      : progress(progress) {}

  /// Runs a stage and records its duration.
  template <class Function>
  auto operator()(const std::string &name, Function &&function) {
    using Clock = std::chrono::steady_clock;
    struct Scope {
      Timer &timer;
      const std::string &name;
      Clock::time_point start = Clock::now();
      ~Scope() {
        std::chrono::duration<double> time = Clock::now() - start;
        timer.times.push_back({name, time.count()});
      }
    } scope{*this, name};
    logging::info(logging::Module::session, "{}", name);
    const pvti::Tracepoint span(&pvti::traceFramework, name);
    report({name});
    return function();
  }

  void report(const Progress &state) const {
    if (progress)
      progress(state);
  }

  std::vector<StageTime> times;

private:
  const std::function<void(const Progress &)> &progress;
};

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
class Compilation {
public:
  explicit Compilation(const CompileOptions &wanted)
      : options(wanted), target(makeTarget(wanted.machine)),
        dump(wanted.dumpDirectory), inspection(wanted.dumpDirectory),
        timer(wanted.progress) {}

  CompileReport run() {
    if (!options.output.empty() && options.output != "-" && !options.dryRun)
      checkWritable(options.output);
    if (!options.profile.empty())
      checkWritable(options.profile);
    onnx::ModelProto model; // of a module in a file there is none
    if (!isModuleFile(options.model))
      model = timer("read", [&] { return readModel(options.model); });
    ExecutableCache cache = cacheFor(model);
    bool isEnough = !options.dryRun && options.profile.empty();
    if (isEnough && copyFrom(cache))
      return finish(true);
    const std::unique_ptr<Module> module = import(model);
    if (std::optional<std::string> text = textOfStage(*module)) {
      writeText(options.output, *text);
      return finish(false);
    }
    poplar::Executable executable = compileToFit(*module, model);
    if (options.dryRun) {
      result.estimate = timer("estimate", [&] { return estimate(executable); });
      result.estimate->tileMemory =
          findTarget(options.machine.target).bytesPerTile();
    } else {
      timer("write", [&] { write(executable, cache); });
    }
    if (!options.profile.empty())
      timer("profile", [&] { writeProfile(std::move(executable)); });
    return finish(false);
  }

private:
  CompileReport finish(bool isFromCache) {
    result.isFromCache = isFromCache;
    result.times = timer.times;
    return std::move(result);
  }

  std::unique_ptr<Module> import(const onnx::ModelProto &model) {
    std::unique_ptr<Module> module = timer("import", [&] {
      if (isModuleFile(options.model)) // whose errors name it
        return readModuleFile();
      return aboutModel(options.model, [&] { return importModule(model); });
    });
    dump.write("import", *module);
    if (options.stop != Stage::Import)
      timer("transform", [&] { runPasses(*module); });
    return module;
  }

  /// Return the element count under the same anchor policy as the padded
  /// result.
  void addPadded(const PaddedResult &result) {
    padded.push_back(result);
    auto &returns = options.program.anchorReturns;
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
  std::set<std::string> frozenWeights(const onnx::ModelProto &model) {
    const WeightChoice choice = chooseWeights(model, options.training->weights);
    if (!std::exchange(hasToldWeights, true)) {
      for (const std::string &mask : choice.masks)
        if (options.import.warn)
          options.import.warn(fmt::format(
              "'{}' has elements of 10000 and more, so it is taken for a mask "
              "and not trained",
              mask));
      if (options.note)
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

  std::unique_ptr<Module> importModule(const onnx::ModelProto &model) {
    if (!options.training) {
      ImportOptions importOptions = options.import;
      padded.clear();
      importOptions.padded = [this](const PaddedResult &result) {
        addPadded(result);
      };
      std::unique_ptr<Module> module = importModel(model, importOptions);
      applyCustomPatterns(*module, usualCustomPatterns());
      return module;
    }
    ImportOptions importOptions = options.import;
    importOptions.variableWeights = true;
    importOptions.frozenWeights = frozenWeights(model);
    importOptions.returnsResults = false;
    std::unique_ptr<Module> module = importModel(model, importOptions);
    std::set<std::string> anchors(options.import.anchors.begin(),
                                  options.import.anchors.end());
    applyCustomPatterns(*module, usualCustomPatterns(), anchors);
    const Pass &half = *findPass("HalfPrecision");
    if (options.pipeline.runs(half))
      runPass(*module, half, options.pipeline.options);
    placeForTraining(*module, options.machine.numIpus);
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

  void runPasses(Module &module) {
    Pipeline pipeline = options.pipeline;
    pipeline.options.numIpus = options.machine.numIpus;
    if (options.training) // that was before
      pipeline.demanded.erase("HalfPrecision");
    pipeline.afterEach = [&](std::string_view name) {
      dump.write(name, module);
    };
    inspection.run(module, std::move(pipeline));
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

  poplar::Executable compile(const Module &module,
                             const onnx::ModelProto &model) {
    ProgramOptions programOptions = options.program;
    programOptions.mapTensors = inspection.wantsTileMap();
    TileProgram program = timer("lower", [&] {
      return aboutModel(options.model, [&] {
        return lowerModule(module, target, programOptions);
      });
    });
    inspection.writeTileMap(program.tileMap);
    poplar::OptionFlags flags;
    if (options.jobs != 0)
      flags.set("opt.maxCompilationThreads", std::to_string(options.jobs));
    if (options.verifyLowering)
      flags.set("debug.verifyLowering", "true");
    poplar::Executable executable = timer("compile", [&] {
      return aboutModel(options.model, [&] {
        return compileProgram(program, flags, [&](int done, int total) {
          timer.report({"compile", static_cast<unsigned>(done),
                        static_cast<unsigned>(total)});
        });
      });
    });
    annotate(executable, program, padded, model, options);
    if (!result.fit.empty())
      populus::access(executable).metadata["fit"] = result.fit;
    if (options.training)
      annotateTraining(executable, module, model, loss);
    return executable;
  }

  /// Compiles with the user's options, or with the first fallback that fits.
  poplar::Executable compileToFit(const Module &module,
                                  const onnx::ModelProto &model) {
    try {
      return compile(module, model);
    } catch (const Error &error) {
      if (error.kind() != ErrorKind::Memory || !options.fit.searches)
        throw;
      return compileOtherwise(leastIpus(module), model, error.what());
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
                                      const onnx::ModelProto &model,
                                      const std::string &problem) {
    std::vector<std::string> tried;
    const CompileOptions asked = options;
    for (const FitChoice &choice :
         fitChoices(options.fit, options.training.has_value(),
                    options.machine.numIpus, leastIpus)) {
      logging::info(logging::Module::session, "fit: {}", choice.text());
      options = changed(asked, choice);
      target = makeTarget(options.machine);
      try {
        result.fit = choice.text();
        return compile(*import(model), model);
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
      options.program.setAvailableMemory(*choice.availableMemory);
    if (choice.recomputation)
      options.training->recomputation = *choice.recomputation;
    if (choice.numIpus)
      options.machine.numIpus = *choice.numIpus;
    return options;
  }

  void write(const poplar::Executable &executable,
             const ExecutableCache &cache) {
    auto serialize = [&](std::ostream &file) { executable.serialize(file); };
    writeFile(options.output, serialize);
    cache.keep(serialize);
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

  ExecutableCache cacheFor(const onnx::ModelProto &model) const {
    // The key covers the model only, so other inputs disable the cache.
    if (options.cacheDirectory.empty() || isModuleFile(options.model) ||
        hasCustomOps() || // what they do, no key tells
        options.stop != Stage::Executable ||
        !options.import.fixed.values.empty() ||
        !options.import.fixed.folder.empty())
      return {};
    std::string bytes;
    if (!model.SerializeToString(&bytes)) // protobuf's limit are 2 GiB
      return {};
    return {options.cacheDirectory, keyOf(options, bytes)};
  }

  bool copyFrom(const ExecutableCache &cache) const {
    std::optional<std::string> kept = cache.find();
    if (kept)
      writeFile(options.output, [&](std::ostream &file) { file << *kept; });
    return kept.has_value();
  }

  CompileOptions options;
  poplar::Target target;
  StageDump dump;
  Inspection inspection;
  Timer timer;
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
