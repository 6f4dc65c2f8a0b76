// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A logger of spdlog's, set up once from the environment.

#include "lib/Poplar/Support/Log.h"

#include <poplar/exceptions.hpp>

#include <spdlog/sinks/basic_file_sink.h>
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

spdlog::sink_ptr sinkFromEnvironment() {
  const char *text = std::getenv("POPLAR_LOG_DEST");
  const std::string destination = text ? text : "";
  if (destination.empty() || destination == "stderr")
    return std::make_shared<spdlog::sinks::stderr_sink_mt>();
  if (destination == "stdout")
    return std::make_shared<spdlog::sinks::stdout_sink_mt>();
  try {
    return std::make_shared<spdlog::sinks::basic_file_sink_mt>(destination,
                                                               true);
  } catch (const spdlog::spdlog_ex &) {
    throw invalid_option("POPLAR_LOG_DEST: cannot write the log file '" +
                         destination + "'");
  }
}

/// Messages begin with PO, those of PopLibs with PL (user guide, "Logging").
spdlog::logger &logger() {
  static const std::shared_ptr<spdlog::logger> instance = [] {
    auto made = std::make_shared<spdlog::logger>("PO", sinkFromEnvironment());
    made->set_pattern("%Y-%m-%dT%H:%M:%S.%f [%n:%l] %v");
    made->set_level(toSpdlog(levelFromEnvironment()));
    made->flush_on(spdlog::level::trace);
    return made;
  }();
  return *instance;
}

} // namespace

void log(LogLevel level, const std::string &message) {
  logger().log(toSpdlog(level), "{}", message);
}

} // namespace poplar::core
