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
#include <cctype>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace populus {

/// Names by which trtexec, onnxruntime_perf_test, OpenVINO's benchmark_app,
/// polygraphy, iree-run-module, objdump and compilers know options of ours. The
/// first one counts that a tool has.
struct OptionSynonym {
  std::string_view name, ours;
};
inline constexpr OptionSynonym OptionSynonyms[] = {
    {"--accuracy", "--compare"},
    {"--avgRuns", "--repeat"},
    {"--batch", "--dim"},
    {"--batch-size", "--dim"},
    {"--bench", "--stats"},
    {"--benchmark", "--stats"},
    {"--check-values", "--compare"},
    {"--core", "--threads"},
    {"--count", "--repeat"},
    {"--data-type", "--precision"},
    {"--debug", "--trace"},
    {"--device-id", "--device"},
    {"--disasm", "--disassemble"},
    {"--dtype", "--precision"},
    {"--dump", "--dump-tile"},
    {"--dump-output", "--output-dir"},
    {"--dump-profile", "--profile"},
    {"--duration", "--seconds"},
    {"--engine-cache", "--cache-dir"},
    {"--expected-output", "--compare"},
    {"--export-output", "--output-dir"},
    {"--export-profile", "--report"},
    {"--export-times", "--stats"},
    {"--float16", "--precision"},
    {"--fp16", "--precision"},
    {"--half", "--precision"},
    {"--info", "--dry-run"},
    {"--inputs", "--input-shape"},
    {"--inspect", "--emit"},
    {"--ipus", "--num-ipus"},
    {"--iterations", "--repeat"},
    {"--iters", "--repeat"},
    {"--jit", "--engine"},
    {"--json", "--stats"},
    {"--layers", "--emit"},
    {"--list", "--list-devices"},
    {"--list-layers", "--emit"},
    {"--list-targets", "--target"},
    {"--load-inputs", "--input"},
    {"--loops", "--repeat"},
    {"--max-batch", "--dim"},
    {"--memory", "--dry-run"},
    {"--min-shapes", "--input-shape"},
    {"--min-time", "--seconds"},
    {"--niter", "--repeat"},
    {"--nthreads", "--threads"},
    {"--num-runs", "--repeat"},
    {"--num-threads", "--threads"},
    {"--num-tiles", "--tiles"},
    {"--opt-shapes", "--input-shape"},
    {"--out", "--output"},
    {"--out-dir", "--output-dir"},
    {"--output", "--output-dir"},
    {"--outputs", "--anchor"},
    {"--perf", "--stats"},
    {"--percentile", "--stats"},
    {"--quiet", "--progress"},
    {"--runs", "--repeat"},
    {"--save-engine", "--output"},
    {"--save-outputs", "--output-dir"},
    {"--shape", "--input-shape"},
    {"--shapes", "--input-shape"},
    {"--source", "--disassemble"},
    {"--syms", "--symbols"},
    {"--time", "--stats"},
    {"--timeout", "--max-seconds"},
    {"--times", "--repeat"},
    {"--tolerance", "--rtol"},
    {"--verbose", "-v"},
    {"--verbose", "--trace"},
    {"--verbosity", "-v"},
    {"--warm-up", "--warmup"},
    {"-I", "--input"},
    {"-S", "--disassemble"},
    {"-d", "--disassemble"},
    {"-h", "--help"},
    {"-i", "--input"},
    {"-l", "--list-devices"},
    {"-n", "--repeat"},
    {"-o", "--output-dir"},
    {"-p", "--profile"},
    {"-q", "--progress"},
    {"-r", "--repeat"},
    {"-s", "--sections"},
    {"-t", "--threads"},
    {"-t", "--symbols"},
    {"-v", "--version"},
    {"-x", "--sections"},
};

/// The same for --warmUp, --warm_up and --warm-up; short options stay.
inline std::string plainOptionName(std::string_view name) {
  if (!name.starts_with("--"))
    return std::string(name);
  std::string plain;
  for (const char c : name)
    if (c != '-' && c != '_')
      plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return plain;
}

/// The text for the first of `arguments` that is an option unknown to `app`, or
/// "" if all are known.
inline std::string suggestOption(const CLI::App &app,
                                 std::span<char *const> arguments) {
  std::vector<std::string> names, shortNames;
  for (const CLI::Option *option : app.get_options()) {
    for (const std::string &name : option->get_lnames())
      names.push_back("--" + name);
    for (const std::string &name : option->get_snames())
      shortNames.push_back("-" + name);
  }
  const auto isKnown = [&](std::string_view name) {
    return std::ranges::find(names, name) != names.end() ||
           std::ranges::find(shortNames, name) != shortNames.end();
  };
  const auto suggestion = [](std::string_view name) {
    return "; did you mean '" + std::string(name) + "'?";
  };
  for (const std::string_view text : arguments) {
    const std::string_view name = text.substr(0, text.find('='));
    if (name.size() < 2 || name.front() != '-' || isKnown(name))
      continue;
    const std::string plain = plainOptionName(name);
    for (const std::string &ours : names)
      if (plainOptionName(ours) == plain)
        return suggestion(ours);
    for (const OptionSynonym &synonym : OptionSynonyms)
      if (plainOptionName(synonym.name) == plain && isKnown(synonym.ours))
        return suggestion(synonym.ours);
    if (name.starts_with("--"))
      return poplar::core::didYouMean(name, names);
  }
  return "";
}

/// Why a command line cannot be understood, with a suggestion.
inline std::string explainUsage(const CLI::ParseError &error,
                                const CLI::App &app,
                                std::span<char *const> arguments) {
  const std::string text = error.what();
  // "--threads: 1 required UINT:UINT in [0 - 1024] missing"
  const std::size_t colon = text.find(": 1 required ");
  if (colon != std::string::npos && text.ends_with(" missing"))
    return text.substr(0, colon) + " needs a value";
  return text + suggestOption(app, arguments);
}

} // namespace populus

#endif
