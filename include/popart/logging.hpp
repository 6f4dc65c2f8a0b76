// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Levels of the log, by module.

#ifndef POPULUS_INCLUDE_POPART_LOGGING_HPP
#define POPULUS_INCLUDE_POPART_LOGGING_HPP

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
/// A line in the log of the program's own, under the module "python".
void write(Level level, const std::string &text);

} // namespace logging

namespace logger {

/// As logging::setLogLevel; "popart" stands for all modules.
void setLevel(const std::string &module, const std::string &level);

} // namespace logger

} // namespace popart

#endif
