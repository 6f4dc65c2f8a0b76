// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Log levels by module, and log messages of a program's own operators:
// logging::opx::debug("scale {}", scale). Each {} stands for the next argument.

#ifndef POPULUS_INCLUDE_POPART_LOGGING_HPP
#define POPULUS_INCLUDE_POPART_LOGGING_HPP

#include <popart/error.hpp>

#include <map>
#include <string>

namespace popart {

namespace logging {

/// Modules are "all", "session", "ir", "devicex", "transform", "pattern",
/// "builder", "op", "opx", "ces", "python" and "popart"; levels "TRACE",
/// "DEBUG", "INFO", "WARN", "ERR", "CRITICAL" and "OFF".
void setLogLevel(const std::string &module, const std::string &level);
void configure(const std::map<std::string, std::string> &levels);

enum class Level { Trace = 0, Debug, Info, Warn, Err, Critical, Off };
/// Writes a message to the log under the module "python".
void write(Level level, const std::string &text);
/// Writes a message under a module of the list above. An unknown module is an
/// error.
void write(const char *module, Level level, const std::string &text);

#define POPULUS_LOG_FUNCTION(MODULE, NAME, LEVEL)                              \
  template <class... Args>                                                     \
  void NAME(const std::string &text, const Args &...args) {                    \
    write(MODULE, Level::LEVEL, popart_detail::format(text, args...));         \
  }
#define POPULUS_LOG_FUNCTIONS(MODULE)                                          \
  POPULUS_LOG_FUNCTION(MODULE, trace, Trace)                                   \
  POPULUS_LOG_FUNCTION(MODULE, debug, Debug)                                   \
  POPULUS_LOG_FUNCTION(MODULE, info, Info)                                     \
  POPULUS_LOG_FUNCTION(MODULE, warn, Warn)                                     \
  POPULUS_LOG_FUNCTION(MODULE, err, Err)                                       \
  POPULUS_LOG_FUNCTION(MODULE, critical, Critical)
#define POPULUS_LOG_MODULE(NAME)                                               \
  namespace NAME {                                                             \
  POPULUS_LOG_FUNCTIONS(#NAME)                                                 \
  }

POPULUS_LOG_FUNCTIONS("popart")
POPULUS_LOG_MODULE(session)
POPULUS_LOG_MODULE(ir)
POPULUS_LOG_MODULE(devicex)
POPULUS_LOG_MODULE(transform)
POPULUS_LOG_MODULE(pattern)
POPULUS_LOG_MODULE(builder)
POPULUS_LOG_MODULE(op)
POPULUS_LOG_MODULE(opx)
POPULUS_LOG_MODULE(ces)
POPULUS_LOG_MODULE(autodiff)
POPULUS_LOG_MODULE(graph)
POPULUS_LOG_MODULE(liveness)
POPULUS_LOG_MODULE(memory)
POPULUS_LOG_MODULE(patterns)
POPULUS_LOG_MODULE(onnx)
POPULUS_LOG_MODULE(tensor)

#undef POPULUS_LOG_MODULE
#undef POPULUS_LOG_FUNCTIONS
#undef POPULUS_LOG_FUNCTION

} // namespace logging

namespace logger {

/// The same as logging::setLogLevel. "popart" stands for all modules.
void setLevel(const std::string &module, const std::string &level);

} // namespace logger

} // namespace popart

#endif
