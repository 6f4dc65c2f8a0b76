// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a vertex came to its fault. Nothing is recorded while vertices run, so
// after a fault the vertex is run again, slot by slot, on a copy of the tile:
// first on the memory as it is now, for most vertices leave their inputs alone,
// then on the memory as the program was loaded. If that ends in the same fault
// with the same registers, its last steps are those of the fault; else they are
// not known.

#ifndef POPULUS_RUNTIME_EMULATOR_WATCHING_HISTORY_H
#define POPULUS_RUNTIME_EMULATOR_WATCHING_HISTORY_H

#include "runtime/Emulator/Tile.h"
#include "runtime/Session/DeviceMemory.h"
#include "runtime/Session/FaultReport.h"

#include <vector>

namespace populus::runtime::emulator {

/// The last instructions before the fault, oldest first; empty: not known.
std::vector<FaultReport::Executed>
lastInstructions(const Executable &executable, const DeviceMemory &memory,
                 const Tile &tile, const Vertex &vertex,
                 const Context &faulted);

} // namespace populus::runtime::emulator

#endif
