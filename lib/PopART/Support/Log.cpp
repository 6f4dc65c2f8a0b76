// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Logging on top of spdlog: one logger a module, all with the same sink. They
// are made on first use, from the environment.

#include "lib/PopART/Support/Log.h"

#include "lib/PopART/Support/Environment.h"
#include "lib/PopART/Support/Error.h"

#include <nlohmann/json.hpp>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <fstream>

namespace populus::popir::logging {

namespace {

constexpr std::array<std::string_view, 11> ModuleNames = {
    "popart",  "session", "ir",  "devicex", "transform", "pattern",
    "builder", "op",      "opx", "ces",     "python"};

constexpr std::array<std::string_view, 7> LevelNames = {
    "TRACE", "DEBUG", "INFO", "WARN", "ERR", "CRITICAL", "OFF"};

std::string textOf(const char *name) {
  const char *value = environment(name);
  return value ? value : "";
}

spdlog::sink_ptr makeSink(const std::string &destination) {
  if (destination.empty() || destination == "stderr")
    return std::make_shared<spdlog::sinks::stderr_sink_mt>();
  if (destination == "stdout")
    return std::make_shared<spdlog::sinks::stdout_sink_mt>();
  try {
    return std::make_shared<spdlog::sinks::basic_file_sink_mt>(destination,
                                                               true);
  } catch (const spdlog::spdlog_ex &) {
    failInput("POPART_LOG_DEST: cannot write the log file '{}'", destination);
  }
}

class Loggers {
public:
  static Loggers &instance() {
    static Loggers loggers;
    return loggers;
  }

  spdlog::logger &operator[](std::size_t module) { return *list[module]; }

private:
  Loggers() {
    spdlog::sink_ptr sink = makeSink(textOf("LOG_DEST"));
    std::string format = textOf("LOG_FORMAT");
    sink->set_pattern(format.empty() ? "[%Y-%m-%d %H:%M:%S.%e] [%n] [%l] %v"
                                     : format);
    Level level = parseLevel(textOf("LOG_LEVEL"));
    for (std::size_t i = 0; i != ModuleNames.size(); ++i) {
      std::string name =
          i == 0 ? "popart" : fmt::format("popart:{}", ModuleNames[i]);
      list[i] = std::make_shared<spdlog::logger>(name, sink);
      list[i]->set_level(static_cast<spdlog::level::level_enum>(level));
      list[i]->flush_on(spdlog::level::trace);
    }
    readConfig(textOf("LOG_CONFIG"));
  }

  void readConfig(const std::string &path) {
    if (path.empty())
      return;
    std::ifstream file(path);
    auto json = nlohmann::json::parse(file, nullptr, false);
    if (!json.is_object())
      failInput("POPART_LOG_CONFIG: '{}' is not a JSON object of module names "
                "and levels",
                path);
    for (const auto &[name, level] : json.items())
      if (auto module = findModule(name); module && level.is_string())
        list[static_cast<std::size_t>(*module)]->set_level(
            static_cast<spdlog::level::level_enum>(
                parseLevel(level.get<std::string>())));
  }

  std::array<std::shared_ptr<spdlog::logger>, ModuleNames.size()> list;
};

spdlog::logger &logger(Module module) {
  return Loggers::instance()[static_cast<std::size_t>(module)];
}

} // namespace

Level parseLevel(std::string_view text) {
  std::string upper(text);
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](unsigned char c) { return std::toupper(c); });
  auto found = std::find(LevelNames.begin(), LevelNames.end(), upper);
  if (found == LevelNames.end())
    return Level::Off;
  return static_cast<Level>(found - LevelNames.begin());
}

std::optional<Module> findModule(std::string_view name) {
  constexpr std::string_view Prefix = "popart:";
  if (name.substr(0, Prefix.size()) == Prefix)
    name.remove_prefix(Prefix.size());
  auto found = std::find(ModuleNames.begin(), ModuleNames.end(), name);
  if (found == ModuleNames.end())
    return std::nullopt;
  return static_cast<Module>(found - ModuleNames.begin());
}

bool setLevel(std::string_view module, Level level) {
  auto spdlogLevel = static_cast<spdlog::level::level_enum>(level);
  if (module == "all") {
    for (std::size_t i = 0; i != ModuleNames.size(); ++i)
      Loggers::instance()[i].set_level(spdlogLevel);
    return true;
  }
  auto found = findModule(module);
  if (found)
    logger(*found).set_level(spdlogLevel);
  return found.has_value();
}

bool isEnabled(Module module, Level level) {
  return logger(module).should_log(
      static_cast<spdlog::level::level_enum>(level));
}

void write(Module module, Level level, const std::string &text) {
  // The text is data, not a format.
  logger(module).log(static_cast<spdlog::level::level_enum>(level), "{}", text);
}

} // namespace populus::popir::logging
