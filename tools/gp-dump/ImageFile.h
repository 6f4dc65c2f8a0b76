// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts a linked code image to an ELF file for LLVM's and GNU's tools.

#ifndef POPULUS_TOOLS_GP_DUMP_IMAGEFILE_H
#define POPULUS_TOOLS_GP_DUMP_IMAGEFILE_H

#include "runtime/Format/Executable.h"

namespace populus::gpdump {

/// Code, data, symbols and debug information at the addresses of a tile.
std::vector<std::uint8_t> imageFile(const runtime::CodeImage &image);

} // namespace populus::gpdump

#endif
