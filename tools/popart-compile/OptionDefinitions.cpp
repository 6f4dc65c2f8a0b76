// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options by group, in the order in which --help shows them.

#include "tools/popart-compile/OptionTexts.h"

#include "runtime/Target/TargetInfo.h"

#include <CLI/CLI.hpp>

namespace populus::popir {
namespace {

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
  app.add_option("--train", texts.trained,
                 "initializers that are trained, although they look like "
                 "constants; * and ? stand for any characters; repeatable")
      ->option_text("PATTERN")
      ->allow_extra_args(false);
  app.add_option("--freeze", texts.frozen,
                 "initializers that are not trained, although they look like "
                 "weights; repeatable, and stronger than --train")
      ->option_text("PATTERN")
      ->allow_extra_args(false);
}

void addMachineOptions(CLI::App &app, CommandLine &result, Texts &texts) {
  std::vector<std::string_view> names;
  for (const auto &target : populus::runtime::allTargets())
    names.push_back(target.name);
  app.add_option("--target", result.compile.request.machine.target,
                 "the machine")
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
               result.compile.request.pipeline.options.outline.pruneByCopyCost,
               "leave repeated parts alone whose weights, arguments and "
               "results are more to copy than is saved (on)");
  app.add_option("--emit", texts.emit,
                 "what to write: ipux, ir (the IR after all passes, as text), "
                 "pir (the same with all weights, for popir-opt), dot (the "
                 "same as a drawing) or import (the IR as imported)")
      ->option_text("ipux|ir|pir|dot|import (default ipux)");
  app.add_option("--dump-stages", result.compile.request.dumpDirectory,
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
  app.add_flag("--verify", texts.verify,
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

} // namespace

void addOptions(CLI::App &app, CommandLine &result, Texts &texts) {
  addModelOptions(app, result, texts);
  addTrainingOptions(app, texts);
  addMachineOptions(app, result, texts);
  addCompilerOptions(app, result, texts);
}

} // namespace populus::popir
