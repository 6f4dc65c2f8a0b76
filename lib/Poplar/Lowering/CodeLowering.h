// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code of the vertices: host objects for native devices, linked images for
// IPU tiles.

#ifndef POPULUS_LIB_POPLAR_LOWERING_CODELOWERING_H
#define POPULUS_LIB_POPLAR_LOWERING_CODELOWERING_H

#include "lib/Poplar/Lowering/Lowering.h"
#include "lib/Poplar/Lowering/Memory.h"

#include <vector>

namespace poplar::core {

/// Adds the host objects that the vertices need, and their entry points.
void lowerHostCode(Draft &draft);

/// Links an image for each distinct set of vertex types on a tile, and returns
/// the contents of the start of each tile. An IPU Model only uses the sizes of
/// the images. Throws link_error.
std::vector<FixedMemory> linkTileImages(Draft &draft, const StackBytes &least);

} // namespace poplar::core

#endif
