// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Log of libpoplar. The environment variable POPLAR_LOG_LEVEL (off, err, warn,
// info, debug, trace) sets the level; the default is off. POPLAR_LOG_DEST
// (stdout, stderr, or a file) sets the destination; the default is stderr.

#ifndef POPULUS_LIB_POPLAR_SUPPORT_LOG_H
#define POPULUS_LIB_POPLAR_SUPPORT_LOG_H

#include <string>

namespace poplar::core {

enum class LogLevel { Off, Err, Warn, Info, Debug, Trace };

void log(LogLevel level, const std::string &message);

} // namespace poplar::core

#endif
