// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Links an IPU object alone: each loaded section gets an address, and all
// relocations are applied, including those of debug information. LLVM's readers
// of debug information cannot do that, because they do not know the machine.

#ifndef POPULUS_TOOLS_GPDUMP_RELOCATED_H
#define POPULUS_TOOLS_GPDUMP_RELOCATED_H

#include <cstdint>
#include <vector>

namespace populus::gpdump {

/// Returns the bytes of an executable ELF file with the same sections; symbols
/// that the object does not define are 0. `object` is a relocatable IPU object
/// that LLVM's reader has accepted. `address` is where the first section lies.
std::vector<std::uint8_t>
relocateObject(const std::vector<std::uint8_t> &object, std::uint32_t address);

} // namespace populus::gpdump

#endif
