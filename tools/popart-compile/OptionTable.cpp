// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rows by group, in the order in which --help shows them. Defaults are read
// from the records that the options fill in.

#include "tools/popart-compile/OptionTexts.h"

#include "lib/PopART/Training/Recomputation.h"
#include "lib/PopLibs/poplin/planning/Options.h"
#include "runtime/Target/TargetInfo.h"

#include <CLI/CLI.hpp>

#include <type_traits>

namespace populus::popir {
namespace {

using enum OptionRow::Changes;

std::vector<std::string_view> targetNames() {
  std::vector<std::string_view> names;
  for (const auto &target : populus::runtime::allTargets())
    names.push_back(target.name);
  return names;
}

std::vector<OptionRow> modelRows() {
  const CompileOptions usual;
  const Texts texts;
  return {
      {"MODEL", &Texts::model, " ", "", Nothing,
       "the ONNX model, or a module that --emit=pir wrote (.pir); - is a model "
       "on standard input"},
      {"-o,--output", &Texts::output, "FILE", "", Nothing,
       "the file to write (default: the model's name with .ipux, in the "
       "current folder; for --emit of text, and with -, standard output)"},
      {"--input-shape", &Texts::inputShapes, "NAME=DxDx...", "", Executable,
       "the shape of an input, such as x=1x3x224x224; repeatable"},
      {"--dim", &Texts::dims, "NAME=N", "", Executable,
       "the extent of a dimension that the model only names; repeatable"},
      {"--fix-input", &Texts::fixedInputs, "NAME=FILE|VALUE", "", Executable,
       "make an input a constant, with the value of a file (.pb or .npy) or "
       "with numbers between commas; repeatable"},
      {"--fix-inputs", &Texts::fixedFolder, "DIR", "", Executable,
       "a folder with input_0.pb, input_1.pb, … (a test data set of ONNX): "
       "inputs that have to be known, such as shapes and axes, are made "
       "constants"},
      {"--bound", &Texts::bounds, "NAME=N|auto", "", Executable,
       "compute what has a size that depends on values, such as "
       "NonMaxSuppression, on the device: the results of the node with the "
       "result NAME are padded to N, or to the largest size (auto), and "
       "NAME_count is returned, too; repeatable, auto alone is for all such "
       "nodes"},
      {"--anchor", &Texts::anchors, "NAME[=ALL|FINAL|SUM|EVERYN:N]", "",
       Executable,
       "return this tensor instead of the model's outputs, for every batch of "
       "a step, the last one, added up, or every n-th one; * and ? stand for "
       "any characters, and all for every tensor that a node computes; "
       "repeatable"},
      {"--strict", &Texts::strict, "", "", Executable,
       "refuse what is computed with less precision than the model says, such "
       "as double, of which there is a warning else"},
      {"--batches-per-step", &Texts::batchesPerStep, "N",
       std::to_string(usual.request.program.batchesPerStep), Executable,
       "batches that one run of the program works through"},
      {"--precision", &Texts::precision, "fp32|fp16", texts.precision,
       Executable,
       "type of the computation: fp32 (as the model says) or fp16 (what is "
       "float32 becomes float16)"},
      {"--float32-convolutions", &Texts::floatConvolutions, "N", "", Executable,
       "with --precision fp16: so many convolutions at the beginning of the "
       "model, and what comes before and between them, are computed in float32 "
       "(default: a third of them)"},
      {"--partials", &Texts::partials, "half|float", "float", Executable,
       "type in which matrix products and convolutions add up"},
  };
}

std::vector<OptionRow> trainingRows() {
  return {
      {"--loss", &Texts::loss,
       "KIND:OUTPUT,LABELS[,reduction=mean|sum][,ignore=K]", "", Executable,
       "compile a program that trains the model. KIND is nll (of "
       "probabilities), softmax-nll (of logits), l1, mse or identity (of the "
       "output alone); LABELS becomes an input where the model has none"},
      {"--recompute", &Texts::recompute, "KIND",
       std::string(nameOf(Recomputation::None)), Executable,
       "what of the forward pass is computed again for gradients, which takes "
       "less memory and more time: none, norms, standard (all but products and "
       "convolutions) or all"},
      {"--optimizer", &Texts::optimizer, "NAME:key=value,...", DefaultOptimizer,
       Executable,
       "how --loss is made smaller: sgd, adam, adamw, adamax, lamb, rmsprop, "
       "adagrad or adadelta, with lr, weight_decay, loss_scaling, clip and "
       "what else each has"},
      {"--train", &Texts::trained, "PATTERN", "", Executable,
       "initializers that are trained, although they look like constants; * "
       "and ? stand for any characters; repeatable"},
      {"--freeze", &Texts::frozen, "PATTERN", "", Executable,
       "initializers that are not trained, although they look like weights; "
       "repeatable, and stronger than --train"},
  };
}

std::vector<OptionRow> machineRows() {
  const CompileOptions usual;
  const Texts texts;
  return {
      {"--target", &Texts::target,
       fmt::format("{}", fmt::join(targetNames(), "|")), texts.target,
       Executable, "the machine"},
      {"--device", &Texts::device, "ipu|ipu-model|cpu", "", Executable,
       "how programs run: ipu (emulated IPU code), ipu-model (host code with "
       "cycle estimates) or cpu (default: cpu for --target cpu, else ipu)"},
      {"--num-ipus", &Texts::numIpus, "N",
       std::to_string(usual.request.machine.numIpus), Executable,
       "number of IPUs"},
      {"--tiles", &Texts::tiles, "N", "", Executable,
       "tiles of each IPU to use (default: all)"},
      {"--available-memory", &Texts::availableMemory, "X",
       fmt::format("{}", poplin::Options().availableMemoryProportion),
       Executable,
       "the share of a tile's memory that the operands and partial sums of a "
       "product or convolution may take while it runs; less of it takes more "
       "time"},
      {"--fit", &Texts::fit, "auto|off", texts.fit, Executable,
       "auto: where the program does not fit, look for --available-memory, "
       "--recompute and --num-ipus with which it does; those that are given "
       "stay. off: say that it does not fit"},
  };
}

std::vector<OptionRow> compilerRows() {
  const CompileOptions usual;
  const Texts texts;
  return {
      {"--patterns", &Texts::patterns, "LIST", "", Executable,
       "transforms to switch on, or off with '-': all,-BatchNormIntoConv; see "
       "--list-patterns"},
      {"--custom-op", &Texts::customOps, "LIB.so", "", Executable,
       "a shared library with operators of your own (repeatable)"},
      {"--folding-budget", &Texts::foldingBudget, "BYTES",
       std::to_string(usual.import.folding.totalBytes), Executable,
       "bytes that the results of folded constants may have in all, 0 for what "
       "must be folded only"},
      {"--outline-threshold", &Texts::outlineThreshold, "X",
       fmt::format("{}", usual.request.pipeline.options.outlineThreshold),
       Executable,
       "the code that a repeated part of the model has to have to become a "
       "function, in products of matrices"},
      {"--outline-copy-cost-pruning,!--no-outline-copy-cost-pruning",
       &Texts::prunesByCopyCost, "", "", Executable,
       "leave repeated parts alone whose weights, arguments and results are "
       "more to copy than is saved (on)"},
      {"--emit", &Texts::emit, "ipux|ir|pir|dot|import", texts.emit, Executable,
       "what to write: ipux, ir (the IR after all passes, as text), pir (the "
       "same with all weights, for popir-opt), dot (the same as a drawing) or "
       "import (the IR as imported)"},
      {"--dump-stages", &Texts::dumpDirectory, "DIR", "", Nothing,
       "a folder that receives the IR after each transform"},
      {"--time{text}", &Texts::time, "", "", Nothing,
       "report the time of each stage, as text on standard error or "
       "(--time=json) as JSON on standard output"},
      {"--profile", &Texts::profile, "FILE", "", Nothing,
       "a file that receives a summary of the program: memory by tile and by "
       "use, vertices, exchanges; named FILE.pop, it is a report for "
       "ipu-report (ipu-run --report makes one with cycles)"},
      {"--dry-run{text}", &Texts::dryRun, "", "", Nothing,
       "write no executable; say on standard output whether it fits, how many "
       "cycles a step takes, and how long compiling took, as text or "
       "(--dry-run=json) as JSON"},
      {"--progress", &Texts::progress, "auto|plain|json|off", texts.progress,
       Nothing, "how far compiling is: auto draws it on a terminal"},
      {"--cache-dir", &Texts::cacheDirectory, "DIR", "", Nothing,
       "a folder that keeps executables for the next time (default: "
       "POPART_CACHE_DIR, else none)"},
      {"--no-cache", &Texts::noCache, "", "", Nothing,
       "compile even what is in the cache"},
      {"--verify", &Texts::verify, "", "", Executable,
       "check that the compiled program reads everywhere what the model says; "
       "a mistake is an internal error"},
      {"--repro", &Texts::reproducer, "FILE", "", Nothing,
       "write a tar archive with the model and the options, for reports of "
       "mistakes"},
      {"-j,--jobs", &Texts::jobs, "N", "", Nothing,
       "host threads (default: one for each processor)"},
      {"--save-options", &Texts::saveOptionsTo, "FILE", "", Nothing,
       "write the options to a file"},
      {"--options", std::monostate(), "FILE", "", Nothing,
       "read options from such a file"},
      {"-v", &Texts::verbosity, "", "", Nothing,
       "say what is done; twice: in more detail"},
      {"--list-operators{text}", &Texts::listOperators, "", "", Nothing,
       "list the operators and versions that are supported, as text or "
       "(--list-operators=markdown) as docs/operators.md"},
      {"--list-patterns", &Texts::listPatterns, "", "", Nothing,
       "list the transforms for --patterns"},
  };
}

/// "VALUES (default X)".
std::string valuesText(const OptionRow &row) {
  return row.usual.empty()
             ? row.values
             : fmt::format("{} (default {})", row.values, row.usual);
}

CLI::Option *define(CLI::App &app, const OptionRow &row, Texts &texts) {
  return std::visit(
      [&](auto place) -> CLI::Option * {
        using Place = decltype(place);
        if constexpr (std::is_same_v<Place, std::monostate>) {
          app.allow_config_extras(false);
          return app.set_config(row.names, "", row.help);
        } else if constexpr (std::is_same_v<Place, bool Texts::*> ||
                             std::is_same_v<Place, int Texts::*>) {
          return app.add_flag(row.names, texts.*place, row.help);
        } else {
          const bool isFlag = std::string_view(row.names).ends_with('}');
          return isFlag ? app.add_flag(row.names, texts.*place, row.help)
                        : app.add_option(row.names, texts.*place, row.help);
        }
      },
      row.place);
}

} // namespace

std::vector<OptionRow> optionRows() {
  std::vector<OptionRow> rows;
  for (std::vector<OptionRow> (*group)() :
       {modelRows, trainingRows, machineRows, compilerRows})
    for (OptionRow &row : group())
      rows.push_back(std::move(row));
  return rows;
}

void addOptions(CLI::App &app, Texts &texts) {
  for (const OptionRow &row : optionRows()) {
    CLI::Option *option = define(app, row, texts);
    if (!row.values.empty())
      option->option_text(valuesText(row));
    if (std::holds_alternative<std::vector<std::string> Texts::*>(row.place))
      option->allow_extra_args(false);
  }
}

} // namespace populus::popir
