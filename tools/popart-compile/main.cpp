// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// popart-compile: an ONNX model in, an executable for ipu-run out. Everything
// happens in lib/PopART; this file prints errors and reports.

#include "lib/PopART/Ops/Registry.h"
#include "lib/PopART/Support/Error.h"
#include "lib/PopART/Support/Log.h"
#include "tools/popart-compile/Options.h"

#include <nlohmann/json.hpp>

#include <iostream>

namespace {

using namespace popart;

void listOperators() {
  for (const OpDefinition *definition : allOps())
    std::cout << fmt::format("{} {}\n", definition->type,
                             fmt::join(definition->versions, ", "));
}

void listPatterns() {
  for (const Transform &transform : allTransforms())
    std::cout << fmt::format("{:<18} {}\n", transform.name, transform.help);
}

void reportTimes(TimeReport kind, const std::vector<StageTime> &times) {
  double total = 0;
  nlohmann::ordered_json json;
  for (const StageTime &time : times) {
    json[time.name] = time.seconds;
    total += time.seconds;
    if (kind == TimeReport::Text)
      std::cerr << fmt::format("{:<10} {:8.3f} s\n", time.name, time.seconds);
  }
  json["total"] = total;
  if (kind == TimeReport::Text)
    std::cerr << fmt::format("{:<10} {:8.3f} s\n", "total", total);
  if (kind == TimeReport::Json)
    std::cout << json.dump() << "\n";
}

int run(int argc, char **argv) {
  CommandLine commandLine;
  if (std::optional<int> status = parseCommandLine(argc, argv, commandLine))
    return *status;
  if (commandLine.verbosity > 0)
    logging::setLevel("all", commandLine.verbosity == 1
                                 ? logging::Level::Info
                                 : logging::Level::Debug);
  if (commandLine.listOperators)
    listOperators();
  if (commandLine.listPatterns)
    listPatterns();
  if (!commandLine.compile.model.empty())
    reportTimes(commandLine.time, compileModel(commandLine.compile));
  return 0;
}

int report(const std::string &text, ErrorKind kind) {
  std::cerr << "popart-compile: error: " << text << "\n";
  if (kind == ErrorKind::Internal)
    std::cerr << "popart-compile: note: this is a mistake in popart-compile; "
                 "please report it with the model and the command line\n";
  return static_cast<int>(kind);
}

} // namespace

int main(int argc, char **argv) {
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
