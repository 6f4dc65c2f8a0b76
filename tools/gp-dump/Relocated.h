// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An object of an IPU as if it had been linked alone: each loaded section has
// an address of its own and all relocations are applied, those of debug
// information too. LLVM's readers of debug information cannot do that, for they
// do not know the machine.

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
