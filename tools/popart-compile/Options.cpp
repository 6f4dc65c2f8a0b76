// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line as a whole: help, files of options, mistakes.

#include "tools/popart-compile/Options.h"

#include "lib/PopART/Import/Forms.h"
#include "lib/PopART/Import/ModelFile.h"
#include "runtime/Target/TargetInfo.h"
#include "tools/HelpFormatter.h"
#include "tools/OptionSuggestion.h"
#include "tools/popart-compile/OptionTexts.h"

#include <CLI/CLI.hpp>

#include <algorithm>
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

/// Names the faulty item of an options file. The file may have any bytes, so
/// unprintable ones are replaced.
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
  addOptions(app, texts);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ConfigError &error) {
    failUsage(fmt::format("--options: the file has '{}', which is no option; "
                          "popart-compile --help lists them",
                          itemOf(error)));
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() == 0) // --help, --version
      return app.exit(error);
    failUsage(fmt::format(
        "{}; popart-compile --help lists the options",
        oneLine(explainUsage(error, app, {argv + 1, argv + argc}))));
  }
  refuseEmptyValues(app);
  convert(texts, commandLine);
  commandLine.savedOptions = optionsAsText(app);
  return std::nullopt;
}

} // namespace populus::popir
