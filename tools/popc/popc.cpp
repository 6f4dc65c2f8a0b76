// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// popc, the codelet compiler: options and files. The work is done by
// lib/Codelet.

#include "lib/Archive/FileOutput.h"
#include "lib/Codelet/Compiler.h"
#include "lib/Codelet/DiagnosticForms.h"
#include "lib/Codelet/ToolchainPaths.h"
#include "runtime/Support/TemporaryFile.h"
#include "runtime/Support/Version.h"
#include "tools/popc/MemoryLimit.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/raw_ostream.h>
#include <string_view>
#include <unistd.h>

using namespace populus;
using namespace populus::codelet;

namespace {

// Several times what the largest sources need for all targets at once.
constexpr unsigned MemoryGigabytes = 8;

constexpr const char *Help =
    R"(Usage: popc [options] INPUT... -o OUTPUT.gp

Compiles codelets for all targets and packs them, with a description of their
vertex types, into an archive that Graph::addCodelets loads.

Inputs: .cpp .c (C++ and C), .S .s (assembly, with and without preprocessing),
.ll .bc (LLVM IR), .gp (archives, merged into the output), - (standard input).

Output
  -o FILE               write to FILE
  --target=LIST         targets, separated by commas, or a JSON array of names
                        and {"name", "arch", "compile-flags"} (default: all)
  --list-targets        print the targets and stop
  -c                    write an object file (this and the next three: for the
                        target ipu2, unless --target names others)
  -S                    write assembly
  -emit-llvm            write LLVM IR
  -E                    preprocess only
  -fsyntax-only         check only
  --check-codelets      check only, also for what is slow on a tile and for
                        workers that disturb each other
  --fix                 with --check-codelets: change the sources where it can
  --save-temps          keep .i, .ll, .s and .o files in the working directory
  -MD -MMD -MF -MT -MP  write dependencies for make as well
  -M -MM                write dependencies only

Language and code
  -D -U -I -include     macros and headers, as in any C compiler
  -x LANGUAGE           c, c++, ir, assembler or assembler-with-cpp
  -std=STANDARD         language standard (default: gnu++17)
  -O0 -O1 -O2 -O3 -Os   optimisation (default: -O2)
  -g                    debug information
  -W... -Werror -f...   as in Clang
  -X OPTION             pass OPTION on to Clang
  -mllvm OPTION         pass OPTION on to LLVM
  @FILE                 arguments from a file

Messages
  --diagnostics=FORM    text, json or sarif (default: text)

Other
  -v                    show the commands
  -###                  show the commands and do not run them
  --version             print the version and stop
  --help                print this text and stop

popc does not link programs and does not run anything; codelets become part of
a tile's program when a graph is compiled. Exceptions, RTTI and threads are not
available in codelets.

Exit status: 0 success, 1 errors in the input, 2 wrong usage, 70 internal error.
)";

void print(std::FILE *file, const std::string &text) {
  std::fwrite(text.data(), 1, text.size(), file);
}

/// Writes to the standard output; an error message, empty for success.
std::string printOut(std::string_view text) {
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() &&
      std::fflush(stdout) == 0)
    return "";
  return std::string("cannot write to the standard output: ") +
         std::strerror(errno);
}

int usageError(const std::string &error) {
  print(stderr, "popc: error: " + error + "\n");
  print(stderr, "popc: see popc --help\n");
  return Usage;
}

std::string targetList() {
  std::string list;
  for (const runtime::TargetInfo &target : runtime::allTargets()) {
    if (!list.empty())
      list += ',';
    list += target.name;
  }
  return list;
}

/// Build systems take the version from the third word, and what is in
/// parentheses for the hash of the package.
std::string versionText() {
  return std::string("POPLAR version ") + runtime::Version + " (" +
         runtime::PackageHash + ")\nclang version " + LlvmVersion +
         "\ninterfaces: Poplar, PopLibs and PopART of generation " +
         runtime::InterfaceGeneration + "\ntargets: " + targetList() + "\n";
}

