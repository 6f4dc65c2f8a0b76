// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options, and what can be wrong with them.

#include "Options.h"

#include "tools/HelpFormatter.h"
#include "tools/OptionSuggestion.h"
#include "tools/ipu-run/Options.h"

#include <CLI/CLI.hpp>

#include <span>
#include <string_view>
#include <vector>

namespace populus::dbg {

namespace {

void addOptions(CLI::App &app, Options &options) {
  app.add_option("FILE.ipux", options.file,
                 "executable file, made by popart-compile or, with the engine "
                 "option debug.executable, by poplar::Engine")
      ->option_text(" ")
      ->required();
  app.add_option("--input", options.inputs, "value of an input, as for ipu-run")
      ->option_text("NAME=FILE|random[:SEED]|zeros")
      ->take_all();
  app.add_option("--test-data", options.testData,
                 "inputs as in ONNX's test data sets: input_N.pb")
      ->option_text("DIR");
  app.add_option("-x,--script", options.scripts,
                 "execute the commands in a file")
      ->option_text("FILE")
      ->take_all();
  app.add_option("--command", options.commands, "execute a command")
      ->option_text("COMMAND")
      ->take_all();
  app.add_flag("--batch", options.batch,
               "end after the commands of --script and --command; a command "
               "that fails ends the session with exit status 1");
  app.add_option("--directory", options.directories,
                 "a folder of source files, beside the current one")
      ->option_text("DIR")
      ->take_all();
  app.add_option_function<std::string>(
         "--engine",
         [&options](const std::string &name) {
           options.engine = runtime::engineNamed(name);
         },
         "how code that is not looked at is executed; results and cycles do "
         "not depend on it")
      ->option_text("auto|interpreter|translated")
      ->check(CLI::IsMember({"auto", "interpreter", "translated"}));
  app.add_option("--max-cycles", options.maxCycles,
                 "stop with an error after N modelled cycles")
      ->option_text("N");
  app.add_flag("--dap", options.dap,
               "speak the Debug Adapter Protocol of editors on standard input "
               "and output");
}

/// gdb's long options with one dash, as its users type them.
std::vector<char *> withoutGdbSpellings(int argc, char **argv) {
  static char command[] = "--command", batch[] = "--batch";
  std::vector<char *> words(argv, argv + argc);
  for (char *&word : words) {
    const std::string_view text = word;
    if (text == "-ex" || text == "--ex" || text == "-eval-command")
      word = command;
    else if (text == "-batch")
      word = batch;
  }
  return words;
}

} // namespace

std::optional<Options> parseCommandLine(int argc, char **argv) {
  Options options;
  std::vector<char *> words = withoutGdbSpellings(argc, argv);
  CLI::App app("Debugs the codelets of a program on the emulated IPU: "
               "breakpoints, watchpoints,\nsteps forward and back, registers, "
               "variables, tensors. Commands are those of gdb;\nhelp lists "
               "them.",
               "ipu-dbg");
  app.footer("ipu-dbg does not debug the host's program, or files for the CPU "
             "and IPU Model\ndevices: gdb does that. Compile codelets with "
             "popc -g.\n\nExit status: 0 success, 1 the program, a file or a "
             "command failed, 2 wrong usage,\n70 internal error.");
  app.formatter(std::make_shared<HelpFormatter>());
  app.set_version_flag("--version", "ipu-dbg " POPULUS_VERSION);
  addOptions(app, options);
  try {
    app.parse(argc, words.data());
  } catch (const CLI::Success &help) {
    app.exit(help);
    return std::nullopt;
  } catch (const CLI::ParseError &error) {
    throw run::UsageError(
        explainUsage(error, app, std::span(words).subspan(1)) +
        "; see ipu-dbg --help");
  }
  return options;
}

} // namespace populus::dbg
