// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The last steps of a vertex before its fault. Nothing is recorded while
// vertices run, so after a fault the vertex is run again, slot by slot, on a
// copy of the tile. The first attempt uses the memory as it is now, because
// most vertices leave their inputs alone; the second one uses the memory as the
// program was loaded. If an attempt ends in the same fault with the same
// registers, its last steps are those of the fault; else they are not known.

#ifndef POPULUS_RUNTIME_EMULATOR_WATCHING_HISTORY_H
#define POPULUS_RUNTIME_EMULATOR_WATCHING_HISTORY_H

#include "runtime/Emulator/Tile/Tile.h"
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
