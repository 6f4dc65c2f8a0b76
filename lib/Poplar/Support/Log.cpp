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

std::string fromEnvironment(const std::string &variable) {
  const char *text = std::getenv(variable.c_str());
  return text ? text : "";
}

/// `library` is POPLAR or POPLIBS.
LogLevel levelFromEnvironment(const std::string &library) {
  std::string name = fromEnvironment(library + "_LOG_LEVEL");
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  const char *names[] = {"off", "err", "warn", "info", "debug", "trace"};
  for (int i = 0; i != 6; ++i)
    if (name == names[i])
      return static_cast<LogLevel>(i);
  return LogLevel::Off;
}

spdlog::sink_ptr sinkFromEnvironment(const std::string &library) {
  const std::string destination = fromEnvironment(library + "_LOG_DEST");
  if (destination.empty() || destination == "stderr")
    return std::make_shared<spdlog::sinks::stderr_sink_mt>();
  if (destination == "stdout")
    return std::make_shared<spdlog::sinks::stdout_sink_mt>();
  try {
    return std::make_shared<spdlog::sinks::basic_file_sink_mt>(destination,
                                                               true);
  } catch (const spdlog::spdlog_ex &) {
    throw invalid_option(library + "_LOG_DEST: cannot write the log file '" +
                         destination + "'");
  }
}

std::shared_ptr<spdlog::logger> makeLogger(const std::string &prefix,
                                           const std::string &library) {
  auto made =
      std::make_shared<spdlog::logger>(prefix, sinkFromEnvironment(library));
  made->set_pattern("%Y-%m-%dT%H:%M:%S.%f [%n:%l] %v");
  made->set_level(toSpdlog(levelFromEnvironment(library)));
  made->flush_on(spdlog::level::trace);
  return made;
}

spdlog::logger &logger(LogSource source) {
  if (source == LogSource::Poplar) {
    static const auto poplar = makeLogger("PO", "POPLAR");
    return *poplar;
  }
  static const auto poplibs = makeLogger("PL", "POPLIBS");
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
