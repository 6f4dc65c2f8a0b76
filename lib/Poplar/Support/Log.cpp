// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loggers of spdlog's, each set up once from the environment.

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

std::string valueOf(const char *variable) {
  const char *text = std::getenv(variable);
  return text ? text : "";
}

LogLevel levelOf(const char *variable) {
  std::string name = valueOf(variable);
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  const char *names[] = {"off", "err", "warn", "info", "debug", "trace"};
  for (int i = 0; i != 6; ++i)
    if (name == names[i])
      return static_cast<LogLevel>(i);
  return LogLevel::Off;
}

spdlog::sink_ptr sinkOf(const char *variable) {
  const std::string destination = valueOf(variable);
  if (destination.empty() || destination == "stderr")
    return std::make_shared<spdlog::sinks::stderr_sink_mt>();
  if (destination == "stdout")
    return std::make_shared<spdlog::sinks::stdout_sink_mt>();
  try {
    return std::make_shared<spdlog::sinks::basic_file_sink_mt>(destination,
                                                               true);
  } catch (const spdlog::spdlog_ex &) {
    throw invalid_option(std::string(variable) +
                         ": cannot write the log file '" + destination + "'");
  }
}

std::shared_ptr<spdlog::logger>
makeLogger(const char *prefix, const char *level, const char *destination) {
  auto made = std::make_shared<spdlog::logger>(prefix, sinkOf(destination));
  made->set_pattern("%Y-%m-%dT%H:%M:%S.%f [%n:%l] %v");
  made->set_level(toSpdlog(levelOf(level)));
  made->flush_on(spdlog::level::trace);
  return made;
}

spdlog::logger &logger(LogSource source) {
  if (source == LogSource::Poplar) {
    static const auto poplar =
        makeLogger("PO", "POPLAR_LOG_LEVEL", "POPLAR_LOG_DEST");
    return *poplar;
  }
  static const auto poplibs =
      makeLogger("PL", "POPLIBS_LOG_LEVEL", "POPLIBS_LOG_DEST");
  return *poplibs;
}

} // namespace

bool isLogged(LogLevel level, LogSource source) {
  return logger(source).should_log(toSpdlog(level));
}

void log(LogLevel level, const std::string &message, LogSource source) {
  logger(source).log(toSpdlog(level), "{}", message);
}

} // namespace poplar::core
