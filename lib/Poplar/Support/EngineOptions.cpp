// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options from flags and the environment. All published keys are known. A key
// without effect here is accepted, and the log says so.

#include "lib/Poplar/Support/EngineOptions.h"

#include "lib/Poplar/Support/EngineOptionTable.h"
#include "lib/Poplar/Support/Log.h"
#include "lib/Poplar/Support/NearestName.h"

#include <poplar/EngineOptions.hpp>
#include <poplar/exceptions.hpp>

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace poplar::core {

namespace {

void read(const OptionFlags &flags, EngineOptions &options) {
  for (const auto &[key, value] : flags) {
    const auto known =
        std::ranges::find(engineOptions(), key, &EngineOption::key);
    if (known != engineOptions().end())
      known->value.set(options, key, value);
    else if (std::ranges::find(keysWithoutEffect(), key) !=
             keysWithoutEffect().end())
      log(LogLevel::Debug, "engine option '" + key + "' has no effect");
    else {
      std::vector<std::string_view> names(keysWithoutEffect().begin(),
                                          keysWithoutEffect().end());
      for (const EngineOption &option : engineOptions())
        names.push_back(option.key);
      throw invalid_option("there is no engine option '" + key + "'" +
                           didYouMean(key, names));
    }
  }
}

} // namespace

EngineOptions parseEngineOptions(const OptionFlags &flags) {
  OptionFlags all = flags;
  for (const char *variable :
       {"POPLAR_ENGINE_OPTIONS", "POPLAR_RUNTIME_OPTIONS"})
    readJSONFromEnv(variable, all);
  EngineOptions options;
  const char *verify = std::getenv("POPULUS_VERIFY_LOWERING");
  options.verifyLowering = verify && std::string_view(verify) == "1";
  if (const char *destination = std::getenv("POPLAR_GRAPH_REPORT_DEST"))
    options.summaryDestination = destination;
  read(all, options);
  return options;
}

bool writesOutput(const EngineOptions &options) {
  const EngineOptions usual;
  return std::ranges::any_of(engineOptions(), [&](const EngineOption &option) {
    return option.effect == OptionEffect::Output &&
           option.value.text(options) != option.value.text(usual);
  });
}

std::string executableOptions(const EngineOptions &options) {
  std::string text;
  for (const EngineOption &option : engineOptions())
    if (option.effect == OptionEffect::Executable ||
        option.effect == OptionEffect::Acceptance)
      text += std::string(option.key) + "=" + option.value.text(options) + "\n";
  return text;
}

void applySimulatorOptions(EngineOptions &options) {
  constexpr const char *Variable = "POPLAR_SIMULATOR_OPTIONS";
  OptionFlags flags;
  readJSONFromEnv(Variable, flags);
  for (const auto &[key, value] : flags) {
    const auto known =
        std::ranges::find(engineOptions(), key, &EngineOption::key);
    if (known != engineOptions().end() && known->effect != OptionEffect::Run)
      throw invalid_option(std::string(Variable) + ": engine option '" + key +
                           "' has its effect before a program is loaded; use "
                           "POPLAR_ENGINE_OPTIONS");
  }
  read(flags, options);
}

void applyRuntimeOptions(const RuntimeOptions &from, EngineOptions &to) {
  read(from.getOptionFlags(), to);
}

} // namespace poplar::core

namespace poplar {

RuntimeOptions::RuntimeOptions(const OptionFlags &flags) : flags(flags) {
  core::EngineOptions checked;
  core::read(flags, checked);
  for (const auto &flag : flags)
    if (!core::mayChangePerRun(flag.first))
      throw invalid_option("engine option '" + flag.first +
                           "' cannot change from run to run; give it to the "
                           "Engine");
}

EngineOptions::EngineOptions(const Target &target, const OptionFlags &flags)
    : target(target), flags(flags) {
  core::parseEngineOptions(flags);
}

} // namespace poplar
