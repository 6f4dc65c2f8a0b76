// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sets of tiles of an IPU: those that compute, and those reserved for transfers
// with the host.

#ifndef POPULUS_INCLUDE_POPART_TILESET_HPP
#define POPULUS_INCLUDE_POPART_TILESET_HPP

namespace popart {

enum class TileSet { Compute = 0, IO, Undefined, N };

} // namespace popart

#endif
