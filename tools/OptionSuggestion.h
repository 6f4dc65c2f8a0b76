// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// "; did you mean '--repeat'?" for an option that a tool does not have: the
// option to which other tools give that name, or else the one of the nearest
// spelling.

#ifndef POPULUS_TOOLS_OPTIONSUGGESTION_H
#define POPULUS_TOOLS_OPTIONSUGGESTION_H

#include "lib/Poplar/Support/NearestName.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace populus {

/// Names by which trtexec, onnxruntime_perf_test, OpenVINO's benchmark_app,
/// iree-run-module and compilers know options of ours.
struct OptionSynonym {
  std::string_view name, ours;
};
inline constexpr OptionSynonym OptionSynonyms[] = {
    {"--batch", "--dim"},
    {"--batch-size", "--dim"},
    {"--benchmark", "--stats"},
    {"--check-values", "--compare"},
    {"--cores", "--threads"},
    {"--count", "--repeat"},
    {"--debug", "--trace"},
    {"--device-id", "--device"},
    {"--dump", "--dump-tile"},
    {"--duration", "--seconds"},
    {"--engine-cache", "--cache-dir"},
    {"--expected_output", "--compare"},
    {"--exportOutput", "--output-dir"},
    {"--exportProfile", "--report"},
    {"--exportTimes", "--stats"},
    {"--fp16", "--precision"},
    {"--half", "--precision"},
    {"--iterations", "--repeat"},
    {"--iters", "--repeat"},
    {"--json", "--stats"},
    {"--loadInputs", "--input"},
    {"--minShapes", "--input-shape"},
    {"--niter", "--repeat"},
    {"--nthreads", "--threads"},
    {"--num-threads", "--threads"},
    {"--optShapes", "--input-shape"},
    {"--out", "--output"},
    {"--out-dir", "--output-dir"},
    {"--outputs", "--anchor"},
    {"--runs", "--repeat"},
    {"--saveEngine", "--output"},
    {"--shape", "--input-shape"},
    {"--shapes", "--input-shape"},
    {"--time", "--stats"},
    {"--timeout", "--max-seconds"},
    {"--verbose", "--trace"},
    {"--warmUp", "--warmup"},
};

/// The text for the first of `arguments` that is an option unknown to `app`, or
/// "" if all are known.
inline std::string suggestOption(const CLI::App &app,
                                 std::span<char *const> arguments) {
  std::vector<std::string> names;
  for (const CLI::Option *option : app.get_options())
    for (const std::string &name : option->get_lnames())
      names.push_back("--" + name);
  const auto isKnown = [&](std::string_view name) {
    return std::ranges::find(names, name) != names.end();
  };
  for (const std::string_view text : arguments) {
    const std::string_view name = text.substr(0, text.find('='));
    if (!name.starts_with("--") || isKnown(name))
      continue;
    for (const OptionSynonym &synonym : OptionSynonyms)
      if (synonym.name == name && isKnown(synonym.ours))
        return "; did you mean '" + std::string(synonym.ours) + "'?";
    return poplar::core::didYouMean(name, names);
  }
  return "";
}

} // namespace populus

#endif
