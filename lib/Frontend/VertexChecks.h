// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks of a vertex's compute(): fields that are stored slowly, and workers
// that write to the same place.

#ifndef POPULUS_LIB_FRONTEND_VERTEXCHECKS_H
#define POPULUS_LIB_FRONTEND_VERTEXCHECKS_H

#include "lib/Frontend/CheckReport.h"

namespace populus::frontend {

void checkVertex(CheckReport &report, const FoundVertex &vertex);

} // namespace populus::frontend

#endif
