// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// popart-compile: an ONNX model in, an executable for ipu-run out. Everything
// happens in lib/PopART; this file prints errors and reports.

#include "lib/PopART/Custom/CustomOps.h"
#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Import/ControlFlow.h"
#include "lib/PopART/Import/Decomposition.h"
#include "lib/PopART/Import/ModelFile.h"
#include "lib/PopART/Ops/Bounded/BoundedOp.h"
#include "lib/PopART/Support/Archive.h"
#include "lib/PopART/Support/Error.h"
#include "lib/PopART/Support/Log.h"
#include "lib/PopART/Support/OutputFile.h"
#include "runtime/Support/OutputFile.h"
#include "runtime/Support/TemporaryFile.h"
#include "tools/popart-compile/Options.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <functional>
#include <iostream>
#include <unistd.h>

namespace {

using namespace populus::popir;

std::string fullName(const OpDefinition &definition) {
  return definition.domain.empty()
             ? definition.type
             : fmt::format("{}.{}", definition.domain, definition.type);
}

/// With those that are gone after the import.
std::vector<const OpDefinition *> listedOps() {
  std::vector<const OpDefinition *> result = allOps();
  std::erase_if(result, [](const OpDefinition *definition) {
    return definition->isInternal;
  });
  for (const OpDefinition &definition : controlFlowOps())
    result.push_back(&definition);
  for (const Decomposition *decomposition : allDecompositions())
    result.push_back(&decomposition->definition);
  auto name = [](const OpDefinition *definition) {
    return std::pair(definition->domain, definition->type);
  };
  std::ranges::stable_sort(result, {}, name);
  // Some operators have a class, and decompositions for other forms.
  const auto twins = std::ranges::unique(result, {}, name);
  result.erase(twins.begin(), twins.end());
  return result;
}

void listOperators() {
  for (const OpDefinition *definition : listedOps())
    std::cout << fmt::format("{} {}\n", fullName(*definition),
                             fmt::join(definition->versions, ", "));
}

/// docs/operators.md.
void listOperatorsAsMarkdown() {
  std::cout
      << "# Operators\n\n"
         "The operators of ONNX models that PopART compiles, with the opset "
         "versions in which\nthe supported forms of them appeared. "
         "`popart-compile --list-operators=markdown`\nmakes this page.\n\n"
         "`If`, `Loop` and `Scan` are unrolled when the model is imported, or "
         "run "
         "on the device (popart.md); `Call` is\nreplaced by what it calls; of "
         "sequences and optional values nothing is left. Besides there\nare "
         "functions that a model defines, and "
         "operators that ONNX itself defines by others\n(`MeanVarianceNormali"
         "zation`, `SoftmaxCrossEntropyLoss`, `Bernoulli`, …).\n\n"
      << fmt::format("The results of `{}` have sizes that depend on values: "
                     "those\nare padded with `--bound` (popart.md), else they "
                     "work on constants.\n\n",
                     fmt::join(boundedTypes(), "`, `"))
      << "| operator | versions |\n|---|---|\n";
  for (const OpDefinition *definition : listedOps())
    std::cout << fmt::format("| {} | {} |\n", fullName(*definition),
                             fmt::join(definition->versions, ", "));
}

void listPatterns() {
  for (const Pass &pass : allPasses())
    if (pass.selection == Pass::Pattern)
      std::cout << fmt::format("{:<18} {}\n", pass.name, pass.summary);
}

void reportTimes(Report kind, const std::vector<StageTime> &times) {
  double total = 0;
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const StageTime &time : times) {
    json[time.name] = json.value(time.name, 0.0) + time.seconds;
    total += time.seconds;
    if (kind == Report::Text)
      std::cerr << fmt::format("{:<10} {:8.3f} s\n", time.name, time.seconds);
  }
  json["total"] = total;
  if (kind == Report::Text)
    std::cerr << fmt::format("{:<10} {:8.3f} s\n", "total", total);
  if (kind == Report::Json)
    std::cout << json.dump() << "\n";
}

/// Shows how far the compilation is, as --progress says.
class ProgressPrinter {
public:
  explicit ProgressPrinter(ProgressKind wanted) : kind(wanted) {
    bool isTerminal = isatty(STDERR_FILENO) != 0;
    if (kind == ProgressKind::Auto && !isTerminal)
      kind = ProgressKind::Off;
  }
  ~ProgressPrinter() { clear(); }

  void operator()(const Progress &state) {
    switch (kind) {
    case ProgressKind::Off:
      return;
    case ProgressKind::Json:
      std::cerr << nlohmann::ordered_json({{"stage", state.stage},
                                           {"done", state.done},
                                           {"total", state.total},
                                           {"seconds", seconds()}})
                       .dump()
                << "\n";
      return;
    case ProgressKind::Plain:
      if (state.stage != stage)
        std::cerr << fmt::format("{:8.1f} s  {}\n", seconds(), state.stage);
      stage = state.stage;
      return;
    case ProgressKind::Auto: {
      std::string share =
          state.total == 0
              ? std::string()
              : fmt::format(" {} %", 100 * state.done / state.total);
      clear();
      std::cerr << fmt::format("{}{} ({:.0f} s)", state.stage, share, seconds())
                << std::flush;
      isDrawn = true;
    }
    }
  }

private:
  double seconds() const {
    return std::chrono::duration<double>(Clock::now() - start).count();
  }
  void clear() {
    if (isDrawn)
      std::cerr << "\r\033[K" << std::flush;
    isDrawn = false;
  }

  using Clock = std::chrono::steady_clock;
  ProgressKind kind;
  Clock::time_point start = Clock::now();
  std::string stage;
  bool isDrawn = false;
};

