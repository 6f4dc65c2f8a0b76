// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What libpoplar tells about its work. The environment variable
// POPLAR_LOG_LEVEL (off, err, warn, info, debug, trace) says how much, by
// default nothing; POPLAR_LOG_DEST (stdout, stderr, or a file) says where to,
// by default to stderr.

#ifndef POPULUS_LIB_POPLAR_SUPPORT_LOG_H
#define POPULUS_LIB_POPLAR_SUPPORT_LOG_H

#include <string>

namespace poplar::core {

enum class LogLevel { Off, Err, Warn, Info, Debug, Trace };

void log(LogLevel level, const std::string &message);

} // namespace poplar::core

#endif
