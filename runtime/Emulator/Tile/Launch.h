// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles as a program finds them, and vertices as a compute set starts them.

#ifndef POPULUS_RUNTIME_EMULATOR_TILE_LAUNCH_H
#define POPULUS_RUNTIME_EMULATOR_TILE_LAUNCH_H

#include "runtime/Emulator/Tile/Tile.h"

#include <memory>

namespace populus::runtime::emulator {

/// A tile with zero registers and its own random numbers. `memory` is the host
/// address of the first byte of region 0, `code` the decoded image of the tile.
std::unique_ptr<Tile> makeTile(const Executable &executable,
                               std::uint32_t number, const Code *code,
                               std::uint8_t *memory, HostCalls *hostCalls);

/// Gives the contexts other memory.
void setMemory(Tile &tile, const Executable &executable, std::uint8_t *memory);

/// Makes the contexts of a supervisor or multi-vertex active.
void startAlone(Tile &tile, const Executable &executable, const Vertex &vertex);

} // namespace populus::runtime::emulator

#endif