double compilingTook(const std::vector<StageTime> &times) {
  double seconds = 0;
  for (const StageTime &time : times)
    if (time.name != "estimate" && time.name != "profile")
      seconds += time.seconds;
  return seconds;
}

void reportEstimate(const CompileReport &report) {
  const Estimate &estimate = *report.estimate;
  std::string capacity =
      estimate.tileMemory == 0
          ? "no limit"
          : fmt::format("of {}, {:.0f} %", estimate.tileMemory,
                        100.0 * static_cast<double>(estimate.fullestTile) /
                            static_cast<double>(estimate.tileMemory));
  std::cout << fmt::format("fits: yes{}\nmemory of the fullest tile: {} bytes "
                           "({}); average of {} tiles: {} bytes\n",
                           report.fit.empty() ? "" : ", with " + report.fit,
                           estimate.fullestTile, capacity, estimate.tiles,
                           estimate.averageTile);
  if (estimate.cycles != 0)
    std::cout << fmt::format("cycles of a step: about {} ({:.3f} ms), an "
                             "estimate\n",
                             estimate.cycles, estimate.secondsAtClock * 1e3);
  std::cout << fmt::format("compiling took: {:.1f} s\n",
                           compilingTook(report.times));
}

void reportEstimateAsJson(const CompileReport &report) {
  const Estimate &estimate = *report.estimate;
  nlohmann::ordered_json json = {{"fits", true},
                                 {"tiles", estimate.tiles},
                                 {"fullest_tile_bytes", estimate.fullestTile},
                                 {"average_tile_bytes", estimate.averageTile}};
  if (estimate.tileMemory != 0)
    json["tile_memory_bytes"] = estimate.tileMemory;
  if (estimate.cycles != 0) {
    json["estimated_cycles"] = estimate.cycles;
    json["estimated_seconds_at_clock"] = estimate.secondsAtClock;
  }
  if (!report.fit.empty())
    json["fit"] = report.fit;
  json["compile_seconds"] = compilingTook(report.times);
  std::cout << json.dump() << "\n";
}

/// The answer of a dry run where the compilation ended with `error`.
void reportNoFit(Report kind, const Error &error) {
  if (error.kind() != ErrorKind::Memory)
    return;
  if (kind == Report::Text)
    std::cout << "fits: no\n";
  if (kind == Report::Json)
    std::cout << nlohmann::ordered_json(
                     {{"fits", false}, {"problem", error.what()}})
                     .dump()
              << "\n";
}

/// The model and how it was to be compiled.
void writeReproducer(const CommandLine &commandLine) {
  writeArchive(
      commandLine.reproducer,
      {{"model.onnx", completeModel(commandLine.compile.model)},
       {"options.ini", commandLine.savedOptions},
       {"README.txt", "popart-compile " POPULUS_VERSION
                      "\npopart-compile model.onnx --options options.ini\n"}});
}

CompileReport compileWithProgress(CommandLine &commandLine) {
  ProgressPrinter printer(commandLine.progress);
  commandLine.compile.request.progress = std::ref(printer);
  commandLine.compile.import.warn = [](const std::string &text) {
    std::cerr << "popart-compile: warning: " << printable(text) << "\n";
  };
  commandLine.compile.note = [](const std::string &text) {
    std::cerr << "popart-compile: note: " << printable(text) << "\n";
  };
  return compileModel(commandLine.compile);
}

void compile(CommandLine &commandLine) {
  if (!commandLine.saveOptionsTo.empty())
    writeText(commandLine.saveOptionsTo, commandLine.savedOptions);
  if (!commandLine.reproducer.empty())
    writeReproducer(commandLine);
  try {
    CompileReport result = compileWithProgress(commandLine);
    if (commandLine.dryRun == Report::Text)
      reportEstimate(result);
    if (commandLine.dryRun == Report::Json)
      reportEstimateAsJson(result);
    reportTimes(commandLine.time, result.times);
  } catch (const Error &error) {
    reportNoFit(commandLine.dryRun, error);
    throw;
  }
}

int run(int argc, char **argv) {
  CommandLine commandLine;
  if (std::optional<int> status = parseCommandLine(argc, argv, commandLine))
    return *status;
  if (commandLine.verbosity > 0)
    logging::setLevel("all", commandLine.verbosity == 1
                                 ? logging::Level::Info
                                 : logging::Level::Debug);
  for (const std::string &library : commandLine.customOps)
    loadCustomOps(library);
  if (commandLine.listOperators == "markdown")
    listOperatorsAsMarkdown();
  else if (!commandLine.listOperators.empty())
    listOperators();
  if (commandLine.listPatterns)
    listPatterns();
  if (!commandLine.compile.model.empty())
    compile(commandLine);
  return 0;
}

int report(const std::string &text, ErrorKind kind) {
  std::cerr << "popart-compile: error: " << text << "\n";
  if (kind == ErrorKind::Internal)
    std::cerr << "popart-compile: note: this is a mistake in popart-compile; "
                 "please report it with the model and the command line\n";
  return static_cast<int>(kind);
}

int runMain(int argc, char **argv) {
  try {
    return run(argc, argv);
  } catch (const Error &error) {
    return report(error.what(), error.kind());
  } catch (const std::bad_alloc &) {
    return report("not enough memory on this computer", ErrorKind::Input);
  } catch (const std::exception &error) {
    return report(fmt::format("internal error: {}", error.what()),
                  ErrorKind::Internal);
  }
}

} // namespace

int main(int argc, char **argv) {
  populus::runtime::removeTemporaryFilesOnSignals();
  return populus::runtime::finishOutput("popart-compile", runMain(argc, argv));
}