int answer(const Options &options) {
  std::string error = printOut(options.help          ? Help
                               : options.version     ? versionText()
                               : options.listTargets ? targetList() + "\n"
                                                     : options.answer);
  if (error.empty())
    return Success;
  print(stderr, "popc: error: " + error + "\n");
  return Failure;
}

/// Writes all files or none of those that did not exist before.
std::string writeFiles(const std::vector<OutputFile> &files) {
  std::vector<std::string> written;
  for (const OutputFile &file : files) {
    const bool isStandardOutput = file.path == "-";
    const std::string_view text(
        reinterpret_cast<const char *>(file.bytes.data()), file.bytes.size());
    std::error_code unknown;
    const bool isNew =
        !isStandardOutput && !std::filesystem::exists(file.path, unknown);
    std::string error = isStandardOutput
                            ? printOut(text)
                            : archive::writeFile(file.path, file.bytes);
    if (!error.empty()) {
      for (const std::string &path : written)
        ::unlink(path.c_str());
      return error;
    }
    if (isNew)
      written.push_back(file.path);
  }
  return "";
}

/// Colours are for terminals, unless NO_COLOR is set (https://no-color.org).
bool wantsColors() {
  const auto variable = [](const char *name) -> std::string_view {
    const char *value = std::getenv(name);
    return value ? value : "";
  };
  const std::string_view terminal = variable("TERM");
  return ::isatty(STDERR_FILENO) != 0 && !terminal.empty() &&
         terminal != "dumb" && variable("NO_COLOR").empty();
}

/// Gives LLVM its own options, which hold for the process; returns an error
/// message, empty for success.
std::string giveToLlvm(const std::vector<std::string> &arguments) {
  if (arguments.empty())
    return "";
  std::vector<const char *> pointers = {"popc -mllvm"};
  for (const std::string &argument : arguments)
    pointers.push_back(argument.c_str());
  std::string error;
  llvm::raw_string_ostream stream(error);
  const bool isGood = llvm::cl::ParseCommandLineOptions(
      static_cast<int>(pointers.size()), pointers.data(), "", &stream);
  return isGood ? "" : llvm::StringRef(stream.str()).rtrim().str();
}

int run(const std::vector<std::string> &arguments) {
  if (std::string error = limitMemory(MemoryGigabytes); !error.empty())
    return usageError(error);
  Options options;
  if (std::string error = parseOptions(arguments, options); !error.empty())
    return usageError(error);
  if (options.isQuestion())
    return answer(options);
  if (std::string error = giveToLlvm(options.llvmArguments); !error.empty())
    return usageError(error);
  // First, so that an option of the user's decides.
  if (wantsColors())
    options.clangArguments.insert(options.clangArguments.begin(),
                                  "-fcolor-diagnostics");
  Compilation compilation = compileAll(options, std::nullopt);
  print(stderr, compilation.commands);
  print(stderr, options.diagnosticForm == DiagnosticForm::Json
                    ? asJson(compilation.messages)
                : options.diagnosticForm == DiagnosticForm::Sarif
                    ? asSarif(compilation.messages)
                    : compilation.diagnostics);
  if (compilation.status != Success || options.dryRun)
    return compilation.status;
  if (options.mode == Mode::Archive)
    compilation.files.push_back(
        {options.output, compilation.archive.serialize()});
  std::string error = writeFiles(compilation.files);
  if (!error.empty()) {
    print(stderr, "popc: error: " + error + "\n");
    return Failure;
  }
  return Success;
}

} // namespace

int main(int argc, char **argv) {
  populus::runtime::removeTemporaryFilesOnSignals();
  try {
    return run({argv + 1, argv + argc});
  } catch (const std::exception &error) {
    print(stderr,
          std::string("popc: error: internal error: ") + error.what() + "\n");
    return Internal;
  }
}
