// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executables with the names and places of their variables, for findings of
// checks and for ipu-dbg.

#ifndef POPULUS_LIB_POPLAR_REPORT_DEBUGEXECUTABLE_H
#define POPULUS_LIB_POPLAR_REPORT_DEBUGEXECUTABLE_H

#include "lib/Poplar/Graph/GraphImpl.h"
#include "lib/Poplar/Verify/LoweringRecord.h"
#include "runtime/Format/Executable.h"

#include <string>

namespace poplar::core {

/// Adds the variables to the metadata.
void addVariables(populus::runtime::Executable &executable,
                  const GraphImpl &graph, const LoweringRecord &record);

/// Throws poplar_error if the file cannot be written.
void writeDebugExecutable(const std::string &file,
                          const populus::runtime::Executable &executable);

} // namespace poplar::core

#endif
