// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves tensors between tile memory, which holds them in pieces, and host
// buffers, which hold them packed in element order.

#ifndef POPULUS_RUNTIME_SESSION_TENSORIO_H
#define POPULUS_RUNTIME_SESSION_TENSORIO_H

#include "runtime/Format/Executable.h"
#include "runtime/Session/DeviceMemory.h"

#include <cstddef>
#include <cstdint>

namespace populus::runtime {

std::uint64_t tensorBytes(const TensorLayout &tensor);

/// Copy the elements that the process holds. \p data begins with the byte
/// \p begin of the packed tensor.
void gather(const Executable &executable, const DeviceMemory &memory,
            std::uint32_t tensor, void *data, std::size_t begin = 0);
void scatter(const Executable &executable, const DeviceMemory &memory,
             std::uint32_t tensor, const void *data, std::size_t begin = 0);

/// The bytes of a tensor that the host link of an IPU carries, and the most
/// that one of the IPU's tiles holds.
struct HostTraffic {
  std::uint64_t bytes = 0;
  std::uint64_t busiestTileBytes = 0;
};
HostTraffic hostTrafficOf(const Executable &executable, std::uint32_t tensor,
                          std::uint32_t ipu);

} // namespace populus::runtime

#endif
