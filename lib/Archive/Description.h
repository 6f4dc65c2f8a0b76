// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bytes of an archive's description member. Kept apart from Archive.cpp so
// that only one file sees the generated protobuf classes.

#ifndef POPULUS_LIB_ARCHIVE_DESCRIPTION_H
#define POPULUS_LIB_ARCHIVE_DESCRIPTION_H

#include "lib/Archive/Archive.h"

namespace populus::archive {

std::vector<std::uint8_t> encodeDescription(const Archive &archive);

/// Everything but the bytes of the objects. Throws ArchiveError, naming `file`.
Archive decodeDescription(std::span<const std::uint8_t> bytes,
                          const std::string &file);

} // namespace populus::archive

#endif
