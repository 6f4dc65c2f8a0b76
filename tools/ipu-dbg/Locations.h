// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The places at which a breakpoint may be:
//
//     mean.cpp:12   12   *0x4c010   Mean::compute   vertex Mean   set mean
//
// and what may follow: tile N, worker N, supervisor, if CONDITION.

#ifndef POPULUS_TOOLS_IPU_DBG_LOCATIONS_H
#define POPULUS_TOOLS_IPU_DBG_LOCATIONS_H

#include "lib/Debugger/Debugger.h"

namespace populus::dbg {

/// `currentFile` is that of a line without a file. Notes, such as that another
/// line was taken, are added to `note`. Throws DebugError.
debugger::Breakpoint parseLocation(const std::string &text,
                                   const debugger::Debugger &debugger,
                                   const std::string &currentFile,
                                   std::string &note);

/// Takes "tile N", "worker N", "if CONDITION" off the end of a text and puts
/// them into the breakpoint.
std::string takeLimits(const std::string &text,
                       debugger::Breakpoint &breakpoint);

} // namespace populus::dbg

#endif
