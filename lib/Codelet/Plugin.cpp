// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The entry of the plug-in: the only symbol that libpopulus_codelet.so exports.

#include "lib/Codelet/Plugin.h"

#include "lib/Codelet/Compiler.h"

#include <exception>

using namespace populus::codelet;

namespace {

void fail(CompileResult &result, int status, const std::string &text) {
  result.status = status;
  result.diagnostics += "popc: error: " + text + "\n";
}

void compileCodelets(const CompileRequest &request, CompileResult &result) {
  std::vector<std::string> arguments = request.arguments;
  // The result is handed over in memory; the name is never used.
  arguments.insert(arguments.end(), {"-o", "codelets.gp"});
  Options options;
  if (std::string error = parseOptions(arguments, options); !error.empty())
    return fail(result, Usage, error);
  if (options.mode != Mode::Archive || options.isQuestion())
    return fail(result, Usage,
                "options for other results than codelets cannot be used when "
                "a program compiles codelets");
  if (!options.llvmArguments.empty())
    return fail(
        result, Usage,
        "LLVM's own options (-mllvm) would hold for all of the program; "
        "popc takes them");
  Compilation compilation = compileAll(options, request.standardInput);
  result.status = compilation.status;
  result.diagnostics = std::move(compilation.diagnostics);
  if (compilation.status == Success)
    result.archive = compilation.archive.serialize();
}

} // namespace

extern "C" __attribute__((visibility("default"))) void
populus_compile_codelets(const CompileRequest &request, CompileResult &result) {
  try {
    compileCodelets(request, result);
  } catch (const std::exception &error) {
    fail(result, Internal, error.what());
  }
}

static_assert(
    std::is_same_v<decltype(&populus_compile_codelets), PluginFunction>);
