// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// popir-opt: a module as text in, passes by name, the module as text out. It is
// for those who write and test passes; popart-compile runs all of them.

#include "lib/PopART/IR/Text.h"
#include "lib/PopART/IR/Verifier.h"
#include "lib/PopART/Passes/Pass.h"
#include "lib/PopART/Support/Error.h"
#include "lib/PopART/Support/OutputFile.h"
#include "runtime/Support/OutputFile.h"
#include "runtime/Support/TemporaryFile.h"
#include "tools/HelpFormatter.h"
#include "tools/OptionSuggestion.h"

#include <CLI/CLI.hpp>

#include <chrono>
#include <fstream>
#include <iostream>
#include <iterator>
#include <new>
#include <type_traits>

namespace {

using namespace populus::popir;

struct Options {
  std::string input = "-", output;
  std::vector<std::string> passes;
  std::string printAfter;
  bool verifyEach = false, time = false, elide = false;
  std::string listPasses; // a format of the list, or empty
  PassOptions passOptions;
};

/// Text for the default of a value, in the help.
template <class T> std::string defaultText(const T &value) {
  return fmt::format(" (default {})", value);
}
template <class T> std::string defaultText(const std::optional<T> &) {
  return "";
}

template <class T>
void addPassOption(CLI::App &app, const PassOption &option, T &value) {
  const std::string help = fmt::format("{}: {}", option.passes, option.help);
  const std::string flag(option.flag);
  if constexpr (std::is_same_v<T, bool>) {
    app.add_flag(flag, value, help + (value ? " (on)" : " (off)"));
  } else {
    CLI::Option *added =
        app.add_option(flag, value, help)
            ->option_text(std::string(option.value) + defaultText(value));
    if (option.most != 0)
      added->check(CLI::Range(1u, option.most));
  }
}

void addOptions(CLI::App &app, Options &options) {
  app.add_option("FILE", options.input,
                 "the module as text; standard input where it is '-' (default)")
      ->option_text(" ");
  app.add_option("-o,--output", options.output,
                 "the file to write (default: standard output)")
      ->option_text("FILE");
  app.add_option("--pass-pipeline", options.passes,
                 "the passes to run, in this order; see --list-passes")
      ->option_text("NAME,NAME...")
      ->delimiter(',');
  app.add_flag("--verify-each", options.verifyEach,
               "check the module after each pass, not only before the first "
               "and after the last one");
  app.add_flag("--time", options.time,
               "print how long each pass takes to standard error");
  app.add_option("--print-after", options.printAfter,
                 "print the module after this pass, or after each, "
                 "to standard error")
      ->option_text("NAME|all");
  app.add_flag("--elide", options.elide,
               "leave the elements of large tensors out of the text, which "
               "then cannot be read again");
  app.add_flag("--list-passes{text}", options.listPasses,
               "list the passes, as text or (--list-passes=markdown) as "
               "docs/popir.md");
  for (const PassOption &option : allPassOptions())
    std::visit(
        [&](auto field) {
          addPassOption(app, option, options.passOptions.*field);
        },
        option.field);
}

std::vector<const Pass *> findPasses(const Options &options) {
  std::vector<const Pass *> passes;
  auto find = [&](const char *option, const std::string &name) {
    const Pass *pass = findPass(name);
    if (!pass)
      fail(ErrorKind::Usage, "{}: there is no pass '{}'; see --list-passes",
           option, name);
    return pass;
  };
  for (const std::string &name : options.passes)
    passes.push_back(find("--pass-pipeline", name));
  if (!options.printAfter.empty() && options.printAfter != "all")
    find("--print-after", options.printAfter);
  return passes;
}

/// Runs passes. The input may be invalid and is reported as such; an invalid
/// result of a pass is an internal error.
void runPasses(Module &module, const std::vector<const Pass *> &passes,
               const Options &options) {
  using Clock = std::chrono::steady_clock;
  for (const Pass *pass : passes) {
    const Clock::time_point start = Clock::now();
    runPass(module, *pass, options.passOptions);
    const std::chrono::duration<double> time = Clock::now() - start;
    if (options.time)
      std::cerr << fmt::format("{:<20} {:8.3f} s\n", pass->name, time.count());
    if (options.printAfter == "all" || options.printAfter == pass->name)
      std::cerr << fmt::format("// After {}\n{}", pass->name, toString(module));
    if (options.verifyEach)
      verifyOrFail(module, std::string(pass->name));
  }
  verifyOrFail(module, "the last pass");
}

void listPasses(const std::string &format) {
  if (format == "markdown") {
    std::cout << "| pass | what it does |\n|---|---|\n";
    for (const Pass &pass : allPasses())
      std::cout << fmt::format("| `{}` | {} |\n", pass.name, pass.description);
  } else if (format == "text") {
    for (const Pass &pass : allPasses())
      std::cout << fmt::format("{:<18} {}\n", pass.name, pass.summary);
  } else {
    fail(ErrorKind::Usage,
         "--list-passes: '{}' is not one of text and markdown", format);
  }
}

int run(const Options &options) {
  if (!options.listPasses.empty()) {
    listPasses(options.listPasses);
    return 0;
  }
  const std::vector<const Pass *> passes = findPasses(options);
  const std::unique_ptr<Module> module = readModule(options.input);
  runPasses(*module, passes, options);
  TextOptions text;
  text.elide = options.elide;
  writeText(options.output, toString(*module, text));
  return 0;
}

int runMain(int argc, char **argv) {
  CLI::App app("Reads a module of the PopART IR, runs passes over it, and "
               "writes it.\nIt compiles nothing: popart-compile does.",
               "popir-opt");
  app.formatter(std::make_shared<populus::HelpFormatter>());
  app.footer("Exit status: 0 success, 1 the module is wrong, 2 wrong usage, 3 "
             "something is not\nsupported, 70 internal error.");
  app.set_version_flag("--version", "popir-opt " POPULUS_VERSION);
  Options options;
  addOptions(app, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp &help) {
    return app.exit(help);
  } catch (const CLI::CallForVersion &version) {
    return app.exit(version);
  } catch (const CLI::ParseError &error) {
    std::cerr << "popir-opt: error: "
              << printable(
                     populus::explainUsage(error, app, {argv + 1, argv + argc}))
              << "; see popir-opt --help\n";
    return static_cast<int>(ErrorKind::Usage);
  }
  try {
    return run(options);
  } catch (const Error &error) {
    std::cerr << "popir-opt: error: " << error.what() << "\n";
    return static_cast<int>(error.kind());
  } catch (const std::bad_alloc &) {
    std::cerr << "popir-opt: error: the module needs more memory than there "
                 "is\n";
    return static_cast<int>(ErrorKind::Memory);
  }
}

} // namespace

int main(int argc, char **argv) {
  populus::runtime::removeTemporaryFilesOnSignals();
  return populus::runtime::finishOutput("popir-opt", runMain(argc, argv));
}
