/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The other name under which kernels include the constants of the tile.
 */

#ifndef POPULUS_INCLUDE_ARCH_GC_TILE_DEFINES_H
#define POPULUS_INCLUDE_ARCH_GC_TILE_DEFINES_H

#include <poplar/TileConstants.hpp>

#endif
