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

namespace {

using namespace populus::popir;

struct Options {
  std::string input = "-", output;
  std::vector<std::string> passes;
  std::string printAfter;
  bool verifyEach = false, time = false, listPasses = false, elide = false;
  PassOptions passOptions;
};

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
  app.add_flag("--list-passes", options.listPasses, "list the passes");
  app.add_option("--num-ipus", options.passOptions.numIpus,
                 "AssignIpus, IpuCopies: the number of IPUs")
      ->option_text("N (default 1)")
      ->check(CLI::Range(1, 128));
  app.add_option("--float32-convolutions",
                 options.passOptions.floatConvolutions,
                 "HalfPrecision: convolutions at the beginning that stay "
                 "float32 (default: a third)")
      ->option_text("N");
  app.add_option("--outline-threshold", options.passOptions.outline.threshold,
                 "SubgraphOutline: the least code of a part")
      ->option_text("X (default 1)");
  app.add_flag("--outline-copy-cost-pruning,!--no-outline-copy-cost-pruning",
               options.passOptions.outline.pruneByCopyCost,
               "SubgraphOutline: leave parts alone whose calls copy more than "
               "they save (on)");
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

int run(const Options &options) {
  if (options.listPasses) {
    for (const Pass &pass : allPasses())
      std::cout << fmt::format("{:<18} {}\n", pass.name, pass.help);
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
    std::cerr << "popir-opt: error: " << printable(error.what())
              << populus::suggestOption(app, {argv + 1, argv + argc})
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
