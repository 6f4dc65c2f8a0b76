// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks of any function: arithmetic that a tile does in many instructions.

#ifndef POPULUS_LIB_FRONTEND_FUNCTIONCHECKS_H
#define POPULUS_LIB_FRONTEND_FUNCTIONCHECKS_H

#include "lib/Frontend/CheckReport.h"

namespace populus::frontend {

/// Checks all functions of the user's own sources.
void checkFunctions(CheckReport &report);

} // namespace populus::frontend

#endif
