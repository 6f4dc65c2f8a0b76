// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Logs of libpoplar and of PopLibs. The environment variables POPLAR_LOG_LEVEL
// and POPLIBS_LOG_LEVEL (off, err, warn, info, debug, trace) set their levels;
// the default is off. POPLAR_LOG_DEST and POPLIBS_LOG_DEST (stdout, stderr, or
// a file) set the destinations; the default is stderr. Messages of libpoplar
// begin with PO, those of PopLibs with PL.

#ifndef POPULUS_LIB_POPLAR_SUPPORT_LOG_H
#define POPULUS_LIB_POPLAR_SUPPORT_LOG_H

#include <string>

namespace poplar::core {

enum class LogLevel { Off, Err, Warn, Info, Debug, Trace };
enum class LogSource { Poplar, PopLibs };

/// True if messages of this level are written; others need not be made.
bool isLogged(LogLevel level, LogSource source = LogSource::Poplar);
void log(LogLevel level, const std::string &message,
         LogSource source = LogSource::Poplar);

} // namespace poplar::core

#endif
