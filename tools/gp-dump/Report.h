// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Output of gp-dump as text and as JSON.

#ifndef POPULUS_TOOLS_GPDUMP_REPORT_H
#define POPULUS_TOOLS_GPDUMP_REPORT_H

#include "lib/Archive/Archive.h"

#include <string>

namespace populus::gpdump {

/// Parts of a report to show.
struct Parts {
  bool vertices = false;
  bool sections = false;
  bool symbols = false;
  bool disassembly = false;
  bool size = false;
};

std::string textReport(const archive::Archive &archive, const std::string &file,
                       const Parts &parts);
std::string jsonReport(const archive::Archive &archive, const std::string &file,
                       const Parts &parts);

} // namespace populus::gpdump

#endif
