// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What libpoplar tells about its work on stderr. The environment variable
// POPLAR_LOG_LEVEL (off, err, warn, info, debug, trace) says how much; by
// default nothing.

#ifndef POPULUS_LIB_POPLAR_LOG_H
#define POPULUS_LIB_POPLAR_LOG_H

#include <string>

namespace poplar::core {

enum class LogLevel { Off, Err, Warn, Info, Debug, Trace };

void log(LogLevel level, const std::string &message);

} // namespace poplar::core

#endif
