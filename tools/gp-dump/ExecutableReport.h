// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Report of gp-dump on a compiled program (.ipux): the vertex types that it
// runs, and the code images of its tiles.

#ifndef POPULUS_TOOLS_GPDUMP_EXECUTABLEREPORT_H
#define POPULUS_TOOLS_GPDUMP_EXECUTABLEREPORT_H

#include "runtime/Format/Executable.h"
#include "tools/gp-dump/Report.h"

namespace populus::gpdump {

std::string textReport(const runtime::Executable &executable,
                       const Parts &parts);
std::string jsonReport(const runtime::Executable &executable,
                       const std::string &file, const Parts &parts);

} // namespace populus::gpdump

#endif
