// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A logger of spdlog's, set up once from the environment.

#include "lib/Poplar/Log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdlib>

namespace poplar::core {

namespace {

spdlog::level::level_enum toSpdlog(LogLevel level) {
  switch (level) {
  case LogLevel::Off:
    return spdlog::level::off;
  case LogLevel::Err:
    return spdlog::level::err;
  case LogLevel::Warn:
    return spdlog::level::warn;
  case LogLevel::Info:
    return spdlog::level::info;
  case LogLevel::Debug:
    return spdlog::level::debug;
  case LogLevel::Trace:
    return spdlog::level::trace;
  }
  return spdlog::level::off;
}

LogLevel levelFromEnvironment() {
  const char *text = std::getenv("POPLAR_LOG_LEVEL");
  std::string name = text ? text : "";
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  const char *names[] = {"off", "err", "warn", "info", "debug", "trace"};
  for (int i = 0; i != 6; ++i)
    if (name == names[i])
      return static_cast<LogLevel>(i);
  return LogLevel::Off;
}

spdlog::logger &logger() {
  static const std::shared_ptr<spdlog::logger> instance = [] {
    auto made = std::make_shared<spdlog::logger>(
        "POPLAR", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made->set_pattern("%Y-%m-%dT%H:%M:%S.%f [%n:%l] %v");
    made->set_level(toSpdlog(levelFromEnvironment()));
    return made;
  }();
  return *instance;
}

} // namespace

void log(LogLevel level, const std::string &message) {
  logger().log(toSpdlog(level), "{}", message);
}

} // namespace poplar::core
