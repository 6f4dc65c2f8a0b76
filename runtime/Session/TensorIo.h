// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moving tensors between tile memory, where they lie in pieces, and host
// buffers, where they are packed in element order.

#ifndef POPULUS_RUNTIME_SESSION_TENSORIO_H
#define POPULUS_RUNTIME_SESSION_TENSORIO_H

#include "runtime/Format/Executable.h"
#include "runtime/Session/DeviceMemory.h"

#include <cstdint>

namespace populus::runtime {

std::uint64_t tensorBytes(const TensorLayout &tensor);

void gather(const Executable &executable, const DeviceMemory &memory,
            std::uint32_t tensor, void *data);
void scatter(const Executable &executable, const DeviceMemory &memory,
             std::uint32_t tensor, const void *data);

/// The most bytes that a tensor has on one tile.
std::uint64_t busiestTileBytes(const Executable &executable,
                               std::uint32_t tensor);

} // namespace populus::runtime

#endif
