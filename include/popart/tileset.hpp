// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tiles of an IPU that compute, and those that are set aside for transfers
// with the host.

#ifndef POPULUS_INCLUDE_POPART_TILESET_HPP
#define POPULUS_INCLUDE_POPART_TILESET_HPP

namespace popart {

enum class TileSet { Compute = 0, IO, Undefined, N };

} // namespace popart

#endif
